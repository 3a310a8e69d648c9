-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  who the server is, and as whom latchd is logged in to which database. SERVERPROPERTY
--           answers with sql_variant, which libsybdb cannot read: everything is converted.
-- Rights:   none.   Cost: none.   Versions: 2012 and later, Azure SQL.
SELECT CONVERT(nvarchar(128), SERVERPROPERTY(N'ProductVersion')) AS product_version,
       CONVERT(int, SERVERPROPERTY(N'EngineEdition')) AS engine_edition,
       CONVERT(nvarchar(128), SERVERPROPERTY(N'Edition')) AS edition,
       CONVERT(nvarchar(128), SERVERPROPERTY(N'ServerName')) AS server_name,
       CONVERT(nvarchar(128), SERVERPROPERTY(N'ComputerNamePhysicalNetBIOS')) AS node_name,
       CONVERT(int, SERVERPROPERTY(N'ProcessID')) AS process_id,
       SUSER_SNAME() AS login_name, DB_NAME() AS database_name;
