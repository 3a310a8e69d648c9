/* SPDX-License-Identifier: Apache-2.0 */
/* What every test program includes: cmocka and the headers it wants to see first. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
