// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Real-time tasks: what they wait for, and who runs instead. See realtime.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/realtime/realtime_pass.h"
#include "base/mem.h"

#define CHAIN	16	/* of tasks that wait for each other */

#define PRIO_STOP	(-2)	/* before those of DEADLINE, which have -1 */

/* What find() says of the last holder in a chain. */
enum found {
	FOUND_NOBODY,		/* that is known to hold the lock */
	FOUND_UNKNOWN,		/* what the holder does is not known */
	FOUND_OFF,		/* it does not run, but there is no inversion now */
	FOUND_RUNS,
	FOUND_INVERSION,
};

/* --- the chain of holders ------------------------------------------------------------ */

static int rank(const struct task_seen *task)
{
	return task->is_stop ? PRIO_STOP : task->prio;
}

/*
 * Does @runner, which has the CPU, keep @holder from it? A holder that was woken or moved comes
 * before one of lower priority as soon as the CPU has noticed; fair tasks take turns.
 */
static bool keeps_away(const struct task_seen *runner, const struct task_seen *holder,
		       const struct thread_span *does)
{
	bool is_new = does->state == THREAD_READY || holder->has_moved;

	if (!is_new || rank(runner) <= rank(holder))
		return true;
	return runner->prio >= REALTIME_FAIR && holder->prio >= REALTIME_FAIR;
}

static enum found judge(const struct realtime_pass *p, const struct task_seen *waiter,
			const struct thread_span *does, struct realtime_inversion *in)
{
	const struct task_seen *holder = realtime_task_find(p, in->holder), *runner;

	if (!holder || !holder->has_prio || holder->is_coming)
		return FOUND_OFF;
	runner = realtime_task_find(p, threads_running(&p->threads,
						       threads_queue(&p->threads, in->holder),
						       NULL));
	if (!runner || !runner->has_prio || rank(runner) <= rank(waiter) ||
	    !keeps_away(runner, holder, does))
		return FOUND_OFF;
	in->runner = runner->row.tid;
	in->prio = waiter->prio;
	in->holder_prio = holder->prio;
	in->runner_prio = runner->prio;
	return FOUND_INVERSION;
}

/* Does the holder of such a lock inherit the priority of the waiter? */
static bool can_inherit(const struct realtime_pass *p, unsigned int family)
{
	const struct locks_family *f = &locks_families[family];

	if (family >= LOCKS_RT_SPIN && family <= LOCKS_RT_RWLOCK_WRITE)
		return !f->reader;
	return p->answer.seen.rt && !f->spinning && !f->reader && !f->anybody;
}

static const struct section *holder_of(const struct realtime_pass *p, uint64_t lock,
				       unsigned int family)
{
	return locks_is_spinning(family) ? locks_holder(p->locks, lock, family) :
					   locks_sleeping_holder(p->locks, lock);
}

/* Fills in @in. Of several readers, the one that has held the lock longest counts. */
static enum found find(const struct realtime_pass *p, const struct task_seen *waiter,
		       struct realtime_inversion *in)
{
	uint64_t lock = waiter->waiting.lock;
	unsigned int family = waiter->waiting.family;

	in->inherits = true;
	for (unsigned int i = 0; i < CHAIN; i++) {
		const struct section *held = holder_of(p, lock, family);
		const struct thread_span *does;
		const struct wait *next;

		if (!held || held->ctx & p->interrupts || held->tid <= 0 ||
		    held->tid == waiter->row.tid)
			return FOUND_NOBODY;
		in->holder = held->tid;
		in->holder_site = held->site;
		in->holder_lock = lock;
		in->inherits &= can_inherit(p, held->family);
		/* its CPU holds it: the scheduler's own over a switch of tasks, too */
		if (locks_is_spinning(held->family))
			return FOUND_RUNS;
		does = threads_now(&p->threads, held->tid);
		if (!does)
			return FOUND_UNKNOWN;
		if (does->state == THREAD_RUNS)
			return FOUND_RUNS;
		if (does->state != THREAD_ASLEEP)
			return judge(p, waiter, does, in);
		next = waits_open(p->waits, held->tid, does->cpu, p->interrupts);
		if (!next)
			return FOUND_OFF;
		lock = next->lock;
		family = next->family;
	}
	return FOUND_NOBODY;	/* a cycle: none of its tasks runs again */
}

/* --- one inversion --------------------------------------------------------------- */

/* Has the holder a priority that is not its own? */
static bool has_inherited(const struct realtime_pass *p, const struct realtime_inversion *in)
{
	const struct task_seen *holder = realtime_task_find(p, in->holder);

	return in->inherits && holder && holder->has_prio && holder->own > in->prio &&
	       holder->prio <= in->prio;
}

static void end_episode(struct realtime_pass *p, struct realtime_waiting *w)
{
	struct realtime_ended *ended;

	if (!w->episode.ticks)
		return;
	ended = &w->ended[w->episode.is_inherited || has_inherited(p, &w->episode.what)];
	if (!ended->lengths.count || w->episode.ticks > ended->lengths.max)
		ended->longest = w->episode.what;
	realtime_add(&ended->lengths, w->episode.ticks);
	w->episode = (struct realtime_episode){ 0 };
}

static void cut_episode(struct realtime_pass *p, struct realtime_waiting *w)
{
	p->answer.cut_inversions += w->episode.what.holder != 0;
	w->episode = (struct realtime_episode){ 0 };
}

/* Does the trace say that the holder has inherited? If not, end_episode() infers it. */
static bool is_told(const struct realtime_pass *p, const struct realtime_inversion *in)
{
	const struct task_seen *holder = realtime_task_find(p, in->holder);

	return holder && realtime_is_told(p, holder) && has_inherited(p, in);
}

/* A moment without length is no inversion. */
static void look(struct realtime_pass *p, struct task_seen *waiter, uint64_t time)
{
	struct realtime_waiting *w = &waiter->waiting;
	struct realtime_episode *e = &w->episode;
	struct realtime_inversion in = { .when = time };
	enum found found;

	if (!waiter->has_prio)
		return;
	found = find(p, waiter, &in);
	if (e->since)
		e->ticks += time > e->since ? time - e->since : 0;
	e->since = 0;
	if (!e->ticks)
		*e = (struct realtime_episode){ 0 };
	if (found == FOUND_UNKNOWN)
		cut_episode(p, w);
	else if (found == FOUND_NOBODY || found == FOUND_RUNS || in.holder != e->what.holder)
		end_episode(p, w);
	if (found == FOUND_INVERSION) {
		if (!e->what.holder)
			e->what = in;
		e->since = time;
	}
	e->is_inherited |= is_told(p, &e->what);
}

void realtime_look(struct realtime_pass *p, uint64_t time)
{
	struct task_seen *waiter;

	TAILQ_FOREACH(waiter, &p->waiting, in_waiting)
		look(p, waiter, time);
}

/* --- waits ------------------------------------------------------------------------- */

static void leave(struct realtime_pass *p, struct task_seen *task)
{
	if (!task->waiting.now)
		return;
	task->waiting.now = false;
	if (task->waiting.is_looked_at) {
		TAILQ_REMOVE(&p->waiting, task, in_waiting);
		p->n_waiting--;
	} else {
		TAILQ_REMOVE(&p->more, task, in_waiting);
	}
}

/* A task that turns out not to be a real-time task has no inversions. */
void realtime_wait_cut(struct realtime_pass *p, struct task_seen *task)
{
	struct realtime_waiting *w = &task->waiting;

	leave(p, task);
	if (task->is_rt || !task->has_policy) {
		cut_episode(p, w);
		p->answer.cut_inversions += w->ended[0].lengths.count + w->ended[1].lengths.count;
	}
	w->episode = (struct realtime_episode){ 0 };
	memset(w->ended, 0, sizeof(w->ended));
}

static bool goes_on(const struct realtime_pass *p, const struct task_seen *task)
{
	const struct wait *open = waits_open(p->waits, task->row.tid, 0, p->interrupts);

	return open && open->begin == task->waiting.begin && open->lock == task->waiting.lock;
}

/* Its policy may come later: until then it may be a real-time task. */
void realtime_wait_begins(struct realtime_pass *p, int32_t tid, uint64_t time)
{
	const struct wait *open = waits_open(p->waits, tid, 0, p->interrupts);
	struct task_seen *task;

	if (!open)
		return;
	task = realtime_task_get(p, tid);
	if (!task || (task->has_policy && !task->is_rt) ||
	    (task->waiting.now && goes_on(p, task)))
		return;
	realtime_wait_cut(p, task);
	task->waiting = (struct realtime_waiting){
		.now = true, .begin = open->begin, .lock = open->lock, .family = open->family,
		.is_looked_at = p->n_waiting < REALTIME_MAX_WAITING,
	};
	if (!task->waiting.is_looked_at) {
		p->answer.refused++;
		TAILQ_INSERT_TAIL(&p->more, task, in_waiting);
		return;
	}
	TAILQ_INSERT_TAIL(&p->waiting, task, in_waiting);
	p->n_waiting++;
	look(p, task, time);
}

/*
 * A waiting task is looked at by the latest time of all. Its own may be earlier, if an
 * acquisition on its CPU waited for a release that did not come.
 */
static void fit(struct realtime_pass *p, struct realtime_waiting *w, uint64_t end)
{
	uint64_t length = end > w->begin ? end - w->begin : 0, sum;

	if (__builtin_add_overflow(w->ended[0].lengths.sum, w->ended[1].lengths.sum, &sum) ||
	    sum > length) {
		p->answer.cut_inversions += w->ended[0].lengths.count + w->ended[1].lengths.count;
		memset(w->ended, 0, sizeof(w->ended));
		sum = 0;
	}
	if (w->episode.ticks > length - sum)
		w->episode.ticks = length - sum;
}

void realtime_wait_ends(struct realtime_pass *p, int32_t tid, const struct wait *wait,
			uint64_t time)
{
	struct task_seen *task = realtime_task_find(p, tid);

	/* While it waits for a lock that sleeps, it may wait for the raw one inside of that. */
	if (!task || !task->waiting.now || !wait || task->waiting.lock != wait->lock ||
	    task->waiting.begin != wait->begin)
		return;
	if (task->waiting.is_looked_at)
		look(p, task, time);
	fit(p, &task->waiting, time);
	end_episode(p, &task->waiting);
	leave(p, task);
	task->waiting.over = true;
	task->waiting.end = time;
	task->waiting.ran = 0;
}

/* It waited for the release, behind its contention_end: until then it did not run. */
static void move_end(struct task_seen *task, const struct wait *wait)
{
	struct realtime_waiting *w = &task->waiting;

	if (w->over && wait->end > w->end) {
		task->row.ticks[REALTIME_RUNNING] -= w->ran;
		task->row.ticks[REALTIME_BLOCKED] += w->ran;
	}
	w->over = false;
}

static void cut_those(struct realtime_pass *p, struct task_seen_list *waiting)
{
	struct task_seen *task = TAILQ_FIRST(waiting), *next;

	for (; task; task = next) {
		next = TAILQ_NEXT(task, in_waiting);
		if (!goes_on(p, task))
			realtime_wait_cut(p, task);
	}
}

void realtime_waits_gap(struct realtime_pass *p)
{
	cut_those(p, &p->waiting);
	cut_those(p, &p->more);
}

/* --- rows ---------------------------------------------------------------------------- */

static void merge(struct realtime_lengths *to, const struct realtime_lengths *from)
{
	to->count += from->count;
	if (__builtin_add_overflow(to->sum, from->sum, &to->sum))
		to->sum = UINT64_MAX;
	if (from->max > to->max)
		to->max = from->max;
}

/* Those without inheritance are more important. */
static void add_ended(struct realtime_pass *p, struct realtime_wait *row,
		      const struct realtime_ended *without, const struct realtime_ended *with)
{
	if (without->lengths.count &&
	    (!row->inverted.count || without->lengths.max > row->inverted.max))
		row->longest = without->longest;
	merge(&row->inverted, &without->lengths);
	if (with->lengths.count && !row->inverted.count &&
	    (!row->inherited.count || with->lengths.max > row->inherited.max))
		row->longest = with->longest;
	merge(&row->inherited, &with->lengths);
	merge(&p->answer.inverted, &without->lengths);
	merge(&p->answer.inherited, &with->lengths);
}

static void add_wait(const struct realtime_pass *p, struct realtime_wait *row,
		     const struct wait *wait)
{
	int32_t holder = wait->holder_ctx & p->interrupts ? 0 : wait->holder_tid;
	uint64_t length = wait->end - wait->begin;

	if (!row->blocked.count || length > row->blocked.max) {
		row->when = wait->begin;
		row->holder = holder;
		row->holder_site = wait->holder;
		row->family = wait->family;
	}
	row->unheld += !holder;
	realtime_add(&row->blocked, length);
}

void realtime_wait_told(void *arg, const struct wait *wait)
{
	struct realtime_pass *p = arg;
	struct task_seen *task = realtime_task_find(p, wait->tid);
	uint32_t raw = wait->family == FT_LOCK_RAW_SPIN ? REALTIME_WAIT_RAW : 0;
	struct realtime_wait *row;
	bool same;

	if (!task || !task->is_rt || wait->ctx & p->interrupts || locks_is_program(wait->family))
		return;
	same = task->waiting.begin == wait->begin && task->waiting.lock == wait->lock &&
	       !locks_are_apart(task->waiting.family, wait->family);
	row = filter_wait(&p->filter, wait) ? pairs_get(&p->rows, wait->lock, wait->site,
							(uint32_t)wait->tid | raw) : NULL;
	if (row) {
		add_wait(p, row, wait);
		if (same)
			add_ended(p, row, &task->waiting.ended[0], &task->waiting.ended[1]);
	}
	if (!same)
		return;
	memset(task->waiting.ended, 0, sizeof(task->waiting.ended));
	move_end(task, wait);
}

static int compare_keys(const struct pair *x, const struct pair *y)
{
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static int compare_waits(const void *a, const void *b)
{
	const struct realtime_wait *x = *(struct realtime_wait *const *)a;
	const struct realtime_wait *y = *(struct realtime_wait *const *)b;

	if (x->blocked.max != y->blocked.max)
		return x->blocked.max > y->blocked.max ? -1 : 1;
	return compare_keys(&x->key, &y->key);
}

/* Those that inheritance has shortened come last. */
static int compare_inversions(const void *a, const void *b)
{
	const struct realtime_wait *x = *(struct realtime_wait *const *)a;
	const struct realtime_wait *y = *(struct realtime_wait *const *)b;

	if (x->inverted.max != y->inverted.max)
		return x->inverted.max > y->inverted.max ? -1 : 1;
	if (x->inherited.max != y->inherited.max)
		return x->inherited.max > y->inherited.max ? -1 : 1;
	return compare_keys(&x->key, &y->key);
}

void realtime_waits_finish(struct realtime_pass *p)
{
	struct realtime *r = &p->answer;
	const struct map_slot *slot;

	map_for_each(&p->tasks, slot)
		realtime_wait_cut(p, slot->value);
	for (unsigned int i = 0; i < LOCKS_CUTS; i++)
		r->cut_waits += waits_cut(p->waits, i);
	r->refused += p->rows.refused;
	r->waits = p->rows.used;
	r->wait = (struct realtime_wait **)pairs_list(&p->rows);
	r->inversion = mem_zalloc(r->waits + 1, sizeof(*r->inversion));
	for (size_t i = 0; i < r->waits; i++) {
		if (r->wait[i]->inverted.count || r->wait[i]->inherited.count)
			r->inversion[r->inversions++] = r->wait[i];
	}
	if (r->waits)
		qsort(r->wait, r->waits, sizeof(*r->wait), compare_waits);
	qsort(r->inversion, r->inversions, sizeof(*r->inversion), compare_inversions);
}
