-- SPDX-License-Identifier: Apache-2.0
-- Writes the state of a rule on a target.
INSERT OR REPLACE INTO alert (rule, target_id, state, severity, labels, since_utc_ms, fired_utc_ms,
                              resolved_utc_ms, clear_since_utc_ms, evaluated_commit, value,
                              threshold, unit, evidence)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
