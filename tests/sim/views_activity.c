/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions, requests and waiting tasks: the load's, those of real clients, a few idle ones and the
 * server's own background tasks. Runs with the instance locked.
 */
#include "tests/sim/held_wait.h"
#include "tests/sim/instance_load.h"

#include "tests/sim/metadata.h"
#include "tests/sim/tsql_type.h"

#include <stdio.h>
#include <string.h>

#define IDLE_SESSIONS	    10
#define FIRST_IDLE_SESSION  3901
#define SYSTEM_TASK_ADDRESS UINT64_C(0x000001F19E8A5468)

/* Background tasks with a session, and (session 0) one without. */
static const struct {
	const char *command;
	const char *wait_type;
	int32_t session_id;
	int32_t chunk_ms;
} system_tasks[] = {
	{"LOG WRITER", "LOGMGR_QUEUE", 1, 125},
	{"LAZY WRITER", "LAZYWRITER_SLEEP", 3, 1000},
	{"LOCK MONITOR", "REQUEST_FOR_DEADLOCK_SEARCH", 5, 5000},
	{"SIGNAL HANDLER", "KSOURCE_WAKEUP", 6, 0},
	{"TRACE QUEUE TASK", "SQLTRACE_INCREMENTAL_FLUSH_SLEEP", 9, 4000},
	{"XE TIMER", "XE_TIMER_EVENT", 12, 5000},
	{"XE DISPATCHER", "XE_DISPATCHER_WAIT", 13, 60000},
	{"CHECKPOINT", "CHECKPOINT_QUEUE", 17, 30000},
	{"RECOVERY WRITER", "DIRTY_PAGE_POLL", 22, 100},
	{"", "SP_SERVER_DIAGNOSTICS_SLEEP", 0, 300000},
};

static int64_t system_wait_ms(const struct view_request *request, size_t i)
{
	int64_t up_ms = (request->now.mono_us - request->instance->start_mono_us) / 1000;
	return system_tasks[i].chunk_ms == 0 ? up_ms : up_ms % system_tasks[i].chunk_ms;
}

static uint64_t system_address(size_t i)
{
	return SYSTEM_TASK_ADDRESS + i * 0x400;
}

static void add_time(struct rows *rows, int64_t utc_us)
{
	char text[40];

	time_format(utc_us, false, text);
	rows_add_text(rows, text);
}

struct session_row {
	int32_t session_id;
	int64_t login_utc_us;
	const char *host;
	const char *program;
	const char *login;
	const char *status;
	bool is_user;
	int32_t database_id;
	int64_t cpu_us;
};

static void add_session(struct rows *rows, const struct session_row *session)
{
	rows_add_integer(rows, session->session_id);
	add_time(rows, session->login_utc_us);
	rows_add_text(rows, session->host);
	rows_add_text(rows, session->program);
	rows_add_integer(rows, 4000 + session->session_id);
	rows_add_text(rows, session->login);
	rows_add_text(rows, session->status);
	rows_add_integer(rows, session->is_user);
	rows_add_integer(rows, session->database_id);
	rows_add_integer(rows, 0);
	rows_add_integer(rows, session->cpu_us / 1000);
}

/* Real clients only: the load has no network connection here. */
static void fill_connections(struct view_request *request, struct rows *rows)
{
	for (const struct client_session *client = request->instance->clients; client;
	     client = client->next) {
		rows_add_integer(rows, client->session_id);
		add_time(rows, client->login_utc_us);
		rows_add_text(rows, "TCP");
		rows_add_text(rows, "TSQL");
		rows_add_text(rows, client->is_encrypted ? "TRUE" : "FALSE");
		rows_add_text(rows, "SQL");
		rows_add_integer(rows, client->packet_size);
	}
}

static void add_load_session(const struct instance *instance, struct rows *rows, int32_t session_id,
			     bool is_resting)
{
	add_session(rows, &(struct session_row){session_id, instance->start_utc_us + 60000000,
						"APP01", "OrderLoader", "orderloader",
						is_resting ? "sleeping" : "running", true,
						DATABASE_SALES, 0});
}

static void add_load_sessions(const struct instance *instance, struct rows *rows)
{
	const struct machine *machine = &instance->contention->stage.machine;

	for (int32_t i = 0; i < instance->workload->session_count; i++)
		add_load_session(instance, rows, WORKLOAD_FIRST_SESSION + i, false);
	for (size_t i = 0; i < machine->worker_count; i++)
		if (machine->workers[i]->load && !machine->workers[i]->is_gone)
			add_load_session(instance, rows, machine->workers[i]->session_id,
					 machine->workers[i]->state == WORKER_RESTING);
}

static void add_held_sessions(const struct instance *instance, struct rows *rows)
{
	for (const struct held_wait *wait = instance->held_waits; wait; wait = wait->next)
		add_session(rows, &(struct session_row){wait->session_id, instance->start_utc_us,
							"APP02", "Reports", "reports", "running",
							true, DATABASE_SALES, 0});
}

static void fill_sessions(struct view_request *request, struct rows *rows)
{
	const struct instance *instance = request->instance;

	for (size_t i = 0; i < sizeof(system_tasks) / sizeof(system_tasks[0]); i++)
		if (system_tasks[i].session_id != 0)
			add_session(rows,
				    &(struct session_row){system_tasks[i].session_id,
							  instance->start_utc_us, NULL, NULL, "sa",
							  "sleeping", false, DATABASE_MASTER, 0});
	for (const struct client_session *client = instance->clients; client; client = client->next)
		add_session(rows, &(struct session_row){client->session_id, client->login_utc_us,
							client->host_name, client->program_name,
							client->login_name,
							client->request_mono_us == 0 ? "sleeping"
										     : "running",
							true, client->database_id, client->cpu_us});
	add_load_sessions(instance, rows);
	add_held_sessions(instance, rows);
	for (int32_t i = 0; i < IDLE_SESSIONS; i++)
		add_session(rows, &(struct session_row){FIRST_IDLE_SESSION + i,
							instance->start_utc_us + 90000000, "WEB01",
							"WebShop", "webshop", "sleeping", true,
							DATABASE_SALES, 0});
}

/* The columns that differ between requests; the others are filled in alike. */
struct request_row {
	int32_t session_id;
	int64_t start_utc_us;
	const char *status;
	const char *command;
	int32_t database_id;
	const struct workload_task *task; /* NULL: no wait of the load */
	const char *wait_type;
	const char *last_wait_type;
	int64_t wait_ms;
	int64_t elapsed_ms;
	int64_t cpu_ms;
	int32_t scheduler_id;
	uint64_t task_address;
	uint64_t query_hash;
};

/* db, file and page of "5:1:2208" as eight bytes, least significant first. */
static void add_page_resource(struct rows *rows, const char *resource)
{
	unsigned database;
	unsigned file;
	unsigned page;

	if (sscanf(resource, "%u:%u:%u", &database, &file, &page) != 3) {
		rows_add_null(rows);
		return;
	}
	unsigned char bytes[8] = {(unsigned char)page,	       (unsigned char)(page >> 8),
				  (unsigned char)(page >> 16), (unsigned char)(page >> 24),
				  (unsigned char)file,	       (unsigned char)(file >> 8),
				  (unsigned char)database,     (unsigned char)(database >> 8)};
	rows_add_bytes(rows, CELL_BYTES, bytes, sizeof(bytes));
}

static void add_request(struct rows *rows, const struct request_row *row)
{
	const char *resource = row->task ? row->task->resource : "";

	rows_add_integer(rows, row->session_id);
	rows_add_integer(rows, 0);
	add_time(rows, row->start_utc_us);
	rows_add_text(rows, row->status);
	rows_add_text(rows, row->command);
	rows_add_address(rows,
			 row->query_hash == 0 ? 0 : row->query_hash ^ UINT64_C(0x0200000000000000));
	rows_add_integer(rows, 0);
	rows_add_integer(rows, -1);
	rows_add_integer(rows, row->database_id);
	rows_add_integer(rows, row->task ? row->task->blocking_session_id : 0);
	rows_add_text(rows, row->wait_type);
	rows_add_integer(rows, row->wait_ms);
	rows_add_text(rows, row->wait_type ? row->wait_type : row->last_wait_type);
	rows_add_text(rows, resource);
	rows_add_integer(rows, row->task ? 1 : 0);
	rows_add_integer(rows, row->cpu_ms);
	rows_add_integer(rows, row->elapsed_ms);
	rows_add_integer(rows, row->scheduler_id);
	rows_add_address(rows, row->task_address);
	rows_add_address(rows, row->query_hash);
	rows_add_address(rows,
			 row->query_hash == 0 ? 0 : row->query_hash ^ UINT64_C(0x00FF00FF00FF00FF));
	rows_add_integer(rows, 1);
	rows_add_integer(rows, 0);
	add_page_resource(rows, resource);
}

static void add_task_request(const struct view_request *request, struct rows *rows,
			     const struct instance_task *look, int32_t database_id)
{
	const struct workload_task *task = &look->task;

	add_request(rows, &(struct request_row){
				  .session_id = task->session_id,
				  .start_utc_us = request->now.utc_us - look->elapsed_ms * 1000,
				  .status = task->wait_type	? "suspended"
					    : task->is_runnable ? "runnable"
								: "running",
				  .command = look->command,
				  .database_id = database_id,
				  .task = task,
				  .wait_type = task->wait_type,
				  .last_wait_type = look->last_wait_type,
				  .wait_ms = task->wait_ms,
				  .elapsed_ms = look->elapsed_ms,
				  .cpu_ms = look->cpu_ms,
				  .scheduler_id = task->scheduler_id,
				  .task_address = task->task_address,
				  .query_hash = look->query_hash,
			  });
}

/* A client that inserts is seen where it waits; any other is computing. */
static void add_client_request(const struct view_request *request, struct rows *rows,
			       const struct client_session *client)
{
	int64_t elapsed_ms = (request->now.mono_us - client->request_mono_us) / 1000;
	struct instance_task look;

	if (instance_client_look(client, request->instance, &look)) {
		add_task_request(request, rows, &look, client->database_id);
		return;
	}
	add_request(rows, &(struct request_row){
				  .session_id = client->session_id,
				  .start_utc_us = client->request_utc_us,
				  .status = "running",
				  .command = "SELECT",
				  .database_id = client->database_id,
				  .last_wait_type = "MEMORY_ALLOCATION_EXT",
				  .elapsed_ms = elapsed_ms,
				  .cpu_ms = elapsed_ms / 20,
				  .scheduler_id = client->session_id %
						  instance_scheduler_count(request->instance),
				  .task_address = instance_task_address(client->session_id),
				  .query_hash = client->query_hash,
			  });
}

static void fill_requests(struct view_request *request, struct rows *rows)
{
	const struct instance *instance = request->instance;

	for (size_t i = 0; i < sizeof(system_tasks) / sizeof(system_tasks[0]); i++)
		if (system_tasks[i].session_id != 0)
			add_request(rows, &(struct request_row){
						  .session_id = system_tasks[i].session_id,
						  .start_utc_us = instance->start_utc_us,
						  .status = "background",
						  .command = system_tasks[i].command,
						  .database_id = DATABASE_MASTER,
						  .wait_type = system_tasks[i].wait_type,
						  .wait_ms = system_wait_ms(request, i),
						  .scheduler_id = (int32_t)i,
						  .task_address = system_address(i),
					  });
	for (const struct client_session *client = instance->clients; client; client = client->next)
		if (client->request_mono_us != 0)
			add_client_request(request, rows, client);
	for (const struct held_wait *wait = instance->held_waits; wait; wait = wait->next) {
		struct instance_task look = held_wait_look(wait, request->now);
		add_task_request(request, rows, &look, DATABASE_SALES);
	}
	for (int32_t i = 0; i < instance_task_count(instance); i++) {
		struct instance_task look;
		if (instance_task_look(instance, i, request->now, &look))
			add_task_request(request, rows, &look, DATABASE_SALES);
	}
}

static void add_waiting_task(struct rows *rows, uint64_t address, int32_t session_id,
			     int64_t wait_ms, const char *wait_type,
			     const struct workload_task *task, int32_t blocker,
			     uint64_t blocker_address)
{
	rows_add_address(rows, address);
	if (session_id == 0)
		rows_add_null(rows);
	else
		rows_add_integer(rows, session_id);
	rows_add_integer(rows, 0);
	rows_add_integer(rows, wait_ms);
	rows_add_text(rows, wait_type);
	rows_add_address(rows, task ? task->resource_address : 0);
	rows_add_address(rows, blocker_address);
	if (blocker == 0) {
		rows_add_null(rows);
		rows_add_null(rows);
	} else {
		rows_add_integer(rows, blocker);
		rows_add_integer(rows, 0);
	}
	rows_add_text(rows, task && task->resource[0] != '\0' ? task->resource : NULL);
}

/* A row for each of its blockers. */
static void add_task_waits(struct rows *rows, const struct workload_task *task)
{
	int32_t second = task->second_blocking_session_id;

	if (!task->wait_type)
		return;
	add_waiting_task(rows, task->task_address, task->session_id, task->wait_ms, task->wait_type,
			 task, task->blocking_session_id, task->blocking_task_address);
	if (second != 0)
		add_waiting_task(rows, task->task_address, task->session_id, task->wait_ms,
				 task->wait_type, task, second, instance_task_address(second));
}

static void fill_waiting_tasks(struct view_request *request, struct rows *rows)
{
	const struct instance *instance = request->instance;

	for (size_t i = 0; i < sizeof(system_tasks) / sizeof(system_tasks[0]); i++)
		add_waiting_task(rows, system_address(i), system_tasks[i].session_id,
				 system_wait_ms(request, i), system_tasks[i].wait_type, NULL, 0, 0);
	for (int32_t i = 0; i < instance_task_count(instance); i++) {
		struct instance_task look;
		if (instance_task_look(instance, i, request->now, &look))
			add_task_waits(rows, &look.task);
	}
	for (const struct held_wait *wait = instance->held_waits; wait; wait = wait->next) {
		const struct workload_task task = held_wait_look(wait, request->now).task;
		add_task_waits(rows, &task);
	}
	for (const struct client_session *client = instance->clients; client;
	     client = client->next) {
		struct instance_task look;
		if (instance_client_look(client, instance, &look))
			add_task_waits(rows, &look.task);
	}
}

static const struct view views[] = {
	{"dm_exec_sessions",
	 "session_id smallint not null, login_time datetime not null, host_name nvarchar(128), "
	 "program_name nvarchar(128), host_process_id int, login_name nvarchar(128) not null, "
	 "status nvarchar(30) not null, is_user_process bit not null, database_id smallint not null, "
	 "open_transaction_count int not null, cpu_time int not null",
	 NULL, false, fill_sessions},
	{"dm_exec_connections",
	 "session_id int, connect_time datetime not null, net_transport nvarchar(40) not null, "
	 "protocol_type nvarchar(40), encrypt_option nvarchar(40) not null, "
	 "auth_scheme nvarchar(40) not null, net_packet_size int",
	 NULL, false, fill_connections},
	{"dm_exec_requests",
	 "session_id smallint not null, request_id int not null, start_time datetime not null, "
	 "status nvarchar(30) not null, command nvarchar(32) not null, sql_handle varbinary(64), "
	 "statement_start_offset int, statement_end_offset int, database_id smallint not null, "
	 "blocking_session_id smallint, wait_type nvarchar(60), wait_time int not null, "
	 "last_wait_type nvarchar(60) not null, wait_resource nvarchar(256) not null, "
	 "open_transaction_count int not null, cpu_time int not null, total_elapsed_time int not null, "
	 "scheduler_id int, task_address varbinary(8), query_hash binary(8), query_plan_hash binary(8), "
	 "dop int, parallel_worker_count int, page_resource binary(8)",
	 NULL, false, fill_requests},
	{"dm_os_waiting_tasks",
	 "waiting_task_address varbinary(8), session_id smallint, exec_context_id int, "
	 "wait_duration_ms bigint, wait_type nvarchar(60), resource_address varbinary(8), "
	 "blocking_task_address varbinary(8), blocking_session_id smallint, blocking_exec_context_id int, "
	 "resource_description nvarchar(3072)",
	 NULL, false, fill_waiting_tasks},
};

const struct view *views_of_activity(size_t *count)
{
	*count = sizeof(views) / sizeof(views[0]);
	return views;
}
