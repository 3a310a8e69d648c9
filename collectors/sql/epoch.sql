-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  which life of which server the rows of this batch belong to. Stands at both ends of each
--           batch and between its views: a restart or a stall in between is then visible, and each
--           view has ticks of its own. The local start time would move with the time zone; the ticks do
--           not. The marker also tells how many rows the statement before it had: rows that are lost
--           on the way would pass for names that are zero.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER PERFORMANCE STATE.
-- Cost:     one row a view.   Versions: 2012 and later, Managed Instance.
SELECT N'epoch' AS latchd_view, @@ROWCOUNT AS row_count;
SELECT CONVERT(nvarchar(128), SERVERPROPERTY(N'ServerName')) AS server_name,
       CONVERT(nvarchar(128), SERVERPROPERTY(N'ComputerNamePhysicalNetBIOS')) AS node_name,
       CONVERT(int, SERVERPROPERTY(N'ProcessID')) AS process_id,
       i.sqlserver_start_time_ms_ticks AS start_ticks, i.ms_ticks AS now_ticks
FROM sys.dm_os_sys_info AS i;
