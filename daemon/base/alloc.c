/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is there or the process ends. Runs in every thread; knows nothing of this program. */
#include "daemon/base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *there_or_abort(void *pointer)
{
	if (!pointer) {
		fputs("latchd: out of memory\n", stderr);
		abort();
	}
	return pointer;
}

void *xmalloc(size_t size)
{
	return there_or_abort(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return there_or_abort(calloc(count ? count : 1, size ? size : 1));
}

void *xreallocarray(void *pointer, size_t count, size_t size)
{
	return there_or_abort(reallocarray(pointer, count ? count : 1, size ? size : 1));
}

char *xstrdup(const char *text)
{
	return text ? there_or_abort(strdup(text)) : NULL;
}

char *xstrndup(const char *text, size_t size)
{
	return there_or_abort(strndup(text, size));
}

char *xasprintf(const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	char *text = NULL;
	const int length = vasprintf(&text, fmt, args);
	va_end(args);
	return there_or_abort(length < 0 ? NULL : text);
}

void *array_grow(void *array, size_t count, size_t *capacity, size_t element_size)
{
	if (count < *capacity)
		return array;
	*capacity = *capacity ? *capacity * 2 : 8;
	return xreallocarray(array, *capacity, element_size);
}

void freep(void *pointer_to_pointer)
{
	void *pointer;
	memcpy(&pointer, pointer_to_pointer, sizeof(pointer));
	free(pointer);
}
