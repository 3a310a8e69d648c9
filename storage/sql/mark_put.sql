-- SPDX-License-Identifier: Apache-2.0
-- Says up to where a view is rolled up.
INSERT INTO rollup_mark (target_id, family, resolution, t) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (target_id, family, resolution) DO UPDATE SET t = excluded.t
