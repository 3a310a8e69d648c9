/* SPDX-License-Identifier: Apache-2.0 */
/* The one statement latchd proposes; shown, never executed. Pure; any thread. */
#pragma once

#include "storage/record.h"

/*
 * Writes the statement that turns OPTIMIZE_FOR_SEQUENTIAL_KEY on for the hotspot's index: three
 * quoted parts, no USE, a short wait for the schema lock. "" when the index cannot be named beyond
 * doubt: no name, a heap, a dot inside a name, a name that may have been cut. Pure.
 */
void finding_statement(const struct hotspot *hotspot, char *statement, size_t size);
