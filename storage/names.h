/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interned names in memory: from (family, name) to id and back. One per connection, fed from
 * the table `name`; private to storage/. Threads: the owner of the connection.
 */
#pragma once

#include <stdbool.h>

#include "storage/database.h"
#include "storage/frame.h"

/* Zero-initialise; end with names_done. */
struct names {
	char **by_id;	 /* NULL where there is no such id */
	size_t id_count; /* room of by_id; the highest id known is below */
	int64_t last_id;
	struct names_slot *slots; /* hash table; its size is a power of two */
	size_t slot_count;
	size_t used_count;
};

/* Frees all and leaves it empty. Owns: contents. */
void names_done(struct names *names);

/*
 * Reads the names that the table has beyond those known. Names known before keep their addresses.
 *
 * Errors:  as database_error.
 */
MUST_CHECK bool names_load(struct names *names, struct database *database, struct error *err);

/* Finds the id of a name or inserts the name into the table, inside the caller's transaction. When
 * that is rolled back the caller drops all names and loads them anew. Errors: as database_error. */
MUST_CHECK bool names_intern(struct names *names, struct database *database, int family,
			     const char *name, int64_t *id, struct error *err);

/* The names by id, as unpacking wants them; borrowed until names change. Pure. */
struct frame_names names_view(const struct names *names);
