/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loads the configuration: files, the lists of targets, rules and notifiers, and what can be judged
 * only of the whole. Runs in main. `defaults` is read before anything else, wherever it stands,
 * because every target begins as its copy. Included files hold only targets, rules and notifiers
 * and include nothing themselves.
 */
#include "daemon/config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/base/alloc.h"
#include "daemon/config_value.h"
#include "daemon/config_walk.h"
#include "daemon/file.h"

enum { FILE_SIZE_MAX = 4 << 20 };

/* Says which keys an item cannot do without; inherited ones count. */
static void check_required(struct config_walk *walk, const struct config_node *node)
{
	struct config_loader *loader = walk->file->loader;
	size_t count = 0;
	const struct config_key *keys = config_keys(&count);
	const struct config_target *target = walk->base;
	const bool is_by_kerberos = walk->scope == CONFIG_SCOPE_TARGET && target->login.keytab;

	for (size_t i = 0; i < count; i++) {
		bool is_inherited = walk->scope == CONFIG_SCOPE_TARGET && loader->has_default[i];
		if (is_by_kerberos && strcmp(keys[i].path, "login.user") == 0)
			continue;
		if (keys[i].scope == walk->scope && keys[i].is_required && !walk->has_key[i] &&
		    !is_inherited)
			config_complain(walk->file, node->place, "'%s' is missing", keys[i].path);
	}
}

static void walk_defaults(struct config_file *file, const struct config_node *node)
{
	struct config_loader *loader = file->loader;
	struct config_walk walk = {
		.file = file,
		.scope = CONFIG_SCOPE_TARGET,
		.base = &loader->defaults,
		.is_defaults = true,
	};

	config_walk_mapping(&walk, node, "");
	memcpy(loader->has_default, walk.has_key, sizeof(walk.has_key));
}

static const struct config_node *value_of(const struct config_node *mapping, const char *name)
{
	for (size_t i = 0; mapping->type == CONFIG_NODE_MAPPING && i < mapping->item_count; i += 2)
		if (mapping->items[i].type == CONFIG_NODE_TEXT &&
		    strcmp(mapping->items[i].text, name) == 0)
			return &mapping->items[i + 1];
	return mapping;
}

/* Decides between the port in `host`, that in `port`, and asking for the instance's. */
static void settle_port(struct config_walk *walk, const struct config_node *node)
{
	struct config_target *target = walk->base;
	size_t count = 0;
	size_t row = (size_t)(config_key_find(CONFIG_SCOPE_TARGET, "port") - config_keys(&count));

	if (walk->has_key[row] && target->spelled_port > 0 && target->spelled_port != target->port)
		config_complain(walk->file, value_of(node, "port")->place,
				"'port' is %d, but 'host' says %d; write it once", target->port,
				target->spelled_port);
	if (target->spelled_port > 0)
		target->port = target->spelled_port;
	else if (target->instance[0] && !walk->has_key[row])
		target->port = 0;
}

/* GSSAPI takes the keytab from the environment, which all threads share. */
static void check_keytab(struct config_file *file, const struct config_node *node)
{
	const struct config *config = file->loader->config;
	const char *keytab = config->targets[config->target_count - 1].login.keytab;

	for (size_t i = 0; keytab && i + 1 < config->target_count; i++) {
		const char *other = config->targets[i].login.keytab;
		if (!other || strcmp(other, keytab) == 0)
			continue;
		config_complain(file, node->place,
				"target '%s' has another keytab, '%.80s': one latchd has one",
				config->targets[i].name, other);
		return;
	}
}

static void walk_target(struct config_file *file, const struct config_node *node)
{
	struct config_loader *loader = file->loader;
	struct config *config = loader->config;

	config->targets = array_grow(config->targets, config->target_count,
				     &loader->target_capacity, sizeof(*config->targets));
	struct config_target *target = &config->targets[config->target_count++];
	*target = config_target_copy(&loader->defaults);
	struct config_walk walk = {.file = file, .scope = CONFIG_SCOPE_TARGET, .base = target};
	config_walk_mapping(&walk, node, "");
	check_required(&walk, node);
	settle_port(&walk, node);
	check_keytab(file, node);
	if (target->login.user && !target->login.keytab && !target->login.password_file &&
	    !target->login.credential)
		config_complain(
			file, node->place,
			"'login.password' is missing; it is {file: PATH} or {credential: NAME}");
	/* The intent is a wish about one database: without one the server does not look at it. */
	if (target->is_read_only_intent && !target->database)
		config_complain(file, node->place,
				"'application_intent: read_only' wants a 'database'");
	for (size_t i = 0; i + 1 < config->target_count; i++)
		if (target->name[0] && strcasecmp(config->targets[i].name, target->name) == 0)
			config_complain(file, node->place, "there is a target '%s' already",
					target->name);
}

static void walk_rule(struct config_file *file, const struct config_node *node)
{
	struct config_loader *loader = file->loader;
	struct config *config = loader->config;

	config->rules = array_grow(config->rules, config->rule_count, &loader->rule_capacity,
				   sizeof(*config->rules));
	struct rule *rule = &config->rules[config->rule_count++];
	memset(rule, 0, sizeof(*rule));
	config_value_set_defaults(CONFIG_SCOPE_RULE, rule);
	rule->clear = -1;
	struct config_walk walk = {.file = file, .scope = CONFIG_SCOPE_RULE, .base = rule};
	config_walk_mapping(&walk, node, "");
	check_required(&walk, node);
	if (rule->clear < 0)
		rule->clear = rule->threshold;
	if (rule->term_count > 0 && rule->clear > rule->threshold)
		config_complain(file, node->place, "'clear' is above the rate of 'when'");
	for (size_t i = 0; i + 1 < config->rule_count; i++)
		if (rule->name[0] && strcmp(config->rules[i].name, rule->name) == 0)
			config_complain(file, node->place, "there is a rule '%s' already",
					rule->name);
}

void config_load_items(struct config_file *file, const struct config_key *key,
		       const struct config_node *node)
{
	if (!config_expect(file, node, CONFIG_NODE_LIST, key->path, "a list"))
		return;
	for (size_t i = 0; i < node->item_count; i++) {
		const struct config_node *element = &node->items[i];
		if (!config_expect(file, element, CONFIG_NODE_MAPPING, key->path,
				   "keys of its own in each of its list"))
			continue;
		if (key->type == CONFIG_TARGETS)
			walk_target(file, element);
		else
			walk_rule(file, element);
	}
}

static void walk_notifier(struct config_file *file, const char *name,
			  const struct config_node *node)
{
	struct config_loader *loader = file->loader;
	struct config *config = loader->config;

	config->notifiers = array_grow(config->notifiers, config->notifier_count,
				       &loader->notifier_capacity, sizeof(*config->notifiers));
	struct config_notifier *notifier = &config->notifiers[config->notifier_count++];
	memset(notifier, 0, sizeof(*notifier));
	memcpy(notifier->name, name, strlen(name) + 1);
	struct config_walk walk = {.file = file, .scope = CONFIG_SCOPE_NOTIFIER, .base = notifier};
	config_walk_mapping(&walk, node, "");
	check_required(&walk, node);
	for (size_t i = 0; i + 1 < config->notifier_count; i++)
		if (strcmp(config->notifiers[i].name, name) == 0)
			config_complain(file, node->place, "there is a notifier '%s' already",
					name);
}

void config_load_notifiers(struct config_file *file, const struct config_node *node)
{
	if (!config_expect(file, node, CONFIG_NODE_MAPPING, "notifiers", "a mapping from names"))
		return;
	for (size_t i = 0; i < node->item_count; i += 2) {
		const struct config_node *key = &node->items[i];
		const struct config_node *value = &node->items[i + 1];
		struct error err = ERROR_INIT;

		if (config_is_bad_name(file, node, i))
			continue;
		if (!config_value_check_name(key->text, RULE_NAME_SIZE, &err))
			config_complain(file, key->place, "'notifiers': %s", err.text);
		else if (config_expect(file, value, CONFIG_NODE_MAPPING, key->text,
				       "keys of its own"))
			walk_notifier(file, key->text, value);
	}
}

static void walk_document(struct config_file *file, const struct config_node *root)
{
	struct config_walk walk = {
		.file = file, .scope = CONFIG_SCOPE_FILE, .base = file->loader->config};

	if (root->type == CONFIG_NODE_MAPPING && !file->is_included)
		for (size_t i = 0; i < root->item_count; i += 2) {
			const struct config_node *key = &root->items[i];
			if (key->type != CONFIG_NODE_TEXT || strcmp(key->text, "defaults") != 0)
				continue;
			walk_defaults(file, &root->items[i + 1]);
			break;
		}
	config_walk_mapping(&walk, root, "");
}

void config_load_file(struct config_loader *loader, const char *path, bool is_included)
{
	CLEANUP(strbuf_done) struct strbuf text = STRBUF_INIT;
	struct config_file file = {
		.loader = loader,
		.path = path,
		.number = loader->file_count++,
		.is_included = is_included,
	};
	struct error err = ERROR_INIT;
	struct config_place place = {1, 1};
	CLEANUP(config_node_freep) struct config_node *root = NULL;

	if (file_read(path, FILE_SIZE_MAX, &text, &err))
		root = config_yaml_parse(&text, &place, &err);
	if (root)
		walk_document(&file, root);
	else
		config_complain(&file, place, "%s", err.text);
}

static bool is_notifier(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->notifier_count; i++)
		if (strcmp(config->notifiers[i].name, name) == 0)
			return true;
	return false;
}

static void check_references(struct config_loader *loader)
{
	for (size_t i = 0; i < loader->reference_count; i++) {
		const struct config_reference *reference = &loader->references[i];
		struct config_file file = {
			.loader = loader,
			.path = reference->path,
			.number = reference->file_number,
		};

		if (!is_notifier(loader->config, reference->name))
			config_complain(&file, reference->place, "there is no notifier '%s'",
					reference->name);
	}
}

/* What can be judged only when every file was read. */
static void check_whole(struct config_loader *loader, const char *path)
{
	struct config *config = loader->config;
	struct config_file file = {.loader = loader, .path = path};
	struct error err = ERROR_INIT;

	check_references(loader);
	if (config->listen_count == 0 &&
	    !config_value_add_listen(
		    config, config_key_find(CONFIG_SCOPE_FILE, "web.listen")->fallback, &err))
		config_complain(&file, (struct config_place){1, 1}, "%s", err.text);
	for (int i = 0; i < config->listen_count; i++)
		if (!config->is_insecure && !config_listen_is_local(config->listen[i]))
			config_complain(
				&file, (struct config_place){1, 1},
				"'web.listen': '%s' can be reached from other machines, where "
				"everybody could read; write 'insecure: true' if that is meant",
				config->listen[i]);
	if (config->target_count == 0 && loader->complaint_count == 0)
		config_complain(&file, (struct config_place){1, 1},
				"'targets' is missing: there is nothing to watch");
}

static int compare_complaints(const void *left, const void *right)
{
	const struct config_complaint *a = left, *b = right;

	if (a->file_number != b->file_number)
		return a->file_number < b->file_number ? -1 : 1;
	if (a->place.line != b->place.line)
		return a->place.line < b->place.line ? -1 : 1;
	if (a->place.column != b->place.column)
		return a->place.column < b->place.column ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static void write_report(struct config_loader *loader, struct strbuf *report)
{
	if (loader->complaint_count > 0)
		qsort(loader->complaints, loader->complaint_count, sizeof(*loader->complaints),
		      compare_complaints);
	for (size_t i = 0; i < loader->complaint_count; i++)
		strbuf_addf(report, "%s", loader->complaints[i].line);
}

static void loader_done(struct config_loader *loader)
{
	for (size_t i = 0; i < loader->reference_count; i++)
		free(loader->references[i].path);
	free(loader->references);
	for (size_t i = 0; i < loader->complaint_count; i++)
		free(loader->complaints[i].line);
	free(loader->complaints);
	config_target_done(&loader->defaults);
}

struct config *config_load(const char *path, struct strbuf *report)
{
	CLEANUP(config_freep) struct config *config = config_new();
	CLEANUP(loader_done) struct config_loader loader = {.config = config};

	config_value_set_defaults(CONFIG_SCOPE_TARGET, &loader.defaults);
	config_load_file(&loader, path, false);
	check_whole(&loader, path);
	write_report(&loader, report);
	return loader.complaint_count == 0 ? TAKE(config) : NULL;
}
