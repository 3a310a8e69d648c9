/* SPDX-License-Identifier: Apache-2.0 */
/* The list of logins, and what a grant is worth on which version. Instance locked, else pure. */
#include "tests/sim/account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/sim/text.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { RIGHTS_TEXT_SIZE = 512 };

/* A permission, where it exists, and what comes with it. */
static const struct {
	const char *name;
	unsigned right;
	unsigned profiles;
	unsigned implied;
} rights[] = {
	{"ALTER SERVER STATE", RIGHT_ALTER_SERVER_STATE, PROFILE_ALL & ~PROFILE_AZURE,
	 RIGHT_VIEW_SERVER_STATE},
	{"##MS_ServerStateReader##", RIGHT_VIEW_SERVER_STATE, PROFILE_ALL, 0},
	{"VIEW SERVER STATE", RIGHT_VIEW_SERVER_STATE, PROFILE_ALL,
	 RIGHT_VIEW_SERVER_PERFORMANCE_STATE | RIGHT_VIEW_SERVER_SECURITY_STATE |
		 RIGHT_VIEW_DATABASE_STATE},
	{"VIEW SERVER PERFORMANCE STATE", RIGHT_VIEW_SERVER_PERFORMANCE_STATE, PROFILE_SINCE_2022,
	 RIGHT_VIEW_DATABASE_PERFORMANCE_STATE},
	{"VIEW SERVER SECURITY STATE", RIGHT_VIEW_SERVER_SECURITY_STATE, PROFILE_SINCE_2022, 0},
	{"VIEW ANY DEFINITION", RIGHT_VIEW_ANY_DEFINITION, PROFILE_ALL,
	 RIGHT_VIEW_ANY_PERFORMANCE_DEFINITION | RIGHT_VIEW_DEFINITION},
	{"VIEW ANY PERFORMANCE DEFINITION", RIGHT_VIEW_ANY_PERFORMANCE_DEFINITION,
	 PROFILE_SINCE_2022, 0},
	{"CONNECT ANY DATABASE", RIGHT_CONNECT_ANY_DATABASE, PROFILE_SINCE_2014, 0},
	{"VIEW DATABASE STATE", RIGHT_VIEW_DATABASE_STATE, PROFILE_ALL,
	 RIGHT_VIEW_DATABASE_PERFORMANCE_STATE},
	{"VIEW DATABASE PERFORMANCE STATE", RIGHT_VIEW_DATABASE_PERFORMANCE_STATE,
	 PROFILE_SINCE_2022, 0},
	{"VIEW DEFINITION", RIGHT_VIEW_DEFINITION, PROFILE_ALL, 0},
};

/* Which permission guards a view: all names that begin so, the first row that fits. */
static const struct {
	const char *prefix;
	unsigned right; /* 0 = none, the session's own rows are shown then */
} guards[] = {
	{"dm_exec_sessions", 0},
	{"dm_exec_requests", 0},
	{"dm_exec_session_wait_stats", 0},
	{"dm_exec_connections", RIGHT_VIEW_SERVER_SECURITY_STATE},
	{"dm_exec_", RIGHT_VIEW_SERVER_PERFORMANCE_STATE},
	{"dm_os_", RIGHT_VIEW_SERVER_PERFORMANCE_STATE},
	{"fn_PageResCracker", RIGHT_VIEW_SERVER_PERFORMANCE_STATE},
	{"dm_db_", RIGHT_VIEW_DATABASE_PERFORMANCE_STATE},
};

void accounts_done(struct accounts *accounts)
{
	free(accounts->items);
	*accounts = (struct accounts){0};
}

struct account *accounts_find(const struct accounts *accounts, const char *name)
{
	for (size_t i = 0; i < accounts->count; i++)
		if (strcasecmp(accounts->items[i].name, name) == 0)
			return &accounts->items[i];
	return NULL;
}

static bool read_right(const char *text, size_t size, unsigned *mask)
{
	while (size > 0 && *text == ' ')
		text++, size--;
	while (size > 0 && text[size - 1] == ' ')
		size--;
	for (size_t i = 0; i < COUNT_OF(rights); i++) {
		if (!text_is_word(text, size, rights[i].name))
			continue;
		*mask |= rights[i].right;
		return true;
	}
	return size == 0;
}

/* "RIGHT, RIGHT ..."; an empty text is no right. */
static bool read_rights(const char *text, unsigned *mask)
{
	*mask = 0;
	for (;;) {
		size_t size = strcspn(text, ",");
		if (!read_right(text, size, mask))
			return false;
		if (text[size] == '\0')
			return true;
		text += size + 1;
	}
}

static void put_account(struct accounts *accounts, const struct account *account)
{
	struct account *old = accounts_find(accounts, account->name);

	if (old) {
		*old = *account;
		return;
	}
	struct account *items = realloc(accounts->items, (accounts->count + 1) * sizeof(*items));
	if (!items)
		abort();
	items[accounts->count++] = *account;
	accounts->items = items;
}

bool accounts_add(struct accounts *accounts, const char *text)
{
	struct account account = {.rights = RIGHT_ALL};
	size_t name_size = strcspn(text, ":");
	const char *password = text + name_size + 1;

	if (name_size == 0 || text[name_size] == '\0' || name_size >= ACCOUNT_NAME_SIZE)
		return false;
	size_t password_size = strcspn(password, ":");
	if (password_size >= ACCOUNT_NAME_SIZE)
		return false;
	memcpy(account.name, text, name_size);
	memcpy(account.password, password, password_size);
	if (password[password_size] == ':' &&
	    !read_rights(password + password_size + 1, &account.rights))
		return false;
	put_account(accounts, &account);
	return true;
}

static void remove_account(struct accounts *accounts, struct account *account)
{
	accounts->count--;
	*account = accounts->items[accounts->count];
}

/* What stands behind the first words, so that a right needs no quotes. */
static void join(char *const *words, size_t from, size_t count, char text[RIGHTS_TEXT_SIZE])
{
	size_t size = 0;

	text[0] = '\0';
	for (size_t i = from; i < count && size + 1 < RIGHTS_TEXT_SIZE; i++) {
		int added = snprintf(text + size, RIGHTS_TEXT_SIZE - size, "%s%s",
				     i > from ? " " : "", words[i]);
		size += added > 0 ? (size_t)added : 0;
	}
}

static bool control_login(struct accounts *accounts, char *const *words, size_t count)
{
	struct account *account = count > 1 ? accounts_find(accounts, words[1]) : NULL;
	struct account added = {0};
	char text[RIGHTS_TEXT_SIZE] = "";

	if (count == 2 && strcmp(words[0], "remove") == 0 && account) {
		remove_account(accounts, account);
		return true;
	}
	if (count < 3 || strcmp(words[0], "add") != 0)
		return false;
	join(words, 3, count, text);
	snprintf(added.name, sizeof(added.name), "%s", words[1]);
	snprintf(added.password, sizeof(added.password), "%s", words[2]);
	if (!read_rights(text, &added.rights))
		return false;
	put_account(accounts, &added);
	return true;
}

static bool control_deny(struct account *account, const char *view)
{
	if (account->denied_count == ACCOUNT_DENIALS_MAX)
		return false;
	snprintf(account->denied[account->denied_count++], ACCOUNT_NAME_SIZE, "%s", view);
	return true;
}

static bool control_right(struct account *account, const char *verb, const char *text)
{
	unsigned mask;

	if (strcmp(verb, "deny") == 0)
		return control_deny(account, text);
	if (strcmp(verb, "grant") == 0 && strncasecmp(text, "SELECT", 6) == 0) {
		account->denied_count = 0;
		return true;
	}
	if (!read_rights(text, &mask) || mask == 0)
		return false;
	if (strcmp(verb, "grant") == 0)
		account->rights |= mask;
	else
		account->rights &= ~mask;
	return true;
}

void accounts_control(struct accounts *accounts, const char *verb, char *const *words, size_t count,
		      char *answer, size_t answer_size)
{
	struct account *account = count > 0 ? accounts_find(accounts, words[0]) : NULL;
	char text[RIGHTS_TEXT_SIZE] = "";
	bool is_done;

	join(words, 1, count, text);
	if (strcmp(verb, "login") == 0)
		is_done = control_login(accounts, words, count);
	else
		is_done = account && text[0] != '\0' && control_right(account, verb, text);
	snprintf(answer, answer_size, "%s",
		 is_done ? "ok"
			 : "error say login add NAME PASSWORD [RIGHT,...] | login remove NAME | "
			   "grant|revoke NAME RIGHT,... | deny NAME VIEW | grant NAME SELECT");
}

unsigned account_rights(const struct account *account, const struct profile *profile)
{
	unsigned mask = account ? account->rights : 0;

	for (size_t i = 0; i < COUNT_OF(rights); i++)
		if (!(rights[i].profiles & profile->bit))
			mask &= ~rights[i].right;
	for (size_t i = 0; i < COUNT_OF(rights); i++)
		if (mask & rights[i].right) /* the table is in the order of implication */
			mask |= rights[i].implied;
	/* No single database is looked at: who may do something in one may do it in all. */
	if ((profile->bit & PROFILE_2012) && mask != 0)
		mask |= RIGHT_CONNECT_ANY_DATABASE; /* there it takes a user in each */
	if ((profile->bit & PROFILE_AZURE) && !profile->is_small_tier &&
	    (mask & RIGHT_VIEW_DATABASE_PERFORMANCE_STATE))
		mask |= RIGHT_VIEW_SERVER_PERFORMANCE_STATE;
	if ((profile->bit & PROFILE_AZURE) && (mask & RIGHT_VIEW_DATABASE_STATE))
		mask |= RIGHT_VIEW_SERVER_SECURITY_STATE;
	return mask;
}

int account_has_permission(const struct account *account, const struct profile *profile,
			   const char *permission)
{
	for (size_t i = 0; i < COUNT_OF(rights); i++)
		if (strcasecmp(rights[i].name, permission) == 0 &&
		    (rights[i].profiles & profile->bit))
			return (account_rights(account, profile) & rights[i].right) != 0;
	return -1;
}

/* The permission as this version names it: the finer ones came with 2022. */
static const char *right_name(unsigned right, const struct profile *profile)
{
	bool is_fine = profile->bit & PROFILE_SINCE_2022;

	if (right == RIGHT_VIEW_SERVER_SECURITY_STATE && is_fine)
		return "VIEW SERVER SECURITY STATE";
	if (right == RIGHT_VIEW_DATABASE_PERFORMANCE_STATE)
		return is_fine ? "VIEW DATABASE PERFORMANCE STATE" : "VIEW DATABASE STATE";
	return is_fine ? "VIEW SERVER PERFORMANCE STATE" : "VIEW SERVER STATE";
}

static bool is_denied(const struct account *account, const char *view)
{
	for (size_t i = 0; account && i < account->denied_count; i++) {
		const char *name = account->denied[i];
		if (strcasecmp(strncasecmp(name, "sys.", 4) == 0 ? name + 4 : name, view) == 0)
			return true;
	}
	return false;
}

static int guard_of(const char *view)
{
	for (size_t i = 0; i < COUNT_OF(guards); i++)
		if (strncasecmp(view, guards[i].prefix, strlen(guards[i].prefix)) == 0)
			return (int)guards[i].right;
	return -1;
}

bool account_view_shows_own_rows(const char *view)
{
	return guard_of(view) == 0;
}

bool account_refuses_view(const struct account *account, const struct profile *profile,
			  const char *view, const char *database, char *reason, size_t reason_size)
{
	int guard = guard_of(view);

	if (is_denied(account, view)) {
		snprintf(reason, reason_size,
			 "229 14 The SELECT permission was denied on the object '%s', database "
			 "'mssqlsystemresource', schema 'sys'.",
			 view);
		return true;
	}
	if (guard <= 0 || (account_rights(account, profile) & (unsigned)guard))
		return false;
	const char *name = right_name((unsigned)guard, profile);
	if (guard == RIGHT_VIEW_DATABASE_PERFORMANCE_STATE ||
	    ((profile->bit & PROFILE_AZURE) && !profile->is_small_tier))
		snprintf(reason, reason_size, "262 14 %s permission denied in database '%s'.",
			 profile->bit & PROFILE_AZURE ? "VIEW DATABASE PERFORMANCE STATE" : name,
			 database);
	else
		snprintf(reason, reason_size,
			 "300 14 %s permission was denied on object 'server', database 'master'.",
			 name);
	return true;
}
