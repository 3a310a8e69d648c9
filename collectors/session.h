/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One connection to one SQL Server: the only door to libsybdb. Belongs to one thread from open to
 * close. What comes out are rows of typed cells and errors in this program's words; nobody above
 * knows of DBPROCESS, handlers or FreeTDS numbers (platform-facts A1 to A7 are the traps behind
 * it).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "daemon/base/error.h"

enum { SESSION_ERRORS_MAX = 16, SESSION_COLUMNS_MAX = 64 };

struct session;

struct session_options {
	const char *section; /* of the private FreeTDS configuration: name of the target */
	const char *where;   /* "HOST:PORT" for the texts of errors; NULL = the section */
	const char *user;    /* as the password without meaning when is_kerberos */
	const char *password;
	bool is_kerberos;     /* integrated login; GSSAPI finds the keytab by itself */
	const char *database; /* NULL or "" for the login's default */
	bool is_read_only_intent;
	/*
	 * Called in the owner's thread when the socket exists, with a dup of it (the callee closes
	 * it), and again with -1 when the connection is being closed. Lets a deadline slot shut the
	 * socket down from another thread: libsybdb's own timeouts do not bound a dripping server.
	 * NULL: no slot.
	 */
	void (*on_socket)(void *context, int fd);
	void *context;
};

/* One cell; text is not NUL-terminated and lives until the next row. */
struct session_cell {
	bool is_null;
	int64_t integer;  /* integer types, bit; 0 otherwise */
	double number;	  /* floating types, and the integer again */
	const char *text; /* character (UTF-8) and binary types */
	size_t size;
};

/*
 * Takes one row of result set number result (from 0). Returning false ends the batch with err.
 */
typedef bool session_row_fn(void *context, int result, const struct session_cell *cells,
			    size_t cell_count, struct error *err);

/*
 * Prepares libsybdb for the process: handlers, the private configuration file, and FreeTDS's
 * environment variables removed (TDSDUMP would write every row to a file).
 *
 * Errors:  ERROR_IO the library cannot start.
 * Threads: main, once, before any session.
 */
MUST_CHECK bool session_library_start(const char *configuration_path, struct error *err);

/* Gives back what session_library_start took. Threads: main, after every session closed. */
void session_library_stop(void);

/*
 * Logs in. TDS is pinned to 7.4: anything else would send the password in clear text after a failed
 * login.
 *
 * Owns:    the caller closes; options are borrowed for the call, except context, which must outlive
 * the session. Errors:  ERROR_UNREACHABLE, ERROR_TIMEOUT, ERROR_DENIED (18456 ...), ERROR_SERVER
 * (4060 ...), ERROR_INVALID. Threads: the owner; blocks up to the connect timeout of the section.
 */
MUST_CHECK struct session *session_open(const struct session_options *options, struct error *err);

/* What a session has cost so far, its login left out of rows and round trips. */
struct session_traffic {
	int64_t round_trip_count; /* batches sent */
	int64_t row_count;	  /* received, markers and all */
	int64_t received_bytes;	  /* as TCP counts them, encryption included; 0 unknown */
};

/* Reads what was counted up to the last session_run. Threads: the owner. */
struct session_traffic session_traffic(const struct session *session);

/* Closes a connection; NULL is fine. Owns: session. Threads: the owner. */
void session_close(struct session *session);
DEFINE_CLEANUP(struct session *, session_close);

/*
 * Copies a text cell, cut to what fits; NULL and other types give "". A cut never splits a UTF-8
 * character. Threads: any.
 */
void session_cell_copy(const struct session_cell *cell, char *text, size_t text_size);

/* A binary cell of up to 8 bytes as a number, first byte highest; 0 for NULL. Pure. */
uint64_t session_cell_uint64(const struct session_cell *cell);

/*
 * Runs one batch and hands every row of every result set to row. Keeps nothing half: succeeds only
 * when the server said that rows and results are at an end.
 *
 * result_count receives how many result sets with columns came. An SQL error of one statement does
 * not stop the later ones; err says then the first of them, or what broke the batch off.
 *
 * Errors:  ERROR_TIMEOUT (the session may be dead: session_is_alive), ERROR_UNREACHABLE,
 * ERROR_SERVER, ERROR_DENIED (297, 300, 229 ...), ERROR_PROTOCOL, or what row said. Threads: the
 * owner; blocks up to the query timeout, cut short by a shut down socket.
 */
MUST_CHECK bool session_run(struct session *session, const char *sql, session_row_fn *row,
			    void *context, int *result_count, struct error *err);

/* False when the connection is gone and must be closed and opened again. Threads: the owner. */
bool session_is_alive(struct session *session);

/*
 * True when the last session_run saw the end of all results, whatever single statements said.
 * False: nothing of what it handed out may be kept. Threads: the owner.
 */
bool session_is_complete(const struct session *session);

/* How many errors the last session_run met, up to SESSION_ERRORS_MAX. Threads: the owner. */
int session_error_count(const struct session *session);

/*
 * One of them, in the order of the answer. *result receives the last result set (from 0) that had
 * begun when it came, -1 for none: a statement that fails has often no result set of its own.
 *
 * Owns:    lives until the next session_run.
 * Threads: the owner.
 */
const struct error *session_error_at(const struct session *session, int i, int *result);
