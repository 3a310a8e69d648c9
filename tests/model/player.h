/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plays a history: lets things happen on the true servers, polls them as latchd does (samples,
 * deltas, baselines, and the baselines through the store's form when latchd is restarted), and has
 * each delta judged.
 */
#pragma once

#include "tests/model/judge.h"

/*
 * Plays to the end or to the first fault; false when there is one, with its words in fault
 * (FAULT_SIZE). With is_told, says each step and verdict on stdout.
 *
 * Threads: any.
 */
bool player_run(const struct history *history, bool is_told, char *fault);
