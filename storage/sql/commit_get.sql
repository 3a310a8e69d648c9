-- SPDX-License-Identifier: Apache-2.0
-- Number of the last committed batch.
SELECT commit_id FROM last_commit WHERE id = 1
