-- SPDX-License-Identifier: Apache-2.0
-- The target with the next higher id; NULL after the last.
SELECT min(id) FROM target WHERE id > ?1
