/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names in a rule: which function stands for which family, whether a name can occur in it, and
 * what was probably meant. Pure; any thread.
 */
#pragma once

#include <stddef.h>

#include "collectors/family.h"
#include "daemon/base/error.h"

/* Finds the family of "wait", "latch" or "spinlock"; text need not end after size. Pure. */
MUST_CHECK bool rule_name_family(const char *text, size_t size, enum family *family);

/* The function whose name is nearest to text. Pure. */
const char *rule_name_nearest_function(const char *text, size_t size);

/*
 * Rejects a name that cannot occur in the view of its family, so that no rule waits for ever for
 * something that never comes.
 *
 * Errors:  ERROR_INVALID, code column, with a guess.
 * Threads: any.
 */
MUST_CHECK bool rule_name_check(enum family family, const char *name, int column,
				struct error *err);
