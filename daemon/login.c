/* SPDX-License-Identifier: Apache-2.0 */
/* Logging in. Runs in target and lookup threads; the sections are written by main. */
#include "daemon/login.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/collect.h"
#include "daemon/base/alloc.h"
#include "daemon/deadline.h"
#include "daemon/file.h"

/* libsybdb takes 128 bytes at most (platform-facts A2). */
enum { PASSWORD_SIZE_MAX = 128, PASSWORD_ROOM = 65536 };

static const char *const tls_words[] = {
	[TLS_REQUIRE] = "require",
	[TLS_REQUEST] = "request",
	[TLS_OFF] = "off",
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

static int64_t seconds_up(int64_t ms)
{
	return (ms + 999) / 1000;
}

void login_write_section(const struct config_target *target, struct strbuf *text)
{
	const char *backslash = strchr(target->host, '\\');

	strbuf_addf(text, "[%s]\n", section_name(target));
	if (backslash)
		strbuf_addf(text, "\thost = %.*s\n\tinstance = %s\n",
			    (int)(backslash - target->host), target->host, backslash + 1);
	else
		strbuf_addf(text, "\thost = %s\n\tport = %d\n", target->host, target->port);
	/* Anything else sends the password in clear text after a failed login. */
	strbuf_adds(text, "\ttds version = 7.4\n\tclient charset = UTF-8\n");
	strbuf_addf(text, "\tencryption = %s\n", tls_words[target->tls]);
	if (target->ca && target->tls != TLS_OFF)
		strbuf_addf(text, "\tca file = %s\n\tcheck certificate hostname = %s\n", target->ca,
			    target->verify_hostname ? "yes" : "no");
	strbuf_addf(text, "\tconnect timeout = %lld\n\tquery timeout = %lld\n\n",
		    (long long)seconds_up(target->login_timeout_ms),
		    (long long)seconds_up(target->query_timeout_ms));
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

static struct session *open_session(const struct config_target *target, struct deadline_slot *slot,
				    struct error *err)
{
	CLEANUP(wipe) struct strbuf password = STRBUF_INIT;
	char where[HOST_SIZE + 16];

	if (!read_password(&target->login, &password, err))
		return NULL;
	snprintf(where, sizeof(where), "%s:%d", target->host, target->port);
	return session_open(
		&(struct session_options){
			.section = section_name(target),
			.where = strchr(target->host, '\\') ? target->host : where,
			.user = target->login.user,
			.password = password.data,
			.database = target->database,
			.is_read_only_intent = target->is_read_only_intent,
			.on_socket = deadline_on_socket,
			.context = slot,
		},
		err);
}

struct session *login_open(const struct config_target *target, struct deadline_slot *slot,
			   int64_t now_mono_ms, struct server *server, struct epoch *epoch,
			   struct error *err)
{
	int64_t limit_ms = target->login_timeout_ms + target->query_timeout_ms;

	deadline_begin(slot, now_mono_ms + limit_ms);
	CLEANUP(session_closep) struct session *session = open_session(target, slot, err);
	bool is_in = session && collect_server(session, server, epoch, err);
	if (deadline_end(slot))
		is_in = error_set(err, ERROR_TIMEOUT, 0,
				  "no whole answer to the login within %lld ms",
				  (long long)limit_ms);
	return is_in ? TAKE(session) : NULL;
}
