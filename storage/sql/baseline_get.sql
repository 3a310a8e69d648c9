-- SPDX-License-Identifier: Apache-2.0
-- The sample that the next delta of a view is taken against.
SELECT server_name, node_name, process_id, start_ticks, ms_ticks, taken_mono_ms, taken_utc_ms, body
FROM baseline
WHERE target_id = ?1 AND family = ?2
