/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one table of configuration keys: where it stands, what it holds, its default, its limits, one
 * line of help. The parser, the checks and etc/latchd.yaml (by a test) come from it. Main; nothing
 * changes. Knows no YAML.
 */
#pragma once

#include <stddef.h>

#include "daemon/config.h"

/* Which structure a key fills: the file's own, or that of one target, rule or notifier. */
enum config_scope {
	CONFIG_SCOPE_FILE,
	CONFIG_SCOPE_TARGET,
	CONFIG_SCOPE_RULE,
	CONFIG_SCOPE_NOTIFIER,
};

enum config_type {
	CONFIG_SECTION,	 /* keys below it; may be nested */
	CONFIG_TEXT,	 /* char * */
	CONFIG_NAME,	 /* char[size]: letters, digits, '.', '_', '-' */
	CONFIG_HOST,	 /* a spelling of host.h: host, instance and port of a target */
	CONFIG_PATH,	 /* char *: an absolute path */
	CONFIG_CA,	 /* char *: system, none (NULL) or a path */
	CONFIG_URL,	 /* char *: http or https */
	CONFIG_INTEGER,	 /* int */
	CONFIG_BOOLEAN,	 /* bool */
	CONFIG_DURATION, /* int64_t ms */
	CONFIG_INTERVAL, /* int64_t ms, or off = 0 */
	CONFIG_SIZE,	 /* int64_t bytes */
	CONFIG_RATE,	 /* double ms/s */
	CONFIG_CHOICE,	 /* int or bool (by size): place in choices */
	CONFIG_WHEN,	 /* the expression of a rule */
	CONFIG_LISTEN,	 /* addresses: struct config's listen */
	CONFIG_LABELS,	 /* a mapping of texts */
	CONFIG_NOTIFY,	 /* a list of names of notifiers */
	CONFIG_INCLUDE,	 /* a list of globs of files */
	CONFIG_DEFAULTS, /* the keys of a target, inherited by all */
	CONFIG_TARGETS,	 /* a list of targets */
	CONFIG_RULES,	 /* a list of rules */
	CONFIG_NOTIFIERS /* a mapping from name to notifier */
};

struct config_key {
	enum config_scope scope;
	const char *path; /* from its scope, with dots: "tls.mode" */
	enum config_type type;
	const char *fallback; /* the default as it would be written; NULL when there is none */
	const char *choices;  /* "a|b|c" for CONFIG_CHOICE */
	const char *foreign;  /* a choice that other programs have; NULL for none */
	const char *reason;   /* why it is none here, and what to write */
	int64_t min, max;     /* of numbers, in the unit they are kept in; both 0: no limit */
	size_t offset, size;  /* of the field in the structure of its scope */
	bool is_required;
	bool is_own;   /* of a target: cannot be inherited from defaults */
	bool is_local; /* of the file: may stand in an included file too */
	const char *help;
};

/* The table; *count receives its length. Pure. */
const struct config_key *config_keys(size_t *count);

/* The row of a key; NULL when there is none. Pure. */
const struct config_key *config_key_find(enum config_scope scope, const char *path);

/*
 * The key that an unknown one was probably meant to be: the nearest of those with the same parent.
 * NULL when none is near. Pure.
 */
const char *config_key_guess(enum config_scope scope, const char *path);

/* The nearest of the words of "a|b|c" to text, into guess; false when none is near. Pure. */
MUST_CHECK bool config_choice_guess(const char *choices, const char *text, char *guess,
				    size_t size);
