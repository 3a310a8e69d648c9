/* SPDX-License-Identifier: Apache-2.0 */
/* The way from the first byte to a login: PRELOGIN, TLS, LOGIN7. Runs in the session's thread. */
#pragma once

#include "tests/sim/login.h"
#include "tests/sim/session.h"
#include "tests/sim/stream.h"

/* Returns false when the connection is over before a sound LOGIN7 has come. */
bool handshake_run(struct stream *stream, const struct encryption *encryption, struct login *login);
