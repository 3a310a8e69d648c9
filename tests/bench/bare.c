/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in a benchmark, in one thread. The blob is as large as what latchd stores of such a poll. */
#include "tests/bench/bare.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sybfront.h>

#include <sybdb.h>

enum { ROWS_MAX = 8192, BLOB_SIZE = 2048, COUNTERS_MAX = 4 };

struct bare {
	DBPROCESS *process;
	sqlite3 *database;
	sqlite3_stmt *insert;
	sqlite3_int64 poll_count;
	size_t row_count;
	struct bare_row rows[ROWS_MAX];
};

static void require(int is_ok, const char *what)
{
	if (is_ok)
		return;
	(void)fprintf(stderr, "the bare loop cannot %s\n", what);
	exit(1);
}

static DBPROCESS *log_in(const char *section)
{
	LOGINREC *login = dblogin();
	require(login != NULL, "make a login");
	DBSETLUSER(login, "latchd");
	DBSETLPWD(login, "latchd");
	DBSETLAPP(login, "bare");
	DBSETLCHARSET(login, "UTF-8");
	(void)dbsetlversion(login, DBVERSION_74);
	DBPROCESS *process = dbopen(login, section);
	dbloginfree(login);
	require(process != NULL, "log in");
	return process;
}

struct bare *bare_open(const char *section, const char *store_path)
{
	struct bare *bare = calloc(1, sizeof(*bare));
	require(bare != NULL, "find memory");
	bare->process = log_in(section);
	require(sqlite3_open(store_path, &bare->database) == SQLITE_OK &&
			sqlite3_exec(bare->database,
				     "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
				     "CREATE TABLE poll (t INTEGER PRIMARY KEY, body BLOB);",
				     NULL, NULL, NULL) == SQLITE_OK &&
			sqlite3_prepare_v2(bare->database, "INSERT INTO poll VALUES (?, ?)", -1,
					   &bare->insert, NULL) == SQLITE_OK,
		"make its store");
	return bare;
}

void bare_close(struct bare *bare)
{
	if (!bare)
		return;
	dbclose(bare->process);
	(void)sqlite3_finalize(bare->insert); /* repeats the last step's error */
	(void)sqlite3_close(bare->database);  /* nothing is open in it */
	free(bare);
}

static void copy_row(struct bare *bare, int column_count)
{
	require(bare->row_count < ROWS_MAX, "hold so many rows");
	struct bare_row *row = &bare->rows[bare->row_count++];
	size_t size = (size_t)dbdatlen(bare->process, 1);
	if (size >= sizeof(row->name))
		size = sizeof(row->name) - 1;
	memcpy(row->name, dbdata(bare->process, 1), size);
	row->name[size] = '\0';
	for (int i = 2; i <= column_count; i++)
		memcpy(&row->counters[i - 2], dbdata(bare->process, i), sizeof(row->counters[0]));
}

static void store(struct bare *bare)
{
	sqlite3_bind_int64(bare->insert, 1, ++bare->poll_count);
	sqlite3_bind_blob(bare->insert, 2, bare->rows, BLOB_SIZE, SQLITE_STATIC);
	require(sqlite3_step(bare->insert) == SQLITE_DONE, "insert");
	(void)sqlite3_reset(bare->insert); /* repeats the step's result */
}

size_t bare_poll(struct bare *bare, const char *sql)
{
	bare->row_count = 0;
	require(dbcmd(bare->process, sql) == SUCCEED && dbsqlexec(bare->process) == SUCCEED,
		"run its batch");
	while (dbresults(bare->process) == SUCCEED) {
		const int column_count = dbnumcols(bare->process);
		require(column_count <= 1 + COUNTERS_MAX, "take so many columns");
		while (dbnextrow(bare->process) == REG_ROW)
			copy_row(bare, column_count);
	}
	store(bare);
	return bare->row_count;
}

const struct bare_row *bare_rows(const struct bare *bare)
{
	return bare->rows;
}
