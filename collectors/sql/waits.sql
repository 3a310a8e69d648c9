-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  the totals of every wait type that is not zero: rows of zeros need not travel, for a name
--           that is missing from a complete read is zero. Right after a clear nearly all are, so some
--           names that every version has come in any case: an answer without rows is never a cleared
--           view. Among them are the heartbeats, whose zeros date the clear. A NULL lets its row pass.
--           Not grouped here, for that would merge names by the server's collation and ask for a
--           memory grant.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER PERFORMANCE STATE.
-- Cost:     a walk over 900 to 1,500 rows in memory, about 1 ms; 100 to 300 are sent.
-- Versions: 2012 and later, Managed Instance.
SELECT N'waits' AS latchd_view;
SELECT w.wait_type, w.waiting_tasks_count, w.wait_time_ms, w.signal_wait_time_ms, w.max_wait_time_ms
FROM sys.dm_os_wait_stats AS w
WHERE ISNULL(w.waiting_tasks_count | w.wait_time_ms | w.signal_wait_time_ms | w.max_wait_time_ms, 1) <> 0
   OR w.wait_type IN (N'REQUEST_FOR_DEADLOCK_SEARCH', N'XE_TIMER_EVENT', N'SQLTRACE_INCREMENTAL_FLUSH_SLEEP',
                      N'LAZYWRITER_SLEEP', N'DIRTY_PAGE_POLL', N'WRITELOG', N'PAGELATCH_EX', N'LCK_M_X');
