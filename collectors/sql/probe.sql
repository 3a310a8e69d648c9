-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  what this login may see: one row of each view is asked for, once after each login, so
--           that a missing right is known before the view is needed. What the server answers counts,
--           not what its list of rights says.
-- Rights:   those of the views; each is refused alone.
-- Cost:     the views once, of which few rows travel.   Versions: 2012 to 2017.
SELECT N'clock' AS latchd_view;
SELECT i.ms_ticks FROM sys.dm_os_sys_info AS i;
SELECT N'waits' AS latchd_view;
SELECT TOP (1) w.wait_time_ms FROM sys.dm_os_wait_stats AS w;
SELECT N'latches' AS latchd_view;
SELECT TOP (1) l.wait_time_ms FROM sys.dm_os_latch_stats AS l;
SELECT N'spinlocks' AS latchd_view;
SELECT TOP (1) s.collisions FROM sys.dm_os_spinlock_stats AS s;
SELECT N'waiting_tasks' AS latchd_view;
SELECT TOP (1) t.wait_duration_ms FROM sys.dm_os_waiting_tasks AS t;
SELECT N'names' AS latchd_view;
SELECT HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW ANY DEFINITION') AS is_allowed;
SELECT N'encryption' AS latchd_view;
SELECT c.net_packet_size FROM sys.dm_exec_connections AS c WHERE c.session_id = @@SPID;
