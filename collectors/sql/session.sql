-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  sets the options of latchd's session, once after each login. db-lib logs in with the
--           ANSI options off; LOCK_TIMEOUT keeps a look-up from queueing behind a schema lock, and
--           the low deadlock priority makes latchd the one that gives way.
-- Rights:   none.   Cost: none.   Versions: 2012 and later, Azure SQL.
SET NOCOUNT ON; SET ANSI_NULLS ON; SET ANSI_WARNINGS ON; SET ANSI_PADDING ON;
SET QUOTED_IDENTIFIER ON; SET CONCAT_NULL_YIELDS_NULL ON; SET ARITHABORT ON;
SET LOCK_TIMEOUT 1000; SET DEADLOCK_PRIORITY -10;
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;
