-- SPDX-License-Identifier: Apache-2.0
-- Where each resolution of a view begins, and up to where the roll-ups are made; NULL: nowhere.
SELECT (SELECT t - interval_ms FROM frame
        WHERE target_id = ?1 AND family = ?2 AND resolution = 0 ORDER BY t LIMIT 1),
       (SELECT t - elapsed_ms FROM frame
        WHERE target_id = ?1 AND family = ?2 AND resolution = 1 ORDER BY t LIMIT 1),
       (SELECT t - elapsed_ms FROM frame
        WHERE target_id = ?1 AND family = ?2 AND resolution = 2 ORDER BY t LIMIT 1),
       (SELECT t FROM rollup_mark WHERE target_id = ?1 AND family = ?2 AND resolution = 1),
       (SELECT t FROM rollup_mark WHERE target_id = ?1 AND family = ?2 AND resolution = 2)
