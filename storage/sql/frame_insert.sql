-- SPDX-License-Identifier: Apache-2.0
-- Keeps the packed delta of one interval, or a roll-up. Run by the writer; fails on a t that is taken.
INSERT INTO frame (target_id, family, resolution, t, commit_id, interval_ms, elapsed_ms, quality,
                   flags, body)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
