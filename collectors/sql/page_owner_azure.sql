-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  whose pages these are. Of another database than the one it is connected to latchd does
--           not ask: Azure SQL Database would not tell. As it stands it asks for the boot page of
--           master; latchd puts its own numbers behind DECLARE.
-- Rights:   VIEW DATABASE STATE; names need VIEW DEFINITION in the database.
-- Cost:     one page read and one short latch for each page.   Versions: Azure SQL Database.
DECLARE @count int = 1,
        @database0 smallint = 1, @file0 int = 1, @page0 int = 9,
        @database1 smallint = 1, @file1 int = 1, @page1 int = 9,
        @database2 smallint = 1, @file2 int = 1, @page2 int = 9,
        @database3 smallint = 1, @file3 int = 1, @page3 int = 9,
        @database4 smallint = 1, @file4 int = 1, @page4 int = 9,
        @database5 smallint = 1, @file5 int = 1, @page5 int = 9,
        @database6 smallint = 1, @file6 int = 1, @page6 int = 9,
        @database7 smallint = 1, @file7 int = 1, @page7 int = 9;
SELECT v.slot, p.object_id, p.index_id, p.partition_id, p.page_type, p.page_level,
       p.next_page_file_id, p.next_page_page_id, p.prev_page_file_id, p.prev_page_page_id,
       p.is_mixed_ext, DB_NAME() AS database_name,
       OBJECT_SCHEMA_NAME(p.object_id) AS schema_name,
       OBJECT_NAME(p.object_id) AS object_name
FROM (SELECT TOP (@count) u.slot, u.database_id, u.file_id, u.page_id
      FROM (SELECT 0 AS slot, @database0 AS database_id, @file0 AS file_id, @page0 AS page_id
            UNION ALL SELECT 1, @database1, @file1, @page1
            UNION ALL SELECT 2, @database2, @file2, @page2
            UNION ALL SELECT 3, @database3, @file3, @page3
            UNION ALL SELECT 4, @database4, @file4, @page4
            UNION ALL SELECT 5, @database5, @file5, @page5
            UNION ALL SELECT 6, @database6, @file6, @page6
            UNION ALL SELECT 7, @database7, @file7, @page7) AS u
      ORDER BY u.slot) AS v
CROSS APPLY sys.dm_db_page_info(v.database_id, v.file_id, v.page_id, N'DETAILED') AS p;
