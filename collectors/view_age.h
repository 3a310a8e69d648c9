/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long the counters of the waits view have been counting, told by one sample alone: background
 * waits that grow by a second a second, against the uptime. Pure functions; any thread.
 */
#pragma once

#include "collectors/sample.h"

/*
 * Age of the counters of a sample of waits: the uptime, or less when they were cleared since, which
 * is then good to some seconds and a few per cent. -1 when the sample cannot tell.
 *
 * Units: milliseconds.
 * Pure.
 */
int64_t view_age_ms(const struct sample *waits);
