/* SPDX-License-Identifier: Apache-2.0 */
/* Messages come out whole however the bytes arrive. */
#include <string.h>

#include "tests/sim/packet.h"
#include "tests/support.h"

enum { LIMIT = 1000 };

static void add_packet(struct buffer *bytes, uint8_t type, uint8_t status, const char *body)
{
	buffer_add_u8(bytes, type);
	buffer_add_u8(bytes, status);
	buffer_add_u16_big(bytes, (uint16_t)(strlen(body) + PACKET_HEADER_SIZE));
	buffer_add_u32(bytes, 0);
	buffer_add(bytes, body, strlen(body));
}

static void expect_message(struct packet_reader *reader, uint8_t type, const char *body)
{
	struct packet_message message;
	assert_int_equal(packet_reader_next(reader, &message), PACKET_MESSAGE);
	assert_int_equal(message.type, type);
	assert_int_equal(message.size_bytes, strlen(body));
	if (message.size_bytes != 0)
		assert_memory_equal(message.body, body, strlen(body));
}

static void expect_nothing(struct packet_reader *reader, enum packet_result result)
{
	struct packet_message message;
	assert_int_equal(packet_reader_next(reader, &message), result);
}

static void message_is_whole_for_every_split_of_reads(void **state)
{
	(void)state;
	struct buffer bytes = {0};
	add_packet(&bytes, PACKET_BATCH, 0, "sel");
	add_packet(&bytes, PACKET_BATCH, PACKET_END, "ect");
	add_packet(&bytes, PACKET_ATTENTION, PACKET_END, "");
	for (size_t first = 1; first < bytes.size; first++) {
		struct packet_reader reader = {.message_limit = LIMIT};
		struct packet_message message;
		packet_reader_feed(&reader, bytes.bytes, first);
		size_t before = packet_reader_next(&reader, &message) == PACKET_MESSAGE;
		assert_int_equal(before, first >= 22);
		packet_reader_feed(&reader, bytes.bytes + first, bytes.size - first);
		if (!before)
			expect_message(&reader, PACKET_BATCH, "select");
		expect_message(&reader, PACKET_ATTENTION, "");
		expect_nothing(&reader, PACKET_INCOMPLETE);
		packet_reader_done(&reader);
	}
	buffer_done(&bytes);
}

static void message_is_whole_when_bytes_come_one_by_one(void **state)
{
	(void)state;
	struct buffer bytes = {0};
	struct packet_reader reader = {.message_limit = LIMIT};
	const char *letters[] = {"a", "", "b", "c"};
	for (size_t i = 0; i < 4; i++)
		add_packet(&bytes, PACKET_LOGIN7, i == 3 ? PACKET_END : 0, letters[i]);
	for (size_t i = 0; i < bytes.size; i++) {
		expect_nothing(&reader, PACKET_INCOMPLETE);
		packet_reader_feed(&reader, bytes.bytes + i, 1);
	}
	expect_message(&reader, PACKET_LOGIN7, "abc");
	packet_reader_done(&reader);
	buffer_done(&bytes);
}

static void attention_overtakes_an_unfinished_message(void **state)
{
	(void)state;
	struct buffer bytes = {0};
	struct packet_reader reader = {.message_limit = LIMIT};
	add_packet(&bytes, PACKET_BATCH, 0, "sel");
	add_packet(&bytes, PACKET_ATTENTION, PACKET_END, "");
	add_packet(&bytes, PACKET_BATCH, PACKET_END, "x");
	packet_reader_feed(&reader, bytes.bytes, bytes.size);
	expect_message(&reader, PACKET_ATTENTION, "");
	expect_message(&reader, PACKET_BATCH, "x");
	packet_reader_done(&reader);
	buffer_done(&bytes);
}

static void expect_broken(const uint8_t *bytes, size_t size)
{
	struct packet_reader reader = {.message_limit = LIMIT};
	packet_reader_feed(&reader, bytes, size);
	expect_nothing(&reader, PACKET_BROKEN);
	packet_reader_done(&reader);
}

static void header_that_is_not_tds_is_broken(void **state)
{
	(void)state;
	const uint8_t http[] = "GET / HTTP/1.0\r\n";
	const uint8_t short_length[] = {PACKET_BATCH, 1, 0, 7, 0, 0, 0, 0};
	const uint8_t other_type[] = {PACKET_BATCH, 0, 0, 8, 0, 0, 0, 0,
				      PACKET_RPC,   1, 0, 8, 0, 0, 0, 0};
	expect_broken(http, sizeof(http) - 1);
	expect_broken(short_length, sizeof(short_length));
	expect_broken(other_type, sizeof(other_type));
}

static void message_over_the_limit_is_broken(void **state)
{
	(void)state;
	struct buffer bytes = {0};
	char body[LIMIT / 2 + 2];
	memset(body, 'x', sizeof(body));
	body[sizeof(body) - 1] = '\0';
	add_packet(&bytes, PACKET_BATCH, 0, body);
	add_packet(&bytes, PACKET_BATCH, 0, body);
	expect_broken(bytes.bytes, bytes.size);
	buffer_done(&bytes);
}

static void header_is_written_big_endian(void **state)
{
	(void)state;
	uint8_t header[PACKET_HEADER_SIZE];
	const uint8_t want[] = {0x04, 0x01, 0x01, 0x0A, 0x00, 0x33, 0x02, 0x00};
	packet_header_write(header, PACKET_REPLY, PACKET_END, 0x102, 51, 2);
	assert_memory_equal(header, want, sizeof(want));
}

static void packet_size_stays_within_its_limits(void **state)
{
	(void)state;
	assert_int_equal(packet_size_negotiate(0, 32767, false), 4096);
	assert_int_equal(packet_size_negotiate(1, 32767, false), 512);
	assert_int_equal(packet_size_negotiate(8000, 32767, false), 8000);
	assert_int_equal(packet_size_negotiate(UINT32_MAX, 32767, false), 32767);
	assert_int_equal(packet_size_negotiate(UINT32_MAX, 32767, true), 16383);
	assert_int_equal(packet_size_negotiate(0, 512, false), 512);
}

static void all_headers_are_told_from_text(void **state)
{
	(void)state;
	const uint8_t with[24] = {22, 0, 0, 0, 18, 0, 0, 0, 2, 0};
	const uint8_t text[] = {'s', 0, 'e', 0, 'l', 0};
	assert_int_equal(packet_headers_size(with, sizeof(with)), 22);
	assert_int_equal(packet_headers_size(with, 20), 0);
	assert_int_equal(packet_headers_size(text, sizeof(text)), 0);
	assert_int_equal(packet_headers_size(text, 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(message_is_whole_for_every_split_of_reads),
		cmocka_unit_test(message_is_whole_when_bytes_come_one_by_one),
		cmocka_unit_test(attention_overtakes_an_unfinished_message),
		cmocka_unit_test(header_that_is_not_tds_is_broken),
		cmocka_unit_test(message_over_the_limit_is_broken),
		cmocka_unit_test(header_is_written_big_endian),
		cmocka_unit_test(packet_size_stays_within_its_limits),
		cmocka_unit_test(all_headers_are_told_from_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
