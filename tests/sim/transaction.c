/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of the transaction manager, in the layout of MS-TDS 2.2.6.9. Pure. */
#include "tests/sim/transaction.h"

#include <string.h>

enum request {
	REQUEST_BEGIN = 5,
	REQUEST_COMMIT = 7,
	REQUEST_ROLLBACK = 8,
	REQUEST_SAVE = 9,
};

enum { FLAG_BEGIN_ANOTHER = 0x01, NAME_SIZE = 385 };

static void add_word(struct buffer *sql, const char *word)
{
	buffer_add(sql, word, strlen(word));
}

/* Names travel quoted; a closing bracket is doubled. */
static void add_name(struct cursor *cursor, struct buffer *sql)
{
	char name[NAME_SIZE];
	cursor_text(cursor, cursor_u8(cursor) / 2U, name, sizeof(name));
	if (name[0] == '\0')
		return;
	add_word(sql, " [");
	for (const char *letter = name; *letter != '\0'; letter++) {
		buffer_add(sql, letter, 1);
		if (*letter == ']')
			buffer_add(sql, letter, 1);
	}
	add_word(sql, "]");
}

static void add_begin(struct cursor *cursor, struct buffer *sql)
{
	(void)cursor_u8(cursor); /* the isolation level changes nothing here */
	add_word(sql, "BEGIN TRANSACTION");
	add_name(cursor, sql);
}

static void add_end(struct cursor *cursor, struct buffer *sql, const char *words)
{
	add_word(sql, words);
	add_name(cursor, sql);
	if ((cursor_u8(cursor) & FLAG_BEGIN_ANOTHER) == 0)
		return;
	add_word(sql, "; ");
	add_begin(cursor, sql);
}

bool transaction_add_sql(struct cursor *cursor, struct buffer *sql)
{
	switch (cursor_u16(cursor)) {
	case REQUEST_BEGIN:
		add_begin(cursor, sql);
		break;
	case REQUEST_COMMIT:
		add_end(cursor, sql, "COMMIT TRANSACTION");
		break;
	case REQUEST_ROLLBACK:
		add_end(cursor, sql, "ROLLBACK TRANSACTION");
		break;
	case REQUEST_SAVE:
		add_word(sql, "SAVE TRANSACTION");
		add_name(cursor, sql);
		break;
	default:
		return false;
	}
	return !cursor->is_broken;
}
