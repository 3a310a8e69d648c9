-- SPDX-License-Identifier: Apache-2.0
-- The hotspots of a target that were seen between ?2 and ?3, newest first.
SELECT
    id, target_id, kind, is_active, is_confirmed, first_seen_utc_ms, last_seen_utc_ms,
    database_id, object_id, index_id, database, object, index_name, file_id, page_id,
    page_class, pages_seen, wait_type, waiters_avg, waiters_max, flow_waiters_avg,
    flow_waiters_max, ms_per_sec, scheduler_count, inserters, optimize_for_sequential_key,
    leading_column, statements, evidence, finding_rule, finding_summary, finding_expect,
    finding_statement
FROM hotspot
WHERE target_id = ?1 AND last_seen_utc_ms >= ?2 AND first_seen_utc_ms <= ?3
ORDER BY last_seen_utc_ms DESC, id DESC
