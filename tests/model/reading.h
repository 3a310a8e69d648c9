/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a poll reads of one view: the truth with the faults of this read, as rows of a sample of the
 * product. Knows how the server's rows look, not what becomes of them.
 */
#pragma once

#include "collectors/sample.h"
#include "tests/model/history.h"

enum { READ_FAULTS_MAX = 16 };

/* A fault of the next poll. */
struct read_fault {
	enum step_kind kind;
	int view;
	int name;
	int64_t amount;
};

struct reading_name {
	bool is_there;	  /* in the answer */
	bool is_rejected; /* one of its cells can not be used */
	bool is_exact;	  /* no fault: what the view really showed */
	int64_t counters[TRUTH_COUNTERS];
	int64_t max_ms;
};

struct reading {
	int view;
	const struct truth_instance *instance;
	struct reading_name names[TRUTH_NAMES_MAX];
};

/* Reads a view of the serving instance. Threads: the owner, as below. */
void reading_take(struct reading *reading, const struct truth *truth, int view,
		  const struct read_fault *faults, int fault_count);

/* The sample that the product makes of it; NULL when it refuses the answer as a whole. Owns: the
 * caller frees. */
struct sample *reading_sample(const struct reading *reading, const struct truth *truth,
			      struct instant taken, const struct read_fault *faults,
			      int fault_count);
