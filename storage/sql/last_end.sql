-- SPDX-License-Identifier: Apache-2.0
-- End of the last frame of a view; NULL when it has none.
SELECT max(t) FROM frame WHERE target_id = ?1 AND family = ?2 AND resolution = 0
