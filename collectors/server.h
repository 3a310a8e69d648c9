/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who the server is: version, edition, engine, schedulers, rights. Read at every login and again
 * with each epoch that differs. Plain data; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectors/sample.h"

/* Statement classes of sqlserver-facts section 6. */
enum server_class {
	SERVER_CLASS_A, /* 2012 to 2017 */
	SERVER_CLASS_C, /* 2019 and later, Managed Instance */
	SERVER_CLASS_D, /* Azure SQL Database */
};

struct server {
	char version[32]; /* "16.0.4085.2" */
	int32_t major;	  /* first number of version */
	char edition[SERVER_NAME_SIZE];
	int32_t engine_edition;
	enum server_class class;
	int32_t scheduler_count; /* VISIBLE ONLINE */
	int64_t started_utc_ms;	 /* from uptime ticks; 0 unknown */
	bool may_view_state;
	bool is_encrypted; /* this session is */
};
