/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A string or byte string that grows. Always ends in NUL (not counted), never NULL once something
 * was added. Used by one thread at a time.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "daemon/base/cleanup.h"

struct strbuf {
	char *data;  /* NULL until the first byte; read it through strbuf_text where that matters */
	size_t size; /* bytes, without the closing NUL */
	size_t capacity;
};

#define STRBUF_INIT                                                                                \
	{                                                                                          \
		.data = NULL                                                                       \
	}

/* Frees the contents and leaves an empty buffer. Owns: the contents. Threads: the owner. */
void strbuf_done(struct strbuf *buf);

/* Makes room for size more bytes and returns where they go; strbuf_grew says how many came.
 * Threads: the owner. */
char *strbuf_reserve(struct strbuf *buf, size_t size);

/* Counts size bytes that were written to what strbuf_reserve returned. Threads: the owner. */
void strbuf_grew(struct strbuf *buf, size_t size);

/* Appends bytes. Threads: the owner. */
void strbuf_add(struct strbuf *buf, const void *bytes, size_t size);

/* Appends a string. Threads: the owner. */
void strbuf_adds(struct strbuf *buf, const char *text);

/* Appends one byte. Threads: the owner. */
void strbuf_addc(struct strbuf *buf, char byte);

/* Appends printed text. Threads: the owner. */
PRINTF(2, 3) void strbuf_addf(struct strbuf *buf, const char *fmt, ...);

/* Appends a decimal integer, without printf: the hot path of JSON and metrics. Threads: the owner.
 */
void strbuf_add_int(struct strbuf *buf, int64_t value);

/* Forgets the contents and keeps the memory. Threads: the owner. */
void strbuf_reset(struct strbuf *buf);

/* The contents as a string, "" when nothing was added. Pure. */
const char *strbuf_text(const struct strbuf *buf);

/* Hands the contents to the caller and leaves an empty buffer. Owns: the caller frees. Threads: the
 * owner. */
char *strbuf_take(struct strbuf *buf);
