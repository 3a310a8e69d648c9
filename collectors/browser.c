/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exchange with the SQL Server Browser. Sockets are connected, so that only answers of whom we
 * asked arrive, and a port where nobody listens is told at once instead of by silence. What is no
 * answer is passed over until the time is up: it may be somebody else's.
 */
#include "collectors/browser.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/base/clock.h"
#include "daemon/base/strbuf.h"

enum {
	ASK_ALL = 0x03,
	ASK_ONE = 0x04,
	ANSWER = 0x05,
	HEADER_SIZE = 3,
	INSTANCE_BYTES_MAX = 32,
	ADDRESSES_MAX = 8,
	ANSWER_SIZE_MAX = 65535 + HEADER_SIZE,
	PAIRS_MAX = 4096,
	NAMES_SIZE_MAX = 200,
};

/* One instance of an answer. */
struct entry {
	const char *name, *tcp; /* NULL when not told */
	size_t name_size, tcp_size;
};

/* The text of an answer being read: words that end with a semicolon. */
struct words {
	const char *at, *end;
};

static bool next_word(struct words *words, const char **word, size_t *size)
{
	const char *end = words->at < words->end
				  ? memchr(words->at, ';', (size_t)(words->end - words->at))
				  : NULL;

	if (!end)
		return false;
	*word = words->at;
	*size = (size_t)(end - words->at);
	words->at = end + 1;
	return true;
}

static bool is_word(const char *word, size_t size, const char *wanted)
{
	return size == strlen(wanted) && strncasecmp(word, wanted, size) == 0;
}

/* Pairs of key and value up to an empty key, which ends an instance. False: it does not end. */
static bool next_entry(struct words *words, struct entry *entry)
{
	*entry = (struct entry){.name = NULL};
	for (int i = 0; i < PAIRS_MAX; i++) {
		const char *key = NULL, *value = NULL;
		size_t key_size = 0, value_size = 0;

		if (!next_word(words, &key, &key_size))
			return false;
		if (key_size == 0)
			return true;
		if (!next_word(words, &value, &value_size))
			return false;
		if (is_word(key, key_size, "InstanceName")) {
			entry->name = value;
			entry->name_size = value_size;
		} else if (is_word(key, key_size, "tcp")) {
			entry->tcp = value;
			entry->tcp_size = value_size;
		}
	}
	return false;
}

static bool read_port(const struct entry *entry, int *port)
{
	int number = 0;

	if (entry->tcp_size == 0 || entry->tcp_size > 5)
		return false;
	for (size_t i = 0; i < entry->tcp_size; i++) {
		if (entry->tcp[i] < '0' || entry->tcp[i] > '9')
			return false;
		number = number * 10 + (entry->tcp[i] - '0');
	}
	if (number < 1 || number > UINT16_MAX)
		return false;
	*port = number;
	return true;
}

static bool take_entry(const struct entry *entry, const char *host, const char *instance, int *port,
		       struct error *err)
{
	if (!entry->tcp)
		return error_set(err, ERROR_NOT_FOUND, 0,
				 "instance '%s' of '%s' does not listen on TCP: enable TCP/IP in "
				 "SQL Server Configuration Manager",
				 instance, host);
	if (!read_port(entry, port))
		return error_set(err, ERROR_PROTOCOL, 0,
				 "SQL Server Browser on '%s' names the port '%.*s' for '%s'", host,
				 (int)(entry->tcp_size < 20 ? entry->tcp_size : 20), entry->tcp,
				 instance);
	return true;
}

/* Names come from outside: what does not print is not passed on. */
static void add_name(struct strbuf *names, const struct entry *entry)
{
	if (names->size > NAMES_SIZE_MAX)
		return;
	if (names->size > 0)
		strbuf_adds(names, ", ");
	for (size_t i = 0; i < entry->name_size && i < INSTANCE_BYTES_MAX; i++) {
		char byte = entry->name[i];
		if (byte <= ' ' || byte >= 0x7f)
			byte = '?';
		strbuf_addc(names, byte);
	}
}

static bool is_answer(const uint8_t *bytes, size_t size, size_t *text_size)
{
	if (size < HEADER_SIZE || bytes[0] != ANSWER)
		return false;
	*text_size = (size_t)bytes[1] | (size_t)bytes[2] << 8;
	return *text_size > 0 && *text_size <= size - HEADER_SIZE &&
	       !memchr(bytes + HEADER_SIZE, '\0', *text_size);
}

bool browser_read_answer(const uint8_t *bytes, size_t size, const char *host, const char *instance,
			 int *port, struct error *err)
{
	CLEANUP(strbuf_done) struct strbuf names = STRBUF_INIT;
	size_t text_size = 0;

	if (!is_answer(bytes, size, &text_size))
		return error_set(err, ERROR_PROTOCOL, 0,
				 "what SQL Server Browser on '%s' sent is no answer", host);
	struct words words = {.at = (const char *)bytes + HEADER_SIZE};
	words.end = words.at + text_size;
	while (words.at < words.end) {
		struct entry entry;

		if (!next_entry(&words, &entry) || !entry.name || entry.name_size == 0)
			return error_set(err, ERROR_PROTOCOL, 0,
					 "the answer of SQL Server Browser on '%s' breaks off",
					 host);
		if (is_word(entry.name, entry.name_size, instance))
			return take_entry(&entry, host, instance, port, err);
		add_name(&names, &entry);
	}
	return error_set(err, ERROR_NOT_FOUND, 0, "'%s' has no instance '%s'; it knows: %s", host,
			 instance, strbuf_text(&names));
}

/* The sockets of one exchange. */
struct exchange {
	struct pollfd sockets[ADDRESSES_MAX]; /* fd -1: it is of no use any more */
	int count;
	uint8_t request[INSTANCE_BYTES_MAX + 2];
	size_t request_size;
};

static void exchange_done(struct exchange *exchange)
{
	for (int i = 0; i < exchange->count; i++)
		if (exchange->sockets[i].fd >= 0)
			(void)close(exchange->sockets[i].fd); /* nothing is lost with it */
}

static void give_up(struct pollfd *slot)
{
	(void)close(slot->fd); /* nothing is lost with it */
	slot->fd = -1;
}

static int open_socket(const struct addrinfo *address)
{
	const int fd = socket(address->ai_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, address->ai_addr, address->ai_addrlen) == 0)
		return fd;
	(void)close(fd); /* no way to this address */
	return -1;
}

static bool open_sockets(const struct browser_options *options, struct exchange *exchange,
			 struct error *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *addresses = NULL;
	char service[8];

	(void)snprintf(service, sizeof(service), "%d", options->port); /* it fits */
	const int code = getaddrinfo(options->host, service, &hints, &addresses);
	if (code != 0)
		return error_set(err, ERROR_UNREACHABLE, code, "host name '%s' is not known: %s",
				 options->host, gai_strerror(code));
	for (const struct addrinfo *at = addresses; at && exchange->count < ADDRESSES_MAX;
	     at = at->ai_next) {
		const int fd = open_socket(at);
		if (fd >= 0)
			exchange->sockets[exchange->count++] =
				(struct pollfd){.fd = fd, .events = POLLIN};
	}
	freeaddrinfo(addresses);
	return exchange->count > 0 ||
	       error_set(err, ERROR_UNREACHABLE, errno, "no way to SQL Server Browser on '%s': %s",
			 options->host, strerror(errno));
}

/* What cannot be sent shows when nothing comes back. */
static void send_all(const struct exchange *exchange, const void *bytes, size_t size)
{
	for (int i = 0; i < exchange->count; i++)
		if (exchange->sockets[i].fd >= 0)
			(void)send(exchange->sockets[i].fd, bytes, size, MSG_NOSIGNAL);
}

static int open_count(const struct exchange *exchange)
{
	int count = 0;

	for (int i = 0; i < exchange->count; i++)
		count += exchange->sockets[i].fd >= 0;
	return count;
}

/* Takes in one datagram. True when the instance is found; else err keeps what was said last. */
static bool receive(struct pollfd *slot, const struct browser_options *options, int *port,
		    struct error *err)
{
	CLEANUP(strbuf_done) struct strbuf answer = STRBUF_INIT;
	char *room = strbuf_reserve(&answer, ANSWER_SIZE_MAX);
	const ssize_t size = recv(slot->fd, room, ANSWER_SIZE_MAX, 0);

	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (size < 0) {
		give_up(slot);
		return err->kind == ERROR_NONE &&
		       error_set(err, ERROR_UNREACHABLE, errno,
				 "no SQL Server Browser listens on '%s', UDP port %d; start it "
				 "or give the port",
				 options->host, options->port);
	}
	struct error said = ERROR_INIT;
	if (browser_read_answer((const uint8_t *)room, (size_t)size, options->host,
				options->instance, port, &said))
		return true;
	/* A list of other instances tells more than garbage does. */
	if (said.kind == ERROR_NOT_FOUND || err->kind != ERROR_NOT_FOUND)
		*err = said;
	return false;
}

/* Waits for answers until then, or until nobody is left to give one. */
static bool wait_for_answer(struct exchange *exchange, const struct browser_options *options,
			    int64_t end_mono_ms, int *port, struct error *err)
{
	while (open_count(exchange) > 0 && err->kind != ERROR_NOT_FOUND) {
		const int64_t rest_ms = end_mono_ms - clock_now().mono_ms;
		if (rest_ms <= 0)
			return false;
		if (poll(exchange->sockets, (nfds_t)exchange->count, (int)rest_ms) <= 0)
			continue;
		for (int i = 0; i < exchange->count; i++)
			if (exchange->sockets[i].fd >= 0 && exchange->sockets[i].revents &&
			    receive(&exchange->sockets[i], options, port, err))
				return true;
	}
	return false;
}

bool browser_ask(const struct browser_options *options, int *port, struct error *err)
{
	static const uint8_t ask_all = ASK_ALL;
	CLEANUP(exchange_done) struct exchange exchange = {.request = {ASK_ONE}};
	const size_t instance_size = strlen(options->instance);
	struct error said = ERROR_INIT;

	if (instance_size == 0 || instance_size > INSTANCE_BYTES_MAX)
		return error_set(err, ERROR_INVALID, 0, "'%.40s' is no instance",
				 options->instance);
	memcpy(exchange.request + 1, options->instance, instance_size + 1);
	exchange.request_size = instance_size + 2;
	if (!open_sockets(options, &exchange, err))
		return false;
	const int64_t begin_mono_ms = clock_now().mono_ms;
	send_all(&exchange, exchange.request, exchange.request_size);
	if (wait_for_answer(&exchange, options, begin_mono_ms + options->timeout_ms / 2, port,
			    &said))
		return true;
	/* Datagrams get lost, and for an instance it does not know a browser keeps silent. */
	send_all(&exchange, exchange.request, exchange.request_size);
	send_all(&exchange, &ask_all, sizeof(ask_all));
	if (wait_for_answer(&exchange, options, begin_mono_ms + options->timeout_ms, port, &said))
		return true;
	*err = said;
	return said.kind != ERROR_NONE
		       ? false
		       : error_set(err, ERROR_TIMEOUT, 0,
				   "SQL Server Browser on '%s' did not answer within %lld ms; "
				   "give the port",
				   options->host, (long long)options->timeout_ms);
}
