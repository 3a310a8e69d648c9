/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists of a hotspot that are only shown, as the JSON texts that the store keeps: statements
 * [{"query_hash":"0x...","share":0.5}] and evidence [{"kind","text","value"}]. Pure; any thread.
 */
#pragma once

#include "daemon/base/strbuf.h"
#include "storage/record.h"

/* Appends the list of statements or evidence of a hotspot. Threads: the owner of out. */
void hotspot_json_put_statements(struct strbuf *out, const struct hotspot *hotspot);
void hotspot_json_put_evidence(struct strbuf *out, const struct hotspot *hotspot);

/* Fills the list of a hotspot from its text; what is not of that form is left out. Threads: any. */
void hotspot_json_get_statements(const char *text, struct hotspot *hotspot);
void hotspot_json_get_evidence(const char *text, struct hotspot *hotspot);
