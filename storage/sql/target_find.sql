-- SPDX-License-Identifier: Apache-2.0
-- The id of a target by its name.
SELECT id FROM target WHERE name = ?1
