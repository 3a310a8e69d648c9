-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  who waits for what at this instant, parallel workers included, and the requests
--           behind them. latchd leaves itself out by its program name. A task has one row for each
--           of its blockers; the address joins both results, for a task may move between the two.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER PERFORMANCE STATE; Azure SQL Database VIEW
--           DATABASE STATE, on Basic, S0, S1 and in elastic pools the role ##MS_ServerStateReader##.
-- Cost:     grows with the requests, usually 1 to 20 ms; listing waiting tasks takes the lock that
--           the deadlock monitor needs, so never more often than once a second.
-- Versions: 2012 and later, Azure SQL.
SELECT N'waiting_tasks' AS latchd_view;
SELECT t.waiting_task_address, t.session_id, t.wait_type, t.wait_duration_ms,
       t.resource_description, t.blocking_session_id
FROM sys.dm_os_waiting_tasks AS t
JOIN sys.dm_exec_sessions AS s ON s.session_id = t.session_id
WHERE s.is_user_process = 1 AND ISNULL(s.program_name, N'') <> N'latchd';
SELECT r.task_address, r.session_id, r.wait_type, r.wait_time, r.wait_resource, r.database_id,
       r.scheduler_id, r.query_hash, r.command
FROM sys.dm_exec_requests AS r
JOIN sys.dm_exec_sessions AS s ON s.session_id = r.session_id
WHERE s.is_user_process = 1 AND ISNULL(s.program_name, N'') <> N'latchd';
