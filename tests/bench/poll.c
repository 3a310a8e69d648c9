/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what one poll of the three views costs latchd, from the fetch to the committed frame,
 * beside a bare libsybdb loop with one prepared SQLite insert: over all rows of the views, and over
 * those that latchd asks for. All poll the same simulator in turn; what counts is this process's
 * CPU time, in which the simulator, being a child, has no part. Prints, and never fails on a time.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/collect.h"
#include "collectors/embedded.h"
#include "daemon/base/alloc.h"
#include "daemon/base/strbuf.h"
#include "tests/bench/server.h"
#include "tests/bench/whole.h"

enum { WARM_UP_POLLS = 5 };

struct round {
	double whole_us; /* medians of the round's polls */
	double bare_us;
	double sparse_us; /* the bare loop over the rows that latchd asks for */
};

static int compare_numbers(const void *left, const void *right)
{
	const double a = *(const double *)left;
	const double b = *(const double *)right;
	return (a > b) - (a < b);
}

static double median(double *numbers, size_t count)
{
	qsort(numbers, count, sizeof(*numbers), compare_numbers);
	return count % 2 ? numbers[count / 2] : (numbers[count / 2 - 1] + numbers[count / 2]) / 2;
}

static void write_configuration(const struct simulator *simulator)
{
	struct error err = ERROR_INIT;
	CLEANUP(freep) char *path = xasprintf("%s/freetds.conf", simulator->folder);
	FILE *file = fopen(path, "we");
	bool is_ok = file && fprintf(file,
				     "[sim]\n\thost = %s\n\tport = %d\n\ttds version = 7.4\n"
				     "\tencryption = off\n",
				     simulator->host, simulator->port) > 0;
	is_ok = file && fclose(file) == 0 && is_ok;
	if (is_ok && session_library_start(path, &err))
		return;
	(void)fprintf(stderr, "no FreeTDS configuration: %s\n", err.text);
	exit(1);
}

static double poll_whole_us(struct whole *whole)
{
	const int64_t begin_ns = whole_process_cpu_ns();
	const int64_t waiting_ns = whole_poll(whole);
	return (double)(whole_process_cpu_ns() - begin_ns - waiting_ns) / 1000;
}

static double poll_bare_us(struct bare *bare, const char *sql)
{
	const int64_t begin_ns = whole_process_cpu_ns();
	(void)bare_poll(bare, sql);
	return (double)(whole_process_cpu_ns() - begin_ns) / 1000;
}

static void add_statement(struct strbuf *batch, enum collector collector)
{
	const struct embedded *file = embedded_find(
		embedded_collectors, collector_info(collector)->statements[SERVER_CLASS_C]);
	if (file)
		strbuf_add(batch, file->data, file->size);
}

/* What latchd asks for, without the epochs around it. */
static void write_sparse_batch(struct strbuf *batch)
{
	for (int i = COLLECTOR_WAITS; i <= COLLECTOR_SPINLOCKS; i++)
		add_statement(batch, (enum collector)i);
}

static struct round measure_round(struct whole *whole, struct bare *bare, const char *sparse_sql,
				  size_t poll_count)
{
	CLEANUP(freep) double *whole_us = xcalloc(poll_count, sizeof(*whole_us));
	CLEANUP(freep) double *bare_us = xcalloc(poll_count, sizeof(*bare_us));
	CLEANUP(freep) double *sparse_us = xcalloc(poll_count, sizeof(*sparse_us));
	for (size_t i = 0; i < poll_count; i++) {
		whole_us[i] = poll_whole_us(whole);
		bare_us[i] = poll_bare_us(bare, server_views_sql);
		sparse_us[i] = poll_bare_us(bare, sparse_sql);
	}
	return (struct round){
		.whole_us = median(whole_us, poll_count),
		.bare_us = median(bare_us, poll_count),
		.sparse_us = median(sparse_us, poll_count),
	};
}

static double whole_ms(const struct round *round)
{
	return round->whole_us / 1000;
}

static double bare_ms(const struct round *round)
{
	return round->bare_us / 1000;
}

static double sparse_ms(const struct round *round)
{
	return round->sparse_us / 1000;
}

static double ratio(const struct round *round)
{
	return round->whole_us / round->bare_us;
}

static double sparse_ratio(const struct round *round)
{
	return round->whole_us / round->sparse_us;
}

static const struct {
	const char *what;
	const char *unit;
	double (*number)(const struct round *round);
} lines[] = {
	{"latchd, CPU per poll", "ms", whole_ms},
	{"bare loop, all rows", "ms", bare_ms},
	{"bare loop, rows latchd asks for", "ms", sparse_ms},
	{"ratio, all rows (budget 1.3)", "", ratio},
	{"ratio, rows latchd asks for", "", sparse_ratio},
};

static void print_rounds(const struct round *rounds, size_t count)
{
	CLEANUP(freep) double *numbers = xcalloc(count, sizeof(*numbers));
	for (size_t line = 0; line < sizeof(lines) / sizeof(lines[0]); line++) {
		for (size_t i = 0; i < count; i++)
			numbers[i] = lines[line].number(&rounds[i]);
		const double middle = median(numbers, count); /* sorts */
		printf("%-32s %9.3f %-3s (%.3f to %.3f)\n", lines[line].what, middle,
		       lines[line].unit, numbers[0], numbers[count - 1]);
	}
}

static void measure(struct whole *whole, struct bare *bare, size_t round_count, size_t poll_count)
{
	CLEANUP(strbuf_done) struct strbuf sparse = STRBUF_INIT;
	write_sparse_batch(&sparse);
	const char *sparse_sql = strbuf_text(&sparse);
	CLEANUP(freep) struct round *rounds = xcalloc(round_count, sizeof(*rounds));
	(void)measure_round(whole, bare, sparse_sql, WARM_UP_POLLS);
	for (size_t i = 0; i < round_count; i++)
		rounds[i] = measure_round(whole, bare, sparse_sql, poll_count);
	const size_t row_count = bare_poll(bare, server_views_sql);
	/* Each view begins with a row of its name. */
	const size_t sparse_count = bare_poll(bare, sparse_sql) - FAMILY_COUNT;
	printf("%zu rounds of %zu polls of %zu rows, %zu of them not zero; medians, and the "
	       "spread of rounds\n",
	       round_count, poll_count, row_count, sparse_count);
	print_rounds(rounds, round_count);
}

static void run(size_t round_count, size_t poll_count)
{
	struct simulator simulator;
	simulator_start(&simulator, "idle", "BENCH01");
	write_configuration(&simulator);
	CLEANUP(freep) char *store_path = xasprintf("%s/bare.db", simulator.folder);
	struct bare *bare = bare_open("sim", store_path);
	server_fill(&simulator, bare);
	struct whole *whole = whole_open(simulator.folder, simulator.host, simulator.port);
	measure(whole, bare, round_count, poll_count);
	whole_close(whole);
	bare_close(bare);
	session_library_stop();
	simulator_stop(&simulator);
}

int main(int argc, char **argv)
{
	const long round_count = argc > 1 ? strtol(argv[1], NULL, 10) : 9;
	const long poll_count = argc > 2 ? strtol(argv[2], NULL, 10) : 100;
	if (round_count < 1 || poll_count < 1 || argc > 3) {
		(void)fputs("usage: bench-poll [ROUNDS [POLLS]]\n", stderr);
		return 2;
	}
	simulator_skip_without();
	run((size_t)round_count, (size_t)poll_count);
	return 0;
}
