/* SPDX-License-Identifier: Apache-2.0 */
/* The probe: connect, PRELOGIN, handshake, a look at the certificate. Blocks up to its limit. */
#include "collectors/tls_probe.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "collectors/time_limit.h"
#include "collectors/tls_wire.h"

enum { NAME_SIZE = 100, NAMES_SIZE = 120, WHERE_SIZE = 220 };

struct probe {
	const struct tls_probe_options *options;
	struct tls_wire wire;
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t session;
	gnutls_x509_crt_t certificate;
	char where[WHERE_SIZE];
};

static void probe_done(struct probe *probe)
{
	if (probe->certificate)
		gnutls_x509_crt_deinit(probe->certificate);
	if (probe->session)
		gnutls_deinit(probe->session);
	if (probe->credentials)
		gnutls_certificate_free_credentials(probe->credentials);
	if (probe->options->on_socket && probe->wire.fd >= 0)
		probe->options->on_socket(probe->options->context, -1);
	time_limit_close_fdp(&probe->wire.fd);
	time_limit_close_fdp(&probe->wire.limit_fd);
}

static bool is_verifying(const struct probe *probe)
{
	return probe->options->ca != NULL;
}

/* From here on nothing of the network's is a sentence of ours: no control characters in it. */
static void make_plain(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
			*text = '?';
}

static bool load_authorities(struct probe *probe, struct error *err)
{
	const char *ca = probe->options->ca;

	if (gnutls_certificate_allocate_credentials(&probe->credentials) < 0)
		return error_set(err, ERROR_IO, 0, "GnuTLS has no memory");
	if (!ca)
		return true;
	if (strcmp(ca, "system") == 0)
		return gnutls_certificate_set_x509_system_trust(probe->credentials) > 0 ||
		       error_set(err, ERROR_IO, 0,
				 "this machine knows no CA (tls.ca: system); install "
				 "ca-certificates or give the file");
	if (eaccess(ca, R_OK) != 0) /* GnuTLS would tell it as a fault of its contents */
		return error_set(err, ERROR_IO, errno, "the CA file '%.150s' cannot be read: %s",
				 ca, strerror(errno));
	int count =
		gnutls_certificate_set_x509_trust_file(probe->credentials, ca, GNUTLS_X509_FMT_PEM);
	return count > 0 ||
	       error_set(err, ERROR_IO, 0, "the CA file '%.150s' holds no certificate in PEM", ca);
}

static bool fail_of_errno(struct probe *probe, const char *what, struct error *err)
{
	if (errno == ETIMEDOUT)
		return error_set(err, ERROR_TIMEOUT, 0, "%s did not answer %s within %lld ms",
				 probe->where, what, (long long)probe->options->limit_ms);
	if (errno == 0)
		return error_set(err, ERROR_UNREACHABLE, 0, "%s closed the connection during %s",
				 probe->where, what);
	if (errno == EPROTO)
		return error_set(err, ERROR_PROTOCOL, 0, "what answers on %s is no SQL Server",
				 probe->where);
	return error_set(err, ERROR_UNREACHABLE, errno, "connection to %s failed during %s: %s",
			 probe->where, what, strerror(errno));
}

/* The socket, connected within the limit, or -1 with errno. */
static int connect_one(struct probe *probe, const struct addrinfo *address)
{
	int fault = 0;
	socklen_t size = sizeof(fault);
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
		return fd;
	if (errno != EINPROGRESS)
		fault = errno;
	else if (!time_limit_wait(probe->wire.limit_fd, fd, POLLOUT))
		fault = ETIMEDOUT;
	else
		(void)getsockopt(fd, SOL_SOCKET, SO_ERROR, &fault, &size); /* it is one of ours */
	if (fault == 0)
		return fd;
	time_limit_close_fdp(&fd);
	errno = fault;
	return -1;
}

static bool connect_any(struct probe *probe, struct error *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *addresses = NULL;
	char port[8];

	(void)snprintf(port, sizeof(port), "%d", probe->options->port);
	int fault = getaddrinfo(probe->options->host, port, &hints, &addresses);
	if (fault)
		return error_set(err, ERROR_UNREACHABLE, 0, "host name of %s is not known: %s",
				 probe->where, gai_strerror(fault));
	for (const struct addrinfo *next = addresses; next && probe->wire.fd < 0;
	     next = next->ai_next)
		probe->wire.fd = connect_one(probe, next);
	freeaddrinfo(addresses);
	if (probe->wire.fd < 0)
		return fail_of_errno(probe, "the connection", err);
	if (probe->options->on_socket)
		probe->options->on_socket(probe->options->context,
					  fcntl(probe->wire.fd, F_DUPFD_CLOEXEC, 0));
	return true;
}

/* *is_over: the server has no encryption, and none is required. */
static bool agree(struct probe *probe, bool *is_over, struct error *err)
{
	bool is_required = probe->options->is_required;
	enum tds_encryption chosen = TDS_ENCRYPT_NOT_SUPPORTED;

	if (!tls_wire_prelogin(&probe->wire, is_required ? TDS_ENCRYPT_ALL : TDS_ENCRYPT_LOGIN,
			       &chosen))
		return fail_of_errno(probe, "PRELOGIN", err);
	*is_over = chosen == TDS_ENCRYPT_NOT_SUPPORTED;
	if (chosen == TDS_ENCRYPT_NOT_SUPPORTED && is_required)
		return error_set(err, ERROR_UNREACHABLE, 0,
				 "%s offers no encryption and tls.mode is require; switch "
				 "encryption on there, or write tls: {mode: request}",
				 probe->where);
	return true;
}

static ssize_t push(gnutls_transport_ptr_t pointer, const void *bytes, size_t size)
{
	struct probe *probe = pointer;

	return tls_wire_push(&probe->wire, bytes, size);
}

static ssize_t pull(gnutls_transport_ptr_t pointer, void *bytes, size_t size)
{
	struct probe *probe = pointer;

	return tls_wire_pull(&probe->wire, bytes, size);
}

/* Without this GnuTLS would poll a descriptor that it does not have. */
static int pull_timeout(gnutls_transport_ptr_t pointer, unsigned int ms)
{
	(void)pointer, (void)ms; /* pull has its own limit */
	return 1;
}

static bool fail_of_handshake(struct probe *probe, int fault, struct error *err)
{
	if (fault == GNUTLS_E_PUSH_ERROR || fault == GNUTLS_E_PULL_ERROR ||
	    fault == GNUTLS_E_PREMATURE_TERMINATION)
		return fail_of_errno(probe, "the TLS handshake", err);
	if (fault == GNUTLS_E_FATAL_ALERT_RECEIVED)
		return error_set(err, ERROR_UNREACHABLE, fault, "%s refused the TLS handshake: %s",
				 probe->where,
				 gnutls_alert_get_name(gnutls_alert_get(probe->session)));
	if (fault == GNUTLS_E_UNSUPPORTED_VERSION_PACKET)
		return error_set(err, ERROR_UNREACHABLE, fault,
				 "%s speaks no version of TLS that is trusted; 1.2 is wanted",
				 probe->where);
	return error_set(err, ERROR_UNREACHABLE, fault, "TLS handshake with %s failed: %s",
			 probe->where, gnutls_strerror(fault));
}

static bool shake_hands(struct probe *probe, struct error *err)
{
	int fault = gnutls_init(&probe->session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL);

	if (fault == 0) /* libsybdb's own, without the 1.3 that it cannot finish */
		fault = gnutls_priority_set_direct(
			probe->session, "NORMAL:%COMPAT:-VERS-SSL3.0:-VERS-TLS1.3", NULL);
	if (fault == 0)
		fault = gnutls_credentials_set(probe->session, GNUTLS_CRD_CERTIFICATE,
					       probe->credentials);
	if (fault != 0)
		return error_set(err, ERROR_IO, fault, "GnuTLS: %s", gnutls_strerror(fault));
	gnutls_transport_set_ptr(probe->session, probe);
	gnutls_transport_set_push_function(probe->session, push);
	gnutls_transport_set_pull_function(probe->session, pull);
	gnutls_transport_set_pull_timeout_function(probe->session, pull_timeout);
	do {
		errno = 0;
		fault = gnutls_handshake(probe->session);
	} while (fault < 0 && !gnutls_error_is_fatal(fault));
	return fault == 0 || fail_of_handshake(probe, fault, err);
}

static bool take_certificate(struct probe *probe, struct error *err)
{
	unsigned int count = 0;
	const gnutls_datum_t *chain = gnutls_certificate_get_peers(probe->session, &count);

	if (chain && count > 0 && gnutls_x509_crt_init(&probe->certificate) == 0 &&
	    gnutls_x509_crt_import(probe->certificate, &chain[0], GNUTLS_X509_FMT_DER) == 0)
		return true;
	return error_set(err, ERROR_UNREACHABLE, 0, "the certificate of %s cannot be read",
			 probe->where);
}

static void write_date(char *text, size_t size, time_t at)
{
	struct tm parts;

	text[0] = '\0';
	if (gmtime_r(&at, &parts))
		(void)strftime(text, size, "%Y-%m-%d %H:%M UTC", &parts); /* it has room */
}

/* Names are DNS names and addresses of the certificate, "A, B"; cut when there are many. */
static void list_names(gnutls_x509_crt_t certificate, char names[NAMES_SIZE])
{
	size_t used = 0;

	for (unsigned int i = 0; used + 3 < NAMES_SIZE; i++) {
		char name[NAME_SIZE] = "";
		char address[INET6_ADDRSTRLEN] = "";
		size_t size = sizeof(name) - 1;
		int type = gnutls_x509_crt_get_subject_alt_name(certificate, i, name, &size, NULL);
		if (type == GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
			break;
		if (type == GNUTLS_SAN_IPADDRESS && (size == 4 || size == 16))
			(void)inet_ntop(size == 4 ? AF_INET : AF_INET6, name, address,
					sizeof(address)); /* it has room */
		else if (type != GNUTLS_SAN_DNSNAME)
			continue;
		int added = snprintf(names + used, NAMES_SIZE - used, "%s%s", used > 0 ? ", " : "",
				     address[0] ? address : name);
		used += (size_t)added;
	}
	if (used > 0)
		return;
	size_t size = NAMES_SIZE;
	if (gnutls_x509_crt_get_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0, 0, names,
					  &size) < 0)
		(void)snprintf(names, NAMES_SIZE, "no name");
}

static bool fail_of_issuer(struct probe *probe, struct error *err)
{
	char issuer[NAME_SIZE] = "";
	size_t size = sizeof(issuer);
	const char *ca = strcmp(probe->options->ca, "system") == 0 ? "this machine's CAs"
								   : probe->options->ca;

	if (gnutls_x509_crt_check_issuer(probe->certificate, probe->certificate))
		return error_set(err, ERROR_UNREACHABLE, 0,
				 "the certificate of %.100s is self-signed; give the server one of "
				 "a CA, or its own as tls: {ca: PATH}",
				 probe->where);
	if (gnutls_x509_crt_get_issuer_dn(probe->certificate, issuer, &size) < 0)
		(void)snprintf(issuer, sizeof(issuer), "somebody");
	make_plain(issuer);
	return error_set(err, ERROR_UNREACHABLE, 0,
			 "the certificate of %.80s is signed by an unknown CA: '%.60s' is not in "
			 "%.80s",
			 probe->where, issuer, ca);
}

static bool fail_of_date(struct probe *probe, bool is_expired, struct error *err)
{
	char date[32];

	write_date(date, sizeof(date),
		   is_expired ? gnutls_x509_crt_get_expiration_time(probe->certificate)
			      : gnutls_x509_crt_get_activation_time(probe->certificate));
	return error_set(err, ERROR_UNREACHABLE, 0, "the certificate of %.150s %s %s", probe->where,
			 is_expired ? "expired on" : "is not valid before", date);
}

static bool check_chain(struct probe *probe, struct error *err)
{
	unsigned int status = 0;

	if (gnutls_certificate_verify_peers2(probe->session, &status) < 0)
		return error_set(err, ERROR_UNREACHABLE, 0,
				 "the certificate of %s cannot be verified", probe->where);
	if (status & (GNUTLS_CERT_SIGNER_NOT_FOUND | GNUTLS_CERT_SIGNER_NOT_CA))
		return fail_of_issuer(probe, err);
	if (status & GNUTLS_CERT_EXPIRED)
		return fail_of_date(probe, true, err);
	if (status & GNUTLS_CERT_NOT_ACTIVATED)
		return fail_of_date(probe, false, err);
	if (status & GNUTLS_CERT_INSECURE_ALGORITHM)
		return error_set(err, ERROR_UNREACHABLE, 0,
				 "the certificate of %s is signed in a way that is no longer "
				 "trusted (SHA-1, a short key)",
				 probe->where);
	if (status & GNUTLS_CERT_REVOKED)
		return error_set(err, ERROR_UNREACHABLE, 0, "the certificate of %s is revoked",
				 probe->where);
	return status == 0 || error_set(err, ERROR_UNREACHABLE, 0,
					"the certificate of %s is not valid (GnuTLS status 0x%x)",
					probe->where, status);
}

static bool check_host(struct probe *probe, struct error *err)
{
	char names[NAMES_SIZE] = "";

	if (!probe->options->verify_hostname ||
	    gnutls_x509_crt_check_hostname(probe->certificate, probe->options->host))
		return true;
	list_names(probe->certificate, names);
	make_plain(names);
	return error_set(err, ERROR_UNREACHABLE, 0,
			 "the certificate of %.100s is for another host: it names %s", probe->where,
			 names);
}

bool tls_probe_run(const struct tls_probe_options *options, struct error *err)
{
	CLEANUP(probe_done)
	struct probe probe = {.options = options, .wire = {.fd = -1, .limit_fd = -1}};
	bool is_over = false;

	(void)snprintf(probe.where, sizeof(probe.where), "%.200s:%d", options->host,
		       options->port); /* cut it is known still */
	probe.wire.limit_fd = time_limit_open(options->limit_ms, err);
	if (probe.wire.limit_fd < 0 || !load_authorities(&probe, err) ||
	    !connect_any(&probe, err) || !agree(&probe, &is_over, err))
		return false;
	if (is_over)
		return true;
	if (!shake_hands(&probe, err))
		return false;
	if (!is_verifying(&probe))
		return true;
	return take_certificate(&probe, err) && check_chain(&probe, err) && check_host(&probe, err);
}
