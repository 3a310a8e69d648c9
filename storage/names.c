/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interned names in memory. Open addressing with FNV-1a: some thousand names, looked up for
 * each row of each delta, so a lookup must cost no more than reading the name.
 */
#include "storage/names.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"

/* Far beyond all names of all versions; a table that has more is damaged. */
enum { NAME_ID_MAX = 1 << 24 };

struct names_slot {
	const char *name; /* NULL: free */
	int64_t id;
	int family;
};

void names_done(struct names *names)
{
	for (size_t i = 0; i < names->id_count; i++)
		free(names->by_id[i]);
	free(names->by_id);
	free(names->slots);
	*names = (struct names){0};
}

static size_t hash_of(int family, const char *name)
{
	uint64_t hash = 0xcbf29ce484222325 + (uint64_t)family;
	for (const char *at = name; *at != '\0'; at++)
		hash = (hash ^ (uint8_t)*at) * 0x100000001b3;
	return (size_t)(hash ^ hash >> 32);
}

/* The slot of a name, or the free one where it belongs. */
static struct names_slot *find_slot(const struct names *names, int family, const char *name)
{
	size_t at = hash_of(family, name);
	for (;; at++) {
		struct names_slot *slot = &names->slots[at & (names->slot_count - 1)];
		if (!slot->name || (slot->family == family && strcmp(slot->name, name) == 0))
			return slot;
	}
}

static void grow_slots(struct names *names)
{
	struct names old = *names;
	names->slot_count = old.slot_count > 0 ? old.slot_count * 2 : 1024;
	names->slots = xcalloc(names->slot_count, sizeof(*names->slots));
	for (size_t i = 0; i < old.slot_count; i++)
		if (old.slots[i].name)
			*find_slot(names, old.slots[i].family, old.slots[i].name) = old.slots[i];
	free(old.slots);
}

static void grow_ids(struct names *names, size_t count)
{
	size_t room = names->id_count > 0 ? names->id_count : 1024;
	while (room < count)
		room *= 2;
	if (room == names->id_count)
		return;
	names->by_id = xreallocarray(names->by_id, room, sizeof(*names->by_id));
	memset(names->by_id + names->id_count, 0, (room - names->id_count) * sizeof(*names->by_id));
	names->id_count = room;
}

static bool add(struct names *names, int64_t id, int family, const char *name, struct error *err)
{
	if (id <= names->last_id || id > NAME_ID_MAX)
		return error_set(err, ERROR_CORRUPT, 0, "store: name '%.60s' has the id %lld", name,
				 (long long)id);
	if (names->used_count * 2 >= names->slot_count)
		grow_slots(names);
	grow_ids(names, (size_t)id + 1);
	names->by_id[id] = xstrdup(name);
	names->last_id = id;
	*find_slot(names, family, name) =
		(struct names_slot){.name = names->by_id[id], .id = id, .family = family};
	names->used_count++;
	return true;
}

bool names_load(struct names *names, struct database *database, struct error *err)
{
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, database, STATEMENT_NAMES, err))
		return false;
	cursor_bind_int(&cursor, names->last_id);
	while (cursor_next(&cursor, err)) {
		const int64_t id = cursor_int(&cursor);
		const int family = (int)cursor_int(&cursor);
		if (!add(names, id, family, cursor_text(&cursor), err))
			return false;
	}
	return !cursor_has_failed(&cursor);
}

/* 0 when it is not known. */
static int64_t find_id(const struct names *names, int family, const char *name)
{
	if (names->slot_count == 0)
		return 0;
	const struct names_slot *slot = find_slot(names, family, name);
	return slot->name ? slot->id : 0;
}

bool names_intern(struct names *names, struct database *database, int family, const char *name,
		  int64_t *id, struct error *err)
{
	const int64_t known = find_id(names, family, name);
	if (known > 0) {
		*id = known;
		return true;
	}
	CLEANUP(cursor_done) struct cursor cursor;
	if (!cursor_init(&cursor, database, STATEMENT_NAME_INSERT, err))
		return false;
	cursor_bind_int(&cursor, family);
	cursor_bind_text(&cursor, name);
	if (!cursor_run(&cursor, err))
		return false;
	const int64_t new_id = sqlite3_last_insert_rowid(database->handle);
	if (!add(names, new_id, family, name, err))
		return false;
	*id = new_id;
	return true;
}

struct frame_names names_view(const struct names *names)
{
	return (struct frame_names){.by_id = (const char *const *)names->by_id,
				    .count = names->id_count};
}
