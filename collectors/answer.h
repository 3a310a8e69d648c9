/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An answer while it comes in: which view its rows belong to, and what they say. Used by collect.c
 * alone, in the target's thread.
 *
 * Each view begins with a result set of one text, its name; what follows, rows and errors alike,
 * belongs to that view until the next name. Counting result sets would not do: a statement that is
 * refused has none. The marker of an epoch also tells how many rows the view before it had, for a
 * row that is lost on the way would pass for a name that is zero.
 */
#pragma once

#include "collectors/collect.h"

/* Sections of the batch: a collector, or one of these. */
enum { SECTION_EPOCH = COLLECTOR_COUNT, SECTION_COST, SECTION_NONE };

enum {
	EPOCHS_MAX = COLLECTOR_COUNT + 1,
	SECTIONS_MAX = COLLECTOR_COUNT + EPOCHS_MAX + 1,
};

struct section {
	int name;   /* enum collector or SECTION_... */
	int result; /* of its marker */
};

struct answer {
	const struct server *server;
	unsigned due;
	struct collected *collected;
	struct section sections[SECTIONS_MAX]; /* in the order they came */
	int section_count;
	struct epoch epochs[EPOCHS_MAX];
	int epoch_count;
	int64_t begin_mono_ms;
	int epochs_before[COLLECTOR_COUNT]; /* how many stood before a view */
	int64_t rows_told[FAMILY_COUNT];    /* how many the server says it sent */
};

/*
 * Takes one row in; context is the struct answer. A view whose rows are not understood fails alone.
 *
 * Errors:  ERROR_PROTOCOL a row that belongs to no view. Threads: the owner of the session.
 */
MUST_CHECK bool answer_take_row(void *context, int result, const struct session_cell *cells,
				size_t cell_count, struct error *err);

/* The section in which an error came: the last that had begun by that result set. Pure. */
int answer_section_of(const struct answer *answer, int result);
