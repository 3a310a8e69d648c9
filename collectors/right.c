/* SPDX-License-Identifier: Apache-2.0 */
/* The statements that cure a missing right. Pure. */
#include "collectors/right.h"

#include <string.h>

enum { MANAGED_INSTANCE = 8, MAJOR_2014 = 12, MAJOR_2022 = 16 };

/* Numbers of the server: SELECT denied on the one object; a database that one may not enter. */
enum { SELECT_DENIED = 229, DATABASE_CLOSED = 916 };

/* The finer rights came with 2022; a Managed Instance follows the older ones. */
static bool has_fine_rights(const struct server *server)
{
	return server->major >= MAJOR_2022 && server->engine_edition != MANAGED_INSTANCE;
}

/* Where VIEW DATABASE STATE does not show what counts for the server. */
static bool is_small_tier(const struct server *server)
{
	static const char *const small[] = {"Basic", "S0", "S1", "ElasticPool"};
	for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++)
		if (strcmp(server->service_objective, small[i]) == 0)
			return true;
	return false;
}

static const char *azure_right(const struct server *server, enum right right)
{
	if (right == RIGHT_NAMES)
		return "GRANT VIEW DEFINITION TO ";
	if (right == RIGHT_STATE && is_small_tier(server))
		return "ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER ";
	return right == RIGHT_DATABASE ? NULL : "GRANT VIEW DATABASE STATE TO ";
}

static const char *server_right(const struct server *server, enum right right)
{
	const bool is_fine = has_fine_rights(server);
	switch (right) {
	case RIGHT_STATE:
		return is_fine ? "GRANT VIEW SERVER PERFORMANCE STATE TO "
			       : "GRANT VIEW SERVER STATE TO ";
	case RIGHT_CONNECTION:
		return is_fine ? "GRANT VIEW SERVER SECURITY STATE TO "
			       : "GRANT VIEW SERVER STATE TO ";
	case RIGHT_NAMES:
		return is_fine ? "GRANT VIEW ANY PERFORMANCE DEFINITION TO "
			       : "GRANT VIEW ANY DEFINITION TO ";
	case RIGHT_DATABASE:
		return server->major >= MAJOR_2014 ? "GRANT CONNECT ANY DATABASE TO "
						   : "CREATE USER ";
	case RIGHT_NONE:
		break;
	}
	return NULL;
}

static void add_name(struct strbuf *out, const char *name)
{
	strbuf_addc(out, '[');
	for (; *name; name++) {
		if (*name == ']')
			strbuf_addc(out, ']');
		strbuf_addc(out, *name);
	}
	strbuf_addc(out, ']');
}

void right_cure(const struct server *server, enum right right, struct strbuf *out)
{
	const char *begin = server->class == SERVER_CLASS_D ? azure_right(server, right)
							    : server_right(server, right);
	if (!begin)
		return;
	strbuf_adds(out, begin);
	add_name(out, server->login);
	strbuf_addc(out, ';');
}

enum right right_missing(int number, enum right wanted)
{
	if (number == SELECT_DENIED)
		return RIGHT_NONE;
	return number == DATABASE_CLOSED ? RIGHT_DATABASE : wanted;
}
