-- SPDX-License-Identifier: Apache-2.0
-- Forgets a message that was delivered.
DELETE FROM outbox WHERE id = ?1
