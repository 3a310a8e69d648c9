-- SPDX-License-Identifier: Apache-2.0
-- Interns a name: gives it an id.
INSERT INTO name (family, name) VALUES (?1, ?2)
