/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of names: the category of a wait type and whether it is idle (benign), from
 * collectors/data/wait_types.csv, as a table of constants made at build; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Category of a wait type (Query Store's where it has one); "Other" for an unknown name. Threads:
 * any. */
const char *wait_type_category(const char *name);

/* True when the wait is idle and hidden by default in every view; an unknown name is not. Threads:
 * any. */
bool wait_type_is_benign(const char *name);

/* True when the name is in the catalogue of wait types. Threads: any. */
bool wait_type_is_known(const char *name);

/* Name number index of the catalogue, for guesses; NULL past its end. Threads: any. */
const char *wait_type_at(size_t index);
