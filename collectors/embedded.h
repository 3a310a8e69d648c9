/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of collectors/ that were compiled in: its statements and lists of names. Any thread;
 * nothing changes.
 */
#pragma once

#include "daemon/base/embedded.h"

extern const struct embedded embedded_collectors[];
