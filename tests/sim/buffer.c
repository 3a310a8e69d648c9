/* SPDX-License-Identifier: Apache-2.0 */
/* A growing row of bytes. Belongs to one thread at a time. */
#include "tests/sim/buffer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void buffer_reserve(struct buffer *buffer, size_t extra)
{
	size_t needed = buffer->size + extra;
	if (needed <= buffer->capacity)
		return;
	size_t capacity = buffer->capacity == 0 ? 256 : buffer->capacity;
	while (capacity < needed)
		capacity *= 2;
	buffer->bytes = realloc(buffer->bytes, capacity);
	if (!buffer->bytes)
		abort();
	buffer->capacity = capacity;
}

void buffer_done(struct buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct buffer){0};
}

void buffer_clear(struct buffer *buffer)
{
	buffer->size = 0;
}

void buffer_drop(struct buffer *buffer, size_t size)
{
	assert(size <= buffer->size);
	buffer->size -= size;
	if (buffer->size != 0)
		memmove(buffer->bytes, buffer->bytes + size, buffer->size);
}

void buffer_add(struct buffer *buffer, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	buffer_reserve(buffer, size);
	memcpy(buffer->bytes + buffer->size, bytes, size);
	buffer->size += size;
}

void buffer_add_unsigned(struct buffer *buffer, uint64_t value, size_t width)
{
	uint8_t bytes[8];
	assert(width <= sizeof(bytes));
	for (size_t i = 0; i < width; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	buffer_add(buffer, bytes, width);
}

void buffer_terminate(struct buffer *buffer)
{
	buffer_reserve(buffer, 1);
	buffer->bytes[buffer->size] = 0;
}

void buffer_add_u8(struct buffer *buffer, uint8_t value)
{
	buffer_add(buffer, &value, 1);
}

void buffer_add_u16(struct buffer *buffer, uint16_t value)
{
	buffer_add_unsigned(buffer, value, 2);
}

void buffer_add_u16_big(struct buffer *buffer, uint16_t value)
{
	buffer_add_u8(buffer, (uint8_t)(value >> 8));
	buffer_add_u8(buffer, (uint8_t)value);
}

void buffer_add_u32(struct buffer *buffer, uint32_t value)
{
	buffer_add_unsigned(buffer, value, 4);
}

void buffer_add_u64(struct buffer *buffer, uint64_t value)
{
	buffer_add_unsigned(buffer, value, 8);
}

void buffer_set_u16(struct buffer *buffer, size_t offset, uint16_t value)
{
	assert(offset + 2 <= buffer->size);
	buffer->bytes[offset] = (uint8_t)value;
	buffer->bytes[offset + 1] = (uint8_t)(value >> 8);
}

uint16_t bytes_u16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

uint32_t bytes_u32(const uint8_t *bytes)
{
	return (uint32_t)bytes_u16(bytes) | (uint32_t)bytes_u16(bytes + 2) << 16;
}
