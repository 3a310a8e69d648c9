/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target of the name "prod" whose session and writer are fakes, on a clock that the test moves.
 * One thread; state is global, for a fake has no other way to find it.
 */
#pragma once

#include "daemon/target.h"
#include "tests/support.h"

enum { EVENTS_MAX = 16, ASKED_MAX = 64 };

struct fake {
	/* what start takes */
	int64_t configured_ms; /* interval of the waits, the only view that has rows */
	int64_t others_ms;     /* interval of the other views; 0: they are off */
	int64_t stored_end_utc_ms;
	/* the server */
	struct error login;	   /* kind other than NONE: what a login meets */
	struct error query;	   /* same for a round trip */
	struct error views;	   /* same for each view */
	unsigned hanging;	   /* views of which no answer comes */
	unsigned asked[ASKED_MAX]; /* what each round trip was to bring */
	int asked_count;
	bool is_alive;
	struct epoch epoch;
	int64_t wait_ms;
	int64_t now_ms;
	int64_t utc_step_ms;  /* by which the UTC clock here was set */
	int64_t ticks_lag_ms; /* by which the server's ticks stood still */
	int64_t duration_ms;  /* of a round trip */
	int login_count;
	struct session_traffic traffic; /* of the session */
	int64_t session_cpu_ms;		/* -1: it is not told */
	int cost_count;			/* how often it was asked for */
	char password[32];		/* of the last login */
	/* the writer */
	bool is_full;
	bool is_failing; /* commits fail; the queue still takes batches */
	struct event events[EVENTS_MAX];
	int event_count;
	int delta_count;
	enum quality quality; /* of the last delta */
	int64_t value;	      /* of PAGELATCH_EX in it */
	int64_t interval_ms;
	int64_t elapsed_ms;
	int64_t end_utc_ms;
	bool is_dated_back;
};

extern struct fake fake;
extern struct target *target;

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* A fresh fake and a target on it, which has not begun; its phase is now. */
int set_up(void **state);
int tear_down(void **state);

/* Makes the target anew, with what the store kept (taken over) or NULL. */
void start(struct baseline *baseline);

/* Writes or removes what the password file holds. */
void write_password(const char *text);
void remove_password(void);

/* One turn at fake.now_ms; returns when the next is due. */
int64_t turn(void);

/* A turn, and after a fall the one that begins the pause. */
int64_t step(void);

/* The step so much later, with so much more wait. */
int64_t poll_after(int64_t ms, int64_t more_ms);

/* What live shows of the target. */
struct live_target shown(void);

/* How many events of a kind were handed on. */
int count_events(const char *kind);
