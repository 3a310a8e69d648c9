/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration as the daemon uses it: checked, with defaults filled in, never changed after it
 * was loaded. config_yaml.c reads it from files; threads get copies of what they need.
 */
#pragma once

#include "analysis/hot_page.h"
#include "analysis/rule.h"
#include "daemon/base/strbuf.h"
#include "daemon/host.h"
#include "web/server.h"

#define CONFIG_DEFAULT_PATH "/etc/latchd/latchd.yaml"

enum tls_mode { TLS_REQUIRE, TLS_REQUEST, TLS_OFF };

enum notifier_type { NOTIFIER_WEBHOOK };

struct config_login {
	char *user;
	char *password_file; /* or: */
	char *credential;    /* name under $CREDENTIALS_DIRECTORY (systemd); or: */
	char *keytab;	     /* Kerberos, without user and password */
};

struct config_target {
	char name[TARGET_NAME_SIZE];
	char host[HOST_SIZE];
	char instance[INSTANCE_SIZE]; /* "" for none */
	int spelled_port;	      /* in host; 0 for none */
	int port;		      /* 0: the SQL Server Browser tells that of the instance */
	int browser_port;
	char *database; /* NULL = the login's */
	bool is_read_only_intent;
	struct config_login login;
	enum tls_mode tls;
	char *ca; /* "system", a path, or NULL = none: nothing is verified */
	bool verify_hostname;
	int64_t interval_ms[COLLECTOR_COUNT];
	int64_t login_timeout_ms;
	int64_t query_timeout_ms;
	char labels[LABELS_MAX][2][LABEL_SIZE];
	int label_count;
};

struct config_notifier {
	char name[RULE_NAME_SIZE];
	enum notifier_type type;
	char *url;
};

struct config {
	char *listen[WEB_LISTEN_MAX];
	int listen_count;
	bool is_insecure; /* an address beyond this machine is meant */
	char *store_path;
	int64_t keep_ms[RESOLUTION_COUNT]; /* in the store */
	int64_t max_size_bytes;
	bool is_synchronous_full;
	struct config_target *targets;
	size_t target_count;
	struct hot_page_options detector;
	struct rule *rules;
	size_t rule_count;
	struct config_notifier *notifiers;
	size_t notifier_count;
};

/* Frees a configuration; NULL is fine. Owns: config. Threads: main. */
void config_free(struct config *config);
DEFINE_CLEANUP(struct config *, config_free);

/* Makes a configuration of defaults only. Owns: the caller frees. Threads: main. */
struct config *config_new(void);

/* Frees what a target holds and zeroes it. Owns: its contents. Threads: main. */
void config_target_done(struct config_target *target);

/* A target with texts of its own. Owns: the caller ends it with config_target_done. Threads: any.
 */
struct config_target config_target_copy(const struct config_target *target);

/*
 * Reads a file and what it includes. Every error of every file is appended to report as
 * `FILE:LINE:COL: message; did you mean "…"?`, one a line, in the order of the files; NULL when
 * there was any.
 *
 * Owns:    the caller frees the configuration.
 * Threads: main.
 */
MUST_CHECK struct config *config_load(const char *path, struct strbuf *report);
