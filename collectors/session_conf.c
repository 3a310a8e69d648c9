/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the text of the private FreeTDS configuration. Pure; knows no file and no library. What is
 * refused here is what FreeTDS 1.3 reads differently from how it is written: '#' and ';' begin a
 * comment even inside a value, runs of blanks collapse, lines are cut at 256 bytes, and of two
 * equal sections the last wins.
 */
#include "collectors/session_conf.h"

#include <string.h>
#include <strings.h>

static const char *const encryption_words[] = {
	[SESSION_ENCRYPTION_OFF] = "off",
	[SESSION_ENCRYPTION_REQUEST] = "request",
	[SESSION_ENCRYPTION_REQUIRE] = "require",
};

static const char *fault_of_value(const char *value)
{
	const size_t size = strlen(value);
	if (size == 0)
		return "is empty";
	if (size > SESSION_CONF_VALUE_SIZE)
		return "is longer than 200 bytes";
	if (value[0] == ' ' || value[size - 1] == ' ')
		return "begins or ends with a blank";
	if (strstr(value, "  "))
		return "has two blanks in a row";
	for (const char *byte = value; *byte; byte++) {
		if ((unsigned char)*byte < ' ')
			return "has a control character";
		if (*byte == '#' || *byte == ';')
			return "has a '#' or ';', which begins a comment in FreeTDS";
	}
	return NULL;
}

static bool check_value(const char *target, const char *key, const char *value, struct error *err)
{
	const char *fault = fault_of_value(value);
	if (fault)
		return error_set(err, ERROR_INVALID, 0, "target '%s': %s '%s' %s", target, key,
				 value, fault);
	return true;
}

static bool check_timeout(const char *target, const char *key, int64_t value_ms, struct error *err)
{
	if (value_ms < 1 || value_ms > INT64_C(86400000))
		return error_set(err, ERROR_INVALID, 0,
				 "target '%s': %s of %lld ms is not between 1 ms and 1 day", target,
				 key, (long long)value_ms);
	return true;
}

static bool check_target(const struct session_conf_target *target, struct error *err)
{
	if (!check_value(target->name, "name", target->name, err))
		return false;
	if (strpbrk(target->name, "[]"))
		return error_set(err, ERROR_INVALID, 0, "target '%s': name has a bracket",
				 target->name);
	/* "global" is FreeTDS's section of defaults for all others. */
	if (strcasecmp(target->name, "global") == 0)
		return error_set(err, ERROR_INVALID, 0, "target 'global': name is reserved");
	if (!check_value(target->name, "host", target->host, err))
		return false;
	/* HOST\INSTANCE would be 16 s of silence, HOST,PORT is not understood: both are resolved
	 * before. */
	if (strpbrk(target->host, "\\, "))
		return error_set(err, ERROR_INVALID, 0,
				 "target '%s': host '%s' has an instance or a port in it",
				 target->name, target->host);
	if (target->port < 1 || target->port > 65535)
		return error_set(err, ERROR_INVALID, 0, "target '%s': port %d is not a port",
				 target->name, target->port);
	if (target->database && !check_value(target->name, "database", target->database, err))
		return false;
	if (target->is_read_only_intent && !target->database)
		return error_set(err, ERROR_INVALID, 0,
				 "target '%s': read-only intent needs a database", target->name);
	if (target->ca && !check_value(target->name, "ca", target->ca, err))
		return false;
	return check_timeout(target->name, "login timeout", target->login_timeout_ms, err) &&
	       check_timeout(target->name, "query timeout", target->query_timeout_ms, err);
}

static bool check_names_differ(const struct session_conf_target *targets, size_t target_count,
			       struct error *err)
{
	for (size_t i = 0; i < target_count; i++)
		for (size_t j = i + 1; j < target_count; j++)
			if (strcasecmp(targets[i].name, targets[j].name) == 0)
				return error_set(err, ERROR_INVALID, 0,
						 "targets '%s' and '%s': names differ by case only",
						 targets[i].name, targets[j].name);
	return true;
}

static void write_target(const struct session_conf_target *target, struct strbuf *text)
{
	strbuf_addf(text, "[%s]\n", target->name);
	strbuf_addf(text, "\thost = %s\n", target->host);
	/* Five digits always: the port of an instance is written over them when it is known. */
	strbuf_addf(text, "\tport = %05d\n", target->port);
	/* Never "auto": after a failure it logs in again with the password in clear text. */
	strbuf_adds(text, "\ttds version = 7.4\n");
	strbuf_addf(text, "\tencryption = %s\n", encryption_words[target->encryption]);
	if (target->ca && target->encryption != SESSION_ENCRYPTION_OFF) {
		strbuf_addf(text, "\tca file = %s\n", target->ca);
		strbuf_addf(text, "\tcheck certificate hostname = %s\n",
			    target->verify_hostname ? "yes" : "no");
	}
	strbuf_addf(text, "\tconnect timeout = %lld\n",
		    (long long)((target->login_timeout_ms + 999) / 1000));
	strbuf_addf(text, "\tquery timeout = %lld\n",
		    (long long)((target->query_timeout_ms + 999) / 1000));
	strbuf_adds(text, "\tclient charset = UTF-8\n");
	strbuf_adds(text, "\tinitial block size = 16384\n");
	if (target->database)
		strbuf_addf(text, "\tdatabase = %s\n", target->database);
	if (target->is_read_only_intent)
		strbuf_adds(text, "\tread-only intent = yes\n");
}

bool session_conf_write(const struct session_conf_target *targets, size_t target_count,
			struct strbuf *text, struct error *err)
{
	for (size_t i = 0; i < target_count; i++)
		if (!check_target(&targets[i], err))
			return false;
	if (!check_names_differ(targets, target_count, err))
		return false;
	for (size_t i = 0; i < target_count; i++)
		write_target(&targets[i], text);
	return true;
}
