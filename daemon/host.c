/* SPDX-License-Identifier: Apache-2.0 */
/* Spellings of hosts. Pure; called by main while it reads the configuration. */
#include "daemon/host.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { SPELLING_SIZE = 400, LABEL_BYTES_MAX = 63, PORT_DIGITS_MAX = 5 };

/* What the text says, cut into its parts. */
struct spelling {
	char text[SPELLING_SIZE]; /* the parts point into it */
	char *name;
	char *instance; /* NULL for none, as the next */
	char *port;
};

static bool refuse(struct error *err, const char *text, const char *why)
{
	return error_set(err, ERROR_INVALID, 0, "'%.80s' is no host: %s", text, why);
}

static char *trim(char *text)
{
	size_t size = 0;

	while (*text == ' ')
		text++;
	for (size = strlen(text); size > 0 && text[size - 1] == ' ';)
		text[--size] = '\0';
	return text;
}

/* The part behind a separator, which ends the part before it; NULL when there is none. */
static char *cut_behind(char *text, char separator)
{
	char *at = strchr(text, separator);

	if (!at)
		return NULL;
	*at = '\0';
	return trim(at + 1);
}

/* Other ways to a server than TCP, and words that mean this machine to ADO but to nobody else. */
static const char *fault_of_protocol(const char *text)
{
	if (strncasecmp(text, "np:", 3) == 0 || strncmp(text, "\\\\", 2) == 0)
		return "named pipes are not spoken, only TCP; did you mean \"HOST,PORT\"?";
	if (strncasecmp(text, "lpc:", 4) == 0 || strncasecmp(text, "(localdb)", 9) == 0)
		return "shared memory is not spoken, only TCP; did you mean \"localhost\"?";
	if (strncasecmp(text, "admin:", 6) == 0)
		return "the dedicated administrator connection has one place, which is not ours";
	if (strchr(text, '='))
		return "this looks like a connection string; the name alone is wanted";
	size_t size = strcspn(text, "\\,");
	if ((size == 1 && *text == '.') || (size == 7 && strncasecmp(text, "(local)", size) == 0))
		return "did you mean \"localhost\"?";
	return NULL;
}

/* [ADDRESS]... : the brackets go, what follows them stays. */
static bool open_bracket(struct spelling *spelling, const char *whole, struct error *err)
{
	char *end = strchr(spelling->name, ']');
	char *rest = end ? end + 1 : NULL;

	if (!end)
		return refuse(err, whole, "its bracket is not closed");
	if (*rest == ':')
		return error_set(err, ERROR_INVALID, 0,
				 "'%.80s' is no host: a port stands behind a comma; did you mean "
				 "\"%.*s,%.5s\"?",
				 whole, (int)(rest - spelling->name), spelling->name, rest + 1);
	if (*rest != '\0' && *rest != ',' && *rest != '\\')
		return refuse(err, whole, "something stands behind its bracket");
	spelling->port = cut_behind(rest, ',');
	spelling->instance = cut_behind(rest, '\\');
	*end = '\0';
	spelling->name++;
	if (!strchr(spelling->name, ':'))
		return refuse(err, whole, "only addresses of IP version 6 stand in brackets");
	return true;
}

static bool cut_parts(struct spelling *spelling, const char *whole, struct error *err)
{
	spelling->name = trim(spelling->text);
	if (strncasecmp(spelling->name, "tcp:", 4) == 0)
		spelling->name = trim(spelling->name + 4);
	const char *fault = fault_of_protocol(spelling->name);
	if (fault)
		return refuse(err, whole, fault);
	if (*spelling->name == '[')
		return open_bracket(spelling, whole, err);
	spelling->port = cut_behind(spelling->name, ',');
	spelling->instance = cut_behind(spelling->name, '\\');
	spelling->name = trim(spelling->name);
	return true;
}

static bool is_address_of_version_6(const char *name)
{
	char address[INET6_ADDRSTRLEN];
	struct in6_addr binary;
	size_t size = strcspn(name, "%"); /* a zone follows: fe80::1%eth0 */

	if (size >= sizeof(address))
		return false;
	memcpy(address, name, size);
	address[size] = '\0';
	for (const char *byte = name + size + (name[size] == '%'); *byte; byte++)
		if (!isalnum((unsigned char)*byte) && !strchr("._-", *byte))
			return false;
	return inet_pton(AF_INET6, address, &binary) == 1;
}

/* A name or an address of version 4, as a resolver would take it. */
static const char *fault_of_name(const char *name)
{
	size_t label_size = 0;

	for (const char *byte = name; *byte; byte++) {
		if (*byte == '.' && label_size == 0)
			return "it has an empty part";
		if (!isalnum((unsigned char)*byte) && !strchr("._-", *byte))
			return "it may have letters, digits and ._- in it";
		label_size = *byte == '.' ? 0 : label_size + 1;
		if (label_size > LABEL_BYTES_MAX)
			return "a part of it is longer than 63 bytes";
	}
	return NULL;
}

static bool take_name(const struct spelling *spelling, const char *whole, struct host *host,
		      struct error *err)
{
	const char *name = spelling->name, *colon = strchr(name, ':');

	if (*name == '\0')
		return refuse(err, whole, "the name is empty");
	if (strlen(name) >= sizeof(host->name))
		return refuse(err, whole, "it is longer than 255 bytes");
	if (colon && !strchr(colon + 1, ':'))
		return error_set(err, ERROR_INVALID, 0,
				 "'%.80s' is no host: a port stands behind a comma; did you mean "
				 "\"%.*s,%.5s\"?",
				 whole, (int)(colon - name), name, colon + 1);
	if (colon && !is_address_of_version_6(name))
		return refuse(err, whole, "nor is it an address of IP version 6");
	const char *fault = colon ? NULL : fault_of_name(name);
	if (fault)
		return refuse(err, whole, fault);
	memcpy(host->name, name, strlen(name) + 1);
	return true;
}

static bool take_instance(const struct spelling *spelling, const char *whole, struct host *host,
			  struct error *err)
{
	const char *instance = spelling->instance;

	if (!instance)
		return true;
	if (*instance == '\0')
		return refuse(err, whole, "the instance behind its backslash is empty");
	if (strlen(instance) >= sizeof(host->instance))
		return refuse(err, whole, "its instance is longer than 32 bytes");
	for (const char *byte = instance; *byte; byte++)
		if (!isalnum((unsigned char)*byte) && !strchr("_$#&@-", *byte))
			return refuse(err, whole, "its instance has a sign that no instance has");
	memcpy(host->instance, instance, strlen(instance) + 1);
	return true;
}

static bool take_port(const struct spelling *spelling, const char *whole, struct host *host,
		      struct error *err)
{
	const char *port = spelling->port;

	if (!port)
		return true;
	size_t size = strspn(port, "0123456789");
	long number = strtol(port, NULL, 10);
	if (size == 0 || size > PORT_DIGITS_MAX || port[size] != '\0' || number < 1 ||
	    number > UINT16_MAX)
		return error_set(err, ERROR_INVALID, 0,
				 "the port '%.20s' in '%.80s' is not a number from 1 to 65535",
				 port, whole);
	host->port = (int)number;
	return true;
}

bool host_parse(const char *text, struct host *host, struct error *err)
{
	struct spelling spelling = {0};
	struct host parsed = {0};

	if (strlen(text) >= sizeof(spelling.text))
		return refuse(err, text, "it is too long");
	memcpy(spelling.text, text, strlen(text) + 1);
	if (!cut_parts(&spelling, text, err) || !take_name(&spelling, text, &parsed, err) ||
	    !take_instance(&spelling, text, &parsed, err) ||
	    !take_port(&spelling, text, &parsed, err))
		return false;
	*host = parsed;
	return true;
}
