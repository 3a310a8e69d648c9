-- SPDX-License-Identifier: Apache-2.0
-- Keeps a message for a notifier.
INSERT INTO outbox (notifier, created_utc_ms, due_utc_ms, attempt_count, body)
VALUES (?1, ?2, ?3, ?4, ?5)
