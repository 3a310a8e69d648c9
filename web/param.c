/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters into numbers. All arithmetic is in whole milliseconds, so that a time given with three
 * decimals comes out as it went in. Runs in the web threads.
 */
#include "web/param.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

static const int64_t utc_ms_max = 253402300799999; /* the end of the year 9999 */

static const struct {
	const char *unit;
	int64_t ms;
} units[] = {
	{"ms", 1},	 {"s", 1000},	   {"m", 60000},       {"h", 3600000},
	{"d", 86400000}, {"w", 604800000}, {"y", 31536000000},
};

/* Reads up to max_digits digits; false when there is none. */
static bool read_digits(const char **at, int max_digits, int64_t *value)
{
	int64_t result = 0;
	int digits = 0;
	for (; isdigit((unsigned char)**at) && digits < max_digits; (*at)++, digits++)
		result = result * 10 + (**at - '0');
	if (digits == 0)
		return false;
	*value = result;
	return true;
}

/* Reads ".25" as 250; what is finer than a millisecond is cut. */
static bool read_fraction_ms(const char **at, int64_t *ms)
{
	*ms = 0;
	if (**at != '.')
		return true;
	(*at)++;
	if (!isdigit((unsigned char)**at))
		return false;
	for (int64_t place = 100; isdigit((unsigned char)**at); (*at)++, place /= 10)
		*ms += (**at - '0') * place;
	return true;
}

static int64_t unit_ms(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strlen(units[i].unit) == size && strncmp(units[i].unit, text, size) == 0)
			return units[i].ms;
	return 0;
}

bool param_parse_duration(const char *text, int64_t *duration_ms)
{
	int64_t sum = 0;
	const char *at = text;
	do {
		int64_t number = 0;
		if (!read_digits(&at, 12, &number))
			return false;
		size_t size = 0;
		while (isalpha((unsigned char)at[size]))
			size++;
		const int64_t unit = unit_ms(at, size);
		int64_t part = 0;
		if (unit == 0 || __builtin_mul_overflow(number, unit, &part) ||
		    __builtin_add_overflow(sum, part, &sum) || sum > utc_ms_max)
			return false;
		at += size;
	} while (*at);
	*duration_ms = sum;
	return true;
}

/* Reads count digits followed by one of the separators (NUL ends: none is wanted). */
static bool read_field(const char **at, int count, const char *separators, int *value)
{
	const char *const begin = *at;
	int64_t number = 0;
	if (!read_digits(at, count, &number) || *at - begin != count)
		return false;
	*value = (int)number;
	if (!*separators)
		return true;
	if (!**at || !strchr(separators, **at))
		return false;
	(*at)++;
	return true;
}

/* Reads "Z", "+01:00", "-0530"; a space stands for the + that URLs turn into one. */
static bool read_offset_ms(const char *at, int64_t *offset_ms)
{
	*offset_ms = 0;
	if ((*at == 'Z' || *at == 'z') && !at[1])
		return true;
	if (!*at || !strchr("+ -", *at))
		return false;
	const int64_t sign = *at++ == '-' ? -1 : 1;
	int hours = 0;
	int minutes = 0;
	if (!read_field(&at, 2, "", &hours))
		return false;
	if (*at == ':')
		at++;
	if (!read_field(&at, 2, "", &minutes) || *at || hours > 23 || minutes > 59)
		return false;
	*offset_ms = sign * (hours * INT64_C(3600000) + minutes * INT64_C(60000));
	return true;
}

static bool is_real_date(const struct tm *asked, time_t seconds)
{
	struct tm real;
	return gmtime_r(&seconds, &real) && real.tm_mday == asked->tm_mday &&
	       real.tm_mon == asked->tm_mon && asked->tm_hour < 24 && asked->tm_min < 60;
}

static bool parse_rfc3339(const char *at, int64_t *utc_ms)
{
	int year = 0;
	struct tm tm = {0};
	if (!read_field(&at, 4, "-", &year) || !read_field(&at, 2, "-", &tm.tm_mon) ||
	    !read_field(&at, 2, "Tt ", &tm.tm_mday) || !read_field(&at, 2, ":", &tm.tm_hour) ||
	    !read_field(&at, 2, ":", &tm.tm_min) || !read_field(&at, 2, "", &tm.tm_sec))
		return false;
	int64_t fraction_ms = 0;
	int64_t offset_ms = 0;
	if (!read_fraction_ms(&at, &fraction_ms) || !read_offset_ms(at, &offset_ms) ||
	    year < 1970 || tm.tm_mon < 1 || tm.tm_sec > 59)
		return false;
	tm.tm_year = year - 1900;
	tm.tm_mon -= 1;
	struct tm normal = tm;
	const time_t seconds = timegm(&normal);
	if (!is_real_date(&tm, seconds))
		return false;
	*utc_ms = (int64_t)seconds * 1000 + fraction_ms - offset_ms;
	return *utc_ms >= 0;
}

static bool parse_unix_seconds(const char *at, int64_t *utc_ms)
{
	int64_t seconds = 0;
	int64_t fraction_ms = 0;
	if (!read_digits(&at, 15, &seconds) || !read_fraction_ms(&at, &fraction_ms) || *at)
		return false;
	if (seconds > utc_ms_max / 1000)
		return false;
	*utc_ms = seconds * 1000 + fraction_ms;
	return true;
}

bool param_parse_time(const char *text, int64_t now_utc_ms, int64_t *utc_ms)
{
	if (strcmp(text, "now") == 0) {
		*utc_ms = now_utc_ms;
		return true;
	}
	const char *const relative = strncmp(text, "now-", 4) == 0 ? text + 3 : text;
	if (*relative == '-') {
		int64_t back_ms = 0;
		if (!param_parse_duration(relative + 1, &back_ms) || back_ms > now_utc_ms)
			return false;
		*utc_ms = now_utc_ms - back_ms;
		return true;
	}
	int64_t parsed = 0;
	if (!parse_unix_seconds(text, &parsed) && !parse_rfc3339(text, &parsed))
		return false;
	*utc_ms = parsed;
	return true;
}

/* The value of a parameter that may be given once; NULL when it was not. */
static const char *single(const struct request *request, const char *name, struct problem *problem)
{
	const char *found = NULL;
	for (size_t i = 0; i < request->param_count; i++) {
		if (strcmp(request->params[i].name, name) != 0)
			continue;
		if (found)
			problem_add(problem, 400, name, request->params[i].value,
				    "give it once only");
		found = request->params[i].value;
	}
	return found;
}

static bool looks_like_ms(const char *text)
{
	const size_t size = strlen(text);
	return size >= 12 && size <= 14 && strspn(text, "0123456789") == size;
}

static bool read_time(const struct request *request, const char *name, int64_t *utc_ms,
		      struct problem *problem)
{
	const char *const text = single(request, name, problem);
	if (!text || param_parse_time(text, request->now.utc_ms, utc_ms))
		return true;
	if (looks_like_ms(text))
		problem_add(problem, 400, name, text,
			    "looks like milliseconds; Unix times come in as seconds: %.*s.%s",
			    (int)strlen(text) - 3, text, text + strlen(text) - 3);
	else
		problem_add(problem, 400, name, text,
			    "give RFC 3339 (2026-07-04T12:00:00Z), Unix seconds, now, or a "
			    "relative time such as -15m");
	return false;
}

void param_read_range(const struct request *request, struct param_range *range,
		      struct problem *problem)
{
	range->end_utc_ms = request->now.utc_ms;
	range->start_utc_ms = request->now.utc_ms - 3600000;
	const bool is_read = read_time(request, "start", &range->start_utc_ms, problem) &&
			     read_time(request, "end", &range->end_utc_ms, problem);
	if (is_read && range->start_utc_ms >= range->end_utc_ms)
		problem_add(problem, 400, "start", request_param(request, "start"),
			    "must be before end");
}

void param_read_integer(const struct request *request, const char *name, int64_t max,
			int64_t *value, struct problem *problem)
{
	const char *const text = single(request, name, problem);
	if (!text)
		return;
	const char *at = text;
	int64_t number = 0;
	if (!read_digits(&at, 18, &number) || *at || number < 1)
		problem_add(problem, 400, name, text, "give a whole number from 1 to %" PRId64,
			    max);
	else if (number > max)
		problem_add(problem, 422, name, text, "the largest is %" PRId64, max);
	else
		*value = number;
}

int64_t param_bucket_count(const struct param_range *range, int64_t step_ms)
{
	const int64_t first = range->start_utc_ms / step_ms;
	return (range->end_utc_ms + step_ms - 1) / step_ms - first;
}

static int64_t smallest_step_ms(const struct param_range *range)
{
	const int64_t span_ms = range->end_utc_ms - range->start_utc_ms;
	const int64_t step_ms = span_ms / (POINTS_MAX - 1) + 1;
	return step_ms < 1000 ? step_ms : (step_ms + 999) / 1000 * 1000;
}

/*
 * Finer than a second shows nothing: no view is polled more often. From a minute on whole minutes
 * are taken, and whole hours from an hour on: the roll-ups answer these at once.
 */
static int64_t step_of_points(const struct param_range *range, int64_t points)
{
	const int64_t span_ms = range->end_utc_ms - range->start_utc_ms;
	const int64_t seconds = (span_ms + points * 1000 - 1) / (points * 1000);
	const int64_t unit = seconds > 3600 ? 3600 : seconds > 60 ? 60 : 1;
	return (seconds + unit - 1) / unit * unit * 1000;
}

static void read_step_text(const char *text, const struct param_range *range,
			   struct param_step *step, struct problem *problem)
{
	if (strcmp(text, "raw") == 0) {
		*step = (struct param_step){.is_raw = true};
		return;
	}
	int64_t step_ms = 0;
	if ((!param_parse_duration(text, &step_ms) && !parse_unix_seconds(text, &step_ms)) ||
	    step_ms < 1) {
		problem_add(problem, 400, "step", text,
			    "give a duration such as 10s or 5m, or raw");
		return;
	}
	const int64_t smallest_ms = smallest_step_ms(range);
	if (param_bucket_count(range, step_ms) > POINTS_MAX)
		problem_add(problem, 422, "step", text,
			    "more than %d points; the smallest step for this range is %" PRId64
			    "%s",
			    POINTS_MAX, smallest_ms < 1000 ? smallest_ms : smallest_ms / 1000,
			    smallest_ms < 1000 ? "ms" : "s");
	step->step_ms = step_ms;
}

void param_read_step(const struct request *request, const struct param_range *range,
		     struct param_step *step, struct problem *problem)
{
	int64_t points = POINTS_DEFAULT;
	param_read_integer(request, "points", POINTS_MAX, &points, problem);
	if (problem->status)
		return;
	*step = (struct param_step){.step_ms = step_of_points(range, points)};
	const char *const text = single(request, "step", problem);
	if (!text)
		return;
	if (request_param(request, "points"))
		problem_add(problem, 400, "points", request_param(request, "points"),
			    "give step or points, not both");
	read_step_text(text, range, step, problem);
}

static void read_benign(const struct request *request, bool *value, struct problem *problem)
{
	const char *const text = single(request, "benign", problem);
	if (!text)
		return;
	const bool is_true = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
	if (!is_true && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
		problem_add(problem, 400, "benign", text, "give true or false");
	*value = is_true;
}

void param_read_filter(const struct request *request, struct param_filter *filter,
		       struct problem *problem)
{
	*filter = (struct param_filter){.top = TOP_DEFAULT};
	for (size_t i = 0; i < request->param_count; i++) {
		if (strcmp(request->params[i].name, "name") != 0)
			continue;
		if (!*request->params[i].value)
			problem_add(problem, 400, "name", "", "give a name, such as PAGELATCH_EX");
		filter->names[filter->name_count++] = request->params[i].value;
	}
	if (filter->name_count > 0)
		filter->top = (int64_t)filter->name_count;
	param_read_integer(request, "top", TOP_MAX, &filter->top, problem);
	filter->category = single(request, "category", problem);
	read_benign(request, &filter->with_benign, problem);
}

void param_read_format(const struct request *request, enum param_format *format,
		       struct problem *problem)
{
	static const char *const names[] = {"columns", "rows", "csv"};
	*format = FORMAT_COLUMNS;
	const char *const text = single(request, "format", problem);
	if (!text)
		return;
	for (int i = 0; i < 3; i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		*format = (enum param_format)i;
		return;
	}
	problem_add(problem, 400, "format", text, "give columns, rows or csv");
}
