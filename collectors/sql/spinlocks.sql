-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  the totals of every spinlock, with those that are 0. backoffs is int on older builds.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER PERFORMANCE STATE.
-- Cost:     220 to 500 rows out of memory.   Versions: 2012 and later.
SELECT N'spinlocks' AS latchd_view;
SELECT s.name, s.collisions, s.spins, s.sleep_time, CONVERT(bigint, s.backoffs) AS backoffs
FROM sys.dm_os_spinlock_stats AS s;
