/* SPDX-License-Identifier: Apache-2.0 */
/* A growing text. Any thread; knows nothing of SQL. */
#include "tests/sim/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void *memory_new(size_t count, size_t size)
{
	void *memory = calloc(count == 0 ? 1 : count, size == 0 ? 1 : size);

	if (!memory)
		abort();
	return memory;
}

void *memory_grow(void *memory, size_t count, size_t size)
{
	void *grown = reallocarray(memory, count, size);

	if (!grown)
		abort();
	return grown;
}

char *memory_copy_string(const char *string, size_t size)
{
	char *copy = memory_new(size + 1, 1);

	if (size > 0)
		memcpy(copy, string, size);
	return copy;
}

void text_add_bytes(struct text *text, const char *bytes, size_t size)
{
	if (text->size + size + 1 > text->capacity) {
		text->capacity = (text->size + size + 1) * 2;
		text->data = memory_grow(text->data, text->capacity, 1);
	}
	if (size > 0)
		memcpy(text->data + text->size, bytes, size);
	text->size += size;
	text->data[text->size] = '\0';
}

void text_add(struct text *text, const char *string)
{
	text_add_bytes(text, string, strlen(string));
}

void text_add_format(struct text *text, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *formatted = NULL;
	int size = vasprintf(&formatted, format, arguments);
	va_end(arguments);

	if (size < 0)
		abort();
	text_add_bytes(text, formatted, (size_t)size);
	free(formatted);
}

const char *text_string(const struct text *text)
{
	return text->data ? text->data : "";
}

void text_clear(struct text *text)
{
	text->size = 0;
	if (text->data)
		text->data[0] = '\0';
}

void text_done(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

bool text_is_word(const char *start, size_t size, const char *word)
{
	return strlen(word) == size && strncasecmp(start, word, size) == 0;
}
