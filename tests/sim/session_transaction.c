/* SPDX-License-Identifier: Apache-2.0 */
/* Transactions as a session sees them: they count and nest, nothing is ever undone. Session thread.
 */
#include "tests/sim/session_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

static enum batch_status fail_unmatched(struct batch *batch, const struct token *token)
{
	bool is_commit = token_is_word(token, "COMMIT");
	char text[120];
	struct sql_message message = {.number = is_commit ? 3902 : 3903,
				      .state = 1,
				      .severity = 16,
				      .text = text,
				      .line = token->line};

	snprintf(text, sizeof(text),
		 "The %s TRANSACTION request has no corresponding BEGIN TRANSACTION.",
		 is_commit ? "COMMIT" : "ROLLBACK");
	return batch_fail(batch, &message);
}

/* The name behind TRAN or TRANSACTION, "" without one. */
static void read_name(const struct statement *statement, char name[static NAME_SIZE])
{
	name[0] = '\0';
	if (statement->count < 3)
		return;
	char *content = token_content(&statement->tokens[2]);
	snprintf(name, NAME_SIZE, "%s", content);
	free(content);
}

static void begin(struct session_engine *engine)
{
	if (engine->transaction_count == 0) {
		engine->transaction_id++;
		engine->savepoint[0] = '\0';
	}
	engine->transaction_count++;
}

static void roll_back(struct session_engine *engine, const char *name)
{
	/* To a savepoint: the transaction stays open. */
	if (name[0] != '\0' && strcasecmp(name, engine->savepoint) == 0)
		return;
	engine->transaction_count = 0;
	engine->was_rolled_back = true;
}

enum batch_status batch_transaction(struct batch *batch, const struct statement *statement)
{
	struct session_engine *engine = batch->engine;
	const struct token *word = &statement->tokens[0];
	bool has_kind =
		statement->count > 1 && (token_is_word(&statement->tokens[1], "TRAN") ||
					 token_is_word(&statement->tokens[1], "TRANSACTION"));
	char name[NAME_SIZE] = "";

	if (has_kind)
		read_name(statement, name);
	if (token_is_word(word, "BEGIN")) {
		if (has_kind)
			begin(engine);
		return batch_done(batch);
	}
	if (engine->transaction_count == 0)
		return fail_unmatched(batch, word);
	if (token_is_word(word, "SAVE"))
		snprintf(engine->savepoint, NAME_SIZE, "%s", name);
	else if (token_is_word(word, "ROLLBACK"))
		roll_back(engine, name);
	else if (--engine->transaction_count == 0)
		engine->was_rolled_back = false;
	return batch_done(batch);
}

struct session_transaction session_engine_transaction(const struct session_engine *engine)
{
	return (struct session_transaction){
		.id = engine->transaction_count > 0 ? engine->transaction_id : 0,
		.was_rolled_back = engine->was_rolled_back,
	};
}
