/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the keys of one structure. Runs in main. */
#include "daemon/config_walk.h"

#include <errno.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/config_value.h"

enum { PATH_SIZE = 256 };

PRINTF(3, 4)
void config_complain(struct config_file *file, struct config_place place, const char *fmt, ...)
{
	struct config_loader *loader = file->loader;
	char text[1024];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args); /* a cut sentence is better than none */
	va_end(args);
	loader->complaints = array_grow(loader->complaints, loader->complaint_count,
					&loader->complaint_capacity, sizeof(*loader->complaints));
	loader->complaints[loader->complaint_count] = (struct config_complaint){
		.file_number = file->number,
		.place = place,
		.number = loader->complaint_count,
		.line = xasprintf("%s:%zu:%zu: %s\n", file->path, place.line, place.column, text),
	};
	loader->complaint_count++;
}

static bool is_nothing(const struct config_node *node)
{
	return node->type == CONFIG_NODE_TEXT && !node->is_quoted &&
	       (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
		strcmp(node->text, "null") == 0);
}

static const char *type_name(const struct config_node *node)
{
	if (is_nothing(node))
		return "nothing";
	if (node->type == CONFIG_NODE_MAPPING)
		return "a mapping";
	return node->type == CONFIG_NODE_LIST ? "a list" : "a single value";
}

bool config_expect(struct config_file *file, const struct config_node *node,
		   enum config_node_type type, const char *name, const char *wanted)
{
	if (node->type == type && !is_nothing(node))
		return true;
	config_complain(file, node->place, "'%s' wants %s, not %s", name, wanted, type_name(node));
	return false;
}

typedef void text_fn(struct config_walk *walk, const struct config_node *node);

/* Calls each for every text of a list, or for the one text that stands for a list. */
static void walk_texts(struct config_walk *walk, const char *name, const struct config_node *node,
		       text_fn *each)
{
	struct config_file *file = walk->file;

	if (node->type != CONFIG_NODE_LIST) {
		if (config_expect(file, node, CONFIG_NODE_TEXT, name, "a text or a list of texts"))
			each(walk, node);
		return;
	}
	for (size_t i = 0; i < node->item_count; i++) {
		const struct config_node *text = &node->items[i];
		if (config_expect(file, text, CONFIG_NODE_TEXT, name, "texts in its list"))
			each(walk, text);
	}
}

static void take_listen(struct config_walk *walk, const struct config_node *node)
{
	struct error err = ERROR_INIT;

	if (!config_value_add_listen(walk->base, node->text, &err))
		config_complain(walk->file, node->place, "'web.listen': %s", err.text);
}

static void take_notify(struct config_walk *walk, const struct config_node *node)
{
	struct config_loader *loader = walk->file->loader;
	struct rule *rule = walk->base;
	struct error err = ERROR_INIT;
	const char *name = node->text;

	if (rule->notifier_count == RULE_NOTIFIERS_MAX)
		(void)error_set(&err, ERROR_INVALID, 0, "more than %d notifiers",
				RULE_NOTIFIERS_MAX);
	if (err.kind != ERROR_NONE || !config_value_check_name(name, RULE_NAME_SIZE, &err)) {
		config_complain(walk->file, node->place, "'notify': %s", err.text);
		return;
	}
	memcpy(rule->notifiers[rule->notifier_count++], name, strlen(name) + 1);
	loader->references = array_grow(loader->references, loader->reference_count,
					&loader->reference_capacity, sizeof(*loader->references));
	struct config_reference *reference = &loader->references[loader->reference_count++];
	memcpy(reference->name, name, strlen(name) + 1);
	reference->path = xstrdup(walk->file->path);
	reference->file_number = walk->file->number;
	reference->place = node->place;
}

/* A folder that is not there holds nothing; one that cannot be read is an error. */
static int stop_glob(const char *path, int code)
{
	(void)path; /* the pattern is what the report names */
	return code != ENOENT && code != ENOTDIR;
}

static void take_include(struct config_walk *walk, const struct config_node *node)
{
	const char *slash = strrchr(walk->file->path, '/');
	int folder_size = slash ? (int)(slash - walk->file->path) + 1 : 0;
	const char *pattern = node->text;
	CLEANUP(freep)
	char *full = pattern[0] == '/'
			     ? xstrdup(pattern)
			     : xasprintf("%.*s%s", folder_size, walk->file->path, pattern);
	glob_t found;
	int result = glob(full, 0, stop_glob, &found);

	if (result == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			config_load_file(walk->file->loader, found.gl_pathv[i], true);
	else if (result != GLOB_NOMATCH)
		config_complain(walk->file, node->place, "'include': cannot look for '%s'", full);
	else if (!strpbrk(pattern, "*?["))
		config_complain(walk->file, node->place, "'include': there is no file '%s'", full);
	globfree(&found);
}

static void walk_labels(struct config_walk *walk, const struct config_node *node)
{
	struct config_target *target = walk->base;
	struct rule *rule = walk->base;
	bool is_rule = walk->scope == CONFIG_SCOPE_RULE;

	if (!config_expect(walk->file, node, CONFIG_NODE_MAPPING, "labels", "a mapping of texts"))
		return;
	for (size_t i = 0; i < node->item_count; i += 2) {
		const struct config_node *key = &node->items[i];
		const struct config_node *value = &node->items[i + 1];
		struct error err = ERROR_INIT;

		if (config_expect(walk->file, key, CONFIG_NODE_TEXT, "labels", "texts as names") &&
		    config_expect(walk->file, value, CONFIG_NODE_TEXT, key->text, "a text") &&
		    !config_value_add_label(is_rule ? rule->labels : target->labels,
					    is_rule ? &rule->label_count : &target->label_count,
					    key->text, value->text, &err))
			config_complain(walk->file, key->place, "'labels': %s", err.text);
	}
}

static bool has_key(const struct config_walk *walk, const char *path)
{
	size_t count = 0;

	return walk->has_key[config_key_find(walk->scope, path) - config_keys(&count)];
}

/* A login is by password or by Kerberos: either puts aside what was inherited of both. */
static void begin_login(struct config_walk *walk, const struct config_node *node)
{
	struct config_target *target = walk->base;

	if (has_key(walk, "login.password") && has_key(walk, "login.kerberos"))
		config_complain(walk->file, node->place,
				"'login' has a password or kerberos, not both");
	free(target->login.password_file);
	free(target->login.credential);
	free(target->login.keytab);
	target->login.password_file = NULL;
	target->login.credential = NULL;
	target->login.keytab = NULL;
}

static void walk_section(struct config_walk *walk, const struct config_key *key,
			 const struct config_node *node)
{
	if (strcmp(key->path, "login.password") == 0) {
		if (node->type == CONFIG_NODE_TEXT && !is_nothing(node)) {
			config_complain(walk->file, node->place,
					"a password is never written here; did you mean "
					"\"password: {file: PATH}\"?");
			return;
		}
		if (node->type == CONFIG_NODE_MAPPING && node->item_count > 2)
			config_complain(walk->file, node->place,
					"'login.password' has a file or a credential, not both");
		begin_login(walk, node);
	}
	if (strcmp(key->path, "login.kerberos") == 0)
		begin_login(walk, node);
	config_walk_mapping(walk, node, key->path);
}

static void walk_scalar(struct config_walk *walk, const struct config_key *key,
			const struct config_node *node)
{
	struct error err = ERROR_INIT;

	if (config_expect(walk->file, node, CONFIG_NODE_TEXT, key->path, "a single value") &&
	    !config_value_set(key, walk->base, node->text, node->is_quoted, &err))
		config_complain(walk->file, node->place, "%s", err.text);
}

static void walk_value(struct config_walk *walk, const struct config_key *key,
		       const struct config_node *node)
{
	switch ((int)key->type) {
	case CONFIG_SECTION:
		walk_section(walk, key, node);
		break;
	case CONFIG_LISTEN:
		walk_texts(walk, key->path, node, take_listen);
		break;
	case CONFIG_NOTIFY:
		walk_texts(walk, key->path, node, take_notify);
		break;
	case CONFIG_INCLUDE:
		walk_texts(walk, key->path, node, take_include);
		break;
	case CONFIG_LABELS:
		walk_labels(walk, node);
		break;
	case CONFIG_DEFAULTS: /* was read before */
		break;
	case CONFIG_TARGETS:
	case CONFIG_RULES:
		config_load_items(walk->file, key, node);
		break;
	case CONFIG_NOTIFIERS:
		config_load_notifiers(walk->file, node);
		break;
	default:
		walk_scalar(walk, key, node);
		break;
	}
}

static void complain_unknown(struct config_walk *walk, const struct config_node *node,
			     const char *path)
{
	const char *guess = config_key_guess(walk->scope, path);

	if (guess)
		config_complain(walk->file, node->place, "unknown key '%s'; did you mean \"%s\"?",
				path, guess);
	else
		config_complain(walk->file, node->place, "unknown key '%s'", path);
}

static void walk_pair(struct config_walk *walk, const struct config_node *key_node,
		      const struct config_node *value, const char *parent)
{
	char path[PATH_SIZE];
	size_t count = 0;

	(void)snprintf(path, sizeof(path), "%s%s%.100s", parent, parent[0] ? "." : "",
		       key_node->text); /* cut, it is an unknown key just the same */
	const struct config_key *key = config_key_find(walk->scope, path);
	if (!key) {
		complain_unknown(walk, key_node, path);
	} else if (walk->is_defaults && key->is_own) {
		config_complain(walk->file, key_node->place,
				"'%s' belongs to a target, not to defaults", path);
	} else if (walk->scope == CONFIG_SCOPE_FILE && walk->file->is_included && !parent[0] &&
		   !key->is_local) {
		config_complain(
			walk->file, key_node->place,
			"'%s' belongs into the main file; an included one has targets, rules and "
			"notifiers",
			path);
	} else {
		walk->has_key[key - config_keys(&count)] = true;
		walk_value(walk, key, value);
	}
}

bool config_is_bad_name(struct config_file *file, const struct config_node *mapping, size_t place)
{
	const struct config_node *key = &mapping->items[place];

	if (!config_expect(file, key, CONFIG_NODE_TEXT, "key", "a text"))
		return true;
	for (size_t i = 0; i < place; i += 2) {
		const struct config_node *earlier = &mapping->items[i];
		if (earlier->type != CONFIG_NODE_TEXT || strcmp(earlier->text, key->text) != 0)
			continue;
		config_complain(file, key->place, "'%.60s' stands in line %zu already", key->text,
				earlier->place.line);
		return true;
	}
	return false;
}

void config_walk_mapping(struct config_walk *walk, const struct config_node *node, const char *path)
{
	if (!config_expect(walk->file, node, CONFIG_NODE_MAPPING, path[0] ? path : "configuration",
			   "keys of its own"))
		return;
	for (size_t i = 0; i < node->item_count; i += 2)
		if (!config_is_bad_name(walk->file, node, i))
			walk_pair(walk, &node->items[i], &node->items[i + 1], path);
}
