-- SPDX-License-Identifier: Apache-2.0
-- The first frame of resolution ?3 of a view that ended after ?4: its end and where it begins.
SELECT t, t - iif(?3 = 0, interval_ms, elapsed_ms)
FROM frame
WHERE target_id = ?1 AND family = ?2 AND resolution = ?3 AND t > ?4
ORDER BY t
LIMIT 1
