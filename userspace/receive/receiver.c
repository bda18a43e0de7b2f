// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Listens, and serves each sender in a thread of its own: see receiver.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/array.h"
#include "base/end_signals.h"
#include "base/mem.h"
#include "base/number.h"
#include "receive/peer.h"
#include "receive/receiver.h"
#include "trace/outside.h"

/* After accept() has failed, for want of memory or descriptors. */
#define PAUSE_MS	1000

/* A sender that is served, or a place for one. */
struct place {
	struct listener	*listener;
	pthread_t	thread;
	bool		used;		/* its thread is to be joined */
	bool		ended;		/* and can be: with the lock */
	struct wire	wire;		/* closed and cut off with the lock */
	char		name[WIRE_ADDRESS_TEXT];
};

struct listener {
	struct receiver	*receiver;
	int		fd, signal_fd;
	int		news;		/* eventfd: a thread has ended */
	pthread_mutex_t	lock;
	struct place	*place;
	size_t		used;
};

static void *serve(void *arg)
{
	struct place *place = arg;
	struct listener *l = place->listener;
	char why[160];
	uint64_t one = 1;

	if (!l->receiver->tls || tls_accept(l->receiver->tls, &place->wire, why, sizeof(why)))
		peer_serve(&place->wire, &l->receiver->store, place->name);
	else
		warnx("%s: %s", place->name, why);
	pthread_mutex_lock(&l->lock);
	wire_close(&place->wire);
	place->ended = true;
	pthread_mutex_unlock(&l->lock);
	if (write(l->news, &one, sizeof(one)) < 0)
		warn("eventfd");
	return NULL;
}

static void start(struct listener *l, int fd, const struct sockaddr_storage *from)
{
	struct place *place = l->place;

	while (place->used)
		place++;
	*place = (struct place){ .listener = l, .wire.fd = fd };
	wire_address_limit(fd);
	wire_address_text(place->name, from);
	place->used = !pthread_create(&place->thread, NULL, serve, place);
	if (place->used) {
		l->used++;
		return;
	}
	warnx("%s: cannot start a thread for it", place->name);
	close(fd);
}

/* Joins those that have ended. */
static void reap(struct listener *l)
{
	uint64_t n;

	if (read(l->news, &n, sizeof(n)) < 0)
		return;
	for (size_t i = 0; i < l->receiver->most; i++) {
		struct place *place = &l->place[i];
		bool ended;

		pthread_mutex_lock(&l->lock);
		ended = place->used && place->ended;
		pthread_mutex_unlock(&l->lock);
		if (!ended)
			continue;
		pthread_join(place->thread, NULL);
		place->used = false;
		l->used--;
	}
}

static void accept_one(struct listener *l)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	int fd = accept4(l->fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC);

	if (fd >= 0) {
		start(l, fd, &from);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
		warn("cannot accept a sender");
		poll(NULL, 0, PAUSE_MS);
	}
}

/* While all places are taken, others wait in the kernel's queue. */
static void listen_until_signal(struct listener *l)
{
	for (;;) {
		struct pollfd pfd[] = {
			{ .fd = l->signal_fd, .events = POLLIN },
			{ .fd = l->news, .events = POLLIN },
			{ .fd = l->used < l->receiver->most ? l->fd : -1, .events = POLLIN },
		};

		if (poll(pfd, ARRAY_SIZE(pfd), -1) < 0 && errno != EINTR) {
			warn("poll");
			return;
		}
		if (pfd[0].revents)
			return;
		if (pfd[1].revents)
			reap(l);
		else if (pfd[2].revents)
			accept_one(l);
	}
}

/* Drops parts that are half there; their senders still have them. */
static void cut_off(struct listener *l)
{
	pthread_mutex_lock(&l->lock);
	for (size_t i = 0; i < l->receiver->most; i++) {
		if (l->place[i].used && l->place[i].wire.fd >= 0)
			shutdown(l->place[i].wire.fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&l->lock);
	for (size_t i = 0; i < l->receiver->most; i++) {
		if (l->place[i].used)
			pthread_join(l->place[i].thread, NULL);
	}
}

static void tell_where(const struct listener *l)
{
	struct sockaddr_storage at = { 0 };
	socklen_t len = sizeof(at);
	char text[WIRE_ADDRESS_TEXT];

	getsockname(l->fd, (struct sockaddr *)&at, &len);
	warnx("receiving at %s%s into %s; Ctrl-C ends it", wire_address_text(text, &at),
	      l->receiver->tls ? " (TLS)" : "", l->receiver->path);
}

static void tell_what(const struct store *s)
{
	char size[32];

	warnx("%" PRIu64 " part%s received (%s)", s->parts, s->parts == 1 ? "" : "s",
	      format_size(size, sizeof(size), s->received));
	if (s->refused)
		warnx("%" PRIu64 " time%s a part was refused", s->refused,
		      s->refused == 1 ? "" : "s");
}

static bool run(struct receiver *s, sigset_t *signals)
{
	struct listener l = { .receiver = s, .fd = -1 };
	bool ok;

	l.signal_fd = signalfd(-1, signals, SFD_CLOEXEC);
	l.news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ok = l.signal_fd >= 0 && l.news >= 0;
	if (!ok)
		warn("cannot wait for signals");
	if (ok)
		l.fd = wire_address_listen(&s->address);
	if (l.fd >= 0) {
		pthread_mutex_init(&l.lock, NULL);
		l.place = mem_zalloc(s->most, sizeof(*l.place));
		tell_where(&l);
		listen_until_signal(&l);
		cut_off(&l);
		tell_what(&s->store);
		mem_free(l.place);
		close(l.fd);
	}
	close(l.signal_fd);
	close(l.news);
	return l.fd >= 0;
}

/* Neither a trace, nor inside of one: hosts are directories there. */
static bool is_no_trace(const char *path)
{
	char *in = mem_format("%s/host", path);
	bool ok = outside_traces(path) && outside_traces(in);

	mem_free(in);
	return ok;
}

bool receiver_run(struct receiver *s)
{
	sigset_t signals;
	bool ok;

	/* before threads, which have the same mask */
	end_signals_block(&signals);
	if (tls_wanted(&s->files)) {
		s->tls = tls_open(&s->files);
		if (!s->tls)
			return false;
	}
	ok = is_no_trace(s->path) && store_open(&s->store, s->path) && run(s, &signals);
	store_close(&s->store);
	tls_close(s->tls);
	return ok;
}
