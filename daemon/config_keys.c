/* SPDX-License-Identifier: Apache-2.0 */
/* The table of configuration keys, and guesses at what a wrong one was meant to be. Pure. */
#include "daemon/config_keys.h"

#include <string.h>

#define SECOND INT64_C(1000)
#define DAY    (INT64_C(86400) * SECOND)
#define MIB    (INT64_C(1) << 20)

#define FIELD(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define FILE_KEY	   .scope = CONFIG_SCOPE_FILE
#define TARGET_KEY	   .scope = CONFIG_SCOPE_TARGET
#define RULE_KEY	   .scope = CONFIG_SCOPE_RULE
#define NOTIFIER_KEY	   .scope = CONFIG_SCOPE_NOTIFIER
#define INTERVAL_KEY(collector)                                                                    \
	TARGET_KEY, .type = CONFIG_INTERVAL, .min = SECOND, .max = DAY,                            \
		    FIELD(struct config_target, interval_ms[collector])

static const struct config_key keys[] = {
	{FILE_KEY, .path = "web", .type = CONFIG_SECTION, .help = "the HTTP server"},
	{FILE_KEY, .path = "web.listen", .type = CONFIG_LISTEN, .fallback = "127.0.0.1:9743",
	 .help = "address, or a list of up to 8; port 0 picks a free one; unix:PATH is a socket"},
	{FILE_KEY, .path = "web.insecure", .type = CONFIG_BOOLEAN, .fallback = "false",
	 FIELD(struct config, is_insecure),
	 .help = "allow an address beyond this machine although everybody there can read"},

	{FILE_KEY, .path = "storage", .type = CONFIG_SECTION, .help = "the SQLite file"},
	{FILE_KEY, .path = "storage.path", .type = CONFIG_PATH,
	 .fallback = "/var/lib/latchd/latchd.db", FIELD(struct config, store_path),
	 .help = "where everything is kept; the folder must exist"},
	{FILE_KEY, .path = "storage.retention", .type = CONFIG_SECTION,
	 .help = "how long what is kept"},
	{FILE_KEY, .path = "storage.retention.raw", .type = CONFIG_DURATION, .fallback = "14d",
	 .min = 3600 * SECOND, .max = 3650 * DAY, FIELD(struct config, keep_ms[RESOLUTION_RAW]),
	 .help = "every polled interval"},
	{FILE_KEY, .path = "storage.retention.1m", .type = CONFIG_DURATION, .fallback = "90d",
	 .min = 2 * DAY, .max = 3650 * DAY, FIELD(struct config, keep_ms[RESOLUTION_MINUTE]),
	 .help = "sums of each minute"},
	{FILE_KEY, .path = "storage.retention.1h", .type = CONFIG_DURATION, .fallback = "2y",
	 .min = 2 * DAY, .max = 3650 * DAY, FIELD(struct config, keep_ms[RESOLUTION_HOUR]),
	 .help = "sums of each hour; events and hotspots are kept as long"},
	{FILE_KEY, .path = "storage.max_size", .type = CONFIG_SIZE, .fallback = "20GiB",
	 .min = 16 * MIB, .max = INT64_MAX, FIELD(struct config, max_size_bytes),
	 .help = "the oldest raw intervals go when the file would pass this"},
	{FILE_KEY, .path = "storage.synchronous", .type = CONFIG_CHOICE, .fallback = "normal",
	 .choices = "normal|full", FIELD(struct config, is_synchronous_full),
	 .help = "normal | full: full survives a power failure to the last poll, at a sync each"},

	{FILE_KEY, .path = "defaults", .type = CONFIG_DEFAULTS,
	 .help = "what every target inherits; a target may override each"},
	{TARGET_KEY, .path = "name", .type = CONFIG_NAME, .is_required = true, .is_own = true,
	 FIELD(struct config_target, name),
	 .help = "letters, digits and ._- ; names the target in URLs and for ever in the store"},
	{TARGET_KEY, .path = "host", .type = CONFIG_HOST, .is_required = true, .is_own = true,
	 FIELD(struct config_target, host),
	 .help = "name or address; HOST,PORT, HOST\\INSTANCE, [IPV6] and tcp:HOST are understood"},
	{TARGET_KEY, .path = "port", .type = CONFIG_INTEGER, .fallback = "1433", .min = 1,
	 .max = 65535, .is_own = true, FIELD(struct config_target, port),
	 .help = "TCP port; with HOST\\INSTANCE and no port the SQL Server Browser is asked"},
	{TARGET_KEY, .path = "browser_port", .type = CONFIG_INTEGER, .fallback = "1434", .min = 1,
	 .max = 65535, FIELD(struct config_target, browser_port),
	 .help = "UDP port of the SQL Server Browser there, for HOST\\INSTANCE"},
	{TARGET_KEY, .path = "labels", .type = CONFIG_LABELS, .is_own = true,
	 .help = "up to 8 of your own, carried into alerts and the API"},
	{TARGET_KEY, .path = "login", .type = CONFIG_SECTION, .help = "who latchd is there"},
	{TARGET_KEY, .path = "login.user", .type = CONFIG_TEXT, .is_required = true, .max = 128,
	 FIELD(struct config_target, login.user),
	 .help = "SQL Server login with VIEW SERVER STATE (2022: ... PERFORMANCE STATE)"},
	{TARGET_KEY, .path = "login.password", .type = CONFIG_SECTION,
	 .help = "where the password is; it is read at each login and never written here"},
	{TARGET_KEY, .path = "login.password.file", .type = CONFIG_PATH,
	 FIELD(struct config_target, login.password_file),
	 .help = "a file that only latchd can read; a newline at its end does not count"},
	{TARGET_KEY, .path = "login.password.credential", .type = CONFIG_TEXT, .max = 255,
	 FIELD(struct config_target, login.credential),
	 .help = "instead of a file: name of a systemd credential (LoadCredential=)"},
	{TARGET_KEY, .path = "login.kerberos", .type = CONFIG_SECTION,
	 .help = "instead of user and password: integrated login by Kerberos"},
	{TARGET_KEY, .path = "login.kerberos.keytab", .type = CONFIG_PATH,
	 FIELD(struct config_target, login.keytab),
	 .help = "its first principal logs in; one keytab for all targets of one latchd"},
	{TARGET_KEY, .path = "database", .type = CONFIG_TEXT, .max = 128,
	 FIELD(struct config_target, database),
	 .help = "database to log in to; the login's own else"},
	{TARGET_KEY, .path = "application_intent", .type = CONFIG_CHOICE, .fallback = "read_write",
	 .choices = "read_write|read_only", FIELD(struct config_target, is_read_only_intent),
	 .help = "read_write | read_only: read_only may be routed to a readable secondary; it wants a database"},
	{TARGET_KEY, .path = "tls", .type = CONFIG_SECTION, .help = "encryption of the connection"},
	{TARGET_KEY, .path = "tls.mode", .type = CONFIG_CHOICE, .fallback = "require",
	 .choices = "require|request|off", .foreign = "strict",
	 .reason = "strict (TDS 8) is not spoken by FreeTDS 1.3: write require, which encrypts "
		   "everything and verifies the certificate; a server that forces strict "
		   "encryption cannot be watched",
	 FIELD(struct config_target, tls),
	 .help = "require | request | off: request encrypts the login at least, off nothing"},
	{TARGET_KEY, .path = "tls.ca", .type = CONFIG_CA, .fallback = "system",
	 FIELD(struct config_target, ca),
	 .help = "system | PATH | none: who must have signed; none verifies nothing"},
	{TARGET_KEY, .path = "tls.verify_hostname", .type = CONFIG_BOOLEAN, .fallback = "true",
	 FIELD(struct config_target, verify_hostname),
	 .help = "whether the certificate must name the host"},
	{TARGET_KEY, .path = "intervals", .type = CONFIG_SECTION,
	 .help = "how often what is asked for; 1s at least; off leaves it out"},
	{INTERVAL_KEY(COLLECTOR_WAITS), .path = "intervals.waits", .fallback = "10s",
	 .help = "sys.dm_os_wait_stats"},
	{INTERVAL_KEY(COLLECTOR_LATCHES), .path = "intervals.latches", .fallback = "10s",
	 .help = "sys.dm_os_latch_stats"},
	{INTERVAL_KEY(COLLECTOR_SPINLOCKS), .path = "intervals.spinlocks", .fallback = "10s",
	 .help = "sys.dm_os_spinlock_stats"},
	{INTERVAL_KEY(COLLECTOR_WAITING_TASKS), .path = "intervals.waiting_tasks", .fallback = "1s",
	 .help = "sys.dm_os_waiting_tasks, for hot pages; stretches to 5s by itself when dear"},
	{TARGET_KEY, .path = "timeouts", .type = CONFIG_SECTION, .help = "wall-clock limits"},
	{TARGET_KEY, .path = "timeouts.login", .type = CONFIG_DURATION, .fallback = "5s",
	 .min = SECOND, .max = 120 * SECOND, FIELD(struct config_target, login_timeout_ms),
	 .help = "for connecting and logging in"},
	{TARGET_KEY, .path = "timeouts.query", .type = CONFIG_DURATION, .fallback = "5s",
	 .min = SECOND, .max = 120 * SECOND, FIELD(struct config_target, query_timeout_ms),
	 .help = "for one round trip"},

	{FILE_KEY, .path = "targets", .type = CONFIG_TARGETS, .is_local = true,
	 .help = "the servers to watch"},

	{FILE_KEY, .path = "detector", .type = CONFIG_SECTION, .help = "when a page counts as hot"},
	{FILE_KEY, .path = "detector.min_waiters", .type = CONFIG_INTEGER, .fallback = "3",
	 .min = 1, .max = 10000, FIELD(struct config, detector.min_waiters),
	 .help = "distinct sessions that wait for it in one sample, at least"},
	{FILE_KEY, .path = "detector.window", .type = CONFIG_DURATION, .fallback = "10s",
	 .min = 2 * SECOND, .max = 600 * SECOND, FIELD(struct config, detector.window_ms),
	 .help = "over how long it is judged"},
	{FILE_KEY, .path = "detector.hits", .type = CONFIG_INTEGER, .fallback = "5", .min = 1,
	 .max = 600, FIELD(struct config, detector.hits),
	 .help = "samples of the window that must show it"},
	{FILE_KEY, .path = "detector.end_after", .type = CONFIG_DURATION, .fallback = "60s",
	 .min = SECOND, .max = DAY, FIELD(struct config, detector.end_after_ms),
	 .help = "it is over after so long without a hit"},

	{FILE_KEY, .path = "rules", .type = CONFIG_RULES, .is_local = true,
	 .help = "what is worth an alert, on every target"},
	{RULE_KEY, .path = "alert", .type = CONFIG_NAME, .is_required = true,
	 FIELD(struct rule, name), .help = "its name; letters, digits and ._-"},
	{RULE_KEY, .path = "when", .type = CONFIG_WHEN, .is_required = true,
	 .help = "sum of wait(\"NAME\"), latch(\"NAME\"), spinlock(\"NAME\") > rate, 1000ms/s being "
		 "one session waiting all the time"},
	{RULE_KEY, .path = "clear", .type = CONFIG_RATE, .max = INT64_MAX,
	 FIELD(struct rule, clear),
	 .help = "it resolves at or under this; without it, at the rate of when"},
	{RULE_KEY, .path = "for", .type = CONFIG_DURATION, .fallback = "0s", .max = DAY,
	 FIELD(struct rule, for_ms), .help = "how long it must hold before it fires or resolves"},
	{RULE_KEY, .path = "severity", .type = CONFIG_NAME, .fallback = "warning",
	 FIELD(struct rule, severity), .help = "info, warning, critical or a word of your own"},
	{RULE_KEY, .path = "no_data", .type = CONFIG_CHOICE, .fallback = "keep",
	 .choices = "keep|ok|alert", FIELD(struct rule, no_data),
	 .help = "keep | ok | alert: what becomes of it while the target cannot be read"},
	{RULE_KEY, .path = "labels", .type = CONFIG_LABELS, .help = "carried into the alert"},
	{RULE_KEY, .path = "notify", .type = CONFIG_NOTIFY, .help = "names under notifiers"},

	{FILE_KEY, .path = "notifiers", .type = CONFIG_NOTIFIERS, .is_local = true,
	 .help = "where alerts go, by name"},
	{NOTIFIER_KEY, .path = "type", .type = CONFIG_CHOICE, .is_required = true,
	 .choices = "webhook", FIELD(struct config_notifier, type),
	 .help = "webhook: one POST of JSON per change"},
	{NOTIFIER_KEY, .path = "url", .type = CONFIG_URL, .is_required = true,
	 FIELD(struct config_notifier, url), .help = "http:// or https://"},

	{FILE_KEY, .path = "include", .type = CONFIG_INCLUDE,
	 .help = "globs of files with more targets, rules and notifiers, from this file's folder"},
};

enum { KEY_COUNT = sizeof(keys) / sizeof(keys[0]), WORD_SIZE = 64 };

const struct config_key *config_keys(size_t *count)
{
	*count = KEY_COUNT;
	return keys;
}

const struct config_key *config_key_find(enum config_scope scope, const char *path)
{
	for (size_t i = 0; i < KEY_COUNT; i++)
		if (keys[i].scope == scope && strcmp(keys[i].path, path) == 0)
			return &keys[i];
	return NULL;
}

/* How many letters must change to make one text the other; texts beyond 63 bytes are far. */
static size_t distance_between(const char *left, const char *right)
{
	size_t left_size = strlen(left), right_size = strlen(right);
	size_t row[WORD_SIZE];

	if (left_size >= WORD_SIZE || right_size >= WORD_SIZE)
		return WORD_SIZE;
	for (size_t i = 0; i <= right_size; i++)
		row[i] = i;
	for (size_t i = 1; i <= left_size; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= right_size; j++) {
			size_t best = diagonal + (left[i - 1] != right[j - 1]);
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[right_size];
}

/* Near enough to be worth proposing: a third of the letters, two at least. */
static bool is_near(const char *given, size_t distance)
{
	size_t limit = strlen(given) / 3 > 2 ? strlen(given) / 3 : 2;

	return distance <= limit && distance < strlen(given);
}

static const char *last_word(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

const char *config_key_guess(enum config_scope scope, const char *path)
{
	const char *given = last_word(path), *best = NULL;
	size_t parent = (size_t)(given - path), best_distance = WORD_SIZE;

	for (size_t i = 0; i < KEY_COUNT; i++) {
		const char *word = last_word(keys[i].path);

		if (keys[i].scope != scope || (size_t)(word - keys[i].path) != parent ||
		    strncmp(keys[i].path, path, parent) != 0)
			continue;
		size_t distance = distance_between(given, word);
		if (distance < best_distance) {
			best_distance = distance;
			best = word;
		}
	}
	return best && is_near(given, best_distance) ? best : NULL;
}

bool config_choice_guess(const char *choices, const char *text, char *guess, size_t size)
{
	size_t best_distance = WORD_SIZE;

	for (const char *word = choices; *word;) {
		size_t word_size = strcspn(word, "|");
		char candidate[WORD_SIZE] = "";

		if (word_size < sizeof(candidate) && word_size < size) {
			memcpy(candidate, word, word_size);
			size_t distance = distance_between(text, candidate);
			if (distance < best_distance) {
				best_distance = distance;
				memcpy(guess, candidate, word_size + 1);
			}
		}
		word += word_size;
		word += *word == '|';
	}
	return is_near(text, best_distance);
}
