-- SPDX-License-Identifier: Apache-2.0
-- Deletes the oldest task samples of a target taken before ?2, at most ?3 of them.
DELETE FROM task_frame
WHERE target_id = ?1
  AND t <= (SELECT max(t)
            FROM (SELECT t FROM task_frame WHERE target_id = ?1 AND t < ?2 ORDER BY t LIMIT ?3))
