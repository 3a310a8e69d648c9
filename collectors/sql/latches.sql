-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  the totals of every latch class, with those that are 0.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER PERFORMANCE STATE.
-- Cost:     140 to 190 rows out of memory.   Versions: 2012 and later.
SELECT N'latches' AS latchd_view;
SELECT l.latch_class, l.waiting_requests_count, l.wait_time_ms, l.max_wait_time_ms
FROM sys.dm_os_latch_stats AS l;
