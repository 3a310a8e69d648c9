/* SPDX-License-Identifier: Apache-2.0 */
/* A file of every batch that clients sent, each ended by a zero byte. Any thread; one per process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Before the first session; false when the file cannot be written. */
bool batch_log_open(const char *path);

/* Nothing happens when it was not opened. */
void batch_log_add(const char *sql, size_t size_bytes);
