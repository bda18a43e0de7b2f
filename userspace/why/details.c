// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What tasks slept for, in the summaries: the lock that they waited for, by its class, or
 * where they slept, and who woke them. A sleep is reported at its end, and who ended it right
 * after that, so the last of each list waits for it.
 *
 * Details are parts of the time that is counted for their cause: the rest is unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/tasks.h"
#include "why/pass.h"

/* How many sleeps are told apart in a section or a wait; more have no details. */
#define MOST_SLEEPS	64

static uint64_t mix(uint64_t hash, uint64_t with)
{
	return pairs_hash(hash, with, 0);
}

int why_task_kind(const char *name)
{
	const char *slash = strchr(name, '/');

	if (!slash || slash == name || !strncmp(name, "irq/", 4))
		return (int)strlen(name);
	return (int)(slash - name);
}

static uint64_t hash_of_task(const struct why *w, int32_t tid)
{
	const char *name = tid ? names_find(w->names, tid) : NULL;

	return name ? map_text_key(name, (size_t)why_task_kind(name)) : !!tid;
}

static uint64_t hash_of(const struct why *w, const struct why_detail *d)
{
	uint64_t hash = mix(d->cause, (uintptr_t)d->class);

	hash = mix(hash, d->family);
	hash = mix(hash, d->label ? map_text_key(d->label, strlen(d->label)) : 0);
	hash = mix(hash, d->place.function + d->place.io);
	if (!d->interrupt.event)
		return mix(hash, hash_of_task(w, d->who));
	return mix(mix(hash, (uintptr_t)d->interrupt.event), d->interrupt.a);
}

static struct why_sleep *add(struct why_sleeps *to)
{
	if (to->n == MOST_SLEEPS)
		return NULL;
	if (!(to->n & (to->n - 1)))
		to->sleep = mem_resize(to->sleep, to->n ? 2 * to->n : 1, sizeof(*to->sleep));
	return &to->sleep[to->n++];
}

/* The last one is complete: is it like one before? */
static void settle(struct why_pass *p, struct why_sleeps *to)
{
	struct why_sleep *last = &to->sleep[to->n - 1];

	to->pending = false;
	last->hash = hash_of(&p->answer, &last->like);
	for (struct why_sleep *sleep = to->sleep; sleep < last; sleep++) {
		if (sleep->hash == last->hash) {
			sleep->ticks += last->ticks;
			to->n--;
			return;
		}
	}
}

void why_details_slept(struct why_pass *p, struct why_sleeps *to, enum why_cause cause,
		       uint64_t ticks, const struct thread_span *span, const struct wait *wait)
{
	struct why_sleep *sleep;

	if (to->pending)	/* nobody has said who ended that one */
		settle(p, to);
	if (!ticks || (cause != WHY_WAITING && cause != WHY_ASLEEP_D && cause != WHY_ASLEEP))
		return;
	sleep = add(to);
	if (!sleep)
		return;
	*sleep = (struct why_sleep){ .ticks = ticks, .like.cause = cause };
	if (cause == WHY_WAITING) {
		sleep->like.family = wait->family;
		sleep->like.class = class_index_of(p->answer.classes, wait->lock);
		settle(p, to);
	} else {
		sleep->like.label = span->label;
		sleep->like.place = why_places_find(p->answer.places, span->stack);
		to->pending = true;
	}
}

void why_details_woken(struct why_pass *p, struct why_sleeps *to)
{
	struct why_sleep *last;

	if (!to->pending)
		return;
	last = &to->sleep[to->n - 1];
	last->like.who = p->woken.interrupt.event ? 0 : p->woken.by;
	last->like.interrupt = p->woken.interrupt;
	settle(p, to);
}

void why_details_free(struct why_sleeps *sleeps)
{
	mem_free(sleeps->sleep);
	*sleeps = (struct why_sleeps){ 0 };
}

/* --- rows --------------------------------------------------------------------------- */

static uint64_t ticks_of(const struct why_sleeps *from, enum why_cause cause)
{
	uint64_t ticks = 0;

	for (unsigned int i = 0; i < from->n; i++)
		ticks += from->sleep[i].like.cause == cause ? from->sleep[i].ticks : 0;
	return ticks;
}

void why_details_add(struct why_table *table, struct why_row *row, const struct why_sleeps *from,
		     const uint64_t ticks[WHY_CAUSES])
{
	for (unsigned int i = 0; i < from->n; i++) {
		const struct why_sleep *sleep = &from->sleep[i];
		struct why_detail *detail;

		if (ticks_of(from, sleep->like.cause) > ticks[sleep->like.cause])
			continue;	/* its end was moved: see finish() in sums.c */
		detail = pairs_get(&table->details, (uintptr_t)row, sleep->hash, sleep->like.cause);
		if (!detail)
			continue;
		if (!detail->ticks) {
			struct pair key = detail->key;

			*detail = sleep->like;
			detail->key = key;
		}
		detail->ticks += sleep->ticks;
	}
}

static int order_of(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static const char *event_of(const struct why_detail *d)
{
	return d->interrupt.event ? d->interrupt.event->name : NULL;
}

/* Shortest first; the rest only so that the order is always the same. */
static int compare(const void *a, const void *b)
{
	const struct why_detail *x = *(struct why_detail *const *)a;
	const struct why_detail *y = *(struct why_detail *const *)b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	if (x->cause != y->cause)
		return x->cause < y->cause ? -1 : 1;
	if (x->who != y->who)
		return x->who < y->who ? -1 : 1;
	if (x->interrupt.a != y->interrupt.a)
		return x->interrupt.a < y->interrupt.a ? -1 : 1;
	if (x->place.function != y->place.function)
		return x->place.function < y->place.function ? -1 : 1;
	if (x->place.io != y->place.io)
		return x->place.io ? 1 : -1;
	if (x->class && y->class && x->class != y->class)
		return x->class->number < y->class->number ? -1 : 1;
	if (order_of(x->label, y->label))
		return order_of(x->label, y->label);
	if (order_of(event_of(x), event_of(y)))
		return order_of(event_of(x), event_of(y));
	return (int)x->family - (int)y->family;
}

void why_details_finish(struct why_table *table)
{
	struct why_detail **all = (struct why_detail **)pairs_list(&table->details);
	size_t n = table->details.used;

	if (n)
		qsort(all, n, sizeof(struct why_detail *), compare);
	for (size_t i = 0; i < n; i++) {
		struct why_row *row = (struct why_row *)(uintptr_t)all[i]->key.a;

		all[i]->next = row->detail;
		row->detail = all[i];
	}
	mem_free(all);
}

unsigned __int128 why_details_rest(const struct why_row *row, enum why_cause cause)
{
	unsigned __int128 rest = row->ticks[cause];

	for (const struct why_detail *detail = row->detail; detail; detail = detail->next)
		rest -= detail->cause == cause ? detail->ticks : 0;
	return rest;
}
