-- SPDX-License-Identifier: Apache-2.0
-- The events of a target that overlap ?2 to ?3, newest first, at most ?4.
SELECT id, target_id, begin_utc_ms, end_utc_ms, kind, text, details, family
FROM event
WHERE target_id = ?1 AND end_utc_ms >= ?2 AND begin_utc_ms <= ?3
ORDER BY end_utc_ms DESC, id DESC
LIMIT ?4
