-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  the totals of every latch class that is not zero, and of some that every version has; see
--           waits.sql.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER PERFORMANCE STATE; Azure SQL Database VIEW
--           DATABASE STATE, on Basic, S0, S1 and in elastic pools the role ##MS_ServerStateReader##.
-- Cost:     a walk over 140 to 190 rows in memory; 10 to 40 are sent.   Versions: 2012 and later, Azure SQL.
SELECT N'latches' AS latchd_view;
SELECT l.latch_class, l.waiting_requests_count, l.wait_time_ms, l.max_wait_time_ms
FROM sys.dm_os_latch_stats AS l
WHERE ISNULL(l.waiting_requests_count | l.wait_time_ms | l.max_wait_time_ms, 1) <> 0
   OR l.latch_class IN (N'BUFFER', N'LOG_MANAGER', N'ACCESS_METHODS_DATASET_PARENT', N'FGCB_ADD_REMOVE');
