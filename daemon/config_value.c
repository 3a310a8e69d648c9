/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars into fields. Runs in main. */
#include "daemon/config_value.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/duration.h"

enum { CA_PATH_MAX = 200 };

typedef bool set_fn(const struct config_key *key, void *base, const char *text, bool is_quoted,
		    struct error *err);

static void *field_of(const struct config_key *key, void *base)
{
	return (char *)base + key->offset;
}

static void replace_text(char **field, const char *text)
{
	free(*field);
	*field = xstrdup(text);
}

static bool set_text(const struct config_key *key, void *base, const char *text, bool is_quoted,
		     struct error *err)
{
	(void)is_quoted; /* a text may stand in quotes or not */
	if (*text == '\0')
		return error_set(err, ERROR_INVALID, 0, "'%s' is empty", key->path);
	if (key->max > 0 && (int64_t)strlen(text) > key->max)
		return error_set(err, ERROR_INVALID, 0, "'%s' is longer than %lld bytes", key->path,
				 (long long)key->max);
	replace_text(field_of(key, base), text);
	return true;
}

bool config_value_check_name(const char *text, size_t size, struct error *err)
{
	if (*text == '\0')
		return error_set(err, ERROR_INVALID, 0, "a name is empty");
	if (strlen(text) >= size)
		return error_set(err, ERROR_INVALID, 0, "'%.20s…' is longer than %zu bytes", text,
				 size - 1);
	for (const char *byte = text; *byte; byte++)
		if (!isalnum((unsigned char)*byte) && !strchr("._-", *byte))
			return error_set(err, ERROR_INVALID, 0,
					 "'%s' is no name; letters, digits and ._- may be in one",
					 text);
	return true;
}

static bool set_name(const struct config_key *key, void *base, const char *text, bool is_quoted,
		     struct error *err)
{
	(void)is_quoted; /* a name may stand in quotes or not */
	if (!config_value_check_name(text, key->size, err))
		return false;
	memcpy(field_of(key, base), text, strlen(text) + 1);
	return true;
}

static bool parse_integer(const char *text, int64_t min, int64_t max, int64_t *value,
			  struct error *err)
{
	char *end = NULL;
	long long number = strtoll(text, &end, 10);

	if (*text == '\0' || isspace((unsigned char)*text) || *end != '\0')
		return error_set(err, ERROR_INVALID, 0, "'%.40s' is no whole number", text);
	if (number < min || number > max)
		return error_set(err, ERROR_INVALID, 0, "%.40s is not between %lld and %lld", text,
				 (long long)min, (long long)max);
	*value = number;
	return true;
}

/* What a FreeTDS section can hold: it ends a value at # and ; and reads 256 bytes a line. */
static bool is_plain_word(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text == 0x7f || strchr("#;=[]\"'", *text))
			return false;
	return true;
}

static bool set_host(const struct config_key *key, void *base, const char *text, bool is_quoted,
		     struct error *err)
{
	struct config_target *target = base;
	struct host host = {0};

	(void)key, (void)is_quoted; /* this type has one key, and hosts may be quoted */
	if (!host_parse(text, &host, err))
		return false;
	memcpy(target->host, host.name, sizeof(host.name));
	memcpy(target->instance, host.instance, sizeof(host.instance));
	target->spelled_port = host.port;
	return true;
}

static bool set_path(const struct config_key *key, void *base, const char *text, bool is_quoted,
		     struct error *err)
{
	(void)is_quoted; /* a path may stand in quotes or not */
	if (text[0] != '/')
		return error_set(err, ERROR_INVALID, 0, "'%.80s' is no absolute path", text);
	replace_text(field_of(key, base), text);
	return true;
}

static bool set_ca(const struct config_key *key, void *base, const char *text, bool is_quoted,
		   struct error *err)
{
	char **field = field_of(key, base);

	(void)is_quoted; /* a path may stand in quotes or not */
	if (strcmp(text, "none") == 0) {
		free(*field);
		*field = NULL;
		return true;
	}
	if (strcmp(text, "system") != 0 && text[0] != '/')
		return error_set(err, ERROR_INVALID, 0,
				 "'%.80s' is neither system nor none nor an absolute path", text);
	if (strlen(text) > CA_PATH_MAX || !is_plain_word(text))
		return error_set(
			err, ERROR_INVALID, 0,
			"FreeTDS cannot read the path '%.80s': blanks, # and ; must not be "
			"in it, nor more than %d bytes",
			text, CA_PATH_MAX);
	replace_text(field, text);
	return true;
}

static bool set_url(const struct config_key *key, void *base, const char *text, bool is_quoted,
		    struct error *err)
{
	(void)is_quoted; /* a URL may stand in quotes or not */
	if (strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0)
		return error_set(err, ERROR_INVALID, 0,
				 "'%.80s' is no URL; it begins with http:// or https://", text);
	replace_text(field_of(key, base), text);
	return true;
}

static bool set_integer(const struct config_key *key, void *base, const char *text, bool is_quoted,
			struct error *err)
{
	int64_t value = 0;

	if (is_quoted)
		return error_set(err, ERROR_INVALID, 0,
				 "'%s' is a number, not a text; did you mean %.40s?", key->path,
				 text);
	if (!parse_integer(text, key->min, key->max, &value, err))
		return error_prefix(err, "'%s'", key->path);
	*(int *)field_of(key, base) = (int)value;
	return true;
}

static bool set_boolean(const struct config_key *key, void *base, const char *text, bool is_quoted,
			struct error *err)
{
	bool is_true = strcmp(text, "true") == 0;

	if (is_quoted || (!is_true && strcmp(text, "false") != 0)) {
		bool was_yes = strcmp(text, "yes") == 0 || strcmp(text, "on") == 0 || is_true;
		return error_set(err, ERROR_INVALID, 0,
				 "'%s' is true or false, not '%.40s'; did you mean \"%s\"?",
				 key->path, text, was_yes ? "true" : "false");
	}
	*(bool *)field_of(key, base) = is_true;
	return true;
}

static bool set_duration(const struct config_key *key, void *base, const char *text, bool is_quoted,
			 struct error *err)
{
	int64_t value = 0;

	(void)is_quoted; /* the unit makes it a text already */
	if (!duration_parse(text, &value, err))
		return error_prefix(err, "'%s'", key->path);
	if (value < key->min || value > key->max)
		return error_set(err, ERROR_INVALID, 0, "'%s' is not between %llds and %llds",
				 key->path, (long long)(key->min / 1000),
				 (long long)(key->max / 1000));
	*(int64_t *)field_of(key, base) = value;
	return true;
}

static bool set_interval(const struct config_key *key, void *base, const char *text, bool is_quoted,
			 struct error *err)
{
	if (strcmp(text, "off") != 0)
		return set_duration(key, base, text, is_quoted, err);
	*(int64_t *)field_of(key, base) = 0;
	return true;
}

static bool set_size(const struct config_key *key, void *base, const char *text, bool is_quoted,
		     struct error *err)
{
	int64_t value = 0;

	(void)is_quoted; /* the unit makes it a text already */
	if (!size_parse(text, &value, err))
		return error_prefix(err, "'%s'", key->path);
	if (value < key->min)
		return error_set(err, ERROR_INVALID, 0, "'%s' is less than %lldMiB", key->path,
				 (long long)(key->min >> 20));
	*(int64_t *)field_of(key, base) = value;
	return true;
}

static bool set_rate(const struct config_key *key, void *base, const char *text, bool is_quoted,
		     struct error *err)
{
	double value = 0;

	(void)is_quoted; /* the unit makes it a text already */
	if (!rule_parse_rate(text, &value, err))
		return error_prefix(err, "'%s'", key->path);
	*(double *)field_of(key, base) = value;
	return true;
}

static bool set_choice(const struct config_key *key, void *base, const char *text, bool is_quoted,
		       struct error *err)
{
	char guess[64];
	int place = 0;

	(void)is_quoted; /* a word may stand in quotes or not */
	for (const char *word = key->choices; *word; place++) {
		size_t size = strcspn(word, "|");
		if (size == strlen(text) && strncmp(word, text, size) == 0) {
			if (key->size == sizeof(bool))
				*(bool *)field_of(key, base) = place != 0;
			else
				*(int *)field_of(key, base) = place;
			return true;
		}
		word += size;
		word += *word == '|';
	}
	if (key->foreign && strcmp(text, key->foreign) == 0)
		return error_set(err, ERROR_INVALID, 0, "'%s': %s", key->path, key->reason);
	(void)error_set(err, ERROR_INVALID, 0, "'%s' is one of %s, not '%.40s'", key->path,
			key->choices, text);
	if (config_choice_guess(key->choices, text, guess, sizeof(guess)))
		(void)error_set(err, ERROR_INVALID, 0, "%s; did you mean \"%s\"?", err->text,
				guess);
	return false;
}

static bool set_when(const struct config_key *key, void *base, const char *text, bool is_quoted,
		     struct error *err)
{
	(void)key, (void)is_quoted; /* this type has one key, and an expression may be quoted */
	return rule_parse_when(text, base, err);
}

static set_fn *const setters[] = {
	[CONFIG_TEXT] = set_text,
	[CONFIG_NAME] = set_name,
	[CONFIG_HOST] = set_host,
	[CONFIG_PATH] = set_path,
	[CONFIG_CA] = set_ca,
	[CONFIG_URL] = set_url,
	[CONFIG_INTEGER] = set_integer,
	[CONFIG_BOOLEAN] = set_boolean,
	[CONFIG_DURATION] = set_duration,
	[CONFIG_INTERVAL] = set_interval,
	[CONFIG_SIZE] = set_size,
	[CONFIG_RATE] = set_rate,
	[CONFIG_CHOICE] = set_choice,
	[CONFIG_WHEN] = set_when,
	[CONFIG_NOTIFIERS] = NULL,
};

bool config_value_set(const struct config_key *key, void *base, const char *text, bool is_quoted,
		      struct error *err)
{
	assert(setters[key->type]);
	return setters[key->type](key, base, text, is_quoted, err);
}

void config_value_set_defaults(enum config_scope scope, void *base)
{
	size_t count = 0;
	const struct config_key *keys = config_keys(&count);

	for (size_t i = 0; i < count; i++) {
		struct error err = ERROR_INIT;

		if (keys[i].scope != scope || !keys[i].fallback || !setters[keys[i].type])
			continue;
		bool is_set = config_value_set(&keys[i], base, keys[i].fallback, false, &err);
		assert(is_set);
	}
}

bool config_listen_is_local(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]:", 6) == 0 ||
	       strncmp(address, "localhost:", 10) == 0 || strncmp(address, "unix:", 5) == 0;
}

bool config_value_add_listen(struct config *config, const char *text, struct error *err)
{
	const char *colon = strrchr(text, ':');
	int64_t port = 0;

	if (config->listen_count == WEB_LISTEN_MAX)
		return error_set(err, ERROR_INVALID, 0, "more than %d addresses", WEB_LISTEN_MAX);
	if (strncmp(text, "unix:", 5) == 0) {
		if (text[5] != '/')
			return error_set(err, ERROR_INVALID, 0, "'%.80s' has no absolute path",
					 text);
	} else if (!colon || colon == text) {
		return error_set(err, ERROR_INVALID, 0,
				 "'%.80s' is no address; it is HOST:PORT or unix:PATH", text);
	} else if (!parse_integer(colon + 1, 0, 65535, &port, err)) {
		return error_prefix(err, "the port in '%.80s'", text);
	}
	config->listen[config->listen_count++] = xstrdup(text);
	return true;
}

bool config_value_add_label(char labels[LABELS_MAX][2][LABEL_SIZE], int *count, const char *key,
			    const char *value, struct error *err)
{
	if (*count == LABELS_MAX)
		return error_set(err, ERROR_INVALID, 0, "more than %d labels", LABELS_MAX);
	if (!config_value_check_name(key, LABEL_SIZE, err))
		return error_prefix(err, "label");
	if (strlen(value) >= LABEL_SIZE)
		return error_set(err, ERROR_INVALID, 0, "label '%s' is longer than %d bytes", key,
				 LABEL_SIZE - 1);
	memcpy(labels[*count][0], key, strlen(key) + 1);
	memcpy(labels[*count][1], value, strlen(value) + 1);
	(*count)++;
	return true;
}
