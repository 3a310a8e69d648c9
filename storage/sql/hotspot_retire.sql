-- SPDX-License-Identifier: Apache-2.0
-- Deletes the oldest ended hotspots of a target last seen before ?2, at most ?3 of them.
DELETE FROM hotspot
WHERE id IN (SELECT id
             FROM hotspot
             WHERE target_id = ?1 AND last_seen_utc_ms < ?2 AND is_active = 0
             ORDER BY last_seen_utc_ms
             LIMIT ?3)
