// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads the records of the running trace as they come: see live.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "control/device.h"
#include "record/kernel/live.h"

#define BATCH		4096u	/* records of one call */
#define MARGIN		0.2	/* seconds: for one round on a busy machine */

/* Return: 0, also if the CPU is absent; -1 after a message */
static int ring_open(struct live *l, unsigned int cpu, bool late)
{
	struct live_ring *r = &l->ring[l->n];
	char path[DEVICE_PATH_LEN];
	struct ft_stats stats;

	*r = (struct live_ring){ .cpu = cpu };
	r->fd = open(device_ring_path(path, cpu), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (r->fd < 0) {
		if (device_absent(errno)) {
			l->absent[cpu] = true;
			return 0;
		}
		device_explain(path, errno);
		return -1;
	}
	l->absent[cpu] = false;
	l->n++;
	if (ioctl(r->fd, FT_IOC_STATS, &stats)) {
		warn("cannot read the counts of %s", path);
		return -1;
	}
	r->lost_before = r->lost = r->told = late ? 0 : stats.lost;
	return 0;
}

int live_open(struct live *l, unsigned int cpus, const bool *only, uint32_t wake_us)
{
	unsigned int cpu;

	*l = (struct live){ .cpus = cpus, .delay = 2 * (wake_us / 1e6) + MARGIN };
	l->absent = mem_zalloc(cpus + 1, sizeof(*l->absent));
	l->ring = mem_zalloc(cpus + 1, sizeof(*l->ring));
	l->batch = mem_zalloc(BATCH, sizeof(*l->batch));
	for (cpu = 0; cpu < cpus; cpu++) {
		if ((!only || only[cpu]) && ring_open(l, cpu, false))
			return -1;
	}
	if (l->n)
		return 0;
	device_explain(DEVICE_CONTROL "0", ENOENT);
	return -1;
}

static struct live_record *hold(struct live *l, struct live_ring *r)
{
	struct live_record *h;

	if (l->n_held == l->room) {
		l->room = l->room ? 2 * l->room : BATCH;
		l->held = mem_resize(l->held, l->room, sizeof(*l->held));
	}
	h = &l->held[l->n_held++];
	*h = (struct live_record){ .cpu = r->cpu, .lost = r->lost - r->lost_before,
				   .number = l->number++ };
	return h;
}

static void take(struct live *l, struct live_ring *r, const struct ft_record *rec)
{
	struct live_record *h = hold(l, r);

	h->record = *rec;
	h->gap = r->any && rec->gap != r->gap;
	if (h->gap)
		r->told = r->lost;
	r->any = true;
	r->gap = rec->gap;
	/* An interrupt's record may precede the one that it has interrupted. */
	if (h->record.ts < r->ts)
		h->record.ts = r->ts;
	r->ts = h->record.ts;
	if (r->ts > l->latest)
		l->latest = r->ts;
}

/* Reports losses after the last record of a ring. */
static void tell_last_losses(struct live *l, struct live_ring *r)
{
	struct live_record *h;

	if (r->lost == r->told)
		return;
	h = hold(l, r);
	h->record.ts = r->ts;
	h->gap = true;
	r->told = r->lost;
}

/* Return: 0, or -1 after a message */
static int read_ring(struct live *l, struct live_ring *r)
{
	struct ft_slots slots;
	uint32_t i;

	do {
		slots = (struct ft_slots){ .buf = (uintptr_t)l->batch, .max = BATCH };
		if (ioctl(r->fd, FT_IOC_READ_SLOTS, &slots)) {
			if (errno == EAGAIN || errno == EINTR)
				return 0;
			warn("cannot read CPU %u", r->cpu);
			return -1;
		}
		if (slots.count > BATCH) {
			warnx("cannot read CPU %u: more records than asked for", r->cpu);
			return -1;
		}
		/* after the trace has ended: what this reader was told, perhaps 0 */
		if (slots.lost > r->lost)
			r->lost = slots.lost;
		for (i = 0; i < slots.count; i++)
			take(l, r, &l->batch[i]);
	} while (slots.count == BATCH);
	if (!slots.count) {
		r->ended = true;
		tell_last_losses(l, r);
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct live_record *x = a, *y = b;

	if (x->record.ts != y->record.ts)
		return x->record.ts < y->record.ts ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Return: the time before which all records of all rings have been read.
 * @begun:	when this round of reads began
 */
static uint64_t horizon(struct live *l, double begun)
{
	size_t old = 0;

	while (old + 1 < l->n_marks && l->marks[old + 1].at <= begun - l->delay)
		old++;
	memmove(l->marks, l->marks + old, (l->n_marks - old) * sizeof(*l->marks));
	l->n_marks -= old;
	l->marks = mem_resize(l->marks, l->n_marks + 1, sizeof(*l->marks));
	l->marks[l->n_marks++] = (struct live_mark){ monotonic_now(), l->latest };
	return l->marks[0].at <= begun - l->delay ? l->marks[0].ts : 0;
}

int live_read(struct live *l, bool all)
{
	double begun = monotonic_now();
	bool going = false;
	uint64_t until;
	size_t i;

	for (i = 0; i < l->cpus; i++) {
		if (l->absent[i] && ring_open(l, (unsigned int)i, true))
			return -1;
	}
	memmove(l->held, l->held + l->next, (l->n_held - l->next) * sizeof(*l->held));
	l->n_held -= l->next;
	l->next = 0;
	for (i = 0; i < l->n; i++) {
		if (!l->ring[i].ended && read_ring(l, &l->ring[i]))
			return -1;
		going |= !l->ring[i].ended;
	}
	qsort(l->held, l->n_held, sizeof(*l->held), compare);
	until = all || !going ? UINT64_MAX : horizon(l, begun);
	for (l->ready = 0; l->ready < l->n_held; l->ready++) {
		if (l->held[l->ready].record.ts > until)
			break;
	}
	return going;
}

const struct live_record *live_next(struct live *l)
{
	return l->next < l->ready ? &l->held[l->next++] : NULL;
}

uint64_t live_lost(const struct live *l)
{
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < l->n; i++)
		lost += l->ring[i].lost - l->ring[i].lost_before;
	return lost;
}

void live_close(struct live *l)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		close(l->ring[i].fd);
	free(l->ring);
	free(l->absent);
	free(l->batch);
	free(l->held);
	free(l->marks);
}
