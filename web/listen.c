/* SPDX-License-Identifier: Apache-2.0 */
/* Opens listening sockets. Runs in main's thread, before the web threads exist. */
#include "web/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 511 };

static bool system_error(struct error *err, const char *address)
{
	const int code = errno;
	const enum error_kind kind = code == EADDRINUSE ? ERROR_CONFLICT : ERROR_IO;
	return error_set(err, kind, code, "listen address '%s': %s", address, strerror(code));
}

static bool fail_and_close(int fd, const char *address, struct error *err)
{
	(void)system_error(err, address); /* before close can change errno */
	close(fd);
	return false;
}

/* True when a socket file is left over from a process that is gone. */
static bool unix_is_abandoned(const struct sockaddr_un *address)
{
	struct stat status;
	if (lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode))
		return false;
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	const bool is_refused =
		connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
		errno == ECONNREFUSED;
	close(fd);
	return is_refused;
}

static bool open_unix(const char *text, struct listen_socket *opened, struct error *err)
{
	const char *const path = text + strlen("unix:");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	if (*path != '/' || strlen(path) >= sizeof(address.sun_path))
		return error_set(err, ERROR_INVALID, 0,
				 "listen address '%s': give unix: and an absolute path of at most "
				 "%zu bytes",
				 text, sizeof(address.sun_path) - 1);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (unix_is_abandoned(&address))
		(void)unlink(path); /* bind says what is wrong */
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return system_error(err, text);
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    chmod(path, 0660) != 0 || listen(fd, BACKLOG) != 0)
		return fail_and_close(fd, text, err);
	*opened = (struct listen_socket){.fd = fd, .is_unix = true};
	snprintf(opened->host, sizeof(opened->host), "%s", path);
	snprintf(opened->shown, sizeof(opened->shown), "%s", text);
	return true;
}

/* Splits "HOST:PORT" and "[V6]:PORT". */
static bool split_address(const char *text, char host[LISTEN_HOST_SIZE], char port[8])
{
	const char *const colon = strrchr(text, ':');
	if (!colon)
		return false;
	size_t size = (size_t)(colon - text);
	const bool is_bracketed = *text == '[' && size >= 3 && text[size - 1] == ']';
	const char *const begin = text + is_bracketed;
	size -= is_bracketed ? 2 : 0;
	const size_t digits = strspn(colon + 1, "0123456789");
	if (size == 0 || size >= LISTEN_HOST_SIZE || digits == 0 || digits > 5 ||
	    colon[1 + digits] || atoi(colon + 1) > 65535)
		return false;
	if (!is_bracketed && memchr(begin, ':', size))
		return false;
	snprintf(host, LISTEN_HOST_SIZE, "%.*s", (int)size, begin);
	snprintf(port, 8, "%s", colon + 1);
	return true;
}

static int open_bound(const struct addrinfo *info)
{
	const int yes = 1;
	const int fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	/* [::] means IPv6 alone: 0.0.0.0 beside it is an address of its own. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) == 0 &&
	    (info->ai_family != AF_INET6 ||
	     setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof(yes)) == 0) &&
	    bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	const int code = errno;
	close(fd);
	errno = code;
	return -1;
}

static void describe_bound(struct listen_socket *opened)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} bound = {0};
	socklen_t size = sizeof(bound);
	(void)getsockname(opened->fd, &bound.any, &size); /* cannot fail on a bound socket */
	const bool is_v6 = bound.any.sa_family == AF_INET6;
	const int port = ntohs(is_v6 ? bound.v6.sin6_port : bound.v4.sin_port);
	opened->is_everywhere = is_v6 ? IN6_IS_ADDR_UNSPECIFIED(&bound.v6.sin6_addr)
				      : bound.v4.sin_addr.s_addr == htonl(INADDR_ANY);
	const bool is_literal = strchr(opened->host, ':') != NULL;
	snprintf(opened->shown, sizeof(opened->shown), "http://%s%s%s:%d", is_literal ? "[" : "",
		 opened->host, is_literal ? "]" : "", port);
}

static bool open_inet(const char *text, struct listen_socket *opened, struct error *err)
{
	char port[8];
	struct listen_socket result = {0};
	if (!split_address(text, result.host, port))
		return error_set(err, ERROR_INVALID, 0,
				 "listen address '%s': give HOST:PORT, [IPV6]:PORT or unix:/PATH",
				 text);
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				       .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *infos = NULL;
	const int code = getaddrinfo(result.host, port, &hints, &infos);
	if (code != 0)
		return error_set(err, ERROR_INVALID, 0, "listen address '%s': %s", text,
				 gai_strerror(code));
	result.fd = open_bound(infos);
	freeaddrinfo(infos);
	if (result.fd < 0)
		return system_error(err, text);
	describe_bound(&result);
	*opened = result;
	return true;
}

bool listen_open(const char *address, struct listen_socket *opened, struct error *err)
{
	if (strncmp(address, "unix:", 5) == 0)
		return open_unix(address, opened, err);
	return open_inet(address, opened, err);
}
