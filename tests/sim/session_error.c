/* SPDX-License-Identifier: Apache-2.0 */
/* Says in the server's words why a statement does not run. Session thread; not the wire. */
#include "tests/sim/session_batch.h"

#include <stdio.h>
#include <string.h>

/* The word behind a prefix, up to a closing quote or the end. */
static const char *rest_of(const char *message, const char *prefix, char *word, size_t word_size)
{
	const char *found = strstr(message, prefix);

	if (!found)
		return NULL;
	snprintf(word, word_size, "%s", found + strlen(prefix));
	return word;
}

/* A missing right ends its statement only; but for a single object a second message follows. */
static enum batch_status refuse(struct batch *batch, const struct sql_message *message)
{
	struct sql_message second = *message;

	if (message->number != 229) {
		if (!batch->sink->message(batch->sink->context, message))
			return BATCH_STOPPED;
		second.number = 297;
		second.severity = 16;
		second.text = "The user does not have permission to perform this action.";
	} else {
		second.state = 5;
	}
	enum batch_status status = batch_fail(batch, &second);
	return status == BATCH_FAILED ? BATCH_REFUSED : status;
}

/* Says what SQLite refuses in the server's words. */
enum batch_status batch_fail_sqlite(struct batch *batch, int32_t line)
{
	const char *said = sqlite3_errmsg(batch->engine->database);
	char word[300];
	char text[400];
	struct sql_message message = {
		.number = 102, .state = 1, .severity = 15, .text = text, .line = line};
	int skipped = 0;
	int number;
	int severity;

	if (batch->engine->refusal[0] != '\0')
		said = batch->engine->refusal;
	if (sscanf(said, "%d %d %n", &number, &severity, &skipped) == 2 && skipped > 0) {
		message.number = number;
		message.severity = (uint8_t)severity;
		snprintf(text, sizeof(text), "%s", said + skipped);
		if (message.number == 229 || message.number == 262 || message.number == 300)
			return refuse(batch, &message);
	} else if (rest_of(said, "no such table: ", word, sizeof(word))) {
		message.number = 208;
		message.severity = 16;
		snprintf(text, sizeof(text), "Invalid object name '%s'.", word);
	} else if (rest_of(said, "no such column: ", word, sizeof(word))) {
		message.number = 207;
		message.severity = 16;
		const char *dot = strrchr(word, '.');
		snprintf(text, sizeof(text), "Invalid column name '%s'.", dot ? dot + 1 : word);
	} else if (rest_of(said, "no such function: ", word, sizeof(word))) {
		message.number = 195;
		snprintf(text, sizeof(text), "'%s' is not a recognized built-in function name.",
			 word);
	} else if (rest_of(said, "near \"", word, sizeof(word))) {
		char *quote = strrchr(word, '"');
		snprintf(text, sizeof(text), "Incorrect syntax near '%.*s'.",
			 (int)(quote ? (size_t)(quote - word) : strlen(word)), word);
	} else {
		snprintf(text, sizeof(text), "Incorrect syntax: %s.", said);
	}
	return batch_fail(batch, &message);
}
