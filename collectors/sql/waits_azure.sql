-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  the totals of every wait type of the database that latchd is connected to, as far as they
--           are not zero, and of some that are there in any case; see waits.sql. They begin anew
--           when the database moves to another machine; when that was cannot be dated.
-- Rights:   VIEW DATABASE STATE; on Basic, S0, S1 and in elastic pools the role
--           ##MS_ServerStateReader##.
-- Cost:     a walk over up to 1,500 rows in memory, about 1 ms.   Versions: Azure SQL Database.
SELECT N'waits' AS latchd_view;
SELECT w.wait_type, w.waiting_tasks_count, w.wait_time_ms, w.signal_wait_time_ms, w.max_wait_time_ms
FROM sys.dm_db_wait_stats AS w
WHERE ISNULL(w.waiting_tasks_count | w.wait_time_ms | w.signal_wait_time_ms | w.max_wait_time_ms, 1) <> 0
   OR w.wait_type IN (N'SOS_SCHEDULER_YIELD', N'WRITELOG', N'PAGELATCH_EX', N'LCK_M_X');
