// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Acquisitions that are stamped before the release in front of them. See early.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "locks/early.h"
#include "trace/session_file.h"

/*
 * Less than a microsecond early is believed, as a cache line never takes so long: some
 * 130 ns were measured. Where the recording has measured its own bound, twice that is.
 */
#define LEAST_BOUND	1000	/* ns */
#define GREATEST_BOUND	100000
#define NSEC		1000000000u

static uint64_t bound_of(const struct trace *t)
{
	const char *env = metadata_env(&t->meta, "acquire_early_ns");
	char measured[32] = "0";
	uint64_t ns;

	if (session_get(t->dir, "acquire_early_ns", measured, sizeof(measured)) && env)
		snprintf(measured, sizeof(measured), "%s", env);
	ns = strtoull(measured, NULL, 10);
	ns = ns > GREATEST_BOUND / 2 ? GREATEST_BOUND : 2 * ns;
	if (ns < LEAST_BOUND)
		ns = LEAST_BOUND;
	return (uint64_t)((unsigned __int128)ns * t->meta.freq / NSEC);
}

/* Without locks, no record is an acquisition. */
static const uint8_t (*no_kinds(struct early *e))[FT_ID_MAX + 1]
{
	e->none = mem_zalloc(METADATA_CLASSES, sizeof(*e->none));
	memset(e->none, LOCKS_KIND_UNKNOWN, METADATA_CLASSES * sizeof(*e->none));
	return (const uint8_t (*)[FT_ID_MAX + 1])e->none;
}

int early_init(struct early *e, struct trace *t, struct locks *locks)
{
	*e = (struct early){ .locks = locks };
	if (merge_init(&e->merge, t))
		return -1;
	if (locks) {
		e->taken = locks_taken_table(locks);
		e->bound = bound_of(t);
	}
	e->kinds = locks ? locks_kinds(locks) : no_kinds(e);
	e->waiting = mem_zalloc(t->n_streams, sizeof(*e->waiting));
	e->last = mem_zalloc(t->n_streams, sizeof(*e->last));
	return 0;
}

void early_exit(struct early *e)
{
	merge_exit(&e->merge);
	mem_free(e->waiting);
	mem_free(e->last);
	mem_free(e->none);
}

/* Which record of its stream is at hand? From 1. */
static uint64_t number_of(const struct stream *s)
{
	return s->records - s->batch;
}

bool early_postpones(struct early *e, struct stream *s)
{
	if (e->last[s->index].overdue == number_of(s) ||
	    !locks_taken(e->locks, s, e->kind / 2))
		return false;
	if (!e->n_waiting)
		e->woken = NULL;
	merge_postpone(&e->merge, s);
	e->waiting[e->n_waiting++] = s;
	e->released = false;
	return true;
}

static void resume(struct early *e, unsigned int i)
{
	struct stream *s = e->waiting[i];

	e->n_waiting--;
	for (; i < e->n_waiting; i++)
		e->waiting[i] = e->waiting[i + 1];
	e->woken = s;
	merge_put_back(&e->merge, s);
}

/* The lock of @s was released at e->when. Another one may take it first. */
static void raise(struct early *e, struct stream *s)
{
	struct early_record *last = &e->last[s->index];
	uint64_t by = e->when - s->rec->ts;

	if (e->when <= s->rec->ts)
		return;
	stream_raise(s, e->when);
	e->count += last->counted != number_of(s);
	last->counted = number_of(s);
	if (by > e->max)
		e->max = by;
}

static bool is_over(const struct early *e, const struct stream *s,
		    const struct stream *next)
{
	return !next || (next->ts > s->rec->ts && next->ts - s->rec->ts > e->bound);
}

/* @next: the item that would come, or NULL at the end. Return: has a stream stopped waiting? */
static bool wake(struct early *e, const struct stream *next)
{
	unsigned int i, family;

	for (i = 0; i < e->n_waiting; i++) {
		struct stream *s = e->waiting[i];

		/* one after the other, in the order in which they came */
		if (e->woken && e->woken->rec->a == s->rec->a)
			continue;
		family = e->kinds[s->class][s->rec->id] / 2;
		if (!locks_taken(e->locks, s, family)) {
			if (e->released && e->lock == s->rec->a)
				raise(e, s);
			resume(e, i);
			return true;
		}
		if (is_over(e, s, next)) {
			locks_overdue(e->locks, s, family);
			e->last[s->index].overdue = number_of(s);
			resume(e, i);
			return true;
		}
	}
	return false;
}

int early_next_waiting(struct early *e, struct stream **s)
{
	unsigned int kind;
	int ret = merge_next(&e->merge, s);

	while (ret >= 0 && wake(e, ret ? *s : NULL)) {
		if (ret)
			merge_put_back(&e->merge, *s);
		ret = merge_next(&e->merge, s);
	}
	if (*s == e->woken)
		e->woken = NULL;
	e->released = false;
	if (ret <= 0 || (*s)->item != STREAM_RECORD)
		return ret;
	kind = e->kinds[(*s)->class][(*s)->rec->id];
	e->released = kind < LOCKS_KIND_OTHER && kind % 2;
	e->lock = (*s)->rec->a;
	e->when = (*s)->ts;
	return ret;
}
