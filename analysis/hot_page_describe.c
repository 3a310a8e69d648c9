/* SPDX-License-Identifier: Apache-2.0 */
/* From counts to a hotspot's figures and to sentences a DBA can check. No clock, no I/O. */
#include "analysis/hot_page_describe.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

void hot_page_describe_names(struct hotspot *hotspot, const struct group_view *view)
{
	const struct index_key *key = &view->group->key.index;
	hotspot->database_id = key->database_id;
	hotspot->object_id = key->object_id;
	hotspot->index_id = key->index_id;
	if (!view->index) {
		copy_text(hotspot->database, sizeof(hotspot->database),
			  owner_map_database(view->owners, key->database_id));
		return;
	}
	const struct known_index *index = view->index;
	copy_text(hotspot->database, sizeof(hotspot->database), index->database);
	copy_text(hotspot->object, sizeof(hotspot->object), index->object);
	copy_text(hotspot->index, sizeof(hotspot->index), index->index);
	copy_text(hotspot->leading_column, sizeof(hotspot->leading_column), index->leading_column);
	hotspot->optimize_for_sequential_key = index->optimize_for_sequential_key;
}

static int compare_statement(const void *left, const void *right)
{
	const struct statement_count *a = left, *b = right;
	const int64_t a_waits = a->page_waits + a->flow_waits,
		      b_waits = b->page_waits + b->flow_waits;
	if (a_waits != b_waits)
		return a_waits > b_waits ? -1 : 1;
	return (a->query_hash > b->query_hash) - (a->query_hash < b->query_hash);
}

static void describe_statements(struct hotspot *hotspot, const struct page_group *group)
{
	struct statement_count statements[GROUP_STATEMENTS_MAX];
	memcpy(statements, group->statements, sizeof(statements));
	qsort(statements, group->statement_count, sizeof(*statements), compare_statement);
	const int64_t waits = group->page_waits + group->flow_waits;
	hotspot->statement_count = 0;
	for (size_t i = 0; i < group->statement_count && i < HOTSPOT_STATEMENTS_MAX; i++)
		hotspot->statements[hotspot->statement_count++] = (struct hotspot_statement){
			.query_hash = statements[i].query_hash,
			.share = (double)(statements[i].page_waits + statements[i].flow_waits) /
				 (double)waits,
		};
}

/* The same statement in another database is another workload. */
static bool runs_hot_statement(const struct hotspot *hotspot, const struct waiter *waiter)
{
	if (waiter->database_id != hotspot->database_id && waiter->database_id != 0)
		return false;
	for (int i = 0; i < hotspot->statement_count; i++)
		if (hotspot->statements[i].query_hash == waiter->query_hash)
			return true;
	return false;
}

/* Distinct sessions in the hot statements in one sample, whatever they wait for. */
static int32_t sessions_in_statements(const struct hotspot *hotspot,
				      const struct observation *observation)
{
	int32_t count = 0, last = 0;
	for (size_t i = 0; i < observation->waiter_count; i++) {
		const struct waiter *waiter = &observation->waiters[i];
		if (!runs_hot_statement(hotspot, waiter))
			continue;
		if (count == 0 || waiter->session_id != last)
			count++;
		last = waiter->session_id;
	}
	return count;
}

static int compare_int(const void *left, const void *right)
{
	const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
	return (a > b) - (a < b);
}

/* The median: a session between two statements has no row, so no single sample sees them all. */
static double median_inserters(const struct hotspot *hotspot, const struct group_view *view)
{
	int32_t sessions[OBSERVATIONS_MAX];
	size_t count = 0;
	for (size_t i = view->range->first; i < view->range->end; i++)
		sessions[count++] = sessions_in_statements(hotspot, &view->window->observations[i]);
	if (count == 0 || hotspot->statement_count == 0)
		return -1;
	qsort(sessions, count, sizeof(*sessions), compare_int);
	const size_t below = (count - 1) / 2, above = count / 2;
	return (sessions[below] + sessions[above]) / 2.0;
}

static int64_t count_role(const struct hotspot *hotspot, const struct group_view *view,
			  enum wait_role role)
{
	int64_t count = 0;
	for (size_t i = view->range->first; i < view->range->end; i++) {
		const struct observation *observation = &view->window->observations[i];
		for (size_t j = 0; j < observation->waiter_count; j++) {
			const struct waiter *waiter = &observation->waiters[j];
			const bool is_ours = role == WAIT_NAMELESS_PAGE
						     ? waiter->database_id == hotspot->database_id
						     : runs_hot_statement(hotspot, waiter);
			count += waiter->role == role && is_ours;
		}
	}
	return count;
}

static int main_mode(const struct page_group *group)
{
	int main = 0;
	for (int mode = 1; mode < LATCH_MODE_COUNT; mode++)
		if (group->mode_waits[mode] > group->mode_waits[main])
			main = mode;
	return main;
}

static int32_t larger(int32_t a, int32_t b)
{
	return a > b ? a : b;
}

static void describe_counts(struct hotspot *hotspot, const struct group_view *view)
{
	const struct page_group *group = view->group;
	const double sample_count = view->range->sample_count;
	hotspot->waiters_avg = (double)group->page_waits / sample_count;
	hotspot->flow_waiters_avg = (double)group->flow_waits / sample_count;
	hotspot->ms_per_sec = (hotspot->waiters_avg + hotspot->flow_waiters_avg) * 1000;
	hotspot->waiters_max = larger(hotspot->waiters_max, group->max_page_waits);
	hotspot->flow_waiters_max = larger(hotspot->flow_waiters_max, group->max_flow_waits);
	for (size_t i = view->range->first; i < view->range->end; i++)
		if (view->window->observations[i].scheduler_count > 0)
			hotspot->scheduler_count = view->window->observations[i].scheduler_count;
	if (group->page_waits == 0)
		return;
	copy_text(hotspot->wait_type, sizeof(hotspot->wait_type),
		  hot_page_window_wait_type(main_mode(group)));
	hotspot->file_id = group->last_page.file_id;
	hotspot->page_id = group->last_page.page_id;
	hotspot->page_class = page_class_of(hotspot->file_id, hotspot->page_id);
}

PRINTF(4, 5)
static void add_evidence(struct hotspot *hotspot, const char *kind, double value, const char *fmt,
			 ...)
{
	if (hotspot->evidence_count == HOTSPOT_EVIDENCE_MAX)
		return;
	struct hotspot_evidence *line = &hotspot->evidence[hotspot->evidence_count++];
	*line = (struct hotspot_evidence){.value = value};
	copy_text(line->kind, sizeof(line->kind), kind);
	va_list args;
	va_start(args, fmt);
	vsnprintf(line->text, sizeof(line->text), fmt, args);
	va_end(args);
}

static void add_shares(struct hotspot *hotspot, const struct page_group *group)
{
	if (group->page_waits == 0)
		return;
	const double ex_share =
		(double)group->mode_waits[LATCH_MODE_EX] / (double)group->page_waits;
	const double insert_share = (double)group->insert_waits / (double)group->page_waits;
	add_evidence(hotspot, "ex_share", ex_share, "%.0f %% of the page waits are PAGELATCH_EX",
		     ex_share * 100);
	if (group->key.class == PAGE_ORDINARY)
		add_evidence(hotspot, "insert_share", insert_share,
			     "%.0f %% of the page waits are in INSERT statements",
			     insert_share * 100);
}

static void add_pages(struct hotspot *hotspot, const struct group_view *view)
{
	const int64_t count = view->group->distinct_pages;
	const double window_s =
		(double)(view->range->end_utc_ms - view->range->begin_utc_ms) / 1000;
	const char *of = view->index				   ? "of the index"
			 : view->group->key.class == PAGE_ORDINARY ? "of the file"
								   : "of the kind";
	add_evidence(hotspot, "distinct_pages", (double)count,
		     "%lld page%s %s waited for in the last %.0f s", (long long)count,
		     count == 1 ? "" : "s", of, window_s);
}

static void add_key(struct hotspot *hotspot, const struct group_view *view)
{
	const struct known_index *index = view->index;
	if (view->group->is_near_end)
		add_evidence(hotspot, "next_page", 0,
			     "a hot page is the %s page of the index, or within two links of it",
			     index && index->is_descending == 1 ? "first" : "last");
	if (!index || !index->leading_column[0])
		return;
	const bool is_sequential = index->is_ascending == 1 || index->is_descending == 1;
	add_evidence(hotspot, "leading_key", is_sequential, "the key begins with %.64s%s",
		     index->leading_column,
		     index->is_ascending == 1	 ? ", which ascends"
		     : index->is_descending == 1 ? ", which descends"
						 : "");
}

static void add_other_waits(struct hotspot *hotspot, const struct group_view *view)
{
	if (view->group->flow_waits > 0)
		add_evidence(hotspot, "flow_control", hotspot->flow_waiters_avg,
			     "%.1f tasks wait in BTREE_INSERT_FLOW_CONTROL at any moment",
			     hotspot->flow_waiters_avg);
	const double log_avg =
		(double)count_role(hotspot, view, WAIT_LOG) / view->range->sample_count;
	if (log_avg > 0)
		add_evidence(hotspot, "log_waiters", log_avg,
			     "%.1f tasks of the same statements wait for the log at any moment",
			     log_avg);
	const int64_t nameless = count_role(hotspot, view, WAIT_NAMELESS_PAGE);
	if (nameless > 0)
		add_evidence(hotspot, "nameless_waits", (double)nameless,
			     "%lld page latch waits in this database named no page (0:0:0)",
			     (long long)nameless);
	if (!view->index && view->group->key.class == PAGE_ORDINARY && view->owners->refusal[0])
		add_evidence(hotspot, "owner", 0, "not named: %s", view->owners->refusal);
}

void hot_page_describe_figures(struct hotspot *hotspot, const struct group_view *view)
{
	describe_counts(hotspot, view);
	describe_statements(hotspot, view->group);
	hotspot->inserters = median_inserters(hotspot, view);
	hotspot->evidence_count = 0;
	add_evidence(hotspot, "waiters", hotspot->waiters_avg,
		     "%.1f tasks wait for a page latch here at any moment, at most %d",
		     hotspot->waiters_avg, view->group->max_page_waits);
	add_shares(hotspot, view->group);
	add_pages(hotspot, view);
	add_key(hotspot, view);
	add_other_waits(hotspot, view);
}
