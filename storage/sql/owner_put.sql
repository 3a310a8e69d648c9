-- SPDX-License-Identifier: Apache-2.0
-- Writes who owns a page, over what was known of it.
INSERT OR REPLACE INTO page_owner (
    target_id, database_id, file_id, page_id, state, error, database, object, object_id,
    index_name, index_id, partition_id, page_type, level, next_file_id, next_page_id,
    previous_file_id, previous_page_id, is_mixed_extent, is_system_object, leading_column,
    is_ascending, is_descending, optimize_for_sequential_key, looked_up_utc_ms
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19,
        ?20, ?21, ?22, ?23, ?24, ?25)
