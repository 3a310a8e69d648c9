/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A YAML document as a plain tree with positions: what the rest of the configuration code sees of
 * libyaml. Runs in main; knows no keys.
 */
#pragma once

#include <stddef.h>

#include "daemon/base/error.h"
#include "daemon/base/strbuf.h"

enum config_node_type { CONFIG_NODE_TEXT, CONFIG_NODE_LIST, CONFIG_NODE_MAPPING };

/* Both from 1. */
struct config_place {
	size_t line;
	size_t column;
};

struct config_node {
	enum config_node_type type;
	struct config_place place;
	char *text; /* of a CONFIG_NODE_TEXT */
	bool is_quoted;
	struct config_node *items; /* of a list; of a mapping keys and values in turn */
	size_t item_count;
};

/* Frees a tree; NULL is fine. Owns: root. Threads: the owner. */
void config_node_free(struct config_node *root);
DEFINE_CLEANUP(struct config_node *, config_node_free);

/*
 * Parses the one document of text. Aliases are expanded, so that depth and number of nodes are
 * bounded.
 *
 * Owns:    the caller frees the tree.
 * Errors:  ERROR_INVALID, *place saying where.
 * Threads: any.
 */
MUST_CHECK struct config_node *config_yaml_parse(const struct strbuf *text,
						 struct config_place *place, struct error *err);
