-- SPDX-License-Identifier: Apache-2.0
-- The frames of resolution ?5 of a view whose time touches (?3, ?4], in order of time. A frame that
-- ends after the range may reach back into it however long it is; since frames follow one another,
-- it is among the first few after the range (a few, for clocks that were set back). A polled frame
-- stands for the time it covers, a roll-up for all of its width.
SELECT commit_id, t, interval_ms, elapsed_ms, quality, flags, body
FROM frame
WHERE target_id = ?1 AND family = ?2 AND resolution = ?5 AND t > ?3
  AND t <= ifnull((SELECT max(t)
                   FROM (SELECT t
                         FROM frame
                         WHERE target_id = ?1 AND family = ?2 AND resolution = ?5 AND t > ?4
                         ORDER BY t
                         LIMIT 8)), ?4)
  AND (t <= ?4 OR t - iif(?5 = 0, interval_ms, elapsed_ms) < ?4)
ORDER BY t
