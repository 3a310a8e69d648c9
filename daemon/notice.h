/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of an alert: its labels, its evidence, the message for notifiers. Used by the
 * watcher; knows no I/O.
 */
#pragma once

#include "analysis/rule.h"
#include "daemon/base/json.h"
#include "storage/record.h"

enum { NOTICE_LABELS_MAX = 2 * LABELS_MAX + 3 };

struct notice_labels {
	char pairs[NOTICE_LABELS_MAX][2][LABEL_SIZE];
	int count;
};

/* The labels of a rule on a target: alertname, target and severity, then the rule's, then the
 * target's; of equal names the first counts. Pure. */
struct notice_labels notice_labels_of(const struct rule *rule, const struct live_target *target);

/* Puts labels and evidence into alert; hotspots that do not fit are left out. Pure but for *alert.
 */
void notice_fill_labels(struct alert *alert, const struct notice_labels *labels);
void notice_fill_evidence(struct alert *alert, const struct hotspot *hotspots, size_t count);

/* What happened to an alert as one line: its rule, its target, status, and the value it has. Pure
 * but for *text. */
void notice_write_line(const struct alert *alert, const char *target_name, const char *status,
		       struct strbuf *text);

/*
 * The complete message that a notifier posts, the same bytes at each attempt. status is "firing" or
 * "resolved".
 *
 * Owns:    the caller frees.
 * Threads: any.
 */
char *notice_body(const struct alert *alert, const struct notice_labels *labels,
		  const char *target_name, const char *status, const struct hotspot *hotspots,
		  size_t hotspot_count);
