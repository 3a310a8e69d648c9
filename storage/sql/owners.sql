-- SPDX-License-Identifier: Apache-2.0
-- The owners of a target's pages looked up after ?2, in order of time.
SELECT
    database_id, file_id, page_id, state, error, database, object, object_id, index_name,
    index_id, partition_id, page_type, level, next_file_id, next_page_id, previous_file_id,
    previous_page_id, is_mixed_extent, is_system_object, leading_column, is_ascending,
    is_descending, optimize_for_sequential_key, looked_up_utc_ms
FROM page_owner
WHERE target_id = ?1 AND looked_up_utc_ms > ?2
ORDER BY looked_up_utc_ms
