-- SPDX-License-Identifier: Apache-2.0
-- Puts a message off after an attempt that failed.
UPDATE outbox SET due_utc_ms = ?2, attempt_count = ?3 WHERE id = ?1
