/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong on a connection, in this program's words: numbers of libsybdb and of SQL Server
 * become kinds and sentences, here and nowhere else. Pure; knows the numbers, not the library.
 */
#pragma once

#include <stdbool.h>

#include "daemon/base/error.h"

/* Numbers of libsybdb's error handler that decide what to do, not only what to say. */
enum {
	SESSION_FAULT_TIMEOUT = 20003,
	SESSION_FAULT_SERVER_MESSAGE = 20018, /* says only that a message of the server came */
};

/* From this severity on the server closes the connection. */
enum { SESSION_FATAL_SEVERITY = 20 };

/*
 * Fills err for an error that libsybdb itself reports; where is "HOST:PORT".
 *
 * Units:   os_error is an errno, 0 or -1 when there is none.
 * Threads: any.
 */
void session_fault_of_library(int number, int os_error, const char *text, const char *where,
			      bool is_login, struct error *err);

/*
 * True for what libsybdb says of every login that breaks off, TLS or not: something else must find
 * out why. Pure.
 */
bool session_fault_is_vague(const struct error *err);

/* Fills err for a message of the server with a severity above 10. Threads: any. */
void session_fault_of_server(int number, int severity, int state, int line, const char *text,
			     struct error *err);
