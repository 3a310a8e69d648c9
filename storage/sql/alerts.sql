-- SPDX-License-Identifier: Apache-2.0
-- The states of all alerts: one row per rule and target.
SELECT rule, target_id, state, severity, labels, since_utc_ms, fired_utc_ms, resolved_utc_ms,
       clear_since_utc_ms, evaluated_commit, threshold, unit, evidence, value
FROM alert
ORDER BY rule, target_id
