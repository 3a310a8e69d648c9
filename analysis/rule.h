/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An alert rule: a sum of rates compared with a threshold. Parsed once from the configuration, then
 * never changed. Pure; any thread. Grammar of `when`:
 *
 *     when  = term { "+" term } ( ">" | ">=" ) rate
 *     term  = ( "wait" | "latch" | "spinlock" ) "(" '"' NAME '"' ")"      names are literal
 *     rate  = NUMBER ( "ms/s" | "s/s" )                                   of wait per second of
 * wall clock
 */
#pragma once

#include "collectors/delta.h"
#include "storage/live.h"

enum { RULE_TERMS_MAX = 16, RULE_NOTIFIERS_MAX = 8 };

struct rule_term {
	enum family family;
	char name[SAMPLE_NAME_SIZE_MAX];
};

enum rule_no_data { RULE_NO_DATA_KEEP, RULE_NO_DATA_OK, RULE_NO_DATA_ALERT };

struct rule {
	char name[RULE_NAME_SIZE];
	struct rule_term terms[RULE_TERMS_MAX];
	int term_count;
	bool is_inclusive; /* >= */
	double threshold;  /* ms/s */
	double clear;	   /* ms/s; at or under it for `for` the alert resolves */
	int64_t for_ms;
	char severity[24];
	enum rule_no_data no_data;
	char labels[LABELS_MAX][2][LABEL_SIZE];
	int label_count;
	char notifiers[RULE_NOTIFIERS_MAX][RULE_NAME_SIZE];
	int notifier_count;
};

/*
 * Parses `when` into terms, comparison and threshold of rule.
 *
 * Errors:  ERROR_INVALID with the column (code, from 1) and a guess: a wait type that cannot occur,
 * a unit missing ... Threads: any.
 */
MUST_CHECK bool rule_parse_when(const char *text, struct rule *rule, struct error *err);

/* Parses a rate such as "1000ms/s". Units: ms per second. Errors: ERROR_INVALID. Threads: any. */
MUST_CHECK bool rule_parse_rate(const char *text, double *ms_per_s, struct error *err);

/* What a rule has seen of one target: each family's newest delta that it names. */
struct rule_value {
	bool is_known; /* every term's family was covered */
	double value;  /* ms/s over the covered time */
	int64_t end_utc_ms;
	int64_t covered_ms;
};

/*
 * Value of a rule over one poll's deltas (NULL where the family was not polled). Unknown, never 0,
 * when a family it names is missing or has no rate, or when an after_clear delta covers less than
 * half of its interval. A name that is absent from a covered delta is 0. Pure.
 */
struct rule_value rule_evaluate(const struct rule *rule,
				const struct delta *const deltas[FAMILY_COUNT]);

/* True when the rule names the family. Pure. */
bool rule_uses(const struct rule *rule, enum family family);
