-- SPDX-License-Identifier: Apache-2.0
-- End of the oldest frame of resolution ?3 of a view that may go: one that is rolled up where there
-- is something coarser. NULL when there is none.
SELECT min(t)
FROM frame
WHERE target_id = ?1 AND family = ?2 AND resolution = ?3
  AND (?3 = 2 OR t < (SELECT t FROM rollup_mark
                      WHERE target_id = ?1 AND family = ?2 AND resolution = ?3 + 1))
