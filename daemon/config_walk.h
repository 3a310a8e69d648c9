/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over a configuration tree beside the table of keys: unknown, doubled and badly typed
 * keys are reported, good ones go into their fields. Shared by config_walk.c (one structure) and
 * config_load.c (the lists of structures, files, the whole). Runs in main.
 */
#pragma once

#include "daemon/config_keys.h"
#include "daemon/config_yaml.h"

enum { CONFIG_KEYS_MAX = 128 };

struct config_file {
	struct config_loader *loader;
	const char *path;
	size_t number; /* in the order of reading */
	bool is_included;
};

/* One line of the report, kept until all can be told in the order of the files. */
struct config_complaint {
	size_t file_number;
	struct config_place place;
	size_t number; /* in the order of complaining */
	char *line;
};

/* A name under `notify`, looked up when all notifiers are known. */
struct config_reference {
	char name[RULE_NAME_SIZE];
	char *path;
	size_t file_number;
	struct config_place place;
};

/* One loading, of all files. */
struct config_loader {
	struct config *config;
	size_t file_count;
	struct config_complaint *complaints;
	size_t complaint_count, complaint_capacity;
	struct config_target defaults;
	bool has_default[CONFIG_KEYS_MAX]; /* the key was given under `defaults` */
	size_t target_capacity, rule_capacity, notifier_capacity;
	struct config_reference *references;
	size_t reference_count, reference_capacity;
};

/* One structure being filled. */
struct config_walk {
	struct config_file *file;
	enum config_scope scope;
	void *base;
	bool is_defaults;
	bool has_key[CONFIG_KEYS_MAX]; /* by its row in the table */
};

/* Adds one line to the report. Threads: main. */
PRINTF(3, 4)
void config_complain(struct config_file *file, struct config_place place, const char *fmt, ...);

/* Says so and returns false unless node has the type that name must have. Threads: main. */
MUST_CHECK bool config_expect(struct config_file *file, const struct config_node *node,
			      enum config_node_type type, const char *name, const char *wanted);

/* Says so and returns true when the key at items[place] of a mapping is no text or stood there
 * before. Threads: main. */
MUST_CHECK bool config_is_bad_name(struct config_file *file, const struct config_node *mapping,
				   size_t place);

/* Fills walk's structure from the keys of a mapping; path "" at its root. Threads: main. */
void config_walk_mapping(struct config_walk *walk, const struct config_node *node,
			 const char *path);

/* What config_load.c does for the walk: lists of structures, and included files. Threads: main. */
void config_load_items(struct config_file *file, const struct config_key *key,
		       const struct config_node *node);
void config_load_notifiers(struct config_file *file, const struct config_node *node);
void config_load_file(struct config_loader *loader, const char *path, bool is_included);
