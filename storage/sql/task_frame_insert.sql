-- SPDX-License-Identifier: Apache-2.0
-- Keeps the packed waiting tasks of one instant; fails on a t that is taken.
INSERT INTO task_frame (target_id, t, commit_id, taken_mono_ms, scheduler_count, task_count,
                        invalid_resource_count, is_truncated, body)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
