/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what is said of an alert. Used by the watcher. */
#include "daemon/notice.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void add_label(struct notice_labels *labels, const char *key, const char *value)
{
	for (int i = 0; i < labels->count; i++)
		if (strcmp(labels->pairs[i][0], key) == 0)
			return;
	snprintf(labels->pairs[labels->count][0], LABEL_SIZE, "%s", key);
	snprintf(labels->pairs[labels->count][1], LABEL_SIZE, "%s", value);
	labels->count++;
}

struct notice_labels notice_labels_of(const struct rule *rule, const struct live_target *target)
{
	struct notice_labels labels = {.count = 0};

	add_label(&labels, "alertname", rule->name);
	add_label(&labels, "target", target->name);
	add_label(&labels, "severity", rule->severity);
	for (int i = 0; i < rule->label_count; i++)
		add_label(&labels, rule->labels[i][0], rule->labels[i][1]);
	for (int i = 0; i < target->label_count; i++)
		add_label(&labels, target->labels[i][0], target->labels[i][1]);
	return labels;
}

static void write_labels(const struct notice_labels *labels, struct json *json)
{
	json_open_object(json);
	for (int i = 0; i < labels->count; i++)
		json_member_text(json, labels->pairs[i][0], labels->pairs[i][1]);
	json_close_object(json);
}

void notice_fill_labels(struct alert *alert, const struct notice_labels *labels)
{
	/* The three reserved ones fit always: 64-byte texts, escaped at most twofold. */
	for (struct notice_labels some = *labels; some.count > 0; some.count--) {
		CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct json json = json_begin(&text);

		write_labels(&some, &json);
		if (text.size >= sizeof(alert->labels))
			continue;
		memcpy(alert->labels, text.data, text.size + 1);
		return;
	}
}

static void write_hotspot(const struct hotspot *hotspot, struct json *json)
{
	char page[64];

	snprintf(page, sizeof(page), "%" PRId32 ":%" PRId32 ":%" PRId64, hotspot->database_id,
		 hotspot->file_id, hotspot->page_id);
	json_open_object(json);
	json_member_text(json, "kind", hotspot_kind_name(hotspot->kind));
	json_member_text(json, "confidence", hotspot->is_confirmed ? "confirmed" : "probable");
	json_member_text(json, "database", hotspot->database[0] ? hotspot->database : NULL);
	json_member_text(json, "object", hotspot->object[0] ? hotspot->object : NULL);
	json_member_text(json, "index", hotspot->index[0] ? hotspot->index : NULL);
	json_member_text(json, "page", page);
	json_member_decimal(json, "ms_per_sec", hotspot->ms_per_sec, 1);
	json_close_object(json);
}

static void write_evidence(const struct hotspot *hotspots, size_t count, struct json *json)
{
	json_open_object(json);
	json_key(json, "hotspots");
	json_open_array(json);
	for (size_t i = 0; i < count; i++)
		write_hotspot(&hotspots[i], json);
	json_close_array(json);
	json_close_object(json);
}

void notice_fill_evidence(struct alert *alert, const struct hotspot *hotspots, size_t count)
{
	for (size_t some = count + 1; some-- > 0;) {
		CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
		struct json json = json_begin(&text);

		write_evidence(hotspots, some, &json);
		if (text.size >= sizeof(alert->evidence))
			continue;
		memcpy(alert->evidence, text.data, text.size + 1);
		return;
	}
}

static void member_time(struct json *json, const char *key, int64_t utc_ms)
{
	if (utc_ms > 0)
		json_member_int(json, key, utc_ms);
	else
		json_member_null(json, key);
}

void notice_write_line(const struct alert *alert, const char *target_name, const char *status,
		       struct strbuf *text)
{
	strbuf_addf(text, "'%s' is %s on '%s': ", alert->rule, status, target_name);
	if (alert->has_value)
		strbuf_addf(text, "%.0f %s", alert->value, alert->unit);
	else
		strbuf_addf(text, "there are no data");
}

char *notice_body(const struct alert *alert, const struct notice_labels *labels,
		  const char *target_name, const char *status, const struct hotspot *hotspots,
		  size_t hotspot_count)
{
	struct strbuf text = STRBUF_INIT;
	struct json json = json_begin(&text);
	char delivery[RULE_NAME_SIZE + TARGET_NAME_SIZE + 64];

	/* The same episode and status give the same id, whatever becomes of us in between. */
	snprintf(delivery, sizeof(delivery), "%s/%s/%" PRId64 "/%s", alert->rule, target_name,
		 alert->fired_utc_ms, status);
	json_open_object(&json);
	json_member_text(&json, "delivery_id", delivery);
	json_member_text(&json, "status", status);
	json_member_text(&json, "rule", alert->rule);
	json_member_text(&json, "target", target_name);
	json_member_text(&json, "state", alert_state_name(alert->state));
	json_member_text(&json, "severity", alert->severity);
	json_key(&json, "labels");
	write_labels(labels, &json);
	if (alert->has_value)
		json_member_decimal(&json, "value", alert->value, 3);
	else
		json_member_null(&json, "value");
	json_member_decimal(&json, "threshold", alert->threshold, 3);
	json_member_text(&json, "unit", alert->unit);
	json_member_int(&json, "since", alert->since_utc_ms);
	member_time(&json, "fired_at", alert->fired_utc_ms);
	member_time(&json, "resolved_at", alert->resolved_utc_ms);
	json_key(&json, "evidence");
	write_evidence(hotspots, hotspot_count, &json);
	json_close_object(&json);
	return strbuf_take(&text);
}
