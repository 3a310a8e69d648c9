-- SPDX-License-Identifier: Apache-2.0
-- The interned names after an id, in order of id.
SELECT id, family, name FROM name WHERE id > ?1 ORDER BY id
