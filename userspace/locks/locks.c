// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Pairing acquisitions and releases: spinning locks, and what to do with a
 * record. See locks.h for the rules, sleeping.c for sleeping locks.
 *
 * A CPU's spinning locks are an array in the order of acquisition: few are held
 * at once, and the one released is nearly always the last.
 */
#include "base/map.h"
#include "base/mem.h"
#include "locks/internal.h"
#include "locks/locks.h"
#include "locks/sleeping.h"
#include "locks/taken.h"

struct cpu {
	unsigned int	n;		/* spinning locks that are held */
	unsigned int	internal;	/* of these */
	bool		lost;		/* records, before now */
	bool		in_gap;
	struct section_log log;		/* of what ended inside of those that are held */
	struct section	held[LOCKS_MAX_HELD] __attribute__((aligned(64)));
	struct map	released[LOCKS_FAMILIES];	/* without an acquisition */
	struct balance	balance[LOCKS_FAMILIES];
};

struct locks {
	section_fn		each;
	void			*arg;
	unsigned int		n_cpus;
	struct cpu		*cpus;
	struct section		*rings;		/* of their logs */
	struct cpu		*now;		/* of the record at hand */
	struct sleep		*sleep;
	struct locks_watch	watch;
	struct locks_seen	seen[LOCKS_FAMILIES];
	struct taken		taken[1 << TAKEN_BITS];
	uint8_t			kind[METADATA_CLASSES][FT_ID_MAX + 1];	/* by id */
	bool			rt;
};

static struct cpu *cpu_of(struct locks *l, const struct stream *s)
{
	return &l->cpus[s->index];
}

/* Spinning locks. */

/* Nobody holds it any more. */
static void spin_taken_remove(struct locks *l, const struct section *section)
{
	taken_remove(l->taken, section->lock, locks_is_exclusive(section->family));
}

static void spin_drop(struct locks *l, struct cpu *c, unsigned int i,
		      enum locks_cut cut)
{
	spin_taken_remove(l, &c->held[i]);
	c->balance[c->held[i].family].no_release[cut]++;
	c->internal -= c->held[i].flags & SECTION_INTERNAL;
	memmove(&c->held[i], &c->held[i + 1],
		(--c->n - i) * sizeof(c->held[0]));
}

static int spin_find(const struct cpu *c, unsigned int family, uint64_t lock)
{
	unsigned int i;

	for (i = c->n; i-- > 0;) {
		if (c->held[i].lock == lock && c->held[i].family == family)
			return (int)i;
	}
	return -1;
}

/* Without internal ones. Few are nested, so this is not part of the hot path. */
static __attribute__((noinline)) uint8_t spinlocks_held(const struct cpu *c)
{
	unsigned int n = 0, i;

	for (i = 0; i < c->n; i++)
		n += locks_is_spinlock(c->held[i].family);
	return (uint8_t)(n - c->internal);
}

static void spin_acquire(struct locks *l, const struct stream *s,
			 unsigned int family)
{
	struct cpu *c = cpu_of(l, s);
	struct locks_held held = { 0 };
	struct section *section;
	int old = -1;

	if (locks_is_exclusive(family))
		old = spin_find(c, family, s->rec->a);
	if (old >= 0)
		spin_drop(l, c, (unsigned int)old, locks_again(&l->seen[family]));
	if (c->n == LOCKS_MAX_HELD)
		spin_drop(l, c, 0, LOCKS_CUT_OTHER);
	if (!c->n)	/* nobody asks for what ended before: few lines of it are in use */
		c->log.n = 0;
	section = &c->held[c->n];
	held.spinning = c->n - c->internal;
	sleep_held(l->sleep, s, &held);
	section_begin(section, s, family, &held);
	section->mark = c->log.n;
	if (c->n)
		section->depth[LOCKS_SPIN] = spinlocks_held(c);
	if (locks_is_spinlock(family) && l->watch.internal &&
	    internal_is(l->watch.internal, section->site)) {
		section->flags |= SECTION_INTERNAL;
		c->internal++;
	}
	c->n++;
	taken_add(l->taken, section->lock, locks_is_exclusive(family));
	if (l->watch.begin)
		l->watch.begin(l->arg, section);
}

/* A release whose acquisition was not seen. */
static void spin_unmatched(struct locks *l, struct cpu *c, unsigned int family,
			   uint64_t lock)
{
	enum locks_cut cut = LOCKS_CUT_START;

	if (c->lost)
		cut = LOCKS_CUT_LOST;
	else if (locks_is_exclusive(family) &&
		 !sleep_note(&c->released[family], lock))
		cut = LOCKS_CUT_OTHER;
	balance_unmatched(&c->balance[family], &l->seen[family], cut);
}

/* A section that is not the innermost has ended: those inside live on. */
static void spin_cross(struct cpu *c, unsigned int i)
{
	uint64_t track = 1ull << section_track(&c->held[i]);

	for (; i < c->n; i++) {
		c->held[i] = c->held[i + 1];
		c->held[i].crossed |= track;
	}
}

static void spin_release(struct locks *l, const struct stream *s,
			 unsigned int family)
{
	struct cpu *c = cpu_of(l, s);
	int i = spin_find(c, family, s->rec->a);
	struct section *section;

	if (i < 0) {
		spin_unmatched(l, c, family, s->rec->a);
		return;
	}
	section = &c->held[i];
	section->end = s->ts;
	c->balance[family].complete++;
	l->each(l->arg, section);
	if (c->n > 1)
		section_log_put(&c->log, section);
	for (unsigned int outer = 0; outer < (unsigned int)i; outer++)
		c->held[outer].ended++;
	sleep_log(l->sleep, s, section);
	spin_taken_remove(l, section);
	c->internal -= section->flags & SECTION_INTERNAL;
	if ((unsigned int)i != --c->n)
		spin_cross(c, (unsigned int)i);
}

static void spin_drop_all(struct locks *l, struct cpu *c, enum locks_cut cut)
{
	while (c->n)
		spin_drop(l, c, c->n - 1, cut);
}

/* Records that were lost may have been of any lock that was held. */
static void gap(struct locks *l, const struct stream *s)
{
	bool begins = s->item == STREAM_GAP;
	struct cpu *c = cpu_of(l, s);

	if (begins) {
		spin_drop_all(l, c, LOCKS_CUT_LOST);
		c->lost = true;
	}
	sleep_gap(l->sleep, stream_is_program(s), begins && !c->in_gap,
		  !begins && c->in_gap);
	c->in_gap = begins;
}

/*
 * The first release of a family. If earlier releases were not traced, locks that seem to be
 * held no longer are, except the one released now. They would make all that follows seem
 * nested.
 */
static void first_release(struct locks *l, const struct stream *s,
			  unsigned int family)
{
	struct locks_seen *seen = &l->seen[family];
	unsigned int cpu, i;

	seen->released = true;
	if (!seen->half)
		return;
	if (!locks_is_spinning(family))
		sleep_first_release(l->sleep, s, family);
	for (cpu = 0; cpu < l->n_cpus; cpu++) {
		struct cpu *c = &l->cpus[cpu];

		for (i = c->n; i-- > 0;) {
			if (c->held[i].family == family &&
			    (c != cpu_of(l, s) || c->held[i].lock != s->rec->a))
				spin_drop(l, c, i, LOCKS_CUT_START);
		}
	}
}

/*
 * After the last acquisition of a family, releases without one count as cut by the end of the
 * trace: acquisitions were no longer traced.
 */
static void move_late(struct balance *b, const struct locks_seen *seen)
{
	static const enum locks_cut cuts[] = { LOCKS_CUT_START, LOCKS_CUT_OTHER };
	unsigned int i;

	if (!seen->acquires || b->late_at != seen->acquires)
		return;
	for (i = 0; i < 2; i++) {
		uint64_t n = b->late[cuts[i]];

		if (n > b->no_acquire[cuts[i]])	/* one of them was a stray */
			n = b->no_acquire[cuts[i]];
		b->no_acquire[cuts[i]] -= n;
		b->no_acquire[LOCKS_CUT_END] += n;
	}
}

const uint8_t (*locks_kinds(const struct locks *l))[FT_ID_MAX + 1]
{
	return l->kind;
}

void locks_record(struct locks *l, const struct stream *s, unsigned int kind)
{
	unsigned int family = kind / 2;
	struct cpu *c = cpu_of(l, s);

	l->now = c;
	if (kind % 2) {
		c->balance[family].releases++;
		if (!l->seen[family].released)
			first_release(l, s, family);
		if (locks_is_spinning(family))
			spin_release(l, s, family);
		else
			sleep_release(l->sleep, s, family, &c->balance[family],
				      c->n ? &c->log : NULL, c->held, c->n);
	} else {
		c->balance[family].acquires++;
		l->seen[family].acquires++;
		if (locks_is_spinning(family))
			spin_acquire(l, s, family);
		else
			sleep_acquire(l->sleep, s, family, &c->balance[family],
				      c->n - c->internal);
	}
}

void locks_feed(struct locks *l, const struct stream *s)
{
	unsigned int kind;

	if (__builtin_expect(s->item != STREAM_RECORD, 0)) {
		gap(l, s);
		return;
	}
	kind = l->kind[s->class][s->rec->id];
	if (kind < LOCKS_KIND_OTHER)
		locks_record(l, s, kind);
}

bool locks_in_gap(const struct locks *l, const struct stream *s)
{
	return l->cpus[s->index].in_gap;
}

void locks_finish(struct locks *l)
{
	unsigned int i, family;

	sleep_finish(l->sleep);
	for (i = 0; i < l->n_cpus; i++) {
		spin_drop_all(l, &l->cpus[i], LOCKS_CUT_END);
		for (family = 0; family < LOCKS_FAMILIES; family++)
			move_late(&l->cpus[i].balance[family], &l->seen[family]);
	}
}

const struct balance *locks_balance(const struct locks *l, unsigned int i)
{
	return l->cpus[i].balance;
}

/* Asking what is held. */

/* The next section of a spinning lock, from *@i on, that excludes what @s acquires. */
static struct section *spin_excludes(struct cpu *c, const struct stream *s,
				     unsigned int family, unsigned int *i)
{
	while (*i < c->n) {
		struct section *held = &c->held[(*i)++];

		if (held->lock == s->rec->a && !(held->flags & SECTION_OVERDUE) &&
		    locks_excludes(held->family, family))
			return held;
	}
	return NULL;
}

bool locks_taken(struct locks *l, const struct stream *s, unsigned int family)
{
	unsigned int cpu, i;

	if (!locks_is_spinning(family))
		return sleep_excludes(l->sleep, s, family);
	for (cpu = 0; cpu < l->n_cpus; cpu++) {
		i = 0;
		if (&l->cpus[cpu] != cpu_of(l, s) &&
		    spin_excludes(&l->cpus[cpu], s, family, &i))
			return true;
	}
	return false;
}

void locks_overdue(struct locks *l, const struct stream *s, unsigned int family)
{
	struct section *held;
	unsigned int cpu, i;

	while (!locks_is_spinning(family) &&
	       (held = sleep_excludes(l->sleep, s, family)))
		held->flags |= SECTION_OVERDUE;
	for (cpu = 0; cpu < l->n_cpus && locks_is_spinning(family); cpu++) {
		i = 0;
		while ((held = spin_excludes(&l->cpus[cpu], s, family, &i)))
			held->flags |= SECTION_OVERDUE;
	}
}

struct taken *locks_taken_table(struct locks *l)
{
	return l->taken;
}

unsigned int locks_outer(const struct locks *l, const struct section *s,
			 const struct section **out, unsigned int max)
{
	const struct cpu *c = l->now;
	unsigned int n = 0, i;

	for (i = c->n; i-- > 0 && n < max;) {
		if (&c->held[i] != s && !(c->held[i].flags & SECTION_INTERNAL))
			out[n++] = &c->held[i];
	}
	return n + sleep_outer(l->sleep, s, out + n, max - n);
}

/*
 * A section whose end was found out later: what is in @out began before that end, but
 * may have ended after it, and so may others. Return: how many ended inside
 */
static uint32_t inside_late(const struct section *s, struct section *out,
			    unsigned int n, uint32_t after, bool all)
{
	uint32_t in_time = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (out[i].end > s->end)
			out[i].end = 0;		/* it goes on */
		in_time += out[i].end != 0;
	}
	/* of those not remembered nothing is known unless later ones were in time */
	return all || !in_time ? in_time : s->ended - after - (n - in_time);
}

unsigned int locks_inside(const struct locks *l, const struct section *s,
			  struct section *out, uint32_t *ended)
{
	const struct section_log *log;
	const struct cpu *c = NULL;
	unsigned int n = 0, i;
	uint32_t at, after = 0;

	if (locks_is_spinning(s->family)) {
		c = l->now;
		log = &c->log;
	} else {
		log = sleep_log_of(l->sleep, s);
	}
	at = s->mark;
	*ended = s->ended;
	if (log && (!log->ring || log->n - at > LOCKS_INSIDE))
		at = log->ring ? log->n - LOCKS_INSIDE : log->n;
	for (; log && at != log->n; at++) {
		const struct section *in = &log->ring[at % LOCKS_INSIDE];

		/* hand over hand: it was there before */
		if (in->start < s->start || (c && in->cpu != s->cpu))
			continue;
		if (section_is_late(s) && in->start >= s->end)
			after++;
		else
			out[n++] = *in;
	}
	if (section_is_late(s))
		*ended = inside_late(s, out, n, after,
				     log && log->ring && log->n - s->mark <= LOCKS_INSIDE);
	if (!c)
		return n + sleep_open_inside(l->sleep, s, out + n);
	for (i = 0; i < c->n; i++) {
		if (&c->held[i] > s)	/* acquired later: it comes after it */
			out[n++] = c->held[i];
	}
	return n;
}

const struct section *locks_holder(const struct locks *l, uint64_t lock, unsigned int family)
{
	const struct section *holder = family == FT_LOCK_RAW_SPIN ? NULL :
				       sleep_holder(l->sleep, lock);
	unsigned int cpu, i;

	for (cpu = 0; cpu < l->n_cpus; cpu++) {
		const struct cpu *c = &l->cpus[cpu];

		for (i = 0; i < c->n; i++) {
			if (c->held[i].lock == lock &&
			    !locks_are_apart(c->held[i].family, family) &&
			    (!holder || c->held[i].start < holder->start))
				holder = &c->held[i];
		}
	}
	return holder;
}

const struct section *locks_sleeping_holder(const struct locks *l, uint64_t lock)
{
	return sleep_holder(l->sleep, lock);
}

struct locks *locks_new(const struct trace *t, section_fn each, void *arg)
{
	struct locks *l = mem_zalloc(1, sizeof(*l));
	unsigned int i;

	l->each = each;
	l->arg = arg;
	l->n_cpus = t->n_streams;
	l->cpus = mem_zalloc_huge(l->n_cpus, sizeof(*l->cpus));
	l->rings = mem_zalloc_huge(l->n_cpus, LOCKS_INSIDE * sizeof(*l->rings));
	for (i = 0; i < l->n_cpus; i++)
		l->cpus[i].log.ring = l->rings + i * LOCKS_INSIDE;
	l->sleep = sleep_new(t, l->seen, l->taken, each, arg);
	locks_find_kinds(l->kind, &t->meta);
	l->rt = locks_kernel_is_rt(&t->meta);
	return l;
}

bool locks_is_rt(const struct locks *l)
{
	return l->rt;
}

void locks_watch(struct locks *l, const struct locks_watch *watch)
{
	l->watch = *watch;
	sleep_watch(l->sleep, watch->begin);
}

void locks_free(struct locks *l)
{
	unsigned int i, family;

	if (!l)
		return;
	for (i = 0; i < l->n_cpus; i++) {
		for (family = 0; family < LOCKS_FAMILIES; family++)
			map_free(&l->cpus[i].released[family]);
	}
	sleep_free(l->sleep);
	mem_free_huge(l->rings, l->n_cpus, LOCKS_INSIDE * sizeof(*l->rings));
	mem_free_huge(l->cpus, l->n_cpus, sizeof(*l->cpus));
	mem_free(l);
}
