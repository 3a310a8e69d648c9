/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renders a .sql file. A walk over the text that steps over comments and strings whole, so that
 * nothing inside them is ever replaced. Pure.
 */
#include "collectors/statement.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct walk {
	const char *at;
	bool is_declaring; /* between DECLARE and its semicolon */
	const struct statement_value *values;
	size_t value_count;
	const char *database;
	size_t replaced_count;
};

static bool is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_' || byte == '@' || byte == '#' ||
	       byte == '$';
}

/* Bytes up to and with the closing text, or to the end of what follows. */
static size_t size_until(const char *text, size_t from, const char *closing)
{
	const char *end = strstr(text + from, closing);
	return end ? (size_t)(end - text) + strlen(closing) : strlen(text);
}

/* Size of the comment, string, bracketed name, word or single byte that text begins with. */
static size_t token_size(const char *text)
{
	if (strncmp(text, "--", 2) == 0)
		return size_until(text, 2, "\n");
	if (strncmp(text, "/*", 2) == 0)
		return size_until(text, 2, "*/");
	if (*text == '\'')
		return size_until(text, 1, "'");
	if (*text == '[')
		return size_until(text, 1, "]");
	size_t size = 0;
	while (is_name_byte(text[size]))
		size++;
	return size > 0 ? size : 1;
}

static bool token_is(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && strncasecmp(text, word, size) == 0;
}

static void add_quoted(struct strbuf *out, const char *name)
{
	strbuf_addc(out, '[');
	for (; *name; name++) {
		if (*name == ']')
			strbuf_addc(out, ']');
		strbuf_addc(out, *name);
	}
	strbuf_addc(out, ']');
}

static const struct statement_value *find_value(const struct walk *walk, const char *token,
						size_t size)
{
	for (size_t i = 0; i < walk->value_count; i++)
		if (token_is(token, size, walk->values[i].name))
			return &walk->values[i];
	return NULL;
}

/* After "@name" of a declaration: copies "type = " and puts the value in place of the literal. */
static void replace_literal(struct walk *walk, const struct statement_value *value,
			    struct strbuf *out)
{
	const size_t before = strcspn(walk->at, "=,;");
	if (walk->at[before] != '=')
		return;
	strbuf_add(out, walk->at, before);
	strbuf_adds(out, "= ");
	strbuf_add_int(out, value->value);
	walk->at += before;
	walk->at += strcspn(walk->at, ",;");
	walk->replaced_count++;
}

static void copy_token(struct walk *walk, struct strbuf *out)
{
	const char *token = walk->at;
	const size_t size = token_size(token);
	walk->at += size;
	if (walk->database && token_is(token, size, "[master]")) {
		add_quoted(out, walk->database);
		return;
	}
	strbuf_add(out, token, size);
	if (token_is(token, size, "DECLARE"))
		walk->is_declaring = true;
	if (*token == ';')
		walk->is_declaring = false;
	const struct statement_value *value =
		walk->is_declaring ? find_value(walk, token, size) : NULL;
	if (value)
		replace_literal(walk, value, out);
}

/* The comment lines at the begin of sql as one text, blanks run together. */
static void join_head(const char *sql, struct strbuf *head)
{
	while (strncmp(sql, "--", 2) == 0) {
		const char *end = strchrnul(sql, '\n');
		for (sql += 2; sql < end; sql++)
			if (*sql != ' ' ||
			    strbuf_text(head)[head->size ? head->size - 1 : 0] != ' ')
				strbuf_addc(head, *sql);
		strbuf_addc(head, ' ');
		sql = *end ? end + 1 : end;
	}
}

/* Where the key that comes first in text begins; its end when there is none. */
static const char *next_key(const char *text)
{
	static const char *const keys[] = {"Purpose:", "Rights:", "Cost:", "Versions:"};
	const char *first = text + strlen(text);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *at = strstr(text, keys[i]);
		if (at && at < first)
			first = at;
	}
	return first;
}

void statement_head(const char *sql, const char *key, struct strbuf *out)
{
	CLEANUP(strbuf_done) struct strbuf head = STRBUF_INIT;
	CLEANUP(strbuf_done) struct strbuf wanted = STRBUF_INIT;
	join_head(sql, &head);
	strbuf_addf(&wanted, "%s:", key);
	const char *begin = strstr(strbuf_text(&head), strbuf_text(&wanted));
	if (!begin)
		return;
	begin += wanted.size;
	const char *end = next_key(begin);
	begin += strspn(begin, " ");
	while (end > begin && end[-1] == ' ')
		end--;
	strbuf_add(out, begin, (size_t)(end - begin));
}

bool statement_render(struct strbuf *out, const char *sql, const struct statement_value *values,
		      size_t value_count, const char *database, struct error *err)
{
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct walk walk = {
		.at = sql, .values = values, .value_count = value_count, .database = database};
	while (*walk.at)
		copy_token(&walk, &text);
	if (walk.replaced_count != value_count)
		return error_set(err, ERROR_INVALID, 0,
				 "the statement declares %zu of the %zu values given",
				 walk.replaced_count, value_count);
	strbuf_add(out, text.data, text.size);
	return true;
}
