// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sends what waits in a spool: see deliver.h. */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "send/deliver.h"
#include "trace/session_file.h"

/* Between two attempts, in seconds: twice as long each time. */
#define PAUSE_FIRST	0.25
#define PAUSE_MOST	15.0

static void until(struct timespec *ts, double seconds)
{
	clock_gettime(CLOCK_MONOTONIC, ts);
	ts->tv_sec += (time_t)seconds;
	ts->tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (ts->tv_nsec >= 1000000000) {
		ts->tv_nsec -= 1000000000;
		ts->tv_sec++;
	}
}

static void pause_once(struct delivery *d)
{
	struct timespec end;

	until(&end, d->pause);
	d->pause = d->pause * 2 < PAUSE_MOST ? d->pause * 2 : PAUSE_MOST;
	pthread_mutex_lock(&d->lock);
	while (!atomic_load(&d->stop) && !pthread_cond_timedwait(&d->news, &d->lock, &end))
		;
	pthread_mutex_unlock(&d->lock);
}

/* The same thing only once. */
static void say(struct delivery *d, const char *what)
{
	if (atomic_load(&d->stop) || !strcmp(d->said, d->text))
		return;
	warnx("%s: %s; trying again", what, d->text);
	memcpy(d->said, d->text, sizeof(d->said));
}

static void close_wire(struct delivery *d)
{
	pthread_mutex_lock(&d->lock);
	wire_close(&d->wire);
	pthread_mutex_unlock(&d->lock);
}

/* Return: is there a connection? */
static bool connect_it(struct delivery *d)
{
	const char *why = "";
	int fd = wire_address_connect(&d->to, &d->stop, &why);

	if (fd < 0) {
		snprintf(d->text, sizeof(d->text), "%s", why);
		return false;
	}
	pthread_mutex_lock(&d->lock);
	d->wire = (struct wire){ .fd = fd };
	pthread_mutex_unlock(&d->lock);
	if (d->tls && !tls_connect(d->tls, &d->wire, d->to.host, d->text, sizeof(d->text))) {
		close_wire(d);
		return false;
	}
	if (send_hello(&d->wire, d->text) == SENT)
		return true;
	close_wire(d);
	return false;
}

/* The receiver has the part, but not all of it. */
static void tell_missing(struct delivery *d, const char *path)
{
	const struct sent_files *last = &d->last;
	char more[32] = "";

	if (!last->missing && !last->lacked)
		return;
	if (last->missing > 1)
		snprintf(more, sizeof(more), ", and %u more", last->missing - 1);
	if (last->lacked)
		warnx("%s: was sent without all facts before: copy its " SESSION_DIR
		      " to the receiver by hand", path);
	else
		warnx("%s: sent without %s, which cannot be read: %s%s", path,
		      last->first_missing, strerror(last->why), more);
	spool_lacks(d->spool);
}

static enum sent send_one(struct delivery *d, unsigned int number)
{
	char *path = spool_part_path(d->spool, number);
	enum sent sent;

	if (number != d->number)
		atomic_store(&d->most, 0);
	d->number = number;
	sent = send_part(&d->wire, path, number, &d->last, !d->spool->drop, &d->most,
			 d->text);
	if (sent == SENT) {
		d->pause = PAUSE_FIRST;
		tell_missing(d, path);
	} else {
		say(d, path);
	}
	if (sent != SENT && sent != SENT_REFUSED)
		close_wire(d);
	mem_free(path);
	return sent;
}

static void *run(void *arg)
{
	struct delivery *d = arg;
	unsigned int number;

	while (!atomic_load(&d->stop)) {
		enum sent sent = SENT_NOT;

		number = spool_take(d->spool);
		if (!number)
			break;
		if (d->wire.fd >= 0 || connect_it(d))
			sent = send_one(d, number);
		else
			say(d, d->name);
		if (sent == SENT_PERHAPS)
			spool_keep(d->spool);
		if (sent == SENT_NEVER)
			spool_refused(d->spool);
		spool_done(d->spool, sent == SENT);
		if (sent != SENT)
			pause_once(d);
		/* a connection that has nothing to do would only hold a place there */
		else if (spool_is_empty(d->spool))
			close_wire(d);
	}
	close_wire(d);
	pthread_mutex_lock(&d->lock);
	d->ended = true;
	pthread_cond_broadcast(&d->news);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

bool delivery_start(struct delivery *d)
{
	pthread_condattr_t attr;

	d->wire.fd = -1;
	d->pause = PAUSE_FIRST;
	pthread_mutex_init(&d->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&d->news, &attr);
	pthread_condattr_destroy(&attr);
	if (!pthread_create(&d->thread, NULL, run, d))
		return true;
	warnx("cannot start a thread that sends");
	return false;
}

bool delivery_wait(struct delivery *d, double seconds)
{
	struct timespec end;
	bool ended;

	until(&end, seconds);
	pthread_mutex_lock(&d->lock);
	while (!d->ended && !pthread_cond_timedwait(&d->news, &d->lock, &end))
		;
	ended = d->ended;
	pthread_mutex_unlock(&d->lock);
	return ended;
}

void delivery_stop(struct delivery *d)
{
	atomic_store(&d->stop, true);
	pthread_mutex_lock(&d->lock);
	if (d->wire.fd >= 0)
		shutdown(d->wire.fd, SHUT_RDWR);
	pthread_cond_broadcast(&d->news);
	pthread_mutex_unlock(&d->lock);
}
