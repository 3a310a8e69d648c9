/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing text, and memory that aborts when there is none. Any thread; the simulator's own, so
 * that it shares nothing with the product it tests.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct text {
	char *data; /* NULL or NUL-terminated */
	size_t size;
	size_t capacity;
};

/* Appends; the text stays NUL-terminated. */
void text_add_bytes(struct text *text, const char *bytes, size_t size);
void text_add(struct text *text, const char *string);
void text_add_format(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The content, "" when nothing was added. Lives until the next addition. */
const char *text_string(const struct text *text);

/* Forgets the content and keeps the memory. */
void text_clear(struct text *text);

/* Frees the content; the struct itself is the caller's. */
void text_done(struct text *text);

/* malloc, realloc and strndup that abort instead of failing. Zeroed memory from memory_new. */
void *memory_new(size_t count, size_t size);
void *memory_grow(void *memory, size_t count, size_t size);
char *memory_copy_string(const char *string, size_t size);

/* Case-insensitive comparison of a counted string with a word. */
bool text_is_word(const char *start, size_t size, const char *word);
