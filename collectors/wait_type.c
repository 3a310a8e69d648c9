/* SPDX-License-Identifier: Apache-2.0 */
/* Looks wait types up in the table made at build. Any thread; knows no state. */
#include "collectors/wait_type.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/wait_type_table.h"

static int compare_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct wait_type *)row)->name);
}

static const struct wait_type *find(const char *name)
{
	return bsearch(name, wait_types, wait_type_count, sizeof(wait_types[0]), compare_name);
}

const char *wait_type_category(const char *name)
{
	const struct wait_type *type = find(name);
	return type ? type->category : "Other";
}

bool wait_type_is_benign(const char *name)
{
	const struct wait_type *type = find(name);
	return type && type->is_benign;
}

bool wait_type_is_known(const char *name)
{
	return find(name) != NULL;
}

const char *wait_type_at(size_t index)
{
	return index < wait_type_count ? wait_types[index].name : NULL;
}
