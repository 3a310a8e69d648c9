-- SPDX-License-Identifier: Apache-2.0
-- Deletes the oldest events of a target that ended before ?2, at most ?3 of them.
DELETE FROM event
WHERE id IN (SELECT id
             FROM event
             WHERE target_id = ?1 AND end_utc_ms < ?2
             ORDER BY end_utc_ms
             LIMIT ?3)
