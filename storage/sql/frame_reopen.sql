-- SPDX-License-Identifier: Apache-2.0
-- Deletes the roll-ups of resolution ?3 of a view that ended after ?4: they are made anew.
DELETE FROM frame WHERE target_id = ?1 AND family = ?2 AND resolution = ?3 AND t > ?4
