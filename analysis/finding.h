/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What to do about a hotspot: the rules of sqlserver-facts section 8, each with its numbers and its
 * source. latchd never executes what it prints. Pure; any thread.
 */
#pragma once

#include "storage/record.h"

/*
 * Fills hotspot->finding: rule, summary with the numbers seen, what to expect at this ratio of
 * inserters to schedulers, and the exact statement (three quoted parts, SET LOCK_TIMEOUT first)
 * where one helps. Pure but for *hotspot.
 */
void finding_for_hotspot(struct hotspot *hotspot);
