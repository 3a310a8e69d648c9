/* SPDX-License-Identifier: Apache-2.0 */
/* `latchd run`: the daemon. Runs in main, which keeps the signals, the deadlines and the watchdog.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "daemon/base/log.h"
#include "daemon/commands/command.h"
#include "daemon/config.h"
#include "daemon/secrecy.h"
#include "daemon/service.h"
#include "daemon/supervisor.h"

enum { TICK_MS = 250, STATUS_SIZE = 224 };

struct run_options {
	const char *path;
	bool prints_address;
};

static bool parse_options(int argc, char **argv, struct run_options *run)
{
	static const struct option options[] = {
		{"config", required_argument, NULL, 'c'},
		{"print-address", no_argument, NULL, 'p'},
		{NULL, 0, NULL, 0},
	};

	for (int option; (option = getopt_long(argc, argv, "c:", options, NULL)) != -1;) {
		if (option == 'c')
			run->path = optarg;
		else if (option == 'p')
			run->prints_address = true;
		else
			return false;
	}
	if (optind == argc)
		return true;
	fprintf(stderr, "%s: '%s' is not wanted\n", argv[0], argv[optind]);
	return false;
}

/* Signals stay with main, which waits for them; threads inherit the mask. */
static void block_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGHUP);
	pthread_sigmask(SIG_BLOCK, signals, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* A message of the log is one line, a report is one line for each mistake. */
static void log_report(const struct strbuf *report)
{
	for (const char *line = strbuf_text(report); *line;) {
		int size = (int)strcspn(line, "\n");

		log_error("%.*s", size, line);
		line += size + (line[size] == '\n');
	}
}

/* A reload tells at least whether the file is whole: that is what is asked before a restart. What
 * it returns is for systemctl status. */
static const char *answer_reload(struct service *service, const char *path)
{
	CLEANUP(strbuf_done) struct strbuf report = STRBUF_INIT;
	CLEANUP(config_freep) struct config *config = config_load(path, &report);

	log_report(&report);
	service_note_reload(service, config);
	if (config)
		log_info("'%s' is valid; what changed takes effect at the next start", path);
	else
		log_error("'%s' is not valid, the old configuration goes on", path);
	return config ? "; a new configuration waits for the next start"
		      : "; the configuration file is not valid, the old one goes on";
}

/* What systemctl status shows of it. */
struct shown {
	size_t target_count;
	size_t up_count;
	const char *reload;
};

static void describe(const struct service *service, const struct shown *shown, char *text,
		     size_t size)
{
	(void)snprintf(text, size, "targets up: %zu of %zu, %s%s", shown->up_count,
		       shown->target_count, service_address(service, 0), shown->reload);
}

static void show(const struct service *service, const struct shown *shown)
{
	char text[STATUS_SIZE];

	describe(service, shown, text, sizeof(text));
	supervisor_status(text);
}

static void wait_for_end(struct service *service, const sigset_t *signals, const char *path,
			 struct shown *shown)
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};
	int64_t alive_interval_ms = supervisor_alive_interval_ms();
	int64_t alive_mono_ms = 0;

	for (;;) {
		int number = sigtimedwait(signals, NULL, &tick);
		struct instant now = clock_now();

		if (number == SIGTERM || number == SIGINT)
			return;
		service_tick(service, now);
		struct shown next = *shown;
		next.up_count = service_up_count(service);
		if (number == SIGHUP)
			next.reload = answer_reload(service, path);
		if (next.up_count != shown->up_count || next.reload != shown->reload) {
			*shown = next;
			show(service, shown);
		}
		if (alive_interval_ms > 0 && now.mono_ms - alive_mono_ms >= alive_interval_ms) {
			supervisor_alive();
			alive_mono_ms = now.mono_ms;
		}
	}
}

static void say_ready(const struct service *service, const struct run_options *run,
		      const struct shown *shown)
{
	char status[STATUS_SIZE];

	for (int i = 0; service_address(service, i); i++) {
		log_info("listening on %s", service_address(service, i));
		if (run->prints_address)
			printf("listening on %s\n", service_address(service, i));
	}
	fflush(stdout);
	describe(service, shown, status, sizeof(status));
	supervisor_ready(status);
}

int command_run(int argc, char **argv)
{
	struct run_options run = {.path = CONFIG_DEFAULT_PATH};
	struct error err = ERROR_INIT;
	sigset_t signals;

	if (!parse_options(argc, argv, &run))
		return STATUS_USAGE;
	CLEANUP(strbuf_done) struct strbuf report = STRBUF_INIT;
	block_signals(&signals);
	CLEANUP(config_freep) struct config *config = config_load(run.path, &report);
	if (!config) {
		fputs(strbuf_text(&report), stderr);
		return STATUS_CONFIG;
	}
	if (!secrecy_begin(&err))
		log_warning("%s", err.text);
	log_info("latchd " LATCHD_VERSION " starts with '%s' (targets: %zu, rules: %zu)", run.path,
		 config->target_count, config->rule_count);
	struct service *service = service_start(config, &err);
	if (!service) {
		log_error("latchd cannot start: %s", err.text);
		return err.kind == ERROR_INVALID ? STATUS_CONFIG : STATUS_FAILED;
	}
	struct shown shown = {.target_count = config->target_count, .reload = ""};
	say_ready(service, &run, &shown);
	wait_for_end(service, &signals, run.path, &shown);
	supervisor_stopping();
	log_info("latchd stops");
	return service_stop(service) ? STATUS_OK : STATUS_OK | STATUS_LEFT_BEHIND;
}
