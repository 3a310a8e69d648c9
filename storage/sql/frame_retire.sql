-- SPDX-License-Identifier: Apache-2.0
-- Deletes the oldest frames of a view that ended before ?3, at most ?4 of them.
DELETE FROM frame
WHERE target_id = ?1 AND family = ?2 AND resolution = 0
  AND t <= (SELECT max(t)
            FROM (SELECT t
                  FROM frame
                  WHERE target_id = ?1 AND family = ?2 AND resolution = 0 AND t < ?3
                  ORDER BY t
                  LIMIT ?4))
