/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One scalar of the configuration into its field, as the row of its key says. Main; knows neither
 * YAML nor positions.
 */
#pragma once

#include "daemon/config_keys.h"

/*
 * Checks text against key and puts it into the field of base, the structure of the key's scope.
 * is_quoted: the text stood in quotes, so that it cannot have been meant as a number or a word.
 *
 * Owns:    copies text, frees what the field held.
 * Errors:  ERROR_INVALID; the field is unchanged.
 * Threads: main.
 */
MUST_CHECK bool config_value_set(const struct config_key *key, void *base, const char *text,
				 bool is_quoted, struct error *err);

/* Puts the defaults of all keys of a scope into base. Threads: main. */
void config_value_set_defaults(enum config_scope scope, void *base);

/* Adds an address to the ones listened on. Errors: ERROR_INVALID. Threads: main. */
MUST_CHECK bool config_value_add_listen(struct config *config, const char *text, struct error *err);

/* True when the address is reached from this machine only: 127.*, [::1], localhost, unix. Pure. */
bool config_listen_is_local(const char *address);

/* Adds one label. Errors: ERROR_INVALID too long, too many. Threads: main. */
MUST_CHECK bool config_value_add_label(char labels[LABELS_MAX][2][LABEL_SIZE], int *count,
				       const char *key, const char *value, struct error *err);

/* Checks that text can be a name and fits into size bytes. Errors: ERROR_INVALID. Pure. */
MUST_CHECK bool config_value_check_name(const char *text, size_t size, struct error *err);
