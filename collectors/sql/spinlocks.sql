-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  the totals of every spinlock that is not zero, and of some that every version has; see
--           waits.sql. backoffs is int on older builds.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER PERFORMANCE STATE; Azure SQL Database VIEW
--           DATABASE STATE, on Basic, S0, S1 and in elastic pools the role ##MS_ServerStateReader##.
-- Cost:     a walk over 220 to 500 rows in memory; 60 to 150 are sent.   Versions: 2012 and later, Azure SQL.
SELECT N'spinlocks' AS latchd_view;
SELECT s.name, s.collisions, s.spins, s.sleep_time, CONVERT(bigint, s.backoffs) AS backoffs
FROM sys.dm_os_spinlock_stats AS s
WHERE ISNULL(s.collisions | s.spins | s.sleep_time | CONVERT(bigint, s.backoffs), 1) <> 0
   OR s.name IN (N'LOCK_HASH', N'SOS_CACHESTORE', N'LOGCACHE_ACCESS', N'XDESMGR');
