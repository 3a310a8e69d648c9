/* SPDX-License-Identifier: Apache-2.0 */
/* Reads durations and sizes with their units. Pure; any thread. */
#include "daemon/duration.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

struct unit {
	const char *name;
	int64_t factor;
};

/* What a number may be followed by, and what is proposed when it is followed by nothing. */
struct measure {
	const char *noun;
	const char *example;
	const char *usual_unit;
	const struct unit *units;
};

static const struct unit duration_units[] = {
	{"ms", 1},
	{"s", 1000},
	{"m", INT64_C(60) * 1000},
	{"h", INT64_C(3600) * 1000},
	{"d", INT64_C(86400) * 1000},
	{"w", INT64_C(7) * 86400 * 1000},
	{"y", INT64_C(365) * 86400 * 1000},
	{NULL, 0},
};

static const struct unit size_units[] = {
	{"B", 1},
	{"KiB", INT64_C(1) << 10},
	{"MiB", INT64_C(1) << 20},
	{"GiB", INT64_C(1) << 30},
	{"TiB", INT64_C(1) << 40},
	{NULL, 0},
};

static const struct measure duration_measure = {"duration", "10s", "s", duration_units};
static const struct measure size_measure = {"size", "20GiB", "GiB", size_units};

/* The unit a text begins like, whatever the case: "sec" for s, "gb" for GiB. */
static const struct unit *unit_guess(const struct measure *measure, const char *text)
{
	for (const struct unit *unit = measure->units; unit->name; unit++)
		if (tolower((unsigned char)unit->name[0]) == tolower((unsigned char)text[0]))
			return unit;
	return NULL;
}

static const struct unit *unit_find(const struct measure *measure, const char *text)
{
	for (const struct unit *unit = measure->units; unit->name; unit++)
		if (strcmp(unit->name, text) == 0)
			return unit;
	return NULL;
}

static bool refuse_unit(const struct measure *measure, const char *text, int digits,
			struct error *err)
{
	const char *name = text + digits;

	if (*name == '\0')
		return error_set(err, ERROR_INVALID, 0, "a %s needs a unit; did you mean \"%s%s\"?",
				 measure->noun, text, measure->usual_unit);
	const struct unit *guess = unit_guess(measure, name);
	if (!guess)
		return error_set(err, ERROR_INVALID, 0, "'%.40s' is no unit of a %s", name,
				 measure->noun);
	return error_set(err, ERROR_INVALID, 0,
			 "'%.40s' is no unit of a %s; did you mean \"%.*s%s\"?", name,
			 measure->noun, digits, text, guess->name);
}

static bool measure_parse(const struct measure *measure, const char *text, int64_t *value,
			  struct error *err)
{
	int64_t number = 0;
	int digits = 0;

	for (; text[digits] >= '0' && text[digits] <= '9'; digits++) {
		if (digits >= 15)
			return error_set(err, ERROR_INVALID, 0, "'%.40s' is too large", text);
		number = number * 10 + (text[digits] - '0');
	}
	if (digits == 0)
		return error_set(err, ERROR_INVALID, 0,
				 "'%.40s' is no %s; it is a whole number and a unit such as %s",
				 text, measure->noun, measure->example);
	const struct unit *unit = unit_find(measure, text + digits);
	if (!unit)
		return refuse_unit(measure, text, digits, err);
	if (number > INT64_MAX / unit->factor)
		return error_set(err, ERROR_INVALID, 0, "'%.40s' is too large", text);
	*value = number * unit->factor;
	return true;
}

bool duration_parse(const char *text, int64_t *ms, struct error *err)
{
	return measure_parse(&duration_measure, text, ms, err);
}

bool size_parse(const char *text, int64_t *bytes, struct error *err)
{
	return measure_parse(&size_measure, text, bytes, err);
}
