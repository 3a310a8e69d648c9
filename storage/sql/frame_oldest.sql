-- SPDX-License-Identifier: Apache-2.0
-- End of the oldest frame of a view; NULL when it has none.
SELECT min(t) FROM frame WHERE target_id = ?1 AND family = ?2 AND resolution = 0
