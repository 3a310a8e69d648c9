/* SPDX-License-Identifier: Apache-2.0 */
/* Rows as a server would send them; see the header. */
#include "tests/model/reading.h"

#include <stdio.h>
#include <string.h>

enum { BACKOFFS = 3, DIP_FROM = 20, DIP_MOST = 10 };

static void take_fault(struct reading_name *name, const struct read_fault *fault, int view)
{
	int counters = view == TRUTH_SPINLOCKS ? 4 : 2;
	int64_t *cell = &name->counters[fault->amount % counters];
	int64_t dip = fault->amount % DIP_MOST + 1;
	switch ((int)fault->kind) {
	case STEP_NULL:
		*cell = -1;
		name->is_rejected = true;
		break;
	case STEP_NEGATIVE:
		*cell = -fault->amount - 1;
		name->is_rejected = true;
		break;
	case STEP_DIP:
		if (*cell > 100 * INT64_C(1000))
			dip = *cell / 1000 > 1000000 ? 1000000 : *cell / 1000;
		if (*cell > DIP_FROM && name->is_exact) {
			*cell -= dip;
			name->is_exact = false;
		}
		break;
	case STEP_SIGNAL_DIP:
		if (view == TRUTH_WAITS && name->counters[2] > DIP_FROM && name->is_exact) {
			name->counters[2] -= fault->amount % DIP_MOST + 1;
			name->is_exact = false;
		}
		break;
	default:
		break;
	}
}

static void name_read(struct reading_name *read, const struct truth_name *name, int view,
		      const struct truth_setup *setup)
{
	*read = (struct reading_name){.is_there = name->is_there, .is_exact = true};
	for (int i = 0; i < TRUTH_COUNTERS; i++)
		read->counters[i] = truth_shown(name, i);
	read->max_ms = name->is_there && view != TRUTH_SPINLOCKS ? name->max_ms : 0;
	if (view == TRUTH_SPINLOCKS && setup->has_int_backoffs) {
		read->counters[BACKOFFS] = (int32_t)(uint32_t)read->counters[BACKOFFS];
		read->is_rejected = read->is_there && read->counters[BACKOFFS] < 0;
		read->is_exact = truth_shown(name, BACKOFFS) == read->counters[BACKOFFS];
	}
}

void reading_take(struct reading *reading, const struct truth *truth, int view,
		  const struct read_fault *faults, int fault_count)
{
	const struct truth_instance *instance = &truth->instances[truth->serving];
	const struct truth_view *of = &instance->views[view];
	reading->view = view;
	reading->instance = instance;
	for (int i = 0; i < of->name_count; i++)
		name_read(&reading->names[i], &of->names[i], view, &truth->setup);
	for (int i = 0; i < fault_count; i++) {
		struct reading_name *name = &reading->names[faults[i].name % of->name_count];
		if (faults[i].view == view && name->is_there && !name->is_rejected)
			take_fault(name, &faults[i], view);
	}
}

static const struct read_fault *find_fault(const struct reading *reading, int name,
					   enum step_kind kind, const struct read_fault *faults,
					   int fault_count)
{
	int name_count = reading->instance->views[reading->view].name_count;
	for (int i = 0; i < fault_count; i++)
		if (faults[i].view == reading->view && faults[i].kind == kind &&
		    faults[i].name % name_count == name)
			return &faults[i];
	return NULL;
}

/* The row as it is, or as two whose sum it is: the second comes last. */
static void add_rows(struct sample *sample, const struct reading *reading, int i,
		     const struct read_fault *faults, int fault_count)
{
	const struct reading_name *read = &reading->names[i];
	const struct read_fault *twice =
		find_fault(reading, i, STEP_DUPLICATE, faults, fault_count);
	char text[80];
	bool is_padded = find_fault(reading, i, STEP_PADDED, faults, fault_count);
	int size = snprintf(text, sizeof(text), "%s%s",
			    reading->instance->views[reading->view].names[i].text,
			    is_padded ? "   " : "");
	int64_t first[FAMILY_COUNTERS_MAX];
	int64_t second[FAMILY_COUNTERS_MAX] = {0};
	memcpy(first, read->counters, sizeof(first));
	for (int c = 0; twice && c < TRUTH_COUNTERS; c++)
		if (first[c] > 0) {
			second[c] = first[c] / 1000 * (twice->amount % 1001);
			first[c] -= second[c];
		}
	sample_add_row(sample, text, (size_t)size, first, read->max_ms);
	if (twice)
		sample_add_row(sample, text, (size_t)size, second, read->max_ms / 2);
}

static struct epoch read_epoch(const struct truth_instance *instance, const struct truth *truth)
{
	bool has_ticks = truth->setup.has_ticks;
	struct epoch epoch = {
		.process_id = has_ticks ? instance->process_id : 0,
		.start_ticks = has_ticks ? instance->started_ms - instance->booted_ms : -1,
		.ms_ticks = has_ticks ? truth->now_ms - instance->booted_ms : -1,
	};
	snprintf(epoch.server_name, sizeof(epoch.server_name), "SQL%d", instance->server);
	snprintf(epoch.node_name, sizeof(epoch.node_name), "NODE%d", instance->node);
	return epoch;
}

struct sample *reading_sample(const struct reading *reading, const struct truth *truth,
			      struct instant taken, const struct read_fault *faults,
			      int fault_count)
{
	const struct truth_view *of = &reading->instance->views[reading->view];
	struct epoch epoch = read_epoch(reading->instance, truth);
	struct sample *sample = sample_new((enum family)reading->view, &epoch, taken);
	for (int i = of->name_count - 1; i >= 0; i--)
		if (reading->names[i].is_there)
			add_rows(sample, reading, i, faults, fault_count);
	struct error err = ERROR_INIT;
	if (sample_seal(sample, &err))
		return sample;
	sample_free(sample);
	return NULL;
}
