/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a DBA may do about a hotspot: sqlserver-facts section 8, with figures from the articles it
 * names. latchd shows statements and never runs them. Pure; any thread.
 */
#include "analysis/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/finding_statement.h"

#define MEASURED_IN "(\"Faster insert using OPTIMIZE_FOR_SEQUENTIAL_KEY\")"
#define TESTED_IN   "(\"OPTIMIZE_FOR_SEQUENTIAL_KEY: Test the Last Page Insert Fix\")"
#define REMEDIES                                                                                   \
	"fewer and larger transactions, fewer concurrent writers, a leading key that does not "    \
	"ascend or is partitioned by a hash"

enum { PLACE_SIZE = OBJECT_NAME_SIZE + SERVER_NAME_SIZE + 64, CROWD_SIZE = 80 };

/* Rules 5 to 8: what was measured from so many inserters per scheduler on. */
struct expectation {
	double inserters_per_scheduler;
	const char *text;
};

static const double worthwhile_ratio = 0.75;

static const struct expectation expectations[] = {
	{3, "35 % less elapsed time was measured at about 4 inserters per scheduler"},
	{1.5, "23 % less elapsed time was measured at about 2 inserters per scheduler"},
	{0.75, "2.5 to 6 % less elapsed time was measured at about 1 inserter per scheduler, the "
	       "tipping point"},
	{0, "with fewer inserters than schedulers the option is harmless and without effect"},
};

/* Adds to the end of text; what does not fit is cut. */
PRINTF(3, 4) static void add_text(char *text, size_t size, const char *fmt, ...)
{
	const size_t used = strlen(text);
	va_list args;
	va_start(args, fmt);
	vsnprintf(text + used, size - used, fmt, args);
	va_end(args);
}

static void set_rule(struct hotspot *hotspot, const char *rule)
{
	snprintf(hotspot->finding.rule, sizeof(hotspot->finding.rule), "%s", rule);
}

static void set_expectation(struct hotspot *hotspot, const char *text)
{
	snprintf(hotspot->finding.expect, sizeof(hotspot->finding.expect), "%s", text);
}

static double evidence_value(const struct hotspot *hotspot, const char *kind)
{
	for (int i = 0; i < hotspot->evidence_count; i++)
		if (strcmp(hotspot->evidence[i].kind, kind) == 0)
			return hotspot->evidence[i].value;
	return 0;
}

static double waiting(const struct hotspot *hotspot)
{
	return hotspot->waiters_avg + hotspot->flow_waiters_avg;
}

/* "dbo.Orders.PK_Orders", "an index in file 3 of database Sales". */
static void name_place(const struct hotspot *hotspot, char place[PLACE_SIZE])
{
	if (hotspot->object[0])
		snprintf(place, PLACE_SIZE, "%s%s%s", hotspot->object, hotspot->index[0] ? "." : "",
			 hotspot->index);
	else if (hotspot->database[0])
		snprintf(place, PLACE_SIZE, "an index in file %d of database %s", hotspot->file_id,
			 hotspot->database);
	else
		snprintf(place, PLACE_SIZE, "an index in file %d of database number %d",
			 hotspot->file_id, hotspot->database_id);
}

/* "51 of 64 inserters wait"; tasks where it is not known how many insert. */
static void name_crowd(const struct hotspot *hotspot, char crowd[CROWD_SIZE])
{
	if (hotspot->kind == HOTSPOT_LAST_PAGE_INSERT && hotspot->inserters >= waiting(hotspot) &&
	    hotspot->inserters > 0)
		snprintf(crowd, CROWD_SIZE, "%.0f of %.0f inserters wait", waiting(hotspot),
			 hotspot->inserters);
	else
		snprintf(crowd, CROWD_SIZE, "%.1f tasks wait", waiting(hotspot));
}

static void summarize(struct hotspot *hotspot, const char *where)
{
	char *summary = hotspot->finding.summary;
	const size_t size = sizeof(hotspot->finding.summary);
	char crowd[CROWD_SIZE];
	name_crowd(hotspot, crowd);
	snprintf(summary, size, "%s at any moment on %s", crowd, where);
	if (hotspot->scheduler_count > 0)
		add_text(summary, size, ", on %d schedulers", hotspot->scheduler_count);
}

static double inserters_per_scheduler(const struct hotspot *hotspot)
{
	if (hotspot->inserters <= 0 || hotspot->scheduler_count <= 0)
		return -1;
	return hotspot->inserters / hotspot->scheduler_count;
}

/* Rule 14: with four of five inserters parked, each further session makes it slower. */
static void add_convoy(struct hotspot *hotspot)
{
	if (hotspot->inserters > 0 && waiting(hotspot) >= 0.8 * hotspot->inserters)
		add_text(
			hotspot->finding.expect, sizeof(hotspot->finding.expect),
			" 80 %% of the inserters or more wait: a convoy, in which throughput falls "
			"with each further session.");
}

static void expect_by_ratio(struct hotspot *hotspot, double ratio)
{
	const struct expectation *row = expectations;
	while (ratio < row->inserters_per_scheduler)
		row++;
	snprintf(hotspot->finding.expect, sizeof(hotspot->finding.expect),
		 "%.1f inserters per scheduler: %s " MEASURED_IN
		 ". Judge PAGELATCH_EX and BTREE_INSERT_FLOW_CONTROL together, and by rows per "
		 "second.",
		 ratio, row->text);
}

/* The option is off: rules 5 to 8. */
static void advise_option(struct hotspot *hotspot)
{
	const double ratio = inserters_per_scheduler(hotspot);
	set_rule(hotspot, "optimize_for_sequential_key");
	if (ratio < 0)
		set_expectation(hotspot,
				"How many inserters there are per scheduler is not known; the gain "
				"grows with it, from none below 1 to 35 % less elapsed time at "
				"4 " MEASURED_IN ".");
	else
		expect_by_ratio(hotspot, ratio);
	add_convoy(hotspot);
	if (ratio < 0 || ratio >= worthwhile_ratio)
		finding_statement(hotspot, hotspot->finding.statement,
				  sizeof(hotspot->finding.statement));
}

/* The option is on: rules 9 to 11. */
static void explain_option(struct hotspot *hotspot)
{
	set_rule(hotspot, "optimize_for_sequential_key_on");
	if (hotspot->flow_waiters_max > 0)
		set_expectation(
			hotspot,
			"OPTIMIZE_FOR_SEQUENTIAL_KEY is on and throttles, by design: one "
			"worker per scheduler passes. BTREE_INSERT_FLOW_CONTROL is no fault "
			"by itself; when it and PAGELATCH_EX together are not lower than "
			"before, the wait only changed its name " TESTED_IN
			". What helps besides: " REMEDIES ".");
	else
		set_expectation(hotspot,
				"OPTIMIZE_FOR_SEQUENTIAL_KEY is on and did not throttle: the "
				"contention is below its threshold, nothing is gained and nothing "
				"lost " MEASURED_IN ". What helps besides: " REMEDIES ".");
}

/* Rule 4, of the sessions in the hot statements alone. */
static bool is_log_bound(const struct hotspot *hotspot)
{
	return evidence_value(hotspot, "log_waiters") > waiting(hotspot);
}

static void explain_log(struct hotspot *hotspot)
{
	set_rule(hotspot, "log_is_the_limit");
	set_expectation(hotspot, "More of the same statements' tasks wait for the log than for the "
				 "page: OPTIMIZE_FOR_SEQUENTIAL_KEY cannot help here " TESTED_IN
				 ". Commit more rows at a time; a faster log.");
}

static void advise_last_page(struct hotspot *hotspot)
{
	char place[PLACE_SIZE], where[PLACE_SIZE + 32];
	name_place(hotspot, place);
	snprintf(where, sizeof(where), "%s last page of %s",
		 hotspot->is_confirmed ? "the" : "what is probably the", place);
	summarize(hotspot, where);
	if (is_log_bound(hotspot)) {
		explain_log(hotspot);
	} else if (hotspot->object[0] && hotspot->index_id == 0) {
		set_rule(hotspot, "last_page_insert_heap");
		set_expectation(hotspot, "A heap has no OPTIMIZE_FOR_SEQUENTIAL_KEY. What helps: "
					 "partitioning by a hash, fewer and larger transactions, "
					 "fewer concurrent writers.");
	} else if (hotspot->optimize_for_sequential_key == 1) {
		explain_option(hotspot);
	} else if (hotspot->optimize_for_sequential_key == 0) {
		advise_option(hotspot);
	} else {
		set_rule(hotspot, "last_page_insert");
		set_expectation(hotspot, "Whether the index has OPTIMIZE_FOR_SEQUENTIAL_KEY is not "
					 "known (SQL Server 2019 and later have it). What helps on "
					 "any version: " REMEDIES ".");
	}
}

static void advise_hot_page(struct hotspot *hotspot)
{
	char place[PLACE_SIZE], where[PLACE_SIZE + 64];
	name_place(hotspot, place);
	snprintf(where, sizeof(where), "page %d:%d:%lld of %s", hotspot->database_id,
		 hotspot->file_id, (long long)hotspot->page_id, place);
	summarize(hotspot, where);
	set_rule(hotspot, "hot_page");
	set_expectation(hotspot,
			"All want the same page all the time: a queue table, a counter row or a "
			"small lookup table. What helps: rows spread over more pages, shorter "
			"transactions, fewer concurrent readers of the queue. "
			"OPTIMIZE_FOR_SEQUENTIAL_KEY, row-lock hints and NOLOCK change nothing.");
}

static const char *allocation_name(enum hotspot_kind kind)
{
	switch ((int)kind) {
	case HOTSPOT_ALLOCATION_PFS:
		return "PFS";
	case HOTSPOT_ALLOCATION_GAM:
		return "GAM";
	case HOTSPOT_ALLOCATION_SGAM:
		return "SGAM";
	default:
		return "allocation";
	}
}

/* Rules 15 and 16. */
static void advise_allocation(struct hotspot *hotspot)
{
	enum { TEMPDB = 2 };
	char where[SERVER_NAME_SIZE + 64];
	if (hotspot->database[0])
		snprintf(where, sizeof(where), "%s pages of database %s",
			 allocation_name(hotspot->kind), hotspot->database);
	else
		snprintf(where, sizeof(where), "%s pages of database number %d",
			 allocation_name(hotspot->kind), hotspot->database_id);
	summarize(hotspot, where);
	const bool is_tempdb = hotspot->database_id == TEMPDB;
	set_rule(hotspot, is_tempdb ? "tempdb_allocation" : "user_allocation");
	set_expectation(hotspot,
			is_tempdb ? "Temporary tables and work tables allocate in too few files. "
				    "What helps: data files of tempdb of equal size, as many as "
				    "cores up to 8, then by fours; SQL Server 2016 and later "
				    "allocate whole extents, 2022 shares GAM and SGAM pages."
				  : "Many sessions allocate in one file. What helps: more files in "
				    "the filegroup, of equal size and added with care, or inserts "
				    "spread over partitions.");
}

void finding_for_hotspot(struct hotspot *hotspot)
{
	hotspot->finding = (struct finding){.rule = ""};
	switch (hotspot->kind) {
	case HOTSPOT_LAST_PAGE_INSERT:
		advise_last_page(hotspot);
		return;
	case HOTSPOT_HOT_PAGE:
		advise_hot_page(hotspot);
		return;
	case HOTSPOT_ALLOCATION_PFS:
	case HOTSPOT_ALLOCATION_GAM:
	case HOTSPOT_ALLOCATION_SGAM:
	case HOTSPOT_ALLOCATION_OTHER:
		advise_allocation(hotspot);
		return;
	case HOTSPOT_TREE_ROOT:
	case HOTSPOT_TEMPDB_METADATA:
		return;
	}
}
