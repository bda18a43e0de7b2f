// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* TLS: see tls.h. */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdio.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mem.h"
#include "wire/tls.h"

struct tls {
	gnutls_certificate_credentials_t	cred;
	gnutls_priority_t			priority;
	bool					ca;
};

/* From 1.2 on: older versions are broken. */
#define PRIORITY	"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

const struct option_row tls_options[] = {
	{ 0, "tls-ca", "FILE", "who signed the other end's certificate (PEM)",
	  OPTION_PATH(struct tls_files, ca, COMPLETE_FILE) },
	{ 0, "tls-cert", "FILE", "our own certificate (PEM)",
	  OPTION_PATH(struct tls_files, cert, COMPLETE_FILE) },
	{ 0, "tls-key", "FILE", "its key (PEM)",
	  OPTION_PATH(struct tls_files, key, COMPLETE_FILE) },
	{ }
};

int tls_check(const struct tls_files *files, const char *command, bool server)
{
	if (!files->cert != !files->key)
		return usage_error(command, "--tls-cert and --tls-key belong together");
	if (server && files->ca && !files->cert)
		return usage_error(command, "--tls-ca needs --tls-cert and --tls-key");
	if (!server && files->cert && !files->ca)
		return usage_error(command, "--tls-cert needs --tls-ca, to check the receiver");
	return -1;
}

struct tls *tls_open(const struct tls_files *files)
{
	struct tls *tls = mem_zalloc(1, sizeof(*tls));
	int ret;

	if (gnutls_certificate_allocate_credentials(&tls->cred) ||
	    gnutls_priority_init(&tls->priority, PRIORITY, NULL)) {
		warnx("cannot use TLS");
		mem_free(tls);
		return NULL;
	}
	ret = files->ca ? gnutls_certificate_set_x509_trust_file(tls->cred, files->ca,
								 GNUTLS_X509_FMT_PEM) : 1;
	tls->ca = files->ca;
	if (ret <= 0) {
		warnx("%s: %s", files->ca, ret ? gnutls_strerror(ret) : "has no certificate");
		tls_close(tls);
		return NULL;
	}
	ret = files->cert ? gnutls_certificate_set_x509_key_file(tls->cred, files->cert, files->key,
								 GNUTLS_X509_FMT_PEM) : 0;
	if (ret < 0) {
		warnx("%s, %s: %s", files->cert, files->key, gnutls_strerror(ret));
		tls_close(tls);
		return NULL;
	}
	return tls;
}

void tls_close(struct tls *tls)
{
	if (!tls)
		return;
	gnutls_priority_deinit(tls->priority);
	gnutls_certificate_free_credentials(tls->cred);
	mem_free(tls);
}

/* --- the layer ---------------------------------------------------------------- */

static ssize_t result(ssize_t n)
{
	switch (n) {
	case GNUTLS_E_INTERRUPTED:
		return -EINTR;
	case GNUTLS_E_AGAIN:	/* nothing for long; or what came was no data */
		return -EAGAIN;
	case GNUTLS_E_FATAL_ALERT_RECEIVED:
		return -EKEYREJECTED;
	case GNUTLS_E_PREMATURE_TERMINATION:
		return 0;
	}
	return n < 0 ? -ECONNRESET : n;
}

/*
 * One call of GnuTLS reads or writes a whole record or message, however slowly the bytes come or
 * go: the time of a frame must end in here.
 */
static bool is_late(const struct wire *w)
{
	if (monotonic_now() < w->end)
		return false;
	errno = EAGAIN;
	return true;
}

static ssize_t pull(gnutls_transport_ptr_t w, void *buf, size_t len)
{
	return is_late(w) ? -1 : recv(((struct wire *)w)->fd, buf, len, 0);
}

static ssize_t push(gnutls_transport_ptr_t w, const void *buf, size_t len)
{
	return is_late(w) ? -1 : send(((struct wire *)w)->fd, buf, len, MSG_NOSIGNAL);
}

static ssize_t layer_read(struct wire *w, void *buf, size_t len)
{
	return result(gnutls_record_recv(w->state, buf, len));
}

static ssize_t layer_write(struct wire *w, const void *buf, size_t len)
{
	return result(gnutls_record_send(w->state, buf, len));
}

static void layer_close(struct wire *w)
{
	/* without a farewell, which could wait: END says what is complete */
	gnutls_deinit(w->state);
}

static const struct wire_layer layer = { layer_read, layer_write, layer_close };

static void tell_verify(gnutls_session_t session, int error, char *text, size_t len)
{
	unsigned int status = gnutls_session_get_verify_cert_status(session);
	gnutls_datum_t why;

	if (error == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR &&
	    !gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &why, 0)) {
		snprintf(text, len, "TLS: %s", (char *)why.data);
		gnutls_free(why.data);
	} else {
		snprintf(text, len, "TLS: %s", gnutls_strerror(error));
	}
}

static bool shake(struct tls *tls, struct wire *w, gnutls_session_t session, char *text, size_t len)
{
	int ret = gnutls_priority_set(session, tls->priority);

	if (!ret)
		ret = gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, tls->cred);
	w->end = monotonic_now() + WIRE_SECONDS;
	gnutls_transport_set_ptr(session, w);
	gnutls_transport_set_pull_function(session, pull);
	gnutls_transport_set_push_function(session, push);
	while (!ret) {
		ret = gnutls_handshake(session);
		if (ret >= 0) {
			w->state = session;
			w->layer = &layer;
			return true;
		}
		if (!gnutls_error_is_fatal(ret) && monotonic_now() < w->end)
			ret = 0;
		else if (!gnutls_error_is_fatal(ret))
			ret = GNUTLS_E_TIMEDOUT;
	}
	tell_verify(session, ret, text, len);
	gnutls_deinit(session);
	return false;
}

/* A name for the check of the certificate must not be an address. */
static bool is_address(const char *host)
{
	struct in6_addr a;

	return inet_pton(AF_INET, host, &a) == 1 || inet_pton(AF_INET6, host, &a) == 1;
}

bool tls_connect(struct tls *tls, struct wire *w, const char *host, char *text, size_t len)
{
	gnutls_session_t session;

	if (gnutls_init(&session, GNUTLS_CLIENT | GNUTLS_NO_SIGNAL)) {
		snprintf(text, len, "TLS: no memory");
		return false;
	}
	if (!is_address(host))
		gnutls_server_name_set(session, GNUTLS_NAME_DNS, host, strlen(host));
	gnutls_session_set_verify_cert(session, host, 0);
	return shake(tls, w, session, text, len);
}

bool tls_accept(struct tls *tls, struct wire *w, char *text, size_t len)
{
	gnutls_session_t session;

	if (gnutls_init(&session, GNUTLS_SERVER | GNUTLS_NO_SIGNAL)) {
		snprintf(text, len, "TLS: no memory");
		return false;
	}
	gnutls_certificate_server_set_request(session, tls->ca ? GNUTLS_CERT_REQUIRE :
								 GNUTLS_CERT_IGNORE);
	if (tls->ca)
		gnutls_session_set_verify_cert(session, NULL, 0);
	return shake(tls, w, session, text, len);
}
