/* SPDX-License-Identifier: Apache-2.0 */
/* The errors that monitoring meets, as the server words them. Pure. */
#pragma once

#include "tests/sim/result.h"

/* Fills *message, and whether a login meets it rather than a statement; false for other numbers. */
bool fault_message_find(int32_t number, struct sql_message *message, bool *is_at_login);
