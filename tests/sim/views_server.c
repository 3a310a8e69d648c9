/* SPDX-License-Identifier: Apache-2.0 */
/* The views of the machine and its schedulers. Runs with the instance locked. */
#include "tests/sim/instance_load.h"

#include "tests/sim/tsql_type.h"

#define HIDDEN_SCHEDULERS 6
#define DAC_SCHEDULER	  1048576

static void fill_sys_info(struct view_request *request, struct rows *rows)
{
	const struct instance *instance = request->instance;
	int64_t ticks_ms = instance_ticks_ms(instance, request->now);
	char start[40];

	time_format(instance->start_utc_us, false, start);
	rows_add_integer(rows, ticks_ms * 2600000);
	rows_add_integer(rows, ticks_ms);
	rows_add_integer(rows, instance_scheduler_count(instance));
	rows_add_integer(rows, instance_scheduler_count(instance));
	rows_add_integer(rows, 134217728);
	rows_add_integer(rows, 960);
	rows_add_integer(rows, instance_scheduler_count(instance));
	rows_add_integer(rows, instance_scheduler_count(instance) + HIDDEN_SCHEDULERS + 1);
	rows_add_integer(rows, (instance->start_mono_us - instance->boot_mono_us) / 1000);
	rows_add_text(rows, start);
	rows_add_integer(rows, 1);
	rows_add_text(rows, "CONVENTIONAL");
	rows_add_integer(rows, 1);
	rows_add_integer(rows, 1);
}

static void add_scheduler(struct rows *rows, int32_t id, const char *status, int64_t tasks,
			  int64_t runnable)
{
	bool is_visible = id < DAC_SCHEDULER;

	rows_add_integer(rows, id);
	rows_add_integer(rows, is_visible ? id : 0);
	rows_add_text(rows, status);
	rows_add_integer(rows, 1);
	rows_add_integer(rows, tasks == 0);
	rows_add_integer(rows, tasks);
	rows_add_integer(rows, runnable);
	rows_add_integer(rows, tasks + 4);
	rows_add_integer(rows, 0);
	rows_add_integer(rows, is_visible ? 180000 + id * 977 : 0);
}

static void fill_schedulers(struct view_request *request, struct rows *rows)
{
	const struct instance *instance = request->instance;
	int64_t tasks[MACHINE_SCHEDULERS_MAX] = {0};
	int64_t runnable[MACHINE_SCHEDULERS_MAX] = {0};

	for (int32_t i = 0; i < instance_task_count(instance); i++) {
		struct instance_task look;
		if (!instance_task_look(instance, i, request->now, &look))
			continue;
		tasks[look.task.scheduler_id]++;
		runnable[look.task.scheduler_id] += look.task.is_runnable;
	}
	for (int32_t i = 0; i < instance_scheduler_count(instance); i++)
		add_scheduler(rows, i, "VISIBLE ONLINE", tasks[i], runnable[i]);
	add_scheduler(rows, DAC_SCHEDULER, "VISIBLE ONLINE (DAC)", 0, 0);
	for (int32_t i = 0; i < HIDDEN_SCHEDULERS; i++)
		add_scheduler(rows, DAC_SCHEDULER + 1 + i, "HIDDEN ONLINE", 1, 0);
}

static const struct view views[] = {
	{"dm_os_sys_info",
	 "cpu_ticks bigint not null, ms_ticks bigint not null, cpu_count int not null, "
	 "hyperthread_ratio int not null, physical_memory_kb bigint not null, max_workers_count int not null, "
	 "scheduler_count int not null, scheduler_total_count int not null, "
	 "sqlserver_start_time_ms_ticks bigint not null, sqlserver_start_time datetime not null, "
	 "sql_memory_model int not null, sql_memory_model_desc nvarchar(120) not null, "
	 "numa_node_count int not null, socket_count int not null",
	 NULL, false, fill_sys_info},
	{"dm_os_schedulers",
	 "scheduler_id int not null, cpu_id smallint not null, status nvarchar(60) not null, "
	 "is_online bit not null, is_idle bit not null, current_tasks_count int not null, "
	 "runnable_tasks_count int not null, current_workers_count int not null, "
	 "work_queue_count bigint not null, total_scheduler_delay_ms bigint not null",
	 NULL, false, fill_schedulers},
};

const struct view *views_of_server(size_t *count)
{
	*count = sizeof(views) / sizeof(views[0]);
	return views;
}
