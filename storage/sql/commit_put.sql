-- SPDX-License-Identifier: Apache-2.0
-- Sets the number of the last committed batch.
UPDATE last_commit SET commit_id = ?1 WHERE id = 1
