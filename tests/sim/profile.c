/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of versions and of what differs between them. Pure. */
#include "tests/sim/profile.h"

#include <string.h>
#include <strings.h>

#include "tests/sim/text.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct profile profiles[] = {
	{"2012", PROFILE_2012, "SQL Server 2012", "11.0.5058.0", "SP2", NULL,
	 "Enterprise Edition (64-bit)", 3, false, 110, 650, 220, NULL, false},
	{"2014", PROFILE_2014, "SQL Server 2014", "12.0.6024.0", "SP3", NULL,
	 "Enterprise Edition (64-bit)", 3, true, 120, 770, 250, NULL, false},
	{"2016", PROFILE_2016, "SQL Server 2016", "13.0.6300.2", "SP3", NULL,
	 "Enterprise Edition: Core-based Licensing (64-bit)", 3, true, 130, 900, 290, NULL, false},
	{"2017", PROFILE_2017, "SQL Server 2017", "14.0.3456.2", "RTM", "CU31",
	 "Standard Edition (64-bit)", 2, true, 140, 930, 300, NULL, false},
	{"2019", PROFILE_2019, "SQL Server 2019", "15.0.4316.3", "RTM", "CU21",
	 "Developer Edition (64-bit)", 3, true, 150, 995, 329, NULL, false},
	{"2022", PROFILE_2022, "SQL Server 2022", "16.0.4135.4", "RTM", "CU14",
	 "Enterprise Edition: Core-based Licensing (64-bit)", 3, true, 160, 1300, 450, NULL, false},
	{"2025", PROFILE_2025, "SQL Server 2025", "17.0.1000.7", "RTM", NULL,
	 "Enterprise Developer Edition (64-bit)", 3, true, 170, 1500, 500, NULL, false},
	{"azure", PROFILE_AZURE, "SQL Azure", "12.0.2000.8", "RTM", NULL, "SQL Azure", 5, true, 160,
	 1250, 450, "GP_Gen5_32", false},
	{"azure-basic", PROFILE_AZURE, "SQL Azure", "12.0.2000.8", "RTM", NULL, "SQL Azure", 5,
	 true, 160, 1250, 450, "Basic", true},
	{"azure-serverless", PROFILE_AZURE, "SQL Azure", "12.0.2000.8", "RTM", NULL, "SQL Azure", 5,
	 true, 160, 1250, 450, "GP_S_Gen5_32", false},
	{"mi", PROFILE_MI, "SQL Azure", "12.0.2000.8", "RTM", NULL, "SQL Azure", 8, true, 160, 1300,
	 450, NULL, false},
};

static const struct {
	const char *view;
	const char *column; /* NULL = the view as a whole */
	unsigned profiles;  /* that have it, or with a type: for which the type holds */
	const char *type;   /* NULL = this row is about presence */
} differences[] = {
	{"dm_db_page_info", NULL, PROFILE_SINCE_2019, NULL},
	{"fn_PageResCracker", NULL, PROFILE_SINCE_2019, NULL},
	{"dm_db_wait_stats", NULL, PROFILE_AZURE, NULL},
	{"dm_exec_session_wait_stats", NULL, PROFILE_SINCE_2016, NULL},
	{"dm_exec_requests", "dop", PROFILE_SINCE_2016, NULL},
	{"dm_exec_requests", "parallel_worker_count", PROFILE_SINCE_2016, NULL},
	{"dm_exec_requests", "page_resource", PROFILE_SINCE_2019, NULL},
	{"dm_os_waiting_tasks", "wait_duration_ms", PROFILE_2012 | PROFILE_2014, "int"},
	{"dm_os_waiting_tasks", "resource_description", PROFILE_2012 | PROFILE_2014,
	 "nvarchar(1024)"},
	{"dm_os_spinlock_stats", "backoffs",
	 PROFILE_2012 | PROFILE_2014 | PROFILE_2016 | PROFILE_2017 | PROFILE_2019, "int"},
	{"dm_os_schedulers", "total_scheduler_delay_ms", PROFILE_SINCE_2016, NULL},
	{"dm_os_sys_info", "sql_memory_model", PROFILE_SINCE_2016, NULL},
	{"dm_os_sys_info", "sql_memory_model_desc", PROFILE_SINCE_2016, NULL},
	{"dm_os_sys_info", "socket_count", PROFILE_SINCE_2016, NULL},
	{"dm_os_sys_info", "numa_node_count", PROFILE_SINCE_2016, NULL},
	{"dm_db_index_operational_stats", "hobt_id", PROFILE_SINCE_2016, NULL},
	{"indexes", "optimize_for_sequential_key", PROFILE_SINCE_2019, NULL},
	{"sequences", "last_used_value", PROFILE_SINCE_2017, NULL},
	{"databases", "is_accelerated_database_recovery_on", PROFILE_SINCE_2019, NULL},
};

/* Wait types by the version they came with: all names that begin so. */
static const struct {
	const char *prefix;
	unsigned profiles;
} new_waits[] = {
	{"WAIT_XTP", PROFILE_SINCE_2014},
	{"XTP", PROFILE_SINCE_2014},
	{"PWAIT_EXTENSIBILITY", PROFILE_SINCE_2016},
	{"EXTERNAL_SCRIPT", PROFILE_SINCE_2016},
	{"QDS_", PROFILE_SINCE_2016},
	{"MEMORY_ALLOCATION_EXT", PROFILE_SINCE_2016},
	{"RESERVED_MEMORY_ALLOCATION_EXT", PROFILE_SINCE_2016},
	{"PARALLEL_REDO", PROFILE_SINCE_2016},
	{"CXCONSUMER", PROFILE_SINCE_2016},
	{"SOS_WORK_DISPATCHER", PROFILE_SINCE_2019},
	{"PVS_", PROFILE_SINCE_2019},
	{"BTREE_INSERT_FLOW_CONTROL", PROFILE_SINCE_2019},
};

const struct profile *profile_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(profiles); i++)
		if (strcmp(profiles[i].name, name) == 0)
			return &profiles[i];
	return NULL;
}

bool profile_has_view(const struct profile *profile, const char *view)
{
	for (size_t i = 0; i < COUNT_OF(differences); i++)
		if (!differences[i].column && strcasecmp(differences[i].view, view) == 0)
			return differences[i].profiles & profile->bit;
	return true;
}

bool profile_has_column(const struct profile *profile, const char *view, const char *column,
			size_t column_size, const char **type)
{
	for (size_t i = 0; i < COUNT_OF(differences); i++) {
		bool is_meant = differences[i].column &&
				strcasecmp(differences[i].view, view) == 0 &&
				text_is_word(column, column_size, differences[i].column);
		bool is_here = differences[i].profiles & profile->bit;
		if (is_meant && differences[i].type && is_here)
			*type = differences[i].type;
		if (is_meant && !differences[i].type && !is_here)
			return false;
	}
	return true;
}

bool profile_has_wait(const struct profile *profile, const char *wait_type)
{
	for (size_t i = 0; i < COUNT_OF(new_waits); i++)
		if (strncmp(wait_type, new_waits[i].prefix, strlen(new_waits[i].prefix)) == 0)
			return new_waits[i].profiles & profile->bit;
	return true;
}
