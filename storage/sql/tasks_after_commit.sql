-- SPDX-License-Identifier: Apache-2.0
-- The kept task samples of a target taken after ?2 and committed after ?3, in order of commit.
SELECT commit_id, t, taken_mono_ms, scheduler_count, invalid_resource_count, is_truncated, body
FROM task_frame
WHERE target_id = ?1 AND t > ?2 AND commit_id > ?3
ORDER BY commit_id
