-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  who the server is, and whether this login may see its state. SERVERPROPERTY answers
--           with sql_variant, which libsybdb cannot read: everything is converted.
-- Rights:   none.   Cost: none.   Versions: 2012 and later, Azure SQL.
SELECT CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion')) AS product_version,
       CONVERT(int, SERVERPROPERTY(N'EngineEdition')) AS engine_edition,
       CONVERT(nvarchar(128), SERVERPROPERTY(N'Edition')) AS edition,
       CONVERT(nvarchar(128), SERVERPROPERTY(N'ServerName')) AS server_name,
       CONVERT(nvarchar(128), SERVERPROPERTY(N'ComputerNamePhysicalNetBIOS')) AS node_name,
       CONVERT(int, SERVERPROPERTY(N'ProcessID')) AS process_id,
       HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER STATE') AS may_view_state,
       HAS_PERMS_BY_NAME(NULL, NULL, N'VIEW SERVER PERFORMANCE STATE') AS may_view_performance_state;
