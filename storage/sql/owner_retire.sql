-- SPDX-License-Identifier: Apache-2.0
-- Deletes the oldest page owners of a target looked up before ?2, at most ?3 of them.
DELETE FROM page_owner
WHERE target_id = ?1
  AND (database_id, file_id, page_id) IN (SELECT database_id, file_id, page_id
                                          FROM page_owner
                                          WHERE target_id = ?1 AND looked_up_utc_ms < ?2
                                          ORDER BY looked_up_utc_ms
                                          LIMIT ?3)
