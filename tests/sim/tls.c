/* SPDX-License-Identifier: Apache-2.0 */
/* TLS over memory; the only file that includes OpenSSL. Session threads; knows no socket. */
#include "tests/sim/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIECE_SIZE = 16384 };

struct tls_server {
	SSL_CTX *context;
};

struct tls {
	SSL *connection;
	BIO *input;  /* owned by connection */
	BIO *output; /* owned by connection */
};

static struct tls_server *server_fail(struct tls_server *server, const char *what, char *reason,
				      size_t reason_size)
{
	char said[256] = "";
	ERR_error_string_n(ERR_get_error(), said, sizeof(said));
	snprintf(reason, reason_size, "cannot use '%s': %s", what, said);
	ERR_clear_error();
	tls_server_free(server);
	return NULL;
}

struct tls_server *tls_server_new(const char *certificate_path, const char *key_path, char *reason,
				  size_t reason_size)
{
	struct tls_server *server = calloc(1, sizeof(*server));
	if (!server)
		abort();
	server->context = SSL_CTX_new(TLS_server_method());
	if (!server->context ||
	    SSL_CTX_set_min_proto_version(server->context, TLS1_2_VERSION) != 1 ||
	    SSL_CTX_set_max_proto_version(server->context, TLS1_2_VERSION) != 1)
		return server_fail(server, "TLS 1.2", reason, reason_size);
	/* Without resumption a client has nothing to send before it has seen our Finished. */
	SSL_CTX_set_session_cache_mode(server->context, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_options(server->context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
	/* Keeps a thousand idle sessions small. */
	SSL_CTX_set_mode(server->context, SSL_MODE_RELEASE_BUFFERS);
	if (SSL_CTX_use_certificate_chain_file(server->context, certificate_path) != 1)
		return server_fail(server, certificate_path, reason, reason_size);
	if (SSL_CTX_use_PrivateKey_file(server->context, key_path, SSL_FILETYPE_PEM) != 1)
		return server_fail(server, key_path, reason, reason_size);
	return server;
}

void tls_server_free(struct tls_server *server)
{
	if (!server)
		return;
	SSL_CTX_free(server->context);
	free(server);
}

struct tls *tls_new(const struct tls_server *server)
{
	struct tls *tls = calloc(1, sizeof(*tls));
	if (!tls)
		abort();
	tls->connection = SSL_new(server->context);
	tls->input = BIO_new(BIO_s_mem());
	tls->output = BIO_new(BIO_s_mem());
	if (!tls->connection || !tls->input || !tls->output)
		abort();
	SSL_set_bio(tls->connection, tls->input, tls->output);
	SSL_set_accept_state(tls->connection);
	return tls;
}

void tls_free(struct tls *tls)
{
	if (!tls)
		return;
	SSL_free(tls->connection);
	free(tls);
}

void tls_feed(struct tls *tls, const void *bytes, size_t size)
{
	/* A memory BIO takes everything or is out of memory. */
	if (size != 0 && BIO_write(tls->input, bytes, (int)size) != (int)size)
		abort();
}

static void move_all(BIO *source, struct buffer *target)
{
	uint8_t piece[PIECE_SIZE];
	int size;
	while ((size = BIO_read(source, piece, sizeof(piece))) > 0)
		buffer_add(target, piece, (size_t)size);
}

static enum tls_result result_of(struct tls *tls, int code)
{
	int error = SSL_get_error(tls->connection, code);
	ERR_clear_error(); /* the queue is the thread's and would confuse the next call */
	return error == SSL_ERROR_WANT_READ ? TLS_INCOMPLETE : TLS_FAILED;
}

enum tls_result tls_handshake(struct tls *tls, struct buffer *output)
{
	int code = SSL_accept(tls->connection);
	enum tls_result result = code == 1 ? TLS_DONE : result_of(tls, code);
	move_all(tls->output, output);
	return result;
}

enum tls_result tls_decrypt(struct tls *tls, struct buffer *plain)
{
	uint8_t piece[PIECE_SIZE];
	int size = SSL_read(tls->connection, piece, sizeof(piece));
	if (size <= 0)
		return result_of(tls, size);
	buffer_add(plain, piece, (size_t)size);
	return TLS_DONE;
}

bool tls_encrypt(struct tls *tls, const void *bytes, size_t size, struct buffer *output)
{
	int written = size == 0 ? 0 : SSL_write(tls->connection, bytes, (int)size);
	ERR_clear_error(); /* as above */
	move_all(tls->output, output);
	return written == (int)size;
}

void tls_take_rest(struct tls *tls, struct buffer *rest)
{
	move_all(tls->input, rest);
}
