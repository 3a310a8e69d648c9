-- SPDX-License-Identifier: Apache-2.0
-- Up to where a view is rolled up to resolution ?3.
SELECT t FROM rollup_mark WHERE target_id = ?1 AND family = ?2 AND resolution = ?3
