/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the enums in records, as the API and the store show them. Pure. */
#include "storage/record.h"

#include <string.h>

static const char *const hotspot_kinds[HOTSPOT_KIND_COUNT] = {
	[HOTSPOT_LAST_PAGE_INSERT] = "last_page_insert",
	[HOTSPOT_HOT_PAGE] = "hot_page",
	[HOTSPOT_TREE_ROOT] = "tree_root",
	[HOTSPOT_ALLOCATION_PFS] = "allocation_pfs",
	[HOTSPOT_ALLOCATION_GAM] = "allocation_gam",
	[HOTSPOT_ALLOCATION_SGAM] = "allocation_sgam",
	[HOTSPOT_ALLOCATION_OTHER] = "allocation_other",
	[HOTSPOT_TEMPDB_METADATA] = "tempdb_metadata",
};

static const char *const alert_states[] = {
	[ALERT_INACTIVE] = "inactive",
	[ALERT_PENDING] = "pending",
	[ALERT_FIRING] = "firing",
	[ALERT_NO_DATA] = "no_data",
};

const char *hotspot_kind_name(enum hotspot_kind kind)
{
	return hotspot_kinds[kind];
}

const char *alert_state_name(enum alert_state state)
{
	return alert_states[state];
}

bool hotspot_kind_from_name(const char *name, enum hotspot_kind *kind)
{
	for (int i = 0; i < HOTSPOT_KIND_COUNT; i++) {
		if (strcmp(hotspot_kinds[i], name) != 0)
			continue;
		*kind = (enum hotspot_kind)i;
		return true;
	}
	return false;
}

bool alert_state_from_name(const char *name, enum alert_state *state)
{
	for (int i = 0; i <= ALERT_NO_DATA; i++) {
		if (strcmp(alert_states[i], name) != 0)
			continue;
		*state = (enum alert_state)i;
		return true;
	}
	return false;
}
