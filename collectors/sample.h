/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sample is what the server said at one instant: the rows of one view, and the epoch they belong
 * to. Built by one thread, then never changed. Knows no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/family.h"
#include "daemon/base/clock.h"
#include "daemon/base/error.h"

enum { SERVER_NAME_SIZE = 129, SAMPLE_ROWS_MAX = 65536, SAMPLE_NAME_SIZE_MAX = 256 };

/* Which life of which server; read in the same batch as the rows. */
struct epoch {
	char server_name[SERVER_NAME_SIZE]; /* SERVERPROPERTY('ServerName') */
	char node_name[SERVER_NAME_SIZE];   /* ComputerNamePhysicalNetBIOS; "" unknown */
	int64_t process_id;		    /* 0 unknown */
	int64_t start_ticks; /* ms_ticks at instance start; -1 unknown (Azure SQL Database) */
	int64_t ms_ticks;    /* when the rows were read; -1 unknown */
};

struct sample_row {
	const char *name;
	int64_t counters[FAMILY_COUNTERS_MAX];
	int64_t max_ms; /* 0 where the view has none */
};

struct sample {
	enum family family;
	struct epoch epoch;
	struct instant taken;	 /* our clocks, when the last row had arrived; mono_ms may be
				    CLOCK_MONO_UNKNOWN in a sample out of the store */
	struct sample_row *rows; /* after sample_seal: sorted by name (strcmp), names unique */
	size_t row_count;
	size_t row_capacity;
	int64_t duplicate_count; /* rows merged into one of the same name */
	int64_t rejected_count;	 /* rows with a NULL or negative cell, or no name */
	/*
	 * Names whose rows were rejected, sorted and unique after sample_seal; none of them is in
	 * rows. Their value is unknown, which is not zero: a delta skips them and the next one is
	 * taken against the last value that was known.
	 */
	const char **rejected;
	size_t rejected_name_count;
	size_t rejected_capacity;
	bool is_truncated; /* more than SAMPLE_ROWS_MAX rows came */
	char *names;	   /* backing of all names */
	size_t names_size;
	size_t names_capacity;
};

/* Begins an empty sample. Owns: the caller frees. Threads: any. */
struct sample *sample_new(enum family family, const struct epoch *epoch, struct instant taken);

/* Frees a sample; NULL is fine. Owns: sample. Threads: the owner. */
void sample_free(struct sample *sample);
DEFINE_CLEANUP(struct sample *, sample_free);

/*
 * Adds one row as the server sent it: right-trims the name, counts and drops a row whose counters
 * the caller marks as missing (-1 stands for NULL) or that is negative, keeps duplicates for
 * sample_seal.
 *
 * Owns:    copies name.
 * Threads: the owner.
 */
void sample_add_row(struct sample *sample, const char *name, size_t name_size,
		    const int64_t counters[FAMILY_COUNTERS_MAX], int64_t max_ms);

/* Makes room for as many rows and names as another sample has, so that it need not grow. Threads:
 * the owner. */
void sample_reserve_like(struct sample *sample, const struct sample *other);

/*
 * Appends a row (a rejected name) of another sealed sample. Appended in the order of names and each
 * once, the result is sealed as it stands.
 *
 * Owns:    copies the name.
 * Threads: the owner.
 */
void sample_take_row(struct sample *sample, const struct sample_row *row);
void sample_take_rejected(struct sample *sample, const char *name);

/*
 * Ends the building: sorts the rows and sums those of one name (the max is the larger). A name of
 * which any row was rejected is rejected whole, for its sum is unknown.
 *
 * Errors:  ERROR_PROTOCOL when no row is left, for a view that cannot be empty was, or when there
 *          were more than SAMPLE_ROWS_MAX, for then the absence of a name means nothing.
 * Threads: the owner.
 */
MUST_CHECK bool sample_seal(struct sample *sample, struct error *err);

/* Finds a row of a sealed sample by its exact name; NULL when it is absent. Pure. */
const struct sample_row *sample_find(const struct sample *sample, const char *name);

/* True when the name was there but its value could not be used. Pure. */
bool sample_has_rejected(const struct sample *sample, const char *name);

/* A copy of a sealed sample. Owns: the caller frees. Threads: any. */
struct sample *sample_copy(const struct sample *sample);
