/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlserver-sim: a SQL Server to test against. The main thread reads the command line, starts the
 * threads of the port and of the control socket, and waits for SIGTERM or SIGINT.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/sim/batch_log.h"
#include "tests/sim/browser.h"
#include "tests/sim/control.h"
#include "tests/sim/fault.h"
#include "tests/sim/instance.h"
#include "tests/sim/listener.h"
#include "tests/sim/packet.h"
#include "tests/sim/session.h"
#include "tests/sim/sessions.h"
#include "tests/sim/tls.h"

enum { REASON_SIZE = 512, LOGINS_MAX = 16 };

struct settings {
	const char *listen;
	const char *control;
	const char *browser;
	const char *instance;
	const char *data;
	const char *workload;
	const char *server_name;
	const char *profile;
	const char *logins[LOGINS_MAX];
	size_t login_count;
	const char *packet_size;
	const char *tls;
	const char *certificate;
	const char *key;
	const char *batches;
};

static const char usage[] =
	"usage: sqlserver-sim [--listen HOST:PORT] [--control PATH] --data DIR\n"
	"                     [--profile NAME] [--workload NAME] [--server-name NAME]\n"
	"                     [--login NAME:PASSWORD[:RIGHT,...]]...\n"
	"                     [--packet-size BYTES]\n"
	"                     [--tls off|login|required] [--certificate FILE --key FILE]\n"
	"                     [--browser HOST:PORT] [--instance NAME]\n"
	"                     [--batches FILE]\n";

static bool fail(const char *what)
{
	fprintf(stderr, "sqlserver-sim: %s\n", what);
	return false;
}

static bool settings_take(struct settings *settings, const char *option, const char *value)
{
	const struct {
		const char *option;
		const char **value;
	} known[] = {
		{"--listen", &settings->listen},
		{"--control", &settings->control},
		{"--browser", &settings->browser},
		{"--instance", &settings->instance},
		{"--data", &settings->data},
		{"--workload", &settings->workload},
		{"--server-name", &settings->server_name},
		{"--profile", &settings->profile},
		{"--packet-size", &settings->packet_size},
		{"--tls", &settings->tls},
		{"--certificate", &settings->certificate},
		{"--key", &settings->key},
		{"--batches", &settings->batches},
	};
	if (strcmp(option, "--login") == 0 && value && settings->login_count < LOGINS_MAX) {
		settings->logins[settings->login_count++] = value;
		return true;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(option, known[i].option) == 0 && value) {
			*known[i].value = value;
			return true;
		}
	}
	return false;
}

static bool settings_read(struct settings *settings, int argument_count, char **arguments)
{
	for (int i = 1; i < argument_count; i += 2) {
		const char *value = i + 1 < argument_count ? arguments[i + 1] : NULL;
		if (!settings_take(settings, arguments[i], value)) {
			fputs(usage, stderr);
			return false;
		}
	}
	if (!settings->data) {
		fputs(usage, stderr);
		return false;
	}
	return true;
}

/* A thousand sessions need more than the usual 1024 descriptors. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* the old limit does for most uses */
}

static bool serve_until_signal(const struct settings *settings,
			       const struct control_targets *targets, const sigset_t *signals)
{
	struct control *control = NULL;
	int signal_number = 0;
	if (settings->control) {
		char reason[REASON_SIZE] = "";
		control = control_open(settings->control, targets, reason, sizeof(reason));
		if (!control)
			return fail(reason);
	}
	printf("listening on %s\n", listener_address(targets->listener));
	if (targets->browser)
		printf("browser on %s\n", browser_address(targets->browser));
	fflush(stdout);
	sigwait(signals, &signal_number);
	control_close(control);
	return true;
}

static bool serve(const struct settings *settings, struct control_targets *targets,
		  const sigset_t *signals)
{
	char reason[REASON_SIZE] = "";
	if (settings->browser) {
		targets->browser =
			browser_open(settings->browser, settings->server_name, settings->instance,
				     listener_address(targets->listener), reason, sizeof(reason));
		if (!targets->browser)
			return fail(reason);
	}
	bool is_well = serve_until_signal(settings, targets, signals);
	browser_close(targets->browser);
	return is_well;
}

/* The server is the caller's to free, also when this fails. */
static bool encryption_read(const struct settings *settings, struct encryption *encryption,
			    struct tls_server **server)
{
	static const char *const policies[] = {"off", "login", "required"};
	char reason[REASON_SIZE] = "";
	size_t policy = 0;
	while (policy < 3 && strcmp(settings->tls, policies[policy]) != 0)
		policy++;
	if (policy == 3)
		return fail("--tls wants off, login or required");
	*encryption = (struct encryption){.policy = (enum encryption_policy)policy};
	if (encryption->policy == ENCRYPTION_OFF)
		return true;
	if (!settings->certificate || !settings->key)
		return fail("--tls wants --certificate and --key");
	*server = tls_server_new(settings->certificate, settings->key, reason, sizeof(reason));
	encryption->server = *server;
	return *server || fail(reason);
}

static bool run(const struct settings *settings, struct instance *instance,
		const struct encryption *encryption, const sigset_t *signals)
{
	char reason[REASON_SIZE] = "";
	int packet_size = atoi(settings->packet_size);
	if (packet_size < PACKET_SIZE_LEAST || packet_size > PACKET_SIZE_MOST)
		return fail("--packet-size wants 512 to 32767");
	struct faults *faults = fault_new();
	struct sessions *sessions = sessions_new(instance, faults, encryption, (size_t)packet_size);
	struct listener *listener =
		listener_open(settings->listen, sessions, reason, sizeof(reason));
	struct control_targets targets = {
		.listener = listener, .faults = faults, .instance = instance};
	bool is_well = listener ? serve(settings, &targets, signals) : fail(reason);
	listener_close(listener);
	sessions_free(sessions);
	fault_free(faults);
	return is_well;
}

int main(int argument_count, char **arguments)
{
	struct settings settings = {
		.listen = "127.0.0.1:0",
		.workload = "baseline",
		.server_name = "SIMULATOR",
		.packet_size = "32767",
		.tls = "off",
		.instance = "MSSQLSERVER",
	};
	struct encryption encryption;
	struct tls_server *server = NULL;
	const char *reason = NULL;
	sigset_t signals;
	if (!settings_read(&settings, argument_count, arguments))
		return 2;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	pthread_sigmask(SIG_BLOCK, &signals, NULL); /* inherited by every thread */
	raise_descriptor_limit();
	struct instance_options options = {
		.data_directory = settings.data,
		.server_name = settings.server_name,
		.workload = settings.workload,
		.profile = settings.profile,
		.logins = settings.logins,
		.login_count = settings.login_count,
	};
	struct instance *instance = instance_new(&options, &reason);
	if (!instance) {
		fail(reason ? reason : "cannot build the instance");
		return 1;
	}
	if (settings.batches && !batch_log_open(settings.batches)) {
		fail("cannot write the file of --batches");
		instance_free(instance);
		return 1;
	}
	bool is_well = encryption_read(&settings, &encryption, &server) &&
		       run(&settings, instance, &encryption, &signals);
	tls_server_free(server);
	instance_free(instance);
	return is_well ? 0 : 1;
}
