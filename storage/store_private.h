/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the store, shared by the files that write: opening (store.c), batches
 * (store_write.c, store_records.c), retention. Threads: the owner of the store.
 */
#pragma once

#include "daemon/base/strbuf.h"
#include "storage/batch.h"
#include "storage/database.h"
#include "storage/names.h"
#include "storage/store.h"

struct store {
	struct database database;
	struct names names;
	bool names_are_stale; /* to be loaded anew before they are used */
	char *path;
	int lock_fd;			  /* of PATH.lock; holds the flock */
	char boot_id[CLOCK_BOOT_ID_SIZE]; /* of this machine; see clock.h */
	int64_t last_commit;		  /* number of the last batch that is in the file */
	struct strbuf packed;		  /* reused from frame to frame */
	int64_t *ids;			  /* likewise */
	size_t id_capacity;
};

/*
 * Writes some batches in one transaction, each under its own commit number: all or none.
 *
 * Errors:  ERROR_INVALID something in it can never be stored; the others of database_error pass by.
 */
MUST_CHECK bool store_commit(struct store *store, const struct batch *const *batches, size_t count,
			     struct error *err);

/* Writes the plain rows of a batch inside the caller's transaction. Errors: as store_commit. */
MUST_CHECK bool store_put_records(struct store *store, const struct batch *batch,
				  struct error *err);

/* Copies the write-ahead log into the file and empties it, as far as readers let it. Errors: as
 * database_error. */
MUST_CHECK bool store_checkpoint(struct store *store, struct error *err);

/* Gives up to page_count free pages back to the disk. Errors: as database_error. */
MUST_CHECK bool store_vacuum(struct store *store, int64_t page_count, struct error *err);

/* How large the store is. */
struct store_size {
	int64_t file_bytes;
	int64_t free_bytes; /* of file_bytes, in pages that will be used again */
	int64_t wal_bytes;
};

/* Reads the sizes. Errors: as database_error. */
MUST_CHECK bool store_measure(struct store *store, struct store_size *size, struct error *err);
