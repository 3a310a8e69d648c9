/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a YAML document into a tree; the only file that knows libyaml. Runs in main. */
#include "daemon/config_yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "daemon/base/alloc.h"

enum { DEPTH_MAX = 16, NODES_MAX = 200000 };

/* One conversion. */
struct conversion {
	yaml_document_t *document;
	size_t node_count;
	struct config_place *place;
	struct error *err;
};

static struct config_place place_of(yaml_mark_t mark)
{
	return (struct config_place){mark.line + 1, mark.column + 1};
}

static bool refuse(struct conversion *conversion, yaml_mark_t mark, const char *text)
{
	*conversion->place = place_of(mark);
	return error_set(conversion->err, ERROR_INVALID, 0, "%s", text);
}

static bool convert(struct conversion *conversion, int index, int depth, struct config_node *node);

static bool convert_list(struct conversion *conversion, const yaml_node_t *from, int depth,
			 struct config_node *node)
{
	const yaml_node_item_t *item = from->data.sequence.items.start;
	size_t count = (size_t)(from->data.sequence.items.top - item);

	node->type = CONFIG_NODE_LIST;
	node->items = xcalloc(count, sizeof(*node->items));
	for (node->item_count = 0; node->item_count < count; item++)
		if (!convert(conversion, *item, depth + 1, &node->items[node->item_count++]))
			return false;
	return true;
}

static bool convert_mapping(struct conversion *conversion, const yaml_node_t *from, int depth,
			    struct config_node *node)
{
	const yaml_node_pair_t *pair = from->data.mapping.pairs.start;
	size_t count = 2 * (size_t)(from->data.mapping.pairs.top - pair);

	node->type = CONFIG_NODE_MAPPING;
	node->items = xcalloc(count, sizeof(*node->items));
	for (node->item_count = 0; node->item_count < count; pair++) {
		if (!convert(conversion, pair->key, depth + 1, &node->items[node->item_count++]))
			return false;
		if (!convert(conversion, pair->value, depth + 1, &node->items[node->item_count++]))
			return false;
	}
	return true;
}

static bool convert(struct conversion *conversion, int index, int depth, struct config_node *node)
{
	const yaml_node_t *from = yaml_document_get_node(conversion->document, index);

	node->place = place_of(from->start_mark);
	if (depth > DEPTH_MAX)
		return refuse(conversion, from->start_mark, "nested too deeply, or in itself");
	if (++conversion->node_count > NODES_MAX)
		return refuse(conversion, from->start_mark, "too much in one file");
	if (from->type == YAML_SEQUENCE_NODE)
		return convert_list(conversion, from, depth, node);
	if (from->type == YAML_MAPPING_NODE)
		return convert_mapping(conversion, from, depth, node);
	node->type = CONFIG_NODE_TEXT;
	node->text = xstrndup((const char *)from->data.scalar.value, from->data.scalar.length);
	node->is_quoted = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	if (strlen(node->text) != from->data.scalar.length)
		return refuse(conversion, from->start_mark, "a NUL byte in a text");
	return true;
}

static void node_done(struct config_node *node)
{
	for (size_t i = 0; i < node->item_count; i++)
		node_done(&node->items[i]);
	free(node->items);
	free(node->text);
}

void config_node_free(struct config_node *root)
{
	if (!root)
		return;
	node_done(root);
	free(root);
}

static struct config_node *convert_document(yaml_document_t *document, struct config_place *place,
					    struct error *err)
{
	CLEANUP(config_node_freep) struct config_node *root = xcalloc(1, sizeof(*root));
	struct conversion conversion = {.document = document, .place = place, .err = err};

	if (!yaml_document_get_root_node(document)) {
		(void)refuse(&conversion, (yaml_mark_t){0}, "the file is empty");
		return NULL;
	}
	/* libyaml numbers nodes from 1; the root is the first. */
	return convert(&conversion, 1, 0, root) ? TAKE(root) : NULL;
}

static void refuse_yaml(const yaml_parser_t *parser, struct config_place *place, struct error *err)
{
	const char *problem = parser->problem ? parser->problem : "this is no YAML";

	*place = place_of(parser->problem_mark);
	if (parser->context)
		(void)error_set(err, ERROR_INVALID, 0, "%s %s", problem, parser->context);
	else
		(void)error_set(err, ERROR_INVALID, 0, "%s", problem);
}

static bool has_second(yaml_parser_t *parser, struct config_place *place, struct error *err)
{
	yaml_document_t second;

	if (!yaml_parser_load(parser, &second)) {
		refuse_yaml(parser, place, err);
		return true;
	}
	bool is_there = yaml_document_get_root_node(&second) != NULL;
	if (is_there) {
		*place = place_of(second.start_mark);
		(void)error_set(err, ERROR_INVALID, 0, "a second document begins here");
	}
	yaml_document_delete(&second);
	return is_there;
}

struct config_node *config_yaml_parse(const struct strbuf *text, struct config_place *place,
				      struct error *err)
{
	struct config_node *root = NULL;
	yaml_parser_t parser;
	yaml_document_t document;

	if (!yaml_parser_initialize(&parser))
		abort(); /* no memory, as in xmalloc */
	yaml_parser_set_input_string(&parser, (const unsigned char *)strbuf_text(text), text->size);
	if (!yaml_parser_load(&parser, &document)) {
		refuse_yaml(&parser, place, err);
		yaml_parser_delete(&parser);
		return NULL;
	}
	root = convert_document(&document, place, err);
	yaml_document_delete(&document);
	if (root && has_second(&parser, place, err)) {
		config_node_free(root);
		root = NULL;
	}
	yaml_parser_delete(&parser);
	return root;
}
