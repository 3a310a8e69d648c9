/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a login may see, found out by asking for it: one batch after each login, in which every part
 * is refused or answered alone. Runs in the thread that owns the session.
 */
#pragma once

#include "collectors/right.h"
#include "collectors/session.h"

enum { PROBE_COUNT = 8, PROBE_TEXT_SIZE = 160 };

enum probe_state { PROBE_WORKS, PROBE_DENIED, PROBE_FAILED, PROBE_UNSUPPORTED, PROBE_UNKNOWN };

/* One thing that latchd can see; the same list for every server. */
struct probe_info {
	const char *name;    /* "waits"; in the statement and in the API */
	const char *purpose; /* what is lost without it */
	enum right right;
};

struct probe {
	bool is_done;
	struct {
		enum probe_state state;
		int code; /* of the server; 0 none */
		char text[PROBE_TEXT_SIZE];
	} parts[PROBE_COUNT];
};

/* What part i is. Pure. */
const struct probe_info *probe_info(int i);

/* "ok", "denied", "failing", "unsupported", as for collectors, or "unknown". Pure. */
const char *probe_state_name(enum probe_state state);

/* Appends the statement that lets a denied part be seen; nothing else. Threads: any. */
void probe_cure(const struct probe *probe, int i, const struct server *server, struct strbuf *out);

/*
 * Asks for every part.
 *
 * Errors:  those of session_run, when the batch did not come to its end.
 * Threads: the owner of session; blocks.
 */
MUST_CHECK bool probe_run(struct session *session, const struct server *server, struct probe *probe,
			  struct error *err);
