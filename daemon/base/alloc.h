/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that is there or the process ends: nobody above needs a path for "out of memory". Sizes
 * that come from outside are capped by the caller before they reach these functions. Any thread.
 */
#pragma once

#include <stddef.h>

#include "daemon/base/cleanup.h"

/* Allocates size bytes, uninitialised; aborts when there are none. Owns: the caller frees. Threads:
 * any. */
void *xmalloc(size_t size);

/* Allocates count * size zeroed bytes; aborts on overflow or want. Owns: the caller frees. Threads:
 * any. */
void *xcalloc(size_t count, size_t size);

/* Resizes an array to count * size bytes; aborts on overflow or want. Owns: replaces pointer.
 * Threads: any. */
void *xreallocarray(void *pointer, size_t count, size_t size);

/* Copies a string; NULL stays NULL. Owns: the caller frees. Threads: any. */
char *xstrdup(const char *text);

/* Copies the first size bytes of text and ends them with NUL. Owns: the caller frees. Threads: any.
 */
char *xstrndup(const char *text, size_t size);

/* Prints into fresh memory. Owns: the caller frees. Threads: any. */
PRINTF(1, 2) char *xasprintf(const char *fmt, ...);

/*
 * Grows an array by doubling so that one more element fits.
 *
 * Owns:    replaces *array, whose element size is element_size and whose room is *capacity.
 * Threads: any.
 */
void *array_grow(void *array, size_t count, size_t *capacity, size_t element_size);

/* Frees what a CLEANUP(freep) variable points to. Owns: the pointed-to memory. Threads: any. */
void freep(void *pointer_to_pointer);
