// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waiting for locks. Each task that waits has a short list of waits: interrupts
 * may wait while it does, each in a context of its own. A wait that is over stays
 * until the acquisition that was waited for, or until what the task does next
 * shows that there is none.
 */
#include <sys/queue.h>

#include "base/map.h"
#include "base/mem.h"
#include "locks/waits.h"
#include "symbols/programs.h"

#define WAITED		4096u	/* locks that share a count are few */
#define WAITS_LOOKED_AT	64u

struct open_wait {
	struct wait			wait;
	struct waiter			*waiter;
	bool				over;
	bool				failed;		/* no acquisition follows */
	TAILQ_ENTRY(open_wait)		in_waiter, in_all;
};

TAILQ_HEAD(wait_list, open_wait);

struct waiter {
	uint64_t		key;
	struct wait_list	waits;
};

struct waits {
	const struct locks	*locks;
	wait_fn			each;
	void			*arg;
	struct map		waiters;	/* by section_task() */
	struct wait_list	all;
	unsigned int		gaps[2];	/* streams that are in one: the kernel's, */
	bool			lost[2];	/* programs' */
	uint64_t		cut[LOCKS_CUTS];
	unsigned int		*waited;	/* how many wait, by lock; or NULL */
	bool			keeps;		/* what failed, for its stack */
};

struct waits *waits_new(const struct locks *locks, wait_fn each, void *arg)
{
	struct waits *w = mem_zalloc(1, sizeof(*w));

	w->locks = locks;
	w->each = each;
	w->arg = arg;
	TAILQ_INIT(&w->all);
	return w;
}

/* On PREEMPT_RT, what spins is a raw spinlock. */
static unsigned int spinning_family_of(const struct waits *w, uint64_t flags)
{
	if (flags & (WAIT_READ | WAIT_WRITE))
		return flags & WAIT_READ ? FT_LOCK_RWLOCK_READ : FT_LOCK_RWLOCK_WRITE;
	return locks_is_rt(w->locks) ? FT_LOCK_RAW_SPIN : FT_LOCK_SPIN;
}

static unsigned int family_of(const struct waits *w, uint64_t flags)
{
	unsigned int user = LOCKS_USER + (unsigned int)(flags & (WAIT_USER - 1));

	if (flags & WAIT_USER)
		return user < LOCKS_FAMILIES ? user : LOCKS_COND;
	if (flags & WAIT_MUTEX)
		return FT_LOCK_MUTEX;
	if (flags & WAIT_SPIN)
		return spinning_family_of(w, flags);
	if (flags & WAIT_READ)
		return FT_LOCK_RWSEM_READ;
	if (flags & WAIT_WRITE)
		return FT_LOCK_RWSEM_WRITE;
	return flags & WAIT_RT ? FT_LOCK_MUTEX : FT_LOCK_SEMAPHORE;
}

/* A thread that waits in its program may wait in the kernel meanwhile. */
static bool is_program(const struct wait *wait)
{
	return locks_is_program(wait->family);
}

/* Does it go on while the task sleeps, and perhaps on another CPU? */
static bool may_wander(const struct wait *wait)
{
	return !locks_is_spinning(wait->family);
}

static unsigned int *waited(const struct waits *w, uint64_t lock)
{
	return &w->waited[map_hash(lock) % WAITED];
}

static void not_waited(const struct waits *w, const struct open_wait *o)
{
	if (w->waited && !o->over)
		--*waited(w, o->wait.lock);
}

static void wait_free(struct waits *w, struct open_wait *o)
{
	struct waiter *waiter = o->waiter;

	not_waited(w, o);
	TAILQ_REMOVE(&waiter->waits, o, in_waiter);
	TAILQ_REMOVE(&w->all, o, in_all);
	mem_free(o);
	if (!TAILQ_EMPTY(&waiter->waits))
		return;
	map_del(&w->waiters, waiter->key);
	mem_free(waiter);
}

static void wait_cut(struct waits *w, struct open_wait *o, enum locks_cut cut)
{
	w->cut[cut]++;
	wait_free(w, o);
}

/* It is over, and all is known of it that will be. */
static void wait_tell(struct waits *w, struct open_wait *o)
{
	w->each(w->arg, &o->wait);
	wait_free(w, o);
}

static struct waiter *waiter_find(const struct waits *w, int32_t tid,
				  uint32_t cpu)
{
	return map_get(&w->waiters, section_task(tid, cpu));
}

static struct waiter *waiter_get(struct waits *w, const struct stream *s)
{
	struct waiter *waiter = waiter_find(w, s->rec->tid, s->cpu);

	if (waiter)
		return waiter;
	waiter = mem_resize(NULL, 1, sizeof(*waiter));
	waiter->key = section_task(s->rec->tid, s->cpu);
	TAILQ_INIT(&waiter->waits);
	map_put(&w->waiters, waiter->key, waiter);
	return waiter;
}

/* There is one; two while a task that waits for a lock waits for the raw spinlock inside it. */
static struct open_wait *find(struct waiter *waiter, uint64_t lock, uint8_t ctx,
			      unsigned int family, bool over)
{
	struct open_wait *o;

	if (!waiter)
		return NULL;
	TAILQ_FOREACH(o, &waiter->waits, in_waiter) {
		if (o->wait.lock == lock && o->wait.ctx == ctx && o->over == over &&
		    !locks_are_apart(o->wait.family, family))
			return o;
	}
	return NULL;
}

/* Which wait ends: the kernel does not name its family, but the inner one ends first. */
static struct open_wait *find_end(const struct waits *w, const struct stream *s)
{
	struct waiter *waiter = waiter_find(w, s->rec->tid, s->cpu);
	const struct ft_record *rec = s->rec;
	struct open_wait *raw = find(waiter, rec->a, rec->ctx, FT_LOCK_RAW_SPIN, false);

	return raw ? raw : find(waiter, rec->a, rec->ctx, FT_LOCK_SPIN, false);
}

/*
 * On PREEMPT_RT, a reader waits for the mutex inside the lock that has readers. Elsewhere, who
 * waits for a rwlock queues at the spinlock inside.
 */
static bool is_inside(uint64_t lock, const struct wait *outer)
{
	unsigned int bytes = 0;

	if (outer->family == FT_LOCK_RWLOCK_READ || outer->family == FT_LOCK_RWLOCK_WRITE)
		bytes = WAIT_INSIDE_RWLOCK;
	else if (outer->flags & WAIT_RT && outer->flags & WAIT_READ)
		bytes = WAIT_INSIDE_RT;
	return lock > outer->lock && lock - outer->lock < bytes;
}

/*
 * A task that begins to wait in a context waits for nothing else there: what was
 * over had no acquisition, and what was not has an end that was not traced, unless one is
 * inside the other: a task that waits for a sleeping lock may have to spin on the way there,
 * and on the way back. A program is a context of its own.
 */
static void leave_context(struct waits *w, struct waiter *waiter, uint64_t lock,
			  uint8_t ctx, unsigned int family)
{
	bool program = locks_is_program(family);
	struct open_wait *o, *next;

	for (o = TAILQ_FIRST(&waiter->waits); o; o = next) {
		bool last;

		next = TAILQ_NEXT(o, in_waiter);
		if (o->wait.ctx != ctx || is_program(&o->wait) != program ||
		    (locks_is_spinning(family) && may_wander(&o->wait)) ||
		    (!o->over && is_inside(lock, &o->wait)))
			continue;
		last = !next && o == TAILQ_FIRST(&waiter->waits);
		if (o->over)
			wait_tell(w, o);
		else
			wait_cut(w, o, LOCKS_CUT_OTHER);
		if (last)	/* the waiter went with it */
			return;
	}
}

void waits_begin(struct waits *w, const struct stream *s)
{
	const struct ft_record *rec = s->rec;
	struct waiter *waiter = waiter_find(w, rec->tid, s->cpu);
	unsigned int family = family_of(w, rec->b);
	const struct section *holder;
	struct open_wait *o;

	if (find(waiter, rec->a, rec->ctx, family, false))
		return;		/* it did spin, and sleeps now: one wait */
	if (waiter)
		leave_context(w, waiter, rec->a, rec->ctx, family);
	waiter = waiter_get(w, s);
	o = mem_zalloc(1, sizeof(*o));
	o->waiter = waiter;
	o->wait = (struct wait){
		.begin = s->ts,
		.lock = rec->a,
		.tid = rec->tid,
		.cpu = s->cpu,
		.ctx = rec->ctx,
		.flags = (uint8_t)rec->b,
		.family = (uint8_t)family,
	};
	if (rec->b & WAIT_USER)
		o->wait.site = rec->b >> WAIT_SITE |
			       (rec->a & ~PROGRAMS_MASK);
	holder = locks_holder(w->locks, rec->a, family);
	if (holder) {
		o->wait.holder = holder->site;
		o->wait.holder_family = holder->family;
		o->wait.holder_tid = holder->tid;
		o->wait.holder_ctx = holder->ctx;
	}
	TAILQ_INSERT_TAIL(&waiter->waits, o, in_waiter);
	TAILQ_INSERT_TAIL(&w->all, o, in_all);
	if (w->waited)
		++*waited(w, rec->a);
}

void waits_end(struct waits *w, const struct stream *s)
{
	struct open_wait *o = find_end(w, s);

	if (!o) {
		w->cut[w->lost[stream_is_program(s)] ? LOCKS_CUT_LOST :
							LOCKS_CUT_START]++;
		return;
	}
	if (w->gaps[is_program(&o->wait)] && may_wander(&o->wait)) {
		w->cut[LOCKS_CUT_LOST]++;	/* both ends */
		wait_cut(w, o, LOCKS_CUT_LOST);
		return;
	}
	o->wait.end = s->ts > o->wait.begin ? s->ts : o->wait.begin;
	not_waited(w, o);
	o->over = true;
	o->failed = s->rec->b;	/* interrupted, or timed out: no acquisition follows */
	if (o->failed && !w->keeps)
		wait_tell(w, o);
}

void waits_keep(struct waits *w)
{
	w->keeps = true;
}

/* The latest one: what failed before may be of the same lock. */
bool waits_stack(struct waits *w, const struct stream *s, uint32_t number)
{
	const struct waiter *waiter = waiter_find(w, s->rec->tid, s->cpu);
	struct open_wait *o;

	if (!waiter)
		return false;
	TAILQ_FOREACH_REVERSE(o, &waiter->waits, wait_list, in_waiter) {
		if (!o->over || o->wait.lock != s->rec->b || o->wait.ctx != s->rec->ctx)
			continue;
		o->wait.stack = number;
		if (o->failed)
			wait_tell(w, o);
		return true;
	}
	return false;
}

void waits_acquired(struct waits *w, const struct section *section)
{
	struct open_wait *o;

	if (TAILQ_EMPTY(&w->all))
		return;
	o = find(waiter_find(w, section->tid, section->cpu), section->lock,
		 section->ctx, section->family, true);
	if (!o)
		return;
	if (o->failed) {
		wait_tell(w, o);
		return;
	}
	o->wait.site = section->site;
	/* it waited for the release, whatever its clock said */
	if (section->flags & SECTION_RAISED && o->wait.end < section->start)
		o->wait.end = section->start;
	o->wait.family = section->family;
	wait_tell(w, o);
}

/*
 * Records lost on a CPU may belong to any wait of a task that can migrate, and to those that
 * spin there; a program's lost records to any of its waits. A wait that is over had no loss
 * in it.
 */
void waits_gap(struct waits *w, const struct stream *s, bool was_in_gap)
{
	bool program = stream_is_program(s);
	struct open_wait *o, *next;

	w->lost[program] = true;
	if (s->item == STREAM_GAP)
		w->gaps[program] += !was_in_gap;
	for (o = TAILQ_FIRST(&w->all); o; o = next) {
		next = TAILQ_NEXT(o, in_all);
		if (is_program(&o->wait) != program)
			continue;
		if (o->over)
			wait_tell(w, o);
		else if (may_wander(&o->wait) || o->wait.cpu == s->cpu)
			wait_cut(w, o, LOCKS_CUT_LOST);
	}
	if (s->item != STREAM_GAP)
		w->gaps[program] -= was_in_gap;
}

const struct wait *waits_ending(const struct waits *w, const struct stream *s)
{
	const struct open_wait *o = find_end(w, s);

	return o ? &o->wait : NULL;
}

const struct wait *waits_open_since(const struct waits *w, int32_t tid, uint32_t cpu,
				    uint8_t interrupts, uint64_t since, bool runs)
{
	const struct waiter *waiter = waiter_find(w, tid, cpu);
	const struct wait *outer = NULL, *spins = NULL;
	const struct open_wait *o;

	if (!waiter)
		return NULL;
	TAILQ_FOREACH(o, &waiter->waits, in_waiter) {
		if (o->over || o->wait.ctx & interrupts || is_program(&o->wait) ||
		    o->wait.begin < since)
			continue;
		if (!outer)
			outer = &o->wait;
		if (runs && locks_is_spinning(o->wait.family))
			spins = &o->wait;
	}
	return spins ? spins : outer;
}

const struct wait *waits_open(const struct waits *w, int32_t tid, uint32_t cpu,
			      uint8_t interrupts)
{
	return waits_open_since(w, tid, cpu, interrupts, 0, false);
}

const struct wait *waits_open_program(const struct waits *w, int32_t tid, uint64_t since)
{
	const struct waiter *waiter = waiter_find(w, tid, 0);
	const struct open_wait *o;

	if (!waiter)
		return NULL;
	TAILQ_FOREACH(o, &waiter->waits, in_waiter) {
		if (!o->over && is_program(&o->wait) && o->wait.begin >= since)
			return &o->wait;
	}
	return NULL;
}

const struct wait *waits_open_in(const struct waits *w, int32_t tid, uint32_t cpu, uint8_t ctx,
				 uint64_t since)
{
	const struct waiter *waiter = waiter_find(w, tid, cpu);
	const struct open_wait *o;

	if (!waiter)
		return NULL;
	TAILQ_FOREACH_REVERSE(o, &waiter->waits, wait_list, in_waiter) {
		if (!o->over && o->wait.ctx == ctx && !is_program(&o->wait) &&
		    o->wait.begin >= since)
			return &o->wait;
	}
	return NULL;
}

const struct wait *waits_begun(const struct waits *w, const struct stream *s)
{
	const struct ft_record *rec = s->rec;
	const struct open_wait *o = find(waiter_find(w, rec->tid, s->cpu), rec->a, rec->ctx,
					 family_of(w, rec->b), false);

	return o ? &o->wait : NULL;
}

void waits_count_locks(struct waits *w)
{
	w->waited = mem_zalloc(WAITED, sizeof(*w->waited));
}

bool waits_waited_for(const struct waits *w, uint64_t lock)
{
	return *waited(w, lock);
}

bool waits_for_task(const struct waits *w, int32_t tid)
{
	const struct section *holder;
	const struct open_wait *o;
	unsigned int n = 0;

	TAILQ_FOREACH(o, &w->all, in_all) {
		if (n++ == WAITS_LOOKED_AT)
			return true;
		holder = o->over ? NULL :
				   locks_holder(w->locks, o->wait.lock, o->wait.family);
		if (holder && holder->tid == tid)
			return true;
	}
	return false;
}

void waits_finish(struct waits *w)
{
	struct open_wait *o;

	while ((o = TAILQ_FIRST(&w->all))) {
		if (o->over)
			wait_tell(w, o);
		else
			wait_cut(w, o, LOCKS_CUT_END);
	}
}

uint64_t waits_cut(const struct waits *w, enum locks_cut cut)
{
	return w->cut[cut];
}

void waits_free(struct waits *w)
{
	struct open_wait *o;

	if (!w)
		return;
	while ((o = TAILQ_FIRST(&w->all)))
		wait_free(w, o);
	map_free(&w->waiters);
	mem_free(w->waited);
	mem_free(w);
}
