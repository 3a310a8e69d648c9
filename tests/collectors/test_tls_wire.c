/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of a TLS probe: what a server may answer to PRELOGIN, and what is no answer. */
#include "collectors/tls_wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectors/time_limit.h"
#include "tests/support.h"

enum { LIMIT_MS = 60, LONG_MS = 20000 };

struct wire_ends {
	struct tls_wire wire;
	int server;
};

static void open_ends(struct wire_ends *ends, int64_t limit_ms)
{
	struct error err = ERROR_INIT;
	int pair[2];
	memset(ends, 0, sizeof(*ends));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair),
			 0);
	ends->wire.fd = pair[0];
	ends->server = pair[1];
	ends->wire.limit_fd = time_limit_open(limit_ms, &err);
	assert_true(ends->wire.limit_fd >= 0);
}

static void close_ends(struct wire_ends *ends)
{
	time_limit_close_fdp(&ends->wire.fd);
	time_limit_close_fdp(&ends->wire.limit_fd);
	time_limit_close_fdp(&ends->server);
}

static bool ask(const char *answer, size_t size, enum tds_encryption *chosen, int *fault)
{
	struct wire_ends ends;
	open_ends(&ends, LONG_MS);
	assert_true(write(ends.server, answer, size) == (ssize_t)size);
	assert_int_equal(shutdown(ends.server, SHUT_WR), 0);
	errno = 0;
	bool is_read = tls_wire_prelogin(&ends.wire, TDS_ENCRYPT_ALL, chosen);
	*fault = errno;
	close_ends(&ends);
	return is_read;
}

#define ANSWER(bytes) bytes, sizeof(bytes) - 1

static void each_choice_is_read(void **state)
{
	(void)state;
	char answer[] = "\x04\x01\x00\x14\0\0\0\0\x01\x00\x0b\x00\x01\xff-----\x01";
	for (int choice = 0; choice <= 3; choice++) {
		enum tds_encryption chosen = TDS_ENCRYPT_LOGIN;
		int fault = 0;
		answer[19] = (char)choice;
		assert_true(ask(answer, sizeof(answer) - 1, &chosen, &fault));
		assert_int_equal(chosen, choice);
	}
}

static void what_is_no_answer_is_told_so(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		int fault;
	} cases[] = {
		{ANSWER(""), 0},
		{ANSWER("\x04\x01\x00"), 0},
		{ANSWER("HTTP/1.1 400 Bad Request\r\n\r\n"), EPROTO},
		{ANSWER("SSH-2.0-OpenSSH_9.2\r\n"), EPROTO},
		{ANSWER("\x04\x01\x00\x07\0\0\0\0"), EPROTO},	  /* shorter than its head */
		{ANSWER("\x04\x01\xff\xff\0\0\0\0"), EPROTO},	  /* longer than a packet */
		{ANSWER("\x04\x01\x00\x14\0\0\0\0\x01\x00"), 0},  /* cut off */
		{ANSWER("\x04\x01\x00\x08\0\0\0\0"), EPROTO},	  /* nothing in it */
		{ANSWER("\x04\x01\x00\x09\0\0\0\0\xff"), EPROTO}, /* no encryption in it */
		{ANSWER("\x04\x01\x00\x0e\0\0\0\0\x01\x00\x0b\x00\x01\xff"), EPROTO},
		{ANSWER("\x04\x01\x00\x0e\0\0\0\0\x01\xff\xff\x00\x01\xff"), EPROTO},
		{ANSWER("\x04\x01\x00\x0f\0\0\0\0\x01\x00\x06\x00\x01\xff\x07"), EPROTO},
		{ANSWER("\x04\x01\x00\x0b\0\0\0\0\x01\x00\x06"), EPROTO}, /* half an option */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum tds_encryption chosen = TDS_ENCRYPT_REQUIRED;
		int fault = 0;
		if (ask(cases[i].bytes, cases[i].size, &chosen, &fault) ||
		    fault != cases[i].fault || chosen != TDS_ENCRYPT_REQUIRED)
			fail_msg("case %zu: errno %d, choice %d", i, fault, (int)chosen);
	}
}

static void silence_ends_at_the_limit(void **state)
{
	(void)state;
	struct wire_ends ends;
	enum tds_encryption chosen = TDS_ENCRYPT_LOGIN;
	open_ends(&ends, LIMIT_MS);
	assert_false(tls_wire_prelogin(&ends.wire, TDS_ENCRYPT_ALL, &chosen));
	assert_int_equal(errno, ETIMEDOUT);
	close_ends(&ends);
}

/* Bytes that come do not move the limit on: it is one of wall-clock time. */
static void a_dripping_server_ends_at_the_limit_too(void **state)
{
	(void)state;
	struct wire_ends ends;
	uint8_t byte = 0;
	open_ends(&ends, LIMIT_MS);
	assert_int_equal(write(ends.server, "\x04\x01\x0f\x00\0\0\0\0", 8), 8);
	int reads = 0;
	for (; tls_wire_pull(&ends.wire, &byte, 1) == 1; reads++)
		;
	assert_int_equal(errno, ETIMEDOUT);
	assert_int_equal(reads, 0);
	close_ends(&ends);
}

static void a_flight_of_several_packets_goes_out_as_one_message(void **state)
{
	(void)state;
	struct wire_ends ends;
	static uint8_t flight[TLS_WIRE_BODY_MAX + 100], got[sizeof(flight) + 16];
	uint8_t byte = 0;
	open_ends(&ends, LONG_MS);
	memset(flight, 'x', sizeof(flight));
	assert_true(tls_wire_push(&ends.wire, flight, 100) == 100);
	assert_true(tls_wire_push(&ends.wire, flight + 100, sizeof(flight) - 100) ==
		    (ssize_t)sizeof(flight) - 100);
	assert_int_equal(write(ends.server, "\x12\x01\x00\x09\0\0\0\0A", 9), 9);
	assert_true(tls_wire_pull(&ends.wire, &byte, 1) == 1);
	assert_int_equal(byte, 'A');
	assert_true(read(ends.server, got, sizeof(got)) == (ssize_t)sizeof(got));
	assert_memory_equal(got, "\x12\x00\x10\x00", 4);
	assert_memory_equal(got + 4096, "\x12\x01\x00\x6c", 4);
	close_ends(&ends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_choice_is_read),
		cmocka_unit_test(what_is_no_answer_is_told_so),
		cmocka_unit_test(silence_ends_at_the_limit),
		cmocka_unit_test(a_dripping_server_ends_at_the_limit_too),
		cmocka_unit_test(a_flight_of_several_packets_goes_out_as_one_message),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
