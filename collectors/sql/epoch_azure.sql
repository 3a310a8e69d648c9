-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  which server and database the rows of this batch belong to. Azure SQL Database may refuse
--           the ticks of its machine, and its databases move between machines: there are none here, and
--           time is that of latchd's own clock. The marker tells how many rows came before, as in
--           epoch.sql.
-- Rights:   none.
-- Cost:     one row a view.   Versions: Azure SQL Database.
SELECT N'epoch' AS latchd_view, @@ROWCOUNT AS row_count;
SELECT CONVERT(nvarchar(128), SERVERPROPERTY(N'ServerName')) AS server_name,
       CONVERT(nvarchar(128), SERVERPROPERTY(N'ComputerNamePhysicalNetBIOS')) AS node_name,
       CONVERT(int, SERVERPROPERTY(N'ProcessID')) AS process_id,
       CONVERT(bigint, NULL) AS start_ticks, CONVERT(bigint, NULL) AS now_ticks;
