/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Encrypts a connection, and checks who the other end is: TLS by GnuTLS. Only the programs
 * that send and receive use this, so that ft itself needs no such library.
 */
#ifndef FT_WIRE_TLS_H
#define FT_WIRE_TLS_H

#include "base/options.h"
#include "wire/frame.h"

struct tls;

/* Files in PEM; the target of tls_options. */
struct tls_files {
	const char	*ca, *cert, *key;
};

extern const struct option_row tls_options[];

/** tls_wanted - was any of them given? */
static inline bool tls_wanted(const struct tls_files *files)
{
	return files->ca || files->cert || files->key;
}

/**
 * tls_check - do they fit each other?
 * @server:	ft receive: it needs a certificate, and with --tls-ca asks for one
 *
 * Return: -1, or the exit status after a message.
 */
int tls_check(const struct tls_files *files, const char *command, bool server);

/** tls_open - read them. Return: NULL after a message */
struct tls *tls_open(const struct tls_files *files);
void tls_close(struct tls *tls);

/**
 * tls_connect - the client's side: the certificate must be that of @host
 *
 * Return: false with what is wrong in @text.
 */
bool tls_connect(struct tls *tls, struct wire *w, const char *host, char *text, size_t len);

/** tls_accept - the server's side, the same */
bool tls_accept(struct tls *tls, struct wire *w, char *text, size_t len);

#endif /* FT_WIRE_TLS_H */
