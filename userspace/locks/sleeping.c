// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sleeping locks that are held. Each is an object on two lists: that of its task
 * and that of its lock. Locks exist only while something is on theirs; tasks stay
 * for a while, for they come again. What is given up is kept to be used again.
 *
 * Records that were lost on one CPU may have been of any task. So from the last
 * record before the gap to the first one after it, no section that was open at
 * any moment can be trusted, on whatever CPU it began and ended. The kernel and
 * programs have gaps of their own.
 *
 * A rwsem that was taken for reading may be released by another task than the
 * one that took it. When such a release comes, it could also be the end of a
 * section that began before the trace; were it given to another reader, that
 * one's own release would be given to a third, and so on. So it is kept as a
 * stray, until it is sure that a reader has left without a release of its own:
 * a writer comes in, the reader comes again, or the trace ends.
 *
 * A semaphore is released by whoever acquired it, where that one does so; else it is
 * its oldest acquisition that ends. But that one may be of before the trace, or of a gap:
 * how many hold a semaphore then, no record says, and none that comes later shows that
 * they have all left it. (Of an I/O queue that always has three requests in flight, each
 * release is that of the third acquisition before it, and from the trace it looks like
 * one with a single request.) So only programs' semaphores, which are traced from their
 * beginning, end by release of another task, as long as nothing was lost. Otherwise the
 * oldest acquisition is in doubt: it is no longer taken for held, but ends with a release
 * of its own task, or is left out when that one acquires the semaphore again, or the
 * trace ends.
 */
#include "base/mem.h"
#include "locks/held.h"

bool sleep_note(struct map *seen, uint64_t lock)
{
	if (map_get(seen, lock))
		return false;
	map_put(seen, lock, seen);	/* any value but NULL */
	return true;
}

static void held_complete(struct sleep *sl, struct held *h, uint64_t end)
{
	struct held *inner = h;

	/* those of its task that began inside of it and live on */
	while (!section_is_late(&h->section) && (inner = TAILQ_NEXT(inner, in_task)))
		inner->section.crossed |= 1ull << section_track(&h->section);
	h->section.end = end;
	h->books->complete++;
	sl->each(sl->arg, &h->section);
	if (h->task->n > 1)
		sleep_task_log(sl, h->task, &h->section);
	sleep_held_free(sl, h);
}

static void held_cut(struct sleep *sl, struct held *h, enum locks_cut cut)
{
	if (h->doubtful)
		cut = sl->lost[locks_is_program(h->section.family)] ?
		      LOCKS_CUT_LOST : LOCKS_CUT_START;
	h->books->no_release[cut]++;
	sleep_held_free(sl, h);
}

/* Strays. */

static void stray_add(struct sleep *sl, const struct stream *s,
		      uint64_t *counter)
{
	struct strays *strays = map_get(&sl->strays, s->rec->a);

	if (!strays) {
		strays = mem_zalloc(1, sizeof(*strays));
		map_put(&sl->strays, s->rec->a, strays);
	}
	if (strays->n == MAX_STRAYS)
		return;
	strays->ts[strays->n] = s->ts;
	strays->counter[strays->n++] = counter;
}

static void strays_forget(struct sleep *sl)
{
	struct map_slot *slot;

	map_for_each(&sl->strays, slot)
		mem_free(slot->value);
	map_clear(&sl->strays);
}

/* The first stray that came after a reader did; false if there is none. */
static bool stray_take(struct sleep *sl, const struct held *h, uint64_t *ts)
{
	struct strays *strays = NULL;
	unsigned int i = 0;

	if (h->section.family == FT_LOCK_RWSEM_READ)
		strays = map_get(&sl->strays, h->section.lock);
	if (!strays)
		return false;
	while (i < strays->n && strays->ts[i] < h->section.start)
		i++;
	if (i == strays->n)
		return false;
	*ts = strays->ts[i];
	--*strays->counter[i];
	strays->n--;
	for (; i < strays->n; i++) {
		strays->ts[i] = strays->ts[i + 1];
		strays->counter[i] = strays->counter[i + 1];
	}
	return true;
}

/* It is no longer held, but no release of its own was seen. */
static void held_left(struct sleep *sl, struct held *h, enum locks_cut cut)
{
	uint64_t end;

	if (sl->gaps[locks_is_program(h->section.family)]) {
		held_cut(sl, h, LOCKS_CUT_LOST);
	} else if (stray_take(sl, h, &end)) {
		h->section.flags |= SECTION_LATE;
		held_complete(sl, h, end);
	} else {
		held_cut(sl, h, cut);
	}
}

/* Records. */

static struct held *find_own(struct sleep *sl, const struct stream *s,
			     unsigned int family)
{
	bool anybody = locks_families[family].anybody;	/* in interrupts, too */
	struct task *task = sleep_task(sl, s);
	struct held *h;

	if (!task)
		return NULL;
	TAILQ_FOREACH_REVERSE(h, &task->held, held_list, in_task) {
		if (h->section.lock == s->rec->a && h->section.family == family &&
		    (!anybody || h->section.ctx == s->rec->ctx))
			return h;
	}
	return NULL;
}

static struct held *find_oldest(struct sleep *sl, const struct stream *s,
				unsigned int family)
{
	struct sleeper *lock = map_get(&sl->locks, s->rec->a);
	struct held *h;

	if (!lock)
		return NULL;
	TAILQ_FOREACH(h, &lock->held, in_lock) {
		if (h->section.family == family)
			return h;
	}
	return NULL;
}

/* What this record releases, or NULL. */
static struct held *find_release(struct sleep *sl, const struct stream *s,
				 unsigned int family)
{
	struct held *own = find_own(sl, s, family);

	return own || !locks_families[family].anybody ? own :
							find_oldest(sl, s, family);
}

/*
 * Another task acquired it: may this release belong to an acquisition that was not seen?
 * Programs are traced from their beginning.
 */
static bool is_doubtful(const struct sleep *sl, const struct stream *s,
			const struct held *h)
{
	bool program = locks_is_program(h->section.family);

	if (!locks_families[h->section.family].anybody || (program && !sl->lost[program]))
		return false;
	return h->task->key != section_task(s->rec->tid, s->cpu) ||
	       h->section.ctx != s->rec->ctx;
}

/* The task comes again: what it still seems to hold of a semaphore in doubt it does not. */
static void leave_doubtful(struct sleep *sl, const struct stream *s,
			   unsigned int family)
{
	struct held *h, *next;
	struct task *task = sleep_task(sl, s);

	for (h = task ? TAILQ_FIRST(&task->held) : NULL; h; h = next) {
		next = TAILQ_NEXT(h, in_task);
		if (h->doubtful && h->section.lock == s->rec->a &&
		    h->section.family == family)
			held_cut(sl, h, LOCKS_CUT_START);
	}
}

/* A task that reads a rwsem does so again: was it released by another in between? */
static void reader_again(struct sleep *sl, struct held *h)
{
	struct locks_seen *seen = &sl->seen[h->section.family];
	uint64_t end;

	if (!seen->released) {
		held_left(sl, h, locks_again(seen));
	} else if (stray_take(sl, h, &end)) {
		h->section.flags |= SECTION_LATE;
		held_complete(sl, h, end);
	}
}

/*
 * A task that takes a lock which excludes others shows that they have released it, even
 * without a record.
 */
static void leave_excluded(struct sleep *sl, const struct stream *s,
			   unsigned int family)
{
	struct sleeper *lock = map_get(&sl->locks, s->rec->a);
	struct held *h, *next;

	if (!lock)
		return;
	for (h = TAILQ_FIRST(&lock->held); h; h = next) {
		next = TAILQ_NEXT(h, in_lock);
		if (locks_families[h->section.family].anybody)
			continue;
		if (locks_is_exclusive(family) ||
		    locks_is_exclusive(h->section.family))
			held_left(sl, h, locks_again(&sl->seen[h->section.family]));
		else if (!locks_families[family].again &&
			 h->task->key == section_task(s->rec->tid, s->cpu))
			reader_again(sl, h);
	}
}

/* The task holds too many: what it holds in doubt goes first. */
static void make_room(struct sleep *sl, struct task *task)
{
	struct held *h;

	TAILQ_FOREACH(h, &task->held, in_task) {
		if (h->doubtful)
			break;
	}
	held_left(sl, h ? h : TAILQ_FIRST(&task->held), LOCKS_CUT_OTHER);
}

void sleep_acquire(struct sleep *sl, const struct stream *s,
		   unsigned int family, struct balance *books,
		   unsigned int spinning)
{
	struct locks_held held = { .spinning = spinning };
	struct task *task;
	struct held *h;

	if (locks_families[family].anybody)
		leave_doubtful(sl, s, family);
	else
		leave_excluded(sl, s, family);
	task = sleep_task_get(sl, s);
	if (task->n == LOCKS_MAX_HELD)
		make_room(sl, task);

	if (!task->n)
		task->log.n = 0;
	h = sleep_held_new(sl);
	held.sleeping = task->sure[0];
	held.program = task->sure[1];
	section_begin(&h->section, s, family, &held);
	h->section.mark = task->log.n;
	h->doubtful = false;
	h->books = books;
	h->task = task;
	h->lock = sleep_lock_get(sl, s->rec->a);
	TAILQ_INSERT_TAIL(&task->held, h, in_task);
	TAILQ_INSERT_TAIL(&h->lock->held, h, in_lock);
	taken_add(sl->taken, s->rec->a, locks_is_exclusive(family));
	task->sure[locks_is_program(family)]++;
	if (!task->n++)
		TAILQ_INSERT_TAIL(&sl->busy, task, busy);
	if (sl->begin)
		sl->begin(sl->arg, &h->section);
}

/* A release whose acquisition was not seen. */
static void unmatched(struct sleep *sl, const struct stream *s,
		      unsigned int family, struct balance *books)
{
	enum locks_cut cut = LOCKS_CUT_START;

	if (sl->lost[locks_is_program(family)])
		cut = LOCKS_CUT_LOST;
	else if (family == FT_LOCK_RWSEM_READ)
		stray_add(sl, s, &books->no_acquire[cut]);
	else if (locks_is_exclusive(family) &&
		 !sleep_note(&sl->released[family], s->rec->a))
		cut = LOCKS_CUT_OTHER;	/* it began in such a section once */
	balance_unmatched(books, &sl->seen[family], cut);
}

void sleep_release(struct sleep *sl, const struct stream *s,
		   unsigned int family, struct balance *books,
		   struct section_log *log, struct section *outer,
		   unsigned int n_outer)
{
	struct held *h = find_release(sl, s, family);

	if (h && is_doubtful(sl, s, h)) {
		sleep_held_doubt(sl, h);
		h = NULL;
	}
	if (!h) {
		unmatched(sl, s, family, books);
	} else if (s->ts < h->section.start) {
		/* clocks of CPUs differ so much that it has no length */
		books->no_acquire[LOCKS_CUT_OTHER]++;
		held_cut(sl, h, LOCKS_CUT_OTHER);
	} else if (sl->gaps[locks_is_program(family)]) {
		books->no_acquire[LOCKS_CUT_LOST]++;
		held_cut(sl, h, LOCKS_CUT_LOST);
	} else {
		if (log) {
			h->section.end = s->ts;
			section_log_put(log, &h->section);
			for (; n_outer; n_outer--, outer++)
				outer->ended += outer->cpu == h->section.cpu &&
						outer->start <= h->section.start;
		}
		held_complete(sl, h, s->ts);
	}
}

/* What concerns many tasks. */

void sleep_first_release(struct sleep *sl, const struct stream *s,
			 unsigned int family)
{
	struct held *h, *next, *keep = find_release(sl, s, family);
	struct task *task, *next_task;

	for (task = TAILQ_FIRST(&sl->busy); task; task = next_task) {
		next_task = TAILQ_NEXT(task, busy);
		for (h = TAILQ_FIRST(&task->held); h; h = next) {
			next = TAILQ_NEXT(h, in_task);
			if (h != keep && h->section.family == family)
				held_left(sl, h, LOCKS_CUT_START);
		}
	}
}

static void leave_all(struct sleep *sl, bool program, enum locks_cut cut)
{
	struct task *task, *next_task;
	struct held *h, *next;

	for (task = TAILQ_FIRST(&sl->busy); task; task = next_task) {
		next_task = TAILQ_NEXT(task, busy);
		for (h = TAILQ_FIRST(&task->held); h; h = next) {
			next = TAILQ_NEXT(h, in_task);
			if (locks_is_program(h->section.family) == program)
				held_left(sl, h, cut);
		}
	}
}

void sleep_gap(struct sleep *sl, bool program, bool begins, bool ends)
{
	if (!program)
		strays_forget(sl);
	sl->gaps[program] += begins;
	sl->lost[program] = true;
	leave_all(sl, program, LOCKS_CUT_LOST);
	sl->gaps[program] -= ends;
}

void sleep_finish(struct sleep *sl)
{
	leave_all(sl, false, LOCKS_CUT_END);
	leave_all(sl, true, LOCKS_CUT_END);
}

/* The whole. */

struct sleep *sleep_new(const struct trace *t, struct locks_seen *seen,
			struct taken *taken, section_fn each, void *arg)
{
	struct sleep *sl = mem_zalloc(1, sizeof(*sl));

	sl->n_cpus = t->n_streams;
	sl->running = mem_zalloc(t->n_streams, sizeof(*sl->running));
	sl->now = sl->running;
	TAILQ_INIT(&sl->busy);
	TAILQ_INIT(&sl->free_held);
	sl->max_tasks = MAX_IDLE;
	sl->seen = seen;
	sl->taken = taken;
	sl->each = each;
	sl->arg = arg;
	return sl;
}

void sleep_watch(struct sleep *sl,
		 void (*begin)(void *arg, struct section *section))
{
	sl->begin = begin;
}

/* After sleep_finish(), or when the trace could not be read to its end. */
void sleep_free(struct sleep *sl)
{
	unsigned int family;

	sl->gaps[0] = sl->gaps[1] = 1;	/* nothing complete any more */
	leave_all(sl, false, LOCKS_CUT_LOST);
	leave_all(sl, true, LOCKS_CUT_LOST);
	strays_forget(sl);
	sleep_free_unused(sl);
	for (family = 0; family < LOCKS_FAMILIES; family++)
		map_free(&sl->released[family]);
	map_free(&sl->strays);
	map_free(&sl->tasks);
	map_free(&sl->locks);
	mem_free(sl->running);
	mem_free(sl);
}
