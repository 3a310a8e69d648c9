/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS 1.2 as TDS 7 wants it: bytes in, bytes out, no socket. The certificate (tls_server) is shared
 * by all sessions and never changes; a struct tls belongs to one session's thread.
 *
 * TLS 1.3 is left out: FreeTDS and older Go drivers offer it and then wait for ever.
 */
#pragma once

#include <stdbool.h>

#include "tests/sim/buffer.h"

struct tls;
struct tls_server;

enum tls_result {
	TLS_INCOMPLETE, /* feed more bytes */
	TLS_DONE,
	TLS_FAILED, /* the other side refused, closed, or sent what is no TLS */
};

/* Reads a certificate chain and its key, both PEM. NULL and a text in reason on failure. */
struct tls_server *tls_server_new(const char *certificate_path, const char *key_path, char *reason,
				  size_t reason_size);
void tls_server_free(struct tls_server *server);

struct tls *tls_new(const struct tls_server *server);
void tls_free(struct tls *tls);

/* Takes bytes that came from the client. */
void tls_feed(struct tls *tls, const void *bytes, size_t size);

/* Goes on with the handshake; output receives what is to be sent, also after a failure. */
enum tls_result tls_handshake(struct tls *tls, struct buffer *output);

/* Adds the next piece of plain text to plain: TLS_DONE when there was one. */
enum tls_result tls_decrypt(struct tls *tls, struct buffer *plain);

/* Adds bytes to output as records. */
bool tls_encrypt(struct tls *tls, const void *bytes, size_t size, struct buffer *output);

/* Moves what was fed and not yet looked at to rest: it is plain text when TLS ends with the login.
 */
void tls_take_rest(struct tls *tls, struct buffer *rest);
