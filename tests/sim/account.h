/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logins and what they are granted. The instance's lock guards the list; the rest is pure. Does not
 * know sessions or the wire.
 */
#pragma once

#include "tests/sim/profile.h"

#define ACCOUNT_NAME_SIZE   129
#define ACCOUNT_DENIALS_MAX 8

enum right {
	RIGHT_VIEW_SERVER_STATE = 1 << 0,
	RIGHT_VIEW_SERVER_PERFORMANCE_STATE = 1 << 1,
	RIGHT_VIEW_SERVER_SECURITY_STATE = 1 << 2,
	RIGHT_ALTER_SERVER_STATE = 1 << 3,
	RIGHT_VIEW_ANY_DEFINITION = 1 << 4,
	RIGHT_VIEW_ANY_PERFORMANCE_DEFINITION = 1 << 5,
	RIGHT_CONNECT_ANY_DATABASE = 1 << 6,
	RIGHT_VIEW_DATABASE_STATE = 1 << 7,
	RIGHT_VIEW_DATABASE_PERFORMANCE_STATE = 1 << 8,
	RIGHT_VIEW_DEFINITION = 1 << 9,
	RIGHT_ALL = (1 << 10) - 1,
};

struct account {
	char name[ACCOUNT_NAME_SIZE];
	char password[ACCOUNT_NAME_SIZE];
	unsigned rights;				     /* as granted */
	char denied[ACCOUNT_DENIALS_MAX][ACCOUNT_NAME_SIZE]; /* views, DENY SELECT */
	size_t denied_count;
};

struct accounts {
	struct account *items;
	size_t count;
};

void accounts_done(struct accounts *accounts);

/* NULL when there is none; borrowed until the next change. */
struct account *accounts_find(const struct accounts *accounts, const char *name);

/*
 * Adds a login from "NAME:PASSWORD[:RIGHT,RIGHT...]"; without the third part it has all rights,
 * with an empty one none. A login that exists is replaced. False when the text is not of that form.
 */
bool accounts_add(struct accounts *accounts, const char *text);

/* "login add|remove", "grant", "revoke", "deny": words as the control socket splits them. */
void accounts_control(struct accounts *accounts, const char *verb, char *const *words, size_t count,
		      char *answer, size_t answer_size);

/* What the grants amount to on this version, with all they imply; NULL has none. Pure. */
unsigned account_rights(const struct account *account, const struct profile *profile);

/* 1, 0, or -1 when this version has no such permission. Pure. */
int account_has_permission(const struct account *account, const struct profile *profile,
			   const char *permission);

/*
 * Why the login may not read a view: "NUMBER SEVERITY TEXT" as the server says it. False when it
 * may. Pure.
 */
bool account_refuses_view(const struct account *account, const struct profile *profile,
			  const char *view, const char *database, char *reason, size_t reason_size);

/* True when without the server permission the view shows the session's own rows only. Pure. */
bool account_view_shows_own_rows(const char *view);
