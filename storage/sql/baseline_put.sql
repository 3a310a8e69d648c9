-- SPDX-License-Identifier: Apache-2.0
-- Replaces the sample that the next delta of a view is taken against.
INSERT OR REPLACE INTO baseline (target_id, family, server_name, node_name, process_id, start_ticks,
                                 ms_ticks, taken_mono_ms, taken_utc_ms, body)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
