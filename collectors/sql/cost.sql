-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  what this session has cost the server: the CPU time of its batches that have ended.
-- Rights:   none for one's own session.
-- Cost:     one row, every ten seconds at most.   Versions: 2012 and later.
SELECT N'cost' AS latchd_view;
SELECT s.cpu_time
FROM sys.dm_exec_sessions AS s
WHERE s.session_id = @@SPID;
