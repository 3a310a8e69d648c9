/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says whether a delta of the product is what truly happened. The rules are those of the project's
 * design, written down a second time and from the side of the truth.
 *
 * Held after every poll, for each view:
 *   - no counter is negative, no name is there that the server has not;
 *   - differences are exactly what was read now less what was read last, values after a reset
 *     exactly what is read; over the whole history no name has more than what truly happened since
 *     its first reading;
 *   - the quality tells the one thing that happened: other server, other life, clear, gap; each
 *     where evidence exists, and none that did not happen;
 *   - the time since the last reading is exact; covered time never reaches before that reading,
 *     and there is no rate without covered time;
 *   - flags and their counts: jitter, anomaly, clamped; late where a wait outlasted the interval.
 *
 * What the design admits, and is therefore not a fault here:
 *   1. A clear may go unseen when nothing proves it: the counters regrew past their old values in
 *      fewer than two names, and in the waits view fewer than two heartbeats had counted for
 *      longer than the interval and two cycles (or none is there). The delta is then too small,
 *      never too large. Latches and spinlocks have no heartbeats.
 *   2. A clear is dated to one cycle of the slowest heartbeat (5 s and what it stretches) plus a
 *      tenth of the time since; without a heartbeat of known rate it is not dated, and dated under
 *      5 s ago it has no rate.
 *      Where a heartbeat itself has once fallen alone, its rate and so the date may be off;
 *      also where only those are there whose rate must first be learned.
 *   3. Latches and spinlocks cleared in the same interval as the waits, but not at the same
 *      instant, get the date of the waits.
 *   4. A life without ticks (Azure SQL Database) can not be told from a clear; so a restart there
 *      may be a clear or unseen. The same for a machine that was started again and whose ticks,
 *      start ticks and process id all look as before.
 *   5. Several counters of one view that fall by themselves in one interval are a clear, unless
 *      old heartbeats contradict; in a view of eight names or fewer, half of those not 0. So is
 *      the fall that a rejected row or a dip held back in the interval of a clear that nothing
 *      else proved.
 *   6. After a reboot of the monitoring host our own time between two polls is that of the UTC
 *      clock, with its steps.
 *   7. After a restart and a clear in one interval the covered time may reach back to the start.
 *   8. A read that is a little too low (an unlocked read) costs nothing in the end, but what was
 *      read right after a reset or for the first time is believed as it stands.
 */
#pragma once

#include "collectors/delta.h"
#include "tests/model/reading.h"

enum { FAULT_SIZE = 400 };

enum knowledge { NAME_ABSENT, NAME_KNOWN, NAME_UNKNOWN };

/* What was last believed of a name. */
struct memory_name {
	enum knowledge knowledge;
	int64_t counters[TRUTH_COUNTERS];
	int64_t max_ms;
	int64_t fall_count;
	int64_t clear_count; /* of the view at that reading, which an unseen clear may follow */
	int64_t life;
	int64_t at_ms;
	bool is_exact;
	int64_t done[TRUTH_COUNTERS]; /* true at that reading */
};

/* What the next delta of a view is taken against, as the model sees it. */
struct memory {
	bool is_set;
	int instance;
	int node;
	int64_t life;
	int64_t process_id;
	int64_t start_ticks;
	int64_t ms_ticks;
	int64_t at_ms;
	int64_t clear_count;
	struct instant taken;
	int boot;
	struct memory_name names[TRUTH_NAMES_MAX];
};

/* What was stored of a name, against what truly happened. */
struct account {
	bool is_open;
	int64_t start[TRUTH_COUNTERS];
	int64_t stored[TRUTH_COUNTERS];
};

struct judgement {
	const struct truth *truth;
	const struct reading *reading;
	const struct memory *memory; /* before this poll */
	const struct delta *delta;
	const struct delta *waits; /* of the same poll; NULL none */
	struct instant taken;
	int boot;
	struct account *accounts; /* of this view and instance, by name */
	char *fault;		  /* FAULT_SIZE; "" while there is none */
};

/* Judges one delta; writes the first fault. Threads: the owner. */
void judge_delta(const struct judgement *judgement);

/* Moves the memory on, as it is after a poll that was stored. Threads: the owner. */
void judge_remember(const struct judgement *judgement, struct memory *memory);
