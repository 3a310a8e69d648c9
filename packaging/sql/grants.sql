-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  the login that latchd uses, with the least rights that let it see waits, latches, spinlocks,
--           waiting tasks and the names of tables and indexes. It can write nothing.
-- Rights:   run it as sysadmin (CONTROL SERVER). Cost: none.
-- Versions: SQL Server 2014 to 2019, Managed Instance; what differs elsewhere stands below each line.

CREATE LOGIN latchd WITH PASSWORD = N'<set me>', CHECK_POLICY = ON;

GRANT VIEW SERVER STATE TO latchd;
-- 2022 and later, narrower:  GRANT VIEW SERVER PERFORMANCE STATE TO latchd;
-- 2022 and later, to see whether the connection is encrypted:  GRANT VIEW SERVER SECURITY STATE TO latchd;

GRANT VIEW ANY DEFINITION TO latchd;
-- 2022 and later, narrower:  GRANT VIEW ANY PERFORMANCE DEFINITION TO latchd;

GRANT CONNECT ANY DATABASE TO latchd;
-- 2012:                      CREATE USER latchd FOR LOGIN latchd;   in each database

-- Azure SQL Database, in each database instead of all of the above:
--   CREATE USER latchd WITH PASSWORD = N'<set me>';
--   GRANT VIEW DATABASE STATE TO latchd;
--   GRANT VIEW DEFINITION TO latchd;
-- On Basic, S0, S1 and in elastic pools latches, spinlocks and waiting tasks need instead of VIEW DATABASE
-- STATE a membership, given in master:  ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER latchd;
