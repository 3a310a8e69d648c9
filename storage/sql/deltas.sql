-- SPDX-License-Identifier: Apache-2.0
-- The frames of a view whose covered time touches (?3, ?4], in order of time. An interval that ends
-- after the range may reach back into it however long it is; since intervals follow one another,
-- it is among the first few after the range (a few, for clocks that were set back).
SELECT commit_id, t, interval_ms, elapsed_ms, quality, flags, body
FROM frame
WHERE target_id = ?1 AND family = ?2 AND resolution = 0 AND t > ?3
  AND t <= ifnull((SELECT max(t)
                   FROM (SELECT t
                         FROM frame
                         WHERE target_id = ?1 AND family = ?2 AND resolution = 0 AND t > ?4
                         ORDER BY t
                         LIMIT 8)), ?4)
  AND (t <= ?4 OR t - interval_ms < ?4)
ORDER BY t
