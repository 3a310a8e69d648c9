/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in rules: a wait type must be in the catalogue; the lists of latch classes and spinlocks
 * grow with every version, so there only what is obviously a wait type is refused. Pure; any
 * thread.
 */
#include "analysis/rule_name.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "collectors/sample.h"
#include "collectors/wait_type.h"

static const char *const functions[FAMILY_COUNT] = {
	[FAMILY_WAITS] = "wait",
	[FAMILY_LATCHES] = "latch",
	[FAMILY_SPINLOCKS] = "spinlock",
};

/* How waits are called that people look for among latches and spinlocks. */
static const char *const wait_prefixes[] = {
	"PAGELATCH", "PAGEIOLATCH", "LATCH_", "LCK_M_", "CXPACKET", "BTREE_INSERT_FLOW",
};

static bool is_equal(char a, char b)
{
	return toupper((unsigned char)a) == toupper((unsigned char)b);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Edits without regard to case, two letters that changed places being one; SIZE_MAX when a text is
 * too long to compare. rows[i % 3] belongs to the first i letters of a.
 */
static size_t edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t rows[3][SAMPLE_NAME_SIZE_MAX];
	if (a_size >= SAMPLE_NAME_SIZE_MAX || b_size >= SAMPLE_NAME_SIZE_MAX)
		return SIZE_MAX;
	for (size_t j = 0; j <= b_size; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_size; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i - 1) % 3];
		row[0] = i;
		for (size_t j = 1; j <= b_size; j++) {
			row[j] = smaller(above[j], row[j - 1]) + 1;
			row[j] = smaller(row[j], above[j - 1] + !is_equal(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && is_equal(a[i - 1], b[j - 2]) &&
			    is_equal(a[i - 2], b[j - 1]))
				row[j] = smaller(row[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[a_size % 3][b_size];
}

/* The nearest wait type, or NULL when none is near enough to have been meant. */
static const char *nearest_wait_type(const char *name)
{
	const size_t size = strlen(name);
	const char *nearest = NULL;
	size_t least = size / 3 + 1;
	const char *candidate;
	for (size_t i = 0; (candidate = wait_type_at(i)); i++) {
		const size_t distance = edit_distance(name, size, candidate, strlen(candidate));
		if (distance >= least)
			continue;
		least = distance;
		nearest = candidate;
	}
	return nearest;
}

static bool is_obviously_wait(const char *name)
{
	for (size_t i = 0; i < sizeof(wait_prefixes) / sizeof(*wait_prefixes); i++)
		if (strncmp(name, wait_prefixes[i], strlen(wait_prefixes[i])) == 0)
			return true;
	return false;
}

bool rule_name_family(const char *text, size_t size, enum family *family)
{
	for (int i = 0; i < FAMILY_COUNT; i++) {
		if (strlen(functions[i]) != size || strncmp(functions[i], text, size) != 0)
			continue;
		*family = (enum family)i;
		return true;
	}
	return false;
}

const char *rule_name_nearest_function(const char *text, size_t size)
{
	const char *nearest = functions[FAMILY_WAITS];
	size_t least = SIZE_MAX;
	for (int i = 0; i < FAMILY_COUNT; i++) {
		const size_t distance =
			edit_distance(text, size, functions[i], strlen(functions[i]));
		if (distance >= least)
			continue;
		least = distance;
		nearest = functions[i];
	}
	return nearest;
}

static bool refuse_wait_type(const char *name, int column, struct error *err)
{
	const char *guess = nearest_wait_type(name);
	if (!guess)
		return error_set(err, ERROR_INVALID, column, "'%s' is no known wait type", name);
	return error_set(err, ERROR_INVALID, column,
			 "'%s' is no known wait type; did you mean \"%s\"?", name, guess);
}

bool rule_name_check(enum family family, const char *name, int column, struct error *err)
{
	if (family == FAMILY_WAITS)
		return wait_type_is_known(name) || refuse_wait_type(name, column, err);
	if (!is_obviously_wait(name))
		return true;
	return error_set(err, ERROR_INVALID, column,
			 "'%s' is a wait type and never occurs in %s; did you mean wait(\"%s\")?",
			 name, family_shape(family)->view, name);
}
