/* SPDX-License-Identifier: Apache-2.0 */
/* Orders loads and keeps the contention model at the present. Runs with the instance locked. */
#include "tests/sim/instance_load.h"

#include "tests/sim/held_wait.h"

#include <string.h>

void instance_follow(struct instance *instance, struct moment now)
{
	held_waits_settle(instance, now);
	if (!instance->contention)
		return;
	contention_advance(instance->contention, now.mono_us);
	contention_book(instance->contention, instance->counters, &instance->pages);
}

static bool is_hot_table(const struct contention_order *order)
{
	return strcmp(order->load->name, "insert") == 0 && order->key == KEY_IDENTITY;
}

bool instance_order_load(struct instance *instance, char *const *words, size_t word_count,
			 struct moment now, const char **problem)
{
	const struct workload *workload = word_count == 1 ? workload_find(words[0]) : NULL;
	struct contention_order order = {0};

	if (!workload && !contention_parse(words, word_count, &order, problem))
		return false;
	if (!contention_start(instance->contention, &order, WORKLOAD_FIRST_SESSION)) {
		*problem = "clients are inserting: the number of schedulers cannot change";
		return false;
	}
	instance_set_workload(instance, workload ? workload : workload_find("idle"), now);
	if (!workload && is_hot_table(&order))
		instance->has_sequential_key_option = order.is_optimized;
	instance->contention->stage.orders.is_optimized = instance->has_sequential_key_option;
	return true;
}

void instance_set_option(struct instance *instance, bool is_on, struct moment now)
{
	instance->has_sequential_key_option = is_on;
	instance->contention->stage.orders.is_optimized = is_on;
	if (strncmp(instance->workload->name, "last-page", 9) == 0)
		instance_set_workload(
			instance, workload_find(is_on ? "last-page-optimized" : "last-page"), now);
}

const char *instance_load_name(const struct instance *instance)
{
	const struct load *load = instance->contention->load;

	return load ? load->name : instance->workload->name;
}

int32_t instance_scheduler_count(const struct instance *instance)
{
	return instance->contention->stage.machine.scheduler_count;
}
