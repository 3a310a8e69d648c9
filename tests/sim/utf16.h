/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-16LE, which TDS speaks, from and to UTF-8, which the engine speaks. What is broken becomes
 * U+FFFD. */
#pragma once

#include "tests/sim/buffer.h"

/* Adds text as UTF-16LE, at most unit_limit units, never half a pair. Returns the number of units.
 */
size_t utf16_add(struct buffer *buffer, const char *text, size_t size_bytes, size_t unit_limit);

/* Adds unit_count units of UTF-16LE as UTF-8; no terminator. */
void utf16_read(struct buffer *buffer, const uint8_t *units, size_t unit_count);
