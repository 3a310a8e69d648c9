/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the judge that looks at single names; see judge.h. */
#pragma once

#include "tests/model/judge.h"

/* What a delta must say of a name. */
struct expected {
	bool is_counted; /* false: nothing may be said of it */
	int64_t counters[TRUTH_COUNTERS];
	unsigned flags; /* without late */
};

/* True when an unlocked read explains the fall. Pure. */
bool fall_is_dip(int64_t old, int64_t fall);

/* True when a fall of the counter may tell of a clear. Pure. */
bool counter_is_witness(int view, int counter);

/* What is expected of name i, and what is to be remembered. Threads: the owner, as below. */
void judge_believe(const struct judgement *judgement, int i, bool from_zero,
		   struct expected *expected, struct memory_name *next);

/* Judges the rows of a delta that must have some. */
void judge_names(const struct judgement *judgement, bool from_zero);

/* Opens the accounts that are not yet open; all of them when is_anew. */
void judge_open_accounts(const struct judgement *judgement, bool is_anew);
