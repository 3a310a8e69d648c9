-- SPDX-License-Identifier: Apache-2.0
-- Gives a target an id, which is never given again.
INSERT INTO target (name) VALUES (?1)
