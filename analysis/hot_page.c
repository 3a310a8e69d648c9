/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The life of hotspots: they begin when a window is hot and has a kind, go on while samples show
 * them, take their index's name when it becomes known, and end after a calm that was sampled. One
 * detector per target, owned by the watcher; no clock, no I/O. The steps of one judgement are in
 * hot_page_window (what is looked at), hot_page_group (whose waits), hot_page_judge (which kind)
 * and hot_page_describe (in which words).
 */
#include "analysis/hot_page.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/finding.h"
#include "analysis/hot_page_track.h"
#include "daemon/base/alloc.h"

struct hot_page *hot_page_new(int64_t target_id, const struct hot_page_options *options)
{
	struct hot_page *detector = xcalloc(1, sizeof(*detector));
	detector->target_id = target_id;
	detector->options = *options;
	detector->window = hot_page_window_init(options->window_ms, options->interval_ms);
	return detector;
}

void hot_page_free(struct hot_page *detector)
{
	if (!detector)
		return;
	hot_page_window_done(&detector->window);
	for (size_t i = 0; i < detector->tracked_count; i++)
		free(detector->tracked[i]);
	free(detector->tracked);
	free(detector);
}

static struct group_key key_of_hotspot(const struct hotspot *hotspot)
{
	const enum page_class class = tracked_class_of_kind(hotspot->kind);
	const bool is_unknown = class == PAGE_ORDINARY && hotspot->object_id == 0;
	return (struct group_key){
		.class = class,
		.index = {hotspot->database_id, hotspot->object_id, hotspot->index_id},
		.file_id = is_unknown ? hotspot->file_id : 0,
	};
}

/* What an earlier run knew of the index holds for the usual time after it was last seen hot. */
static void relearn(struct hot_page *detector, const struct hotspot *hotspot)
{
	struct known_index index = {
		.key = {hotspot->database_id, hotspot->object_id, hotspot->index_id},
		.is_ascending = -1,
		.is_descending = -1,
		.optimize_for_sequential_key = hotspot->optimize_for_sequential_key,
	};
	memcpy(index.database, hotspot->database, sizeof(index.database));
	memcpy(index.object, hotspot->object, sizeof(index.object));
	memcpy(index.index, hotspot->index, sizeof(index.index));
	memcpy(index.leading_column, hotspot->leading_column, sizeof(index.leading_column));
	owner_map_learn_index(&detector->owners, &index);
	for (int i = 0; i < hotspot->statement_count; i++)
		owner_map_inherit(&detector->owners,
				  &(struct inherited_owner){
					  .query_hash = hotspot->statements[i].query_hash,
					  .file_id = hotspot->file_id,
					  .key = index.key,
					  .learned_utc_ms = hotspot->last_seen_utc_ms,
				  });
}

void hot_page_restore(struct hot_page *detector, const struct hotspot *hotspot)
{
	if (!hotspot->is_active)
		return;
	struct tracked *tracked = hot_page_track(detector);
	tracked->hotspot = *hotspot;
	tracked->claim.key = key_of_hotspot(hotspot);
	(void)group_claim_add_page(&tracked->claim, /* the first: it cannot be there yet */
				   (struct page_place){hotspot->file_id, hotspot->page_id});
	tracked_claim_statements(tracked);
	tracked->alive_utc_ms = hotspot->last_seen_utc_ms;
	if (hotspot->object_id != 0)
		relearn(detector, hotspot);
}

void hot_page_learn(struct hot_page *detector, const struct page_owner *owner)
{
	owner_map_learn(&detector->owners, owner);
	detector->is_fresh = true;
}

void hot_page_add(struct hot_page *detector, const struct task_sample *sample)
{
	hot_page_window_add(&detector->window, sample);
	detector->is_fresh = true;
}

static const struct known_index *index_of(const struct hot_page *detector,
					  const struct group_key *key)
{
	return key->index.object_id ? owner_map_index(&detector->owners, &key->index) : NULL;
}

/* A look-up holds for a minute; for another one the hotspot's own pages stay with it, while they
 * are looked up again. */
static void renew_claims(struct hot_page *detector, const struct group_claim **claims,
			 size_t *claim_count, int64_t now_utc_ms)
{
	for (size_t i = 0; i < detector->tracked_count; i++) {
		struct tracked *tracked = detector->tracked[i];
		if (!tracked->hotspot.is_active)
			continue;
		tracked->claim.claims_pages =
			tracked->claim.key.index.object_id != 0 &&
			now_utc_ms - tracked->verified_utc_ms <= OWNER_VALID_MS;
		claims[(*claim_count)++] = &tracked->claim;
	}
}

static void judge_window(struct hot_page *detector, int64_t now_utc_ms)
{
	const struct window_range range = hot_page_window_range(&detector->window, now_utc_ms);
	CLEANUP(freep)
	const struct group_claim **claims = xcalloc(detector->tracked_count + 1, sizeof(void *));
	size_t claim_count = 0;
	renew_claims(detector, claims, &claim_count, range.end_utc_ms);
	CLEANUP(group_set_done)
	struct group_set set = group_set_build(&detector->window, &range, &detector->owners, claims,
					       claim_count, detector->options.min_waiters);
	hot_page_name_late(detector, &set);
	for (size_t i = 0; i < set.group_count; i++) {
		const struct group_view view = {
			.window = &detector->window,
			.range = &range,
			.owners = &detector->owners,
			.group = &set.groups[i],
			.index = index_of(detector, &set.groups[i].key),
		};
		hot_page_judge_group(detector, &set, &view);
	}
}

/* Until the first judgement nobody looked: what the store holds as active has not been calm. */
static void begin_judging(struct hot_page *detector, int64_t now_utc_ms)
{
	for (size_t i = 0; i < detector->tracked_count && !detector->has_judged; i++)
		if (detector->tracked[i]->alive_utc_ms < now_utc_ms)
			detector->tracked[i]->alive_utc_ms = now_utc_ms;
	detector->has_judged = true;
}

static void end_calm(struct hot_page *detector, int64_t now_utc_ms)
{
	for (size_t i = 0; i < detector->tracked_count; i++) {
		struct tracked *tracked = detector->tracked[i];
		if (tracked->hotspot.is_active &&
		    now_utc_ms - tracked->alive_utc_ms >= detector->options.end_after_ms)
			tracked_end(tracked);
	}
}

static void forget(struct hot_page *detector, size_t place)
{
	free(detector->tracked[place]);
	detector->tracked[place] = detector->tracked[--detector->tracked_count];
}

static size_t tell_changes(struct hot_page *detector, struct hotspot *hotspots, size_t hotspot_max)
{
	size_t changed_count = 0;
	for (size_t i = detector->tracked_count; i-- > 0;) {
		struct tracked *tracked = detector->tracked[i];
		if (!tracked->has_changed)
			continue;
		if (changed_count++ >= hotspot_max)
			continue;
		finding_for_hotspot(&tracked->hotspot);
		hotspots[changed_count - 1] = tracked->hotspot;
		tracked->has_changed = false;
		if (!tracked->hotspot.is_active)
			forget(detector, i);
	}
	return changed_count;
}

size_t hot_page_judge(struct hot_page *detector, int64_t now_utc_ms, struct hotspot *hotspots,
		      size_t hotspot_max)
{
	begin_judging(detector, now_utc_ms);
	if (detector->is_fresh)
		judge_window(detector, now_utc_ms);
	detector->is_fresh = false;
	end_calm(detector, now_utc_ms);
	return tell_changes(detector, hotspots, hotspot_max);
}

void hot_page_set_id(struct hot_page *detector, const struct hotspot *stored)
{
	struct tracked *nearest = NULL;
	for (size_t i = 0; i < detector->tracked_count; i++) {
		struct tracked *tracked = detector->tracked[i];
		const struct hotspot *own = &tracked->hotspot;
		if (own->id != 0 || own->database_id != stored->database_id ||
		    own->first_seen_utc_ms != stored->first_seen_utc_ms ||
		    tracked_class_of_kind(own->kind) != tracked_class_of_kind(stored->kind))
			continue;
		const bool is_same = own->kind == stored->kind &&
				     own->object_id == stored->object_id &&
				     own->index_id == stored->index_id &&
				     (own->object_id != 0 || own->file_id == stored->file_id);
		if (is_same || !nearest)
			nearest = tracked; /* not quite the same: named since it was handed over */
		if (is_same)
			break;
	}
	if (nearest)
		nearest->hotspot.id = stored->id;
}

void hot_page_gap(struct hot_page *detector, int64_t begin_utc_ms, int64_t end_utc_ms)
{
	const int64_t longer_ms = hot_page_window_gap(&detector->window, begin_utc_ms, end_utc_ms);
	for (size_t i = 0; i < detector->tracked_count; i++) {
		int64_t *alive_ms = &detector->tracked[i]->alive_utc_ms;
		*alive_ms += longer_ms;
		if (*alive_ms > end_utc_ms)
			*alive_ms = end_utc_ms;
	}
}
