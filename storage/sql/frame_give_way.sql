-- SPDX-License-Identifier: Apache-2.0
-- Deletes the frames of a view that cover time between ?3 and ?4, which is covered anew: the clock
-- that dated them was wrong. Frames do not overlap, so the first that begins after ?4 ends the walk.
DELETE FROM frame
WHERE target_id = ?1 AND family = ?2 AND resolution = 0 AND t > ?3
  AND t < ifnull((SELECT t
                  FROM frame
                  WHERE target_id = ?1 AND family = ?2 AND resolution = 0 AND t > ?3
                    AND t - interval_ms >= ?4
                  ORDER BY t
                  LIMIT 1), 9223372036854775807)
