-- SPDX-License-Identifier: Apache-2.0
-- Purpose:  what an index looks like to an inserter: its leading key, where the values of that key
--           come from, and OPTIMIZE_FOR_SEQUENTIAL_KEY, which these
--           versions do not have.
--           [master] stands for the database of the index.
-- Rights:   CONNECT to the database and VIEW DEFINITION in it (VIEW ANY DEFINITION).
-- Cost:     catalogue look-ups by key.   Versions: 2012 to 2017.
DECLARE @object int = 3, @index int = 1;
SELECT i.name AS index_name, CONVERT(int, NULL) AS optimize_for_sequential_key,
       c.name AS leading_column, k.is_descending_key, c.is_identity,
       CONVERT(bigint, n.increment_value) AS identity_increment, d.definition AS leading_default
FROM [master].sys.indexes AS i
LEFT JOIN [master].sys.index_columns AS k
       ON k.object_id = i.object_id AND k.index_id = i.index_id AND k.key_ordinal = 1
LEFT JOIN [master].sys.columns AS c ON c.object_id = k.object_id AND c.column_id = k.column_id
LEFT JOIN [master].sys.identity_columns AS n
       ON n.object_id = c.object_id AND n.column_id = c.column_id
LEFT JOIN [master].sys.default_constraints AS d
       ON d.parent_object_id = c.object_id AND d.parent_column_id = c.column_id
WHERE i.object_id = @object AND i.index_id = @index;
