/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* HOST:PORT, and sockets there. */
#ifndef FT_WIRE_ADDRESS_H
#define FT_WIRE_ADDRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>

struct wire_address {
	char	host[256];
	char	port[32];
};

#define WIRE_ADDRESS_TEXT	80

/** wire_address_parse - "host:port", "[::1]:port". Return: false if it is not one */
bool wire_address_parse(struct wire_address *a, const char *text);

/**
 * wire_address_connect - connect, unless it takes longer than WIRE_SECONDS
 * @stop: give up when this is set
 *
 * Return: the descriptor, or -1 with what is wrong in @why.
 */
int wire_address_connect(const struct wire_address *a, const atomic_bool *stop, const char **why);

/** wire_address_listen - Return: the descriptor, or -1 with a message */
int wire_address_listen(const struct wire_address *a);

/** wire_address_text - of one end of a connection: "127.0.0.1:9118" */
const char *wire_address_text(char text[WIRE_ADDRESS_TEXT], const struct sockaddr_storage *a);

/** wire_address_limit - reading and writing come back after WIRE_LOOK_SECONDS at most */
void wire_address_limit(int fd);

#endif /* FT_WIRE_ADDRESS_H */
