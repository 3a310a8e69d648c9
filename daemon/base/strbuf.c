/* SPDX-License-Identifier: Apache-2.0 */
/* A string that grows by doubling. Used by one thread at a time; knows nothing of this program. */
#include "daemon/base/strbuf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

void strbuf_done(struct strbuf *buf)
{
	free(buf->data);
	*buf = (struct strbuf)STRBUF_INIT;
}

char *strbuf_reserve(struct strbuf *buf, size_t size)
{
	const size_t needed = buf->size + size + 1;
	if (needed > buf->capacity) {
		const size_t doubled = buf->capacity * 2;
		buf->capacity = doubled > needed ? doubled : needed < 64 ? 64 : needed;
		buf->data = xreallocarray(buf->data, buf->capacity, 1);
		buf->data[buf->size] = '\0';
	}
	return buf->data + buf->size;
}

void strbuf_grew(struct strbuf *buf, size_t size)
{
	assert(buf->size + size < buf->capacity);
	buf->size += size;
	buf->data[buf->size] = '\0';
}

void strbuf_add(struct strbuf *buf, const void *bytes, size_t size)
{
	char *end = strbuf_reserve(buf, size);
	if (size > 0)
		memcpy(end, bytes, size);
	strbuf_grew(buf, size);
}

void strbuf_adds(struct strbuf *buf, const char *text)
{
	strbuf_add(buf, text, strlen(text));
}

void strbuf_addc(struct strbuf *buf, char byte)
{
	*strbuf_reserve(buf, 1) = byte;
	strbuf_grew(buf, 1);
}

void strbuf_addf(struct strbuf *buf, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	va_list again;
	va_copy(again, args);
	const int length = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	assert(length >= 0);
	(void)vsnprintf(strbuf_reserve(buf, (size_t)length), (size_t)length + 1, fmt, again);
	va_end(again);
	strbuf_grew(buf, (size_t)length);
}

void strbuf_add_int(struct strbuf *buf, int64_t value)
{
	char digits[20];
	size_t start = sizeof(digits);
	uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	do {
		digits[--start] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		strbuf_addc(buf, '-');
	strbuf_add(buf, digits + start, sizeof(digits) - start);
}

void strbuf_reset(struct strbuf *buf)
{
	buf->size = 0;
	if (buf->data)
		buf->data[0] = '\0';
}

const char *strbuf_text(const struct strbuf *buf)
{
	return buf->data ? buf->data : "";
}

char *strbuf_take(struct strbuf *buf)
{
	char *text = buf->data ? buf->data : xstrdup("");
	*buf = (struct strbuf)STRBUF_INIT;
	return text;
}
