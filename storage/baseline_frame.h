/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of a baseline, packed. Knows neither SQLite nor who calls. Pure; any thread. The body:
 *
 *     version (2), size and characters of the boot id of the machine that polled,
 *     HEARTBEAT_COUNT times rate, time it was learned over, time unread (doubles, 8 bytes each,
 * lowest first), row count, rows, count of rejected names, names, CRC-32 of all before row =
 * difference of the name's id to the row before (signed), one byte: bit i = counter i is there (is
 * not 0), bit 4 = max_ms is there, the counters that are there, max_ms name = difference of its id
 * to the name before (signed)
 */
#pragma once

#include "collectors/delta.h"
#include "daemon/base/strbuf.h"
#include "storage/frame.h"

/* Appends the packed rows of baseline to out; ids are those of the rows' names, then those of the
 * rejected names. Threads: the owner. */
void baseline_frame_pack(struct strbuf *out, const struct baseline *baseline, const int64_t *ids,
			 const char *boot_id);

/*
 * Unpacks a body into the heartbeats of baseline and the rows of its sample, which was begun and is
 * still to be sealed. In another start of the machine, or where boot_id is "", the sample's mono_ms
 * becomes CLOCK_MONO_UNKNOWN.
 *
 * Errors:  ERROR_CORRUPT; baseline is then half filled and of no use.
 * Threads: the owner.
 */
MUST_CHECK bool baseline_frame_unpack(const void *body, size_t size,
				      const struct frame_names *names, const char *boot_id,
				      struct baseline *baseline, struct error *err);
