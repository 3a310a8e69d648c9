-- SPDX-License-Identifier: Apache-2.0
-- The frames of a view that ended after ?3 and were committed after ?4, in order of commit.
SELECT commit_id, t, interval_ms, elapsed_ms, quality, flags, body
FROM frame
WHERE target_id = ?1 AND family = ?2 AND resolution = 0 AND t > ?3 AND commit_id > ?4
ORDER BY commit_id
