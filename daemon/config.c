/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration's life: defaults, copies, the end. Runs in main. */
#include "daemon/config.h"

#include <stdlib.h>
#include <string.h>

#include "daemon/base/alloc.h"
#include "daemon/config_value.h"

struct config *config_new(void)
{
	struct config *config = xcalloc(1, sizeof(*config));

	config_value_set_defaults(CONFIG_SCOPE_FILE, config);
	return config;
}

void config_target_done(struct config_target *target)
{
	free(target->database);
	free(target->login.user);
	free(target->login.password_file);
	free(target->login.credential);
	free(target->login.keytab);
	free(target->ca);
	memset(target, 0, sizeof(*target));
}

struct config_target config_target_copy(const struct config_target *target)
{
	struct config_target copy = *target;

	copy.database = xstrdup(target->database);
	copy.login.user = xstrdup(target->login.user);
	copy.login.password_file = xstrdup(target->login.password_file);
	copy.login.credential = xstrdup(target->login.credential);
	copy.login.keytab = xstrdup(target->login.keytab);
	copy.ca = xstrdup(target->ca);
	return copy;
}

void config_free(struct config *config)
{
	if (!config)
		return;
	for (int i = 0; i < config->listen_count; i++)
		free(config->listen[i]);
	for (size_t i = 0; i < config->target_count; i++)
		config_target_done(&config->targets[i]);
	for (size_t i = 0; i < config->notifier_count; i++)
		free(config->notifiers[i].url);
	free(config->store_path);
	free(config->targets);
	free(config->rules);
	free(config->notifiers);
	free(config);
}
