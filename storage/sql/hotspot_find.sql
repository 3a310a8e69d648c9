-- SPDX-License-Identifier: Apache-2.0
-- The id of an equal hotspot, so that a hotspot written twice is one. What is not named yet is
-- told apart by its file.
SELECT id
FROM hotspot
WHERE target_id = ?1 AND first_seen_utc_ms = ?2 AND kind = ?3 AND database_id = ?4
  AND object_id = ?5 AND index_id = ?6 AND (?5 <> 0 OR file_id = ?7)
