/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing row of bytes, little-endian as TDS wants it. Running out of memory aborts; every size
 * that comes from outside is capped before it gets here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* All zeroes is an empty buffer. */
struct buffer {
	uint8_t *bytes;
	size_t size;
	size_t capacity;
};

void buffer_done(struct buffer *buffer);
void buffer_clear(struct buffer *buffer);

/* Removes the first size bytes. */
void buffer_drop(struct buffer *buffer, size_t size);

void buffer_add(struct buffer *buffer, const void *bytes, size_t size);
void buffer_add_u8(struct buffer *buffer, uint8_t value);
void buffer_add_u16(struct buffer *buffer, uint16_t value);
void buffer_add_u16_big(struct buffer *buffer, uint16_t value);
void buffer_add_u32(struct buffer *buffer, uint32_t value);
void buffer_add_u64(struct buffer *buffer, uint64_t value);

/* Puts a zero behind the bytes, which is not counted, so that they can be read as a string. */
void buffer_terminate(struct buffer *buffer);

/* Adds the low `width` bytes of value. */
void buffer_add_unsigned(struct buffer *buffer, uint64_t value, size_t width);

/* Overwrites two bytes at an offset that has been added before. */
void buffer_set_u16(struct buffer *buffer, size_t offset, uint16_t value);

/* Little-endian readers of any bytes. */
uint16_t bytes_u16(const uint8_t *bytes);
uint32_t bytes_u32(const uint8_t *bytes);
