-- SPDX-License-Identifier: Apache-2.0
-- The messages of a notifier that are due by ?2, oldest first.
SELECT id, notifier, created_utc_ms, due_utc_ms, attempt_count, body
FROM outbox
WHERE notifier = ?1 AND due_utc_ms <= ?2
ORDER BY id
