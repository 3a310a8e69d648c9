/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a hotspot as JSON; see the header. Pure. */
#include "storage/hotspot_json.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/base/json.h"

void hotspot_json_put_statements(struct strbuf *out, const struct hotspot *hotspot)
{
	struct json json = json_begin(out);
	json_open_array(&json);
	for (int i = 0; i < hotspot->statement_count; i++) {
		const struct hotspot_statement *statement = &hotspot->statements[i];
		char hash[24];
		(void)snprintf(hash, sizeof(hash), "0x%016" PRIX64, statement->query_hash);
		json_open_object(&json);
		json_member_text(&json, "query_hash", hash);
		json_member_decimal(&json, "share", statement->share, 6);
		json_close_object(&json);
	}
	json_close_array(&json);
}

void hotspot_json_put_evidence(struct strbuf *out, const struct hotspot *hotspot)
{
	struct json json = json_begin(out);
	json_open_array(&json);
	for (int i = 0; i < hotspot->evidence_count; i++) {
		const struct hotspot_evidence *evidence = &hotspot->evidence[i];
		json_open_object(&json);
		json_member_text(&json, "kind", evidence->kind);
		json_member_text(&json, "text", evidence->text);
		json_member_decimal(&json, "value", evidence->value, 6);
		json_close_object(&json);
	}
	json_close_array(&json);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

void hotspot_json_get_statements(const char *text, struct hotspot *hotspot)
{
	json_t *list = json_loads(text, 0, NULL);
	const size_t count = json_array_size(list);
	hotspot->statement_count = 0;
	for (size_t i = 0; i < count && i < HOTSPOT_STATEMENTS_MAX; i++) {
		const json_t *entry = json_array_get(list, i);
		hotspot->statements[hotspot->statement_count++] = (struct hotspot_statement){
			.query_hash = strtoull(text_of(entry, "query_hash"), NULL, 16),
			.share = json_number_value(json_object_get(entry, "share")),
		};
	}
	json_decref(list);
}

void hotspot_json_get_evidence(const char *text, struct hotspot *hotspot)
{
	json_t *list = json_loads(text, 0, NULL);
	const size_t count = json_array_size(list);
	hotspot->evidence_count = 0;
	for (size_t i = 0; i < count && i < HOTSPOT_EVIDENCE_MAX; i++) {
		const json_t *entry = json_array_get(list, i);
		struct hotspot_evidence *evidence = &hotspot->evidence[hotspot->evidence_count++];
		(void)snprintf(evidence->kind, sizeof(evidence->kind), "%s",
			       text_of(entry, "kind"));
		(void)snprintf(evidence->text, sizeof(evidence->text), "%s",
			       text_of(entry, "text"));
		evidence->value = json_number_value(json_object_get(entry, "value"));
	}
	json_decref(list);
}
