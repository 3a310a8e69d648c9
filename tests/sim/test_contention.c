/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contention model in virtual time: the directions of the published runs come out of the
 * queues. Bounds are generous; contention-table prints the figures.
 */
#include "tests/sim/contention/contention.h"

#include <stdio.h>
#include <string.h>

#include "tests/sim/page_store.h"
#include "tests/support.h"

#define SECOND_US INT64_C(1000000)

struct run {
	struct contention *contention;
	double rows_per_s;
	double parked[WAIT_KINDS]; /* ms of waiting per second / 1000 */
};

/* Lets a load run for three seconds, the first of which does not count. */
static struct run run_words(const char *line)
{
	struct page_store pages = {.base_rows = 6000000};
	struct contention_order order;
	char copy[200];
	char *words[16];
	size_t count = 0;
	const char *problem = "";
	char *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	assert_true(contention_parse(words, count, &order, &problem));
	struct run run = {.contention = contention_new(&pages, 0)};
	assert_true(contention_start(run.contention, &order, 1001));
	struct stage *stage = &run.contention->stage;
	contention_advance(run.contention, SECOND_US);
	int64_t rows = stage->orders.insert_count + stage->invoices.insert_count +
		       stage->audit.insert_count;
	struct ledger before = stage->machine.ledger;
	contention_advance(run.contention, 3 * SECOND_US);
	rows = stage->orders.insert_count + stage->invoices.insert_count +
	       stage->audit.insert_count - rows;
	run.rows_per_s = (double)rows / 2;
	for (int i = 0; i < WAIT_KINDS; i++)
		run.parked[i] =
			(double)(stage->machine.ledger.waits[i].time_ns - before.waits[i].time_ns) /
			2e9;
	return run;
}

static double rate_of(const char *line)
{
	struct run run = run_words(line);

	contention_free(run.contention);
	return run.rows_per_s;
}

static void throughput_falls_from_one_to_eight_to_sixty_four_sessions(void **state)
{
	double one = rate_of("insert 1 schedulers 64");
	double eight = rate_of("insert 8 schedulers 64");
	double many = rate_of("insert 64 schedulers 64");

	(void)state;
	assert_true(eight < 0.8 * one);
	assert_true(many < 0.8 * eight);
}

static void throughput_falls_on_beyond_the_schedulers(void **state)
{
	double once = rate_of("insert 64 schedulers 64");
	double twice = rate_of("insert 128 schedulers 64");
	double four_times = rate_of("insert 256 schedulers 64");

	(void)state;
	assert_true(twice < 0.9 * once);
	assert_true(four_times < 0.95 * twice);
}

/* Published: 26,936 on 64 schedulers, 20,840 on 32, there 24,453 with the option. */
static void sessions_that_share_schedulers_are_slower_and_the_option_helps_them(void **state)
{
	double shared = rate_of("insert 64 schedulers 32");

	(void)state;
	assert_true(shared < 0.85 * rate_of("insert 64 schedulers 64"));
	assert_true(1.1 * shared < rate_of("insert 64 schedulers 32 option on"));
}

static void the_option_changes_nothing_with_fewer_inserters_than_schedulers(void **state)
{
	struct run off = run_words("insert 8 schedulers 32 option off");
	struct run on = run_words("insert 8 schedulers 32 option on");

	(void)state;
	assert_int_equal(on.contention->stage.machine.ledger.waits[WAIT_FLOW_CONTROL].count, 0);
	assert_true(on.rows_per_s > 0.99 * off.rows_per_s);
	assert_true(on.rows_per_s < 1.01 * off.rows_per_s);
	contention_free(off.contention);
	contention_free(on.contention);
}

static void the_option_keeps_throughput_flat_at_two_and_four_times_the_schedulers(void **state)
{
	double once = rate_of("insert 64 schedulers 64 option on");
	double twice = rate_of("insert 128 schedulers 64 option on");
	double four_times = rate_of("insert 256 schedulers 64 option on");

	(void)state;
	assert_true(twice > 0.9 * once);
	assert_true(four_times > 0.9 * once);
	/* The run is shorter by a tenth at least. */
	assert_true(twice > 1.1 * rate_of("insert 128 schedulers 64 option off"));
	assert_true(four_times > 1.25 * rate_of("insert 256 schedulers 64 option off"));
}

static int parked_now(const struct machine *machine, enum wait_kind kind)
{
	int parked = 0;

	for (size_t i = 0; i < machine->worker_count; i++)
		parked += machine->workers[i]->is_waiting && machine->workers[i]->wait_kind == kind;
	return parked;
}

static void sessions_parked_are_milliseconds_per_second_through_a_thousand(void **state)
{
	struct run run = run_words("insert 64 option on");
	double latch = 0;
	double flow = 0;

	(void)state;
	for (int i = 0; i < 500; i++) {
		contention_advance(run.contention, 3 * SECOND_US + i * INT64_C(1733));
		latch += parked_now(&run.contention->stage.machine, WAIT_PAGELATCH_EX) / 500.0;
		flow += parked_now(&run.contention->stage.machine, WAIT_FLOW_CONTROL) / 500.0;
	}
	assert_true(latch > run.parked[WAIT_PAGELATCH_EX] - 2);
	assert_true(latch < run.parked[WAIT_PAGELATCH_EX] + 2);
	assert_true(flow > run.parked[WAIT_FLOW_CONTROL] - 2);
	assert_true(flow < run.parked[WAIT_FLOW_CONTROL] + 2);
	contention_free(run.contention);
}

static void a_sequence_contends_and_a_random_key_does_not(void **state)
{
	struct run sequence = run_words("insert 64 key sequence");
	struct run random = run_words("insert 64 key random");

	(void)state;
	assert_true(sequence.parked[WAIT_PAGELATCH_EX] > 40);
	assert_true(random.parked[WAIT_PAGELATCH_EX] < 1);
	assert_true(random.parked[WAIT_PAGEIOLATCH_EX] > 5);
	contention_free(sequence.contention);
	contention_free(random.contention);
}

static void the_same_order_gives_the_same_figures(void **state)
{
	struct run one = run_words("insert 64 key random");
	struct run other = run_words("insert 64 key random");

	(void)state;
	assert_int_equal(one.contention->stage.audit.insert_count,
			 other.contention->stage.audit.insert_count);
	assert_int_equal(one.contention->stage.machine.event_count,
			 other.contention->stage.machine.event_count);
	contention_free(one.contention);
	contention_free(other.contention);
}

static void each_load_waits_mostly_for_what_it_is_named_after(void **state)
{
	static const struct {
		const char *order;
		enum wait_kind kind;
		double least; /* sessions parked */
	} expected[] = {
		{"tempdb-allocation", WAIT_PAGELATCH_UP, 10},
		{"tempdb-metadata", WAIT_PAGELATCH_EX, 10},
		{"queue-table", WAIT_PAGELATCH_EX, 5},
		{"root-page", WAIT_LATCH_SH, 1},
		{"nesting-transaction", WAIT_LATCH_EX, 10},
		{"hash-bytes", WAIT_MEMORY, 1},
		{"reserved-memory", WAIT_RESERVED_MEMORY, 0.05},
		{"slow-disk", WAIT_PAGEIOLATCH_SH, 20},
		{"log-bound", WAIT_WRITELOG, 20},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		struct run run = run_words(expected[i].order);
		int largest = expected[i].kind;
		/* Each taker stands in the queue of the page once for SH and once for EX: equal. */
		for (int kind = 0; kind < WAIT_KINDS; kind++)
			if (kind != WAIT_YIELD && run.parked[kind] > 1.1 * run.parked[largest])
				largest = kind;
		if (largest != (int)expected[i].kind ||
		    run.parked[expected[i].kind] < expected[i].least)
			fail_msg("%s: %s %.2f parked, most in %s %.2f", expected[i].order,
				 wait_kind_name(expected[i].kind), run.parked[expected[i].kind],
				 wait_kind_name((enum wait_kind)largest), run.parked[largest]);
		contention_free(run.contention);
	}
}

static void more_files_relieve_tempdb(void **state)
{
	struct run one = run_words("tempdb-allocation 32");
	struct run eight = run_words("tempdb-allocation 32 files 8");

	(void)state;
	assert_true(eight.parked[WAIT_PAGELATCH_UP] < one.parked[WAIT_PAGELATCH_UP] / 2);
	contention_free(one.contention);
	contention_free(eight.contention);
}

static void a_busy_scheduler_slows_all_nested_transactions(void **state)
{
	/* The 33rd session shares the scheduler of the first, which only computes. */
	struct run alone = run_words("nesting-transaction 32");
	struct run shared = run_words("nesting-transaction 33");
	int64_t alone_rows = alone.contention->stage.machine.workers[5]->rows_done;
	int64_t shared_rows = shared.contention->stage.machine.workers[5]->rows_done;

	(void)state;
	assert_true(10 * shared_rows < 7 * alone_rows);
	contention_free(alone.contention);
	contention_free(shared.contention);
}

static void the_scale_stretches_time_and_keeps_the_parked(void **state)
{
	struct run plain = run_words("insert 64");
	struct run scaled = run_words("insert 64 scale 10");

	(void)state;
	assert_true(scaled.rows_per_s > plain.rows_per_s / 11);
	assert_true(scaled.rows_per_s < plain.rows_per_s / 9);
	assert_true(scaled.parked[WAIT_PAGELATCH_EX] > plain.parked[WAIT_PAGELATCH_EX] - 2);
	contention_free(plain.contention);
	contention_free(scaled.contention);
}

static void a_wait_is_counted_at_its_start_and_timed_at_its_end(void **state)
{
	struct run run = run_words("slow-disk 1");
	struct machine *machine = &run.contention->stage.machine;
	int64_t now_us = 3 * SECOND_US;

	(void)state;
	while (!machine->workers[0]->is_waiting)
		contention_advance(run.contention, now_us += 10);
	struct tally before = machine->ledger.waits[WAIT_PAGEIOLATCH_SH];
	contention_advance(run.contention, now_us += 500);
	assert_true(machine->workers[0]->is_waiting);
	assert_int_equal(machine->ledger.waits[WAIT_PAGEIOLATCH_SH].time_ns, before.time_ns);
	while (machine->workers[0]->is_waiting)
		contention_advance(run.contention, now_us += 10);
	assert_int_equal(machine->ledger.waits[WAIT_PAGEIOLATCH_SH].count, before.count);
	assert_true(machine->ledger.waits[WAIT_PAGEIOLATCH_SH].time_ns - before.time_ns > 500000);
	contention_free(run.contention);
}

static void sessions_of_the_last_load_finish_and_leave(void **state)
{
	struct run run = run_words("insert 64 option on");
	const struct contention_order nobody = {0};

	(void)state;
	assert_true(contention_start(run.contention, &nobody, 1001));
	assert_int_equal(run.contention->stage.machine.worker_count, 0);
	for (int i = 0; i < CONTENTION_SCHEDULERS; i++) {
		assert_int_equal(run.contention->stage.orders.inside[i], 0);
		assert_int_equal(run.contention->stage.machine.schedulers[i].worker_count, 0);
	}
	contention_free(run.contention);
}

static void nonsense_is_no_order(void **state)
{
	static char words[][20] = {"insert", "64", "option", "perhaps"};
	char *const pointers[] = {words[0], words[1], words[2], words[3]};
	struct contention_order order;
	const char *problem = NULL;

	(void)state;
	assert_false(contention_parse(pointers, 4, &order, &problem));
	assert_non_null(problem);
	assert_false(contention_parse(pointers, 3, &order, &problem));
	assert_false(contention_parse(pointers + 1, 1, &order, &problem));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(throughput_falls_from_one_to_eight_to_sixty_four_sessions),
		cmocka_unit_test(throughput_falls_on_beyond_the_schedulers),
		cmocka_unit_test(
			sessions_that_share_schedulers_are_slower_and_the_option_helps_them),
		cmocka_unit_test(the_option_changes_nothing_with_fewer_inserters_than_schedulers),
		cmocka_unit_test(
			the_option_keeps_throughput_flat_at_two_and_four_times_the_schedulers),
		cmocka_unit_test(sessions_parked_are_milliseconds_per_second_through_a_thousand),
		cmocka_unit_test(a_sequence_contends_and_a_random_key_does_not),
		cmocka_unit_test(the_same_order_gives_the_same_figures),
		cmocka_unit_test(each_load_waits_mostly_for_what_it_is_named_after),
		cmocka_unit_test(more_files_relieve_tempdb),
		cmocka_unit_test(a_busy_scheduler_slows_all_nested_transactions),
		cmocka_unit_test(the_scale_stretches_time_and_keeps_the_parked),
		cmocka_unit_test(a_wait_is_counted_at_its_start_and_timed_at_its_end),
		cmocka_unit_test(sessions_of_the_last_load_finish_and_leave),
		cmocka_unit_test(nonsense_is_no_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
