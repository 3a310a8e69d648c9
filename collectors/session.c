/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The only door to libsybdb. A session runs in its owner's thread; the library's two handlers are
 * global, so what a thread is doing right now is a thread-local pointer.
 *
 * The traps (platform-facts A1, A5, A7): a handler may answer INT_CANCEL and nothing else, or the
 * library ends the process or never returns, with one exception: INT_TIMEOUT to the first time out
 * of a running statement, which cancels it and keeps the connection. A reset in the middle of a row
 * calls no handler at all. An answer that is cut off can look whole: only the end of rows and the
 * end of results together make it one.
 */
#include "collectors/session.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <sybfront.h>

#include <sybdb.h>

#include "collectors/session_fault.h"
#include "daemon/base/alloc.h"

/* How often in a row dbresults may fail before the answer counts as broken. */
enum { FAILED_RESULTS_MAX = 256, WHERE_SIZE = 300 };

struct session_error {
	struct error error;
	int result;
};

struct session {
	DBPROCESS *process;
	void (*on_socket)(void *context, int fd);
	void *context;
	char where[WHERE_SIZE];
	bool is_opening;
	bool is_broken; /* the server or we gave the connection up, though libsybdb may not know */
	bool is_complete; /* the last run reached the end of its results */
	int timeout_count;
	int result; /* last result set that began; -1 before the first */
	struct session_error errors[SESSION_ERRORS_MAX];
	int error_count;
	struct session_traffic traffic;
};

/* The session in whose name this thread is inside libsybdb; NULL outside. */
static _Thread_local struct session *current;

/* Each of these would override what the private configuration says. */
static const char *const environment[] = {
	"TDSVER",      "TDSPORT", "TDSHOST",  "TDSDUMP", "TDSDUMPCONFIG",
	"FREETDSCONF", "FREETDS", "TDSQUERY", "DSQUERY",
};

static struct error *next_error(struct session *session)
{
	/* The last place is kept for what breaks the batch off. */
	const int i = session->error_count < SESSION_ERRORS_MAX ? session->error_count++
								: SESSION_ERRORS_MAX - 1;
	session->errors[i].result = session->result;
	return &session->errors[i].error;
}

static int handle_error(DBPROCESS *process, int severity, int number, int os_error, char *text,
			char *os_text)
{
	(void)process; /* its user data is not set yet during dbopen */
	(void)severity;
	(void)os_text;
	struct session *session = current;
	if (!session || number == SESSION_FAULT_SERVER_MESSAGE)
		return INT_CANCEL;
	session_fault_of_library(number, os_error, text, session->where, session->is_opening,
				 next_error(session));
	if (number == SESSION_FAULT_TIMEOUT && !session->is_opening &&
	    session->timeout_count++ == 0)
		return INT_TIMEOUT;
	return INT_CANCEL;
}

static int handle_message(DBPROCESS *process, DBINT number, int state, int severity, char *text,
			  char *server, char *procedure, int line)
{
	(void)process;
	(void)server;
	(void)procedure;
	/* Up to 10 is news (5701, 5703 come with every login), not an error. */
	if (!current || severity <= 10)
		return 0;
	if (severity >= SESSION_FATAL_SEVERITY)
		current->is_broken = true;
	session_fault_of_server(number, severity, state, line, text, next_error(current));
	return 0;
}

bool session_library_start(const char *configuration_path, struct error *err)
{
	for (size_t i = 0; i < sizeof(environment) / sizeof(environment[0]); i++)
		(void)unsetenv(environment[i]); /* fails only for an invalid name */
	if (dbinit() == FAIL)
		return error_set(err, ERROR_IO, 0, "libsybdb cannot start");
	(void)dberrhandle(handle_error); /* the former handlers are the library's own */
	(void)dbmsghandle(handle_message);
	CLEANUP(freep) char *path = xstrdup(configuration_path);
	dbsetifile(path);
	return true;
}

void session_library_stop(void)
{
	dbexit();
}

static bool fill_login(LOGINREC *login, const struct session_options *options)
{
	char host[256] = "latchd";
	(void)gethostname(host, sizeof(host)); /* it is only shown; the default will do */
	host[sizeof(host) - 1] = '\0';
	host[128] = '\0'; /* longer is refused */
	bool is_ok = dbsetlversion(login, DBVERSION_74) == SUCCEED;
	if (options->is_kerberos)
		is_ok = DBSETLNETWORKAUTH(login, 1) == SUCCEED && is_ok;
	else
		is_ok = DBSETLUSER(login, options->user) == SUCCEED &&
			DBSETLPWD(login, options->password) == SUCCEED && is_ok;
	is_ok = DBSETLAPP(login, "latchd") == SUCCEED && is_ok;
	is_ok = DBSETLHOST(login, host) == SUCCEED && is_ok;
	is_ok = DBSETLCHARSET(login, "UTF-8") == SUCCEED && is_ok;
	if (options->database && options->database[0])
		is_ok = DBSETLDBNAME(login, options->database) == SUCCEED && is_ok;
	if (options->is_read_only_intent)
		is_ok = DBSETLREADONLY(login, 1) == SUCCEED && is_ok;
	return is_ok;
}

static DBPROCESS *open_process(const struct session_options *options, struct session *session)
{
	LOGINREC *login = dblogin();
	if (!login) {
		(void)error_set(next_error(session), ERROR_IO, 0, "libsybdb gives no login record");
		return NULL;
	}
	DBPROCESS *process = NULL;
	if (fill_login(login, options))
		process = dbopen(login, options->section);
	else
		/* Instead of what the handler may have recorded, which names no key. */
		(void)error_set(&session->errors[0].error, ERROR_INVALID, 0,
				"user, password or database is longer than 128 bytes");
	dbloginfree(login);
	return process;
}

static void report_socket(struct session *session)
{
	if (!session->on_socket)
		return;
	const int fd = fcntl(dbiordesc(session->process), F_DUPFD_CLOEXEC, 0);
	if (fd >= 0) /* without a dup there is no slot; the library's own timeouts remain */
		session->on_socket(session->context, fd);
}

struct session *session_open(const struct session_options *options, struct error *err)
{
	CLEANUP(session_closep) struct session *session = xcalloc(1, sizeof(*session));
	const char *where = options->where ? options->where : options->section;
	(void)stpncpy(session->where, where, sizeof(session->where) - 1); /* may cut */
	session->result = -1;
	session->is_opening = true;
	current = session;
	session->process = open_process(options, session);
	current = NULL;
	session->is_opening = false;
	if (!session->process) {
		*err = session->errors[0].error;
		if (err->kind == ERROR_NONE)
			(void)error_set(err, ERROR_UNREACHABLE, 0, "cannot log in to %s",
					session->where);
		return NULL;
	}
	session->on_socket = options->on_socket;
	session->context = options->context;
	report_socket(session);
	return TAKE(session);
}

void session_close(struct session *session)
{
	if (!session)
		return;
	if (session->process) {
		current = session;
		dbclose(session->process);
		current = NULL;
	}
	if (session->on_socket)
		session->on_socket(session->context, -1);
	free(session);
}

static int64_t integer_of(int type, const BYTE *data)
{
	int16_t small = 0;
	int32_t normal = 0;
	int64_t big = 0;
	switch (type) {
	case SYBINT1:
	case SYBBIT:
		return data[0];
	case SYBINT2:
		memcpy(&small, data, sizeof(small));
		return small;
	case SYBINT4:
		memcpy(&normal, data, sizeof(normal));
		return normal;
	default:
		memcpy(&big, data, sizeof(big));
		return big;
	}
}

static double number_of(int type, const BYTE *data)
{
	float real = 0;
	double number = 0;
	if (type == SYBREAL) {
		memcpy(&real, data, sizeof(real));
		return (double)real;
	}
	memcpy(&number, data, sizeof(number));
	return number;
}

static bool read_cell(DBPROCESS *process, int column, struct session_cell *cell)
{
	*cell = (struct session_cell){.is_null = true};
	const BYTE *data = dbdata(process, column);
	if (!data)
		return true;
	cell->is_null = false;
	const int type = dbcoltype(process, column);
	switch (type) {
	case SYBINT1:
	case SYBBIT:
	case SYBINT2:
	case SYBINT4:
	case SYBINT8:
		cell->integer = integer_of(type, data);
		cell->number = (double)cell->integer;
		return true;
	case SYBREAL:
	case SYBFLT8:
		cell->number = number_of(type, data);
		return true;
	case SYBCHAR:
	case SYBVARCHAR:
	case SYBTEXT:
	case SYBBINARY:
	case SYBVARBINARY:
	case SYBIMAGE:
		cell->text = (const char *)data;
		cell->size = (size_t)dbdatlen(process, column);
		return true;
	default:
		return false;
	}
}

static bool hand_out_row(struct session *session, int column_count, session_row_fn *row,
			 void *context, struct error *err)
{
	struct session_cell cells[SESSION_COLUMNS_MAX];
	for (int i = 0; i < column_count; i++)
		if (!read_cell(session->process, i + 1, &cells[i]))
			return error_set(err, ERROR_PROTOCOL, 0,
					 "column %d of result %d has the unknown type %d", i + 1,
					 session->result, dbcoltype(session->process, i + 1));
	session->traffic.row_count++;
	return !row || row(context, session->result, cells, (size_t)column_count, err);
}

/* False when the batch is to be given up; err then says why, unless the handlers did. */
static bool read_rows(struct session *session, session_row_fn *row, void *context,
		      struct error *err)
{
	const int column_count = dbnumcols(session->process);
	if (column_count <= 0)
		return true;
	session->result++;
	if (column_count > SESSION_COLUMNS_MAX)
		return error_set(err, ERROR_PROTOCOL, 0, "result %d has %d columns",
				 session->result, column_count);
	STATUS status = dbnextrow(session->process);
	for (; status == REG_ROW; status = dbnextrow(session->process))
		if (!hand_out_row(session, column_count, row, context, err))
			return false;
	return status == NO_MORE_ROWS;
}

/* True when the end of all results was reached. */
static bool read_results(struct session *session, session_row_fn *row, void *context,
			 struct error *err)
{
	for (int failed = 0; failed < FAILED_RESULTS_MAX;) {
		const RETCODE code = dbresults(session->process);
		if (code == NO_MORE_RESULTS)
			return !dbdead(session->process);
		if (dbdead(session->process) || session->timeout_count > 0)
			return false;
		/* A statement that failed leaves the later ones their results. */
		if (code == FAIL)
			failed++;
		else if (!read_rows(session, row, context, err))
			return false;
	}
	return false;
}

static bool run_batch(struct session *session, const char *sql, session_row_fn *row, void *context,
		      struct error *err)
{
	if (dbcmd(session->process, sql) == FAIL)
		return false;
	/* When it fails it may have been the first statement only: the results will tell. */
	(void)dbsqlexec(session->process);
	if (dbdead(session->process) || session->timeout_count > 0)
		return false;
	return read_results(session, row, context, err);
}

/* What broke the batch off: what row said, else the last error recorded, else nothing was. */
static void explain_break(struct session *session, struct error *err)
{
	if (err->kind != ERROR_NONE)
		return;
	if (session->error_count > 0)
		*err = session->errors[session->error_count - 1].error;
	/* An error of one statement is not why the connection is gone, unless it was a fatal one.
	 */
	const bool is_statement = err->kind == ERROR_SERVER || err->kind == ERROR_DENIED;
	if (dbdead(session->process) &&
	    (err->kind == ERROR_NONE || (is_statement && !session->is_broken)))
		(void)error_set(err, ERROR_UNREACHABLE, 0, "connection to %s broke",
				session->where);
	if (err->kind == ERROR_NONE)
		(void)error_set(err, ERROR_PROTOCOL, 0, "answer of %s has no end", session->where);
}

/* Keeps what it knows of a connection that is gone. */
static void count_bytes(struct session *session)
{
	struct tcp_info info = {0};
	socklen_t size = sizeof(info);
	if (dbdead(session->process))
		return;
	if (getsockopt(dbiordesc(session->process), IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
	    info.tcpi_bytes_received > 0)
		session->traffic.received_bytes = (int64_t)info.tcpi_bytes_received;
}

struct session_traffic session_traffic(const struct session *session)
{
	return session->traffic;
}

bool session_run(struct session *session, const char *sql, session_row_fn *row, void *context,
		 int *result_count, struct error *err)
{
	session->is_complete = false;
	session->timeout_count = 0;
	session->result = -1;
	session->error_count = 0;
	struct error broken = ERROR_INIT;
	current = session;
	session->traffic.round_trip_count++;
	session->is_complete = run_batch(session, sql, row, context, &broken);
	count_bytes(session);
	if (!session->is_complete) {
		explain_break(session, &broken);
		if (!dbdead(session->process) && dbcancel(session->process) == FAIL)
			session->is_broken = true;
	}
	current = NULL;
	if (!session->is_complete) {
		*err = broken;
		return false;
	}
	if (session->error_count > 0) {
		*err = session->errors[0].error;
		return false;
	}
	*result_count = session->result + 1;
	return true;
}

bool session_is_alive(struct session *session)
{
	return !session->is_broken && !dbdead(session->process);
}

bool session_is_complete(const struct session *session)
{
	return session->is_complete;
}

int session_error_count(const struct session *session)
{
	return session->error_count;
}

const struct error *session_error_at(const struct session *session, int i, int *result)
{
	*result = session->errors[i].result;
	return &session->errors[i].error;
}
