-- SPDX-License-Identifier: Apache-2.0
-- Deletes the oldest frames of resolution ?3 of a view that ended before ?4 and are rolled up
-- already where there is something coarser, at most ?5 of them.
DELETE FROM frame
WHERE target_id = ?1 AND family = ?2 AND resolution = ?3
  AND t <= (SELECT max(t)
            FROM (SELECT t
                  FROM frame
                  WHERE target_id = ?1 AND family = ?2 AND resolution = ?3
                    AND t < iif(?3 = 2, ?4,
                                min(?4, ifnull((SELECT t FROM rollup_mark
                                                WHERE target_id = ?1 AND family = ?2
                                                  AND resolution = ?3 + 1), 0)))
                  ORDER BY t
                  LIMIT ?5))
