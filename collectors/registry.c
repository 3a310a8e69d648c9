/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of collectors and of statements. Any thread; nothing changes. */
#include "collectors/collect.h"

#define SAME(path)                                                                                 \
	{                                                                                          \
		path, path, path                                                                   \
	}
#define FILE_OF(name) "collectors/sql/" name ".sql"
#define BIT_A	      (1U << SERVER_CLASS_A)
#define BIT_C	      (1U << SERVER_CLASS_C)
#define BIT_D	      (1U << SERVER_CLASS_D)

static const struct collector_info collectors[COLLECTOR_COUNT] = {
	[COLLECTOR_WAITS] = {"waits", {FILE_OF("waits"), FILE_OF("waits"), FILE_OF("waits_azure")}},
	[COLLECTOR_LATCHES] = {"latches", SAME(FILE_OF("latches"))},
	[COLLECTOR_SPINLOCKS] = {"spinlocks", SAME(FILE_OF("spinlocks"))},
	[COLLECTOR_WAITING_TASKS] = {"waiting_tasks", SAME(FILE_OF("waiting_tasks"))},
};

static const struct statement_info statements[] = {
	{FILE_OF("session"), BIT_A | BIT_C | BIT_D},
	{FILE_OF("server"), BIT_A | BIT_C | BIT_D},
	{FILE_OF("server_azure"), BIT_D},
	{FILE_OF("server_state"), BIT_A | BIT_C | BIT_D},
	{FILE_OF("connection"), BIT_A | BIT_C | BIT_D},
	{FILE_OF("probe"), BIT_A},
	{FILE_OF("probe_2019"), BIT_C},
	{FILE_OF("probe_azure"), BIT_D},
	{FILE_OF("epoch"), BIT_A | BIT_C},
	{FILE_OF("epoch_azure"), BIT_D},
	{FILE_OF("waits"), BIT_A | BIT_C},
	{FILE_OF("waits_azure"), BIT_D},
	{FILE_OF("latches"), BIT_A | BIT_C | BIT_D},
	{FILE_OF("spinlocks"), BIT_A | BIT_C | BIT_D},
	{FILE_OF("waiting_tasks"), BIT_A | BIT_C | BIT_D},
	{FILE_OF("cost"), BIT_A | BIT_C | BIT_D},
	{FILE_OF("page_owner"), BIT_C},
	{FILE_OF("page_owner_azure"), BIT_D},
	{FILE_OF("index_shape"), BIT_C | BIT_D},
};

const struct collector_info *collector_info(enum collector collector)
{
	return &collectors[collector];
}

const struct statement_info *statement_info(int i)
{
	return i >= 0 && i < (int)(sizeof(statements) / sizeof(statements[0])) ? &statements[i]
									       : NULL;
}
