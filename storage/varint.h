/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Integers in as few bytes as they need: seven bits a byte, lowest first (as in Protocol Buffers),
 * signed ones folded so that small negatives stay short; and the checksum that ends each packed
 * body. Pure; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/strbuf.h"

/* Appends one integer. Threads: the owner of out. */
void varint_put(struct strbuf *out, uint64_t value);
void varint_put_signed(struct strbuf *out, int64_t value);

/* Ends a body: appends the CRC-32 of all that out holds. Threads: the owner of out. */
void varint_seal(struct strbuf *out);

/* What is left to read of a body. A read beyond the end gives 0 and sets is_broken. */
struct varint_source {
	const uint8_t *next;
	const uint8_t *end;
	bool is_broken;
};

/* Begins to read a sealed body; is_broken when its checksum is wrong. Pure. */
struct varint_source varint_open(const void *body, size_t size);

/* Reads the next value. Pure but for *source. */
uint8_t varint_byte(struct varint_source *source);
uint64_t varint_get(struct varint_source *source);
int64_t varint_get_signed(struct varint_source *source);

/* True when all was read and nothing was missing. Pure. */
bool varint_is_done(const struct varint_source *source);
