/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who the server is: version, edition, engine, schedulers, rights. Read at every login and again
 * with each epoch that differs. Plain data; any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectors/sample.h"
#include "daemon/base/error.h"

/* Statement classes of sqlserver-facts section 6. */
enum server_class {
	SERVER_CLASS_A, /* 2012 to 2017 */
	SERVER_CLASS_C, /* 2019 and later, Managed Instance */
	SERVER_CLASS_D, /* Azure SQL Database */
};

enum { SERVER_CLASS_COUNT = 3, SERVER_OBJECTIVE_SIZE = 64 };

struct server {
	char version[32]; /* "16.0.4085.2" */
	int32_t major;	  /* first number of version */
	char edition[SERVER_NAME_SIZE];
	int32_t engine_edition;
	enum server_class class;
	int32_t scheduler_count;	 /* VISIBLE ONLINE */
	int64_t started_utc_ms;		 /* from uptime ticks; 0 unknown */
	char login[SERVER_NAME_SIZE];	 /* that is really in use; of class D the database's user */
	char database[SERVER_NAME_SIZE]; /* that the session is in */
	int32_t database_id;		 /* of class D, the only one it tells of; 0 else */
	char service_objective[SERVER_OBJECTIVE_SIZE]; /* of class D: "S0", "GP_S_Gen5_2"; "" else
							*/
	int32_t is_encrypted; /* this session is: 1 yes, 0 no, -1 the right to know it is missing */
};

/*
 * Decides the class of statements from engine_edition and major. The engine decides first: Azure
 * reports version 12 whatever it is. What is newer than the newest known is taken for that.
 *
 * Errors:  ERROR_UNSUPPORTED Azure Synapse; older than 2012. Threads: any.
 */
MUST_CHECK bool server_decide_class(struct server *server, struct error *err);

/*
 * What this server cannot give, or does otherwise than an operator may expect, one sentence each;
 * NULL when i is beyond the last. Pure.
 */
const char *server_warning(const struct server *server, int i);
