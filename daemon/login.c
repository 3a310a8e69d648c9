/* SPDX-License-Identifier: Apache-2.0 */
/* Logging in. Runs in target and lookup threads; the sections are written by main. */
#include "daemon/login.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/browser.h"
#include "collectors/collect.h"
#include "collectors/session_conf.h"
#include "collectors/session_fault.h"
#include "collectors/tls_probe.h"
#include "daemon/base/alloc.h"
#include "daemon/deadline.h"
#include "daemon/file.h"
#include "daemon/keytab.h"

/* libsybdb takes 128 bytes at most (platform-facts A2). */
enum { PASSWORD_SIZE_MAX = 128, PASSWORD_ROOM = 65536 };

/* Nobody connects there: an instance is asked for before each login that has no port for it. */
enum { PORT_UNKNOWN = 1, PORT_DIGITS = 5 };

enum { BROWSER_TIMEOUT_MS = 1000, WHERE_SIZE = HOST_SIZE + INSTANCE_SIZE + 32 };

static const enum session_encryption encryptions[] = {
	[TLS_REQUIRE] = SESSION_ENCRYPTION_REQUIRE,
	[TLS_REQUEST] = SESSION_ENCRYPTION_REQUEST,
	[TLS_OFF] = SESSION_ENCRYPTION_OFF,
};

static bool is_azure(const char *host)
{
	static const char suffix[] = ".database.windows.net";
	size_t size = strlen(host);

	return size > sizeof(suffix) - 1 && strcmp(host + size - (sizeof(suffix) - 1), suffix) == 0;
}

/* The target's own name; the host for Azure, which routes by it. */
static const char *section_name(const struct config_target *target)
{
	return is_azure(target->host) ? target->host : target->name;
}

/* The place of the five digits that route_set_port changes. */
static int64_t find_port(const struct strbuf *text, size_t begin)
{
	static const char key[] = "\tport = ";
	const char *line = strstr(strbuf_text(text) + begin, key);

	return line - text->data + (int64_t)sizeof(key) - 1;
}

bool login_write_section(const struct config_target *target, struct strbuf *text,
			 struct login_route *route, struct error *err)
{
	const size_t begin = text->size;
	const struct session_conf_target section = {
		.name = section_name(target),
		.host = target->host,
		.port = target->port > 0 ? target->port : PORT_UNKNOWN,
		.encryption = encryptions[target->tls],
		.ca = target->ca,
		.verify_hostname = target->verify_hostname,
		.login_timeout_ms = target->login_timeout_ms,
		.query_timeout_ms = target->query_timeout_ms,
	};

	if (!session_conf_write(&section, 1, text, err))
		return false;
	*route = (struct login_route){
		.fd = -1, .port_offset = find_port(text, begin), .port = target->port};
	return true;
}

static bool password_path(const struct config_login *login, char **path, struct error *err)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");

	if (login->password_file) {
		*path = xstrdup(login->password_file);
		return true;
	}
	if (!folder || strchr(login->credential, '/'))
		return error_set(err, ERROR_NOT_FOUND, 0,
				 "there is no credential '%s': not started by systemd with "
				 "LoadCredential=",
				 login->credential);
	*path = xasprintf("%s/%s", folder, login->credential);
	return true;
}

/* Without the newline at its end; the caller wipes it, also after a failure. */
static bool read_password(const struct config_login *login, struct strbuf *password,
			  struct error *err)
{
	CLEANUP(freep) char *path = NULL;

	/* Room for all at once: a buffer that moves leaves a copy behind that nobody wipes. */
	(void)strbuf_reserve(password, PASSWORD_ROOM);
	if (!password_path(login, &path, err) ||
	    !file_read(path, PASSWORD_SIZE_MAX + 2, password, err))
		return error_prefix(err, "password");
	while (password->size > 0 && strchr("\r\n", password->data[password->size - 1]))
		password->data[--password->size] = '\0';
	if (password->size == 0)
		return error_set(err, ERROR_INVALID, 0, "the password in '%s' is empty", path);
	if (password->size > PASSWORD_SIZE_MAX)
		return error_set(err, ERROR_INVALID, 0,
				 "the password in '%s' is longer than %d bytes", path,
				 PASSWORD_SIZE_MAX);
	return true;
}

static void wipe(struct strbuf *password)
{
	if (password->data)
		explicit_bzero(password->data, password->capacity);
	strbuf_done(password);
}

/* A write within a page of memory; a reader sees the old port or the new one. */
static bool route_set_port(struct login_route *route, int port, struct error *err)
{
	char digits[PORT_DIGITS + 1];

	snprintf(digits, sizeof(digits), "%05d", port);
	if (pwrite(route->fd, digits, PORT_DIGITS, route->port_offset) != PORT_DIGITS)
		return error_set(err, ERROR_IO, errno, "cannot keep the port: %s", strerror(errno));
	route->port = port;
	return true;
}

/* An instance without a port is asked for, well within the time there is for the login. */
static bool find_instance(const struct config_target *target, struct login_route *route,
			  struct error *err)
{
	const int64_t most_ms = target->login_timeout_ms / 2;
	int port = 0;

	if (target->port > 0)
		route->port = target->port;
	if (route->port > 0)
		return true;
	return browser_ask(
		       &(struct browser_options){
			       .host = target->host,
			       .instance = target->instance,
			       .port = target->browser_port,
			       .timeout_ms =
				       most_ms < BROWSER_TIMEOUT_MS ? most_ms : BROWSER_TIMEOUT_MS,
		       },
		       &port, err) &&
	       route_set_port(route, port, err);
}

/* What the texts of errors call the server. */
static void write_where(const struct config_target *target, const struct login_route *route,
			char *where, size_t size)
{
	const bool is_v6 = strchr(target->host, ':');

	snprintf(where, size, "%s%s%s:%d%s%s%s", is_v6 ? "[" : "", target->host, is_v6 ? "]" : "",
		 route->port, target->port > 0 ? "" : " (instance '",
		 target->port > 0 ? "" : target->instance, target->port > 0 ? "" : "')");
}

/* What libsybdb says of a ticket that it does not get is no more than that the login failed. */
static void explain_kerberos(const char *where, struct error *err)
{
	enum { LOGIN_BROKE_OFF = 20002 };

	if (err->kind == ERROR_UNREACHABLE && err->code == LOGIN_BROKE_OFF)
		(void)error_set(err, ERROR_UNREACHABLE, LOGIN_BROKE_OFF,
				"no Kerberos ticket for %s: does a KDC answer (krb5.conf), know "
				"the first principal of the keytab, and MSSQLSvc/HOST:PORT of the "
				"server?",
				where);
}

/* The secret of a login: a password, or a keytab that GSSAPI will read by itself. */
static bool read_secret(const struct config_login *login, struct strbuf *password,
			struct error *err)
{
	return login->keytab ? keytab_check(login->keytab, err)
			     : read_password(login, password, err);
}

/* Replaces an error that only says that it failed. The probe ends at the slot's deadline too. */
static void explain(const struct config_target *target, const struct login_route *route,
		    struct deadline_slot *slot, const char *where, struct error *err)
{
	struct error reason = ERROR_INIT;
	const struct tls_probe_options options = {
		.host = target->host,
		.port = route->port,
		.ca = target->ca,
		.is_required = target->tls == TLS_REQUIRE,
		.verify_hostname = target->verify_hostname,
		.limit_ms = target->login_timeout_ms,
		.on_socket = deadline_on_socket,
		.context = slot,
	};

	if (!session_fault_is_vague(err))
		return;
	if (target->tls != TLS_OFF && !tls_probe_run(&options, &reason))
		*err = reason;
	else if (target->login.keytab)
		explain_kerberos(where, err);
	else if (target->tls != TLS_OFF)
		(void)error_set(err, ERROR_UNREACHABLE, err->code, "%s; TLS is in order there",
				err->text);
}

static struct session *open_session(const struct config_target *target, struct login_route *route,
				    struct deadline_slot *slot, struct error *err)
{
	CLEANUP(wipe) struct strbuf password = STRBUF_INIT;
	char where[WHERE_SIZE];

	if (!find_instance(target, route, err) || !read_secret(&target->login, &password, err))
		return NULL;
	write_where(target, route, where, sizeof(where));
	struct session *session = session_open(
		&(struct session_options){
			.section = section_name(target),
			.where = where,
			.user = target->login.user,
			.password = password.data,
			.is_kerberos = target->login.keytab,
			.database = target->database,
			.is_read_only_intent = target->is_read_only_intent,
			.on_socket = deadline_on_socket,
			.context = slot,
		},
		err);
	if (!session)
		explain(target, route, slot, where, err);
	/* Instances come back on another port: whatever failed, the next login asks again. */
	if (!session && target->port == 0)
		route->port = 0;
	return session;
}

struct session *login_open(const struct config_target *target, struct login_route *route,
			   struct deadline_slot *slot, int64_t now_mono_ms, struct server *server,
			   struct epoch *epoch, struct error *err)
{
	int64_t limit_ms = target->login_timeout_ms + target->query_timeout_ms;

	deadline_begin(slot, now_mono_ms + limit_ms);
	CLEANUP(session_closep) struct session *session = open_session(target, route, slot, err);
	bool is_in = session && collect_server(session, server, epoch, err);
	if (deadline_end(slot))
		is_in = error_set(err, ERROR_TIMEOUT, 0,
				  "no whole answer to the login within %lld ms",
				  (long long)limit_ms);
	return is_in ? TAKE(session) : NULL;
}

bool login_library_start(const struct config *config, struct login_route *routes,
			 struct held_file *held, struct error *err)
{
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < config->target_count; i++)
		if (config->targets[i].login.keytab)
			keytab_use(config->targets[i].login.keytab);
	for (size_t i = 0; i < config->target_count; i++)
		if (!login_write_section(&config->targets[i], &text, &routes[i], err))
			return false;
	if (!file_hold("freetds.conf", &text, held, err) || !session_library_start(held->path, err))
		return false;
	for (size_t i = 0; i < config->target_count; i++)
		routes[i].fd = held->fd;
	return true;
}
