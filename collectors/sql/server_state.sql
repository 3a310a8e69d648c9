-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  how long the instance is up, and on how many schedulers user work can run. The dedicated
--           administrator connection's scheduler shows as VISIBLE ONLINE (DAC) and does not count.
--           Uptime is a difference of ticks: no time zone and no clock step can move it.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER PERFORMANCE STATE; Azure SQL Database VIEW
--           DATABASE STATE, on Basic, S0, S1 and in elastic pools the role ##MS_ServerStateReader##.
-- Cost:     two small views in memory.   Versions: 2012 and later, Azure SQL.
SELECT i.sqlserver_start_time_ms_ticks AS start_ticks, i.ms_ticks AS now_ticks,
       CONVERT(nvarchar(30), SYSUTCDATETIME(), 126) AS now_utc
FROM sys.dm_os_sys_info AS i;
SELECT COUNT(*) AS online_schedulers
FROM sys.dm_os_schedulers AS c
WHERE c.status = N'VISIBLE ONLINE';
