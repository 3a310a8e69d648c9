/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plain rows of the store beside frames: events, hotspots, alerts, the outbox. Filled by
 * analysis/ and daemon/, written by the writer, read by the queries. Fixed-size texts: rows are
 * copied freely.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectors/page_owner.h"
#include "collectors/task_sample.h"

enum { NO_FAMILY = -1, TARGET_NAME_SIZE = 64, RULE_NAME_SIZE = 64, RECORD_TEXT_SIZE = 512 };

/* Something that happened to a target: clear, restart, failover, gap, anomaly, down, up ... */
struct event {
	int64_t id;	   /* 0 until stored */
	int64_t target_id; /* 0 = latchd itself */
	int64_t begin_utc_ms;
	int64_t end_utc_ms; /* a clear: estimated instant .. the poll that found it; a gap: its
			       edges */
	char kind[24];
	int family; /* enum family or NO_FAMILY */
	char text[RECORD_TEXT_SIZE];
	char details[RECORD_TEXT_SIZE]; /* a JSON object, "{}" at least */
};

enum hotspot_kind {
	HOTSPOT_LAST_PAGE_INSERT,
	HOTSPOT_HOT_PAGE,
	HOTSPOT_TREE_ROOT,
	HOTSPOT_ALLOCATION_PFS,
	HOTSPOT_ALLOCATION_GAM,
	HOTSPOT_ALLOCATION_SGAM,
	HOTSPOT_ALLOCATION_OTHER,
	HOTSPOT_TEMPDB_METADATA,
};

enum { HOTSPOT_KIND_COUNT = 8, HOTSPOT_STATEMENTS_MAX = 4, HOTSPOT_EVIDENCE_MAX = 8 };

struct hotspot_statement {
	uint64_t query_hash;
	double share; /* of the hotspot's waiters, 0..1 */
};

/* One line of evidence: "distinct_pages", "12 pages of the index in 10 s", 12. */
struct hotspot_evidence {
	char kind[32];
	char text[160];
	double value;
};

/* What the rules say of a hotspot; rule "" when none applies. */
struct finding {
	char rule[40];
	char summary[RECORD_TEXT_SIZE];
	char expect[RECORD_TEXT_SIZE];
	char statement[RECORD_TEXT_SIZE * 2]; /* never executed by latchd; "" when there is none */
};

struct hotspot {
	int64_t id; /* 0 until stored; kept over restarts and late naming */
	int64_t target_id;
	enum hotspot_kind kind;
	bool is_active;
	bool is_confirmed;
	int64_t first_seen_utc_ms;
	int64_t last_seen_utc_ms;
	int32_t database_id;
	int64_t object_id; /* 0 not named yet */
	int32_t index_id;
	char database[SERVER_NAME_SIZE]; /* "" not named yet */
	char object[OBJECT_NAME_SIZE];
	char index[SERVER_NAME_SIZE];
	int32_t file_id; /* the page seen hot last */
	int64_t page_id;
	enum page_class page_class;
	int64_t pages_seen; /* distinct pages since first_seen */
	char wait_type[WAIT_TYPE_SIZE];
	double waiters_avg; /* distinct tasks that wait for a page latch, over the window */
	int32_t waiters_max;
	double flow_waiters_avg;
	int32_t flow_waiters_max;
	double ms_per_sec; /* mean sampled waiters * 1000, page latch and flow control together */
	int32_t scheduler_count; /* 0 unknown */
	double inserters;	 /* median of sessions in the hot statement; -1 unknown */
	int32_t optimize_for_sequential_key; /* 1, 0, -1 unknown */
	char leading_column[COLUMN_NAME_SIZE];
	struct hotspot_statement statements[HOTSPOT_STATEMENTS_MAX];
	int statement_count;
	struct hotspot_evidence evidence[HOTSPOT_EVIDENCE_MAX];
	int evidence_count;
	struct finding finding;
};

enum alert_state { ALERT_INACTIVE, ALERT_PENDING, ALERT_FIRING, ALERT_NO_DATA };

/* The state of one rule on one target. */
struct alert {
	char rule[RULE_NAME_SIZE];
	int64_t target_id; /* 0 = latchd itself */
	enum alert_state state;
	char severity[24];
	char labels[RECORD_TEXT_SIZE]; /* a JSON object of the rule's and the target's labels,
					  merged */
	int64_t since_utc_ms;	       /* in this state */
	int64_t fired_utc_ms;	       /* 0 never in this episode */
	int64_t resolved_utc_ms;       /* 0 not yet */
	int64_t clear_since_utc_ms;    /* value at or under `clear` since; 0 it is not */
	int64_t value_end_utc_ms;      /* end of the last interval taken in; 0 none yet */
	int64_t evaluated_commit;      /* the last commit this state has taken in */
	bool has_value;
	double value;
	double threshold;
	char unit[16];
	char evidence[RECORD_TEXT_SIZE * 2]; /* a JSON object */
};

/* A message on its way to a notifier; the body is complete, so that a retry sends the same bytes.
 */
struct outbox_row {
	int64_t id; /* 0 until stored; also the delivery id that receivers deduplicate by */
	char notifier[RULE_NAME_SIZE];
	int64_t created_utc_ms;
	int64_t due_utc_ms; /* not before; moved by back-off */
	int32_t attempt_count;
	char *body; /* JSON; owned by the row */
};

/* Names as the API and the store show them; each enum's names stand in one table. Pure. */
const char *hotspot_kind_name(enum hotspot_kind kind);
const char *alert_state_name(enum alert_state state);
MUST_CHECK bool hotspot_kind_from_name(const char *name, enum hotspot_kind *kind);
MUST_CHECK bool alert_state_from_name(const char *name, enum alert_state *state);
