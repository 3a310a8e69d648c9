-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  whether this very session is encrypted, as the server sees it.
-- Rights:   VIEW SERVER STATE; 2022 and later VIEW SERVER SECURITY STATE; Azure SQL
--           Database VIEW DATABASE STATE.
-- Cost:     one row.   Versions: 2012 and later, Azure SQL.
SELECT CASE WHEN c.encrypt_option = N'TRUE' THEN 1 ELSE 0 END AS is_encrypted
FROM sys.dm_exec_connections AS c
WHERE c.session_id = @@SPID;
