-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  as whom latchd works in this database, and what is paid for it: on small tiers other rights
--           are needed, and a serverless database that is polled never pauses.
-- Rights:   none.   Cost: none.   Versions: Azure SQL Database.
SELECT USER_NAME() AS user_name, DB_ID() AS database_id,
       CONVERT(nvarchar(128), DATABASEPROPERTYEX(DB_NAME(), N'ServiceObjective')) AS service_objective;
