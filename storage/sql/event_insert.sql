-- SPDX-License-Identifier: Apache-2.0
-- Keeps an event.
INSERT INTO event (target_id, begin_utc_ms, end_utc_ms, kind, family, text, details)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
