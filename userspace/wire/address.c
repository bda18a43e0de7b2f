// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* HOST:PORT, and sockets there: see address.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "wire/address.h"
#include "wire/frame.h"

#define BACKLOG	64

/* How often to look whether we are to stop. */
#define SLICE_MS	100

bool wire_address_parse(struct wire_address *a, const char *text)
{
	const char *colon = strrchr(text, ':'), *end = colon;
	size_t len;

	if (!colon)
		return false;
	if (*text == '[') {
		if (colon[-1] != ']')
			return false;
		text++;
		end--;
	} else if (memchr(text, ':', (size_t)(colon - text))) {
		return false;
	}
	len = (size_t)(end - text);
	if (!len || len >= sizeof(a->host) || !colon[1] || strlen(colon + 1) >= sizeof(a->port))
		return false;
	memcpy(a->host, text, len);
	a->host[len] = '\0';
	strcpy(a->port, colon + 1);
	return true;
}

void wire_address_limit(int fd)
{
	const struct timeval tv = { .tv_sec = WIRE_LOOK_SECONDS };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
}

/* The socket does not block. Return: 0 or errno */
static int wait_for(int fd, const atomic_bool *stop)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };
	double end = monotonic_now() + WIRE_SECONDS;
	socklen_t len = sizeof(int);
	int error = 0;

	while (poll(&pfd, 1, SLICE_MS) <= 0) {
		if (atomic_load(stop))
			return EINTR;
		if (monotonic_now() > end)
			return ETIMEDOUT;
	}
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) ? errno : error;
}

static int connect_to(const struct addrinfo *to, const atomic_bool *stop, int *error)
{
	int fd = socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
			to->ai_protocol);

	*error = errno;
	if (fd < 0)
		return -1;
	*error = connect(fd, to->ai_addr, to->ai_addrlen) ? errno : 0;
	if (*error == EINPROGRESS)
		*error = wait_for(fd, stop);
	if (!*error && !fcntl(fd, F_SETFL, 0)) {
		wire_address_limit(fd);
		return fd;
	}
	close(fd);
	return -1;
}

int wire_address_connect(const struct wire_address *a, const atomic_bool *stop, const char **why)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
	struct addrinfo *all, *to;
	int fd = -1, error = getaddrinfo(a->host, a->port, &hints, &all);

	if (error) {
		*why = error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error);
		return -1;
	}
	for (to = all; to && fd < 0 && !atomic_load(stop); to = to->ai_next)
		fd = connect_to(to, stop, &error);
	freeaddrinfo(all);
	if (fd < 0)
		*why = strerror(error);
	return fd;
}

static int listen_at(const struct addrinfo *at)
{
	int fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
	int one = 1, error;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, at->ai_addr, at->ai_addrlen) && !listen(fd, BACKLOG))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

int wire_address_listen(const struct wire_address *a)
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	struct addrinfo *all;
	int fd, error = getaddrinfo(a->host, a->port, &hints, &all);

	if (error) {
		warnx("cannot listen at %s:%s: %s", a->host, a->port,
		      error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
		return -1;
	}
	fd = listen_at(all);
	if (fd < 0)
		warn("cannot listen at %s:%s", a->host, a->port);
	freeaddrinfo(all);
	return fd;
}

const char *wire_address_text(char text[WIRE_ADDRESS_TEXT], const struct sockaddr_storage *a)
{
	char host[56], port[8];
	bool v6 = a->ss_family == AF_INET6;

	if (getnameinfo((const struct sockaddr *)a, sizeof(*a), host, sizeof(host), port,
			sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(text, WIRE_ADDRESS_TEXT, "an unknown address");
	else
		snprintf(text, WIRE_ADDRESS_TEXT, v6 ? "[%s]:%s" : "%s:%s", host, port);
	return text;
}
