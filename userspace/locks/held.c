// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sleeping locks that are held: objects and their lists. What is given up is kept
 * to be used again.
 */
#include "base/mem.h"
#include "locks/held.h"

struct task *sleep_task(struct sleep *sl, const struct stream *s)
{
	struct running *running = &sl->running[s->index];
	uint64_t key = section_task(s->rec->tid, s->cpu);

	if (!running->task || running->key != key) {
		running->key = key;
		running->task = map_get(&sl->tasks, key);
	}
	sl->now = running;
	return running->task;
}

/* The task of a section; it is that of @running, mostly. */
static struct task *task_of(const struct sleep *sl, const struct running *running,
			    const struct section *s)
{
	uint64_t key = section_task(s->tid, s->cpu);

	return running->task && running->key == key ? running->task :
						      map_get(&sl->tasks, key);
}

void sleep_held(struct sleep *sl, const struct stream *s, struct locks_held *held)
{
	const struct task *task;

	if (TAILQ_EMPTY(&sl->busy))
		return;
	task = sleep_task(sl, s);
	if (!task)
		return;
	held->sleeping = task->sure[0];
	held->program = task->sure[1];
}

static void forget_idle(struct sleep *sl)
{
	struct map busy = { 0 };
	struct map_slot *slot;

	map_for_each(&sl->tasks, slot) {
		struct task *task = slot->value;

		if (task->n)
			map_put(&busy, task->key, task);
		else
			arena_give_back(&sl->task_memory, task, sizeof(*task));
	}
	map_free(&sl->tasks);
	sl->tasks = busy;
	sl->max_tasks = MAX_IDLE + 2 * busy.used;
	memset(sl->running, 0, sl->n_cpus * sizeof(*sl->running));
}

struct task *sleep_task_get(struct sleep *sl, const struct stream *s)
{
	struct task *task = sleep_task(sl, s);

	if (task)
		return task;
	if (sl->tasks.used >= sl->max_tasks)
		forget_idle(sl);
	task = arena_zalloc(&sl->task_memory, sizeof(*task));
	task->key = section_task(s->rec->tid, s->cpu);
	TAILQ_INIT(&task->held);
	map_put(&sl->tasks, task->key, task);
	return task;
}

struct sleeper *sleep_lock_get(struct sleep *sl, uint64_t addr)
{
	struct sleeper *lock = map_get(&sl->locks, addr);

	if (lock)
		return lock;
	lock = sl->free_locks;
	if (lock)
		sl->free_locks = lock->next;
	else
		lock = mem_resize(NULL, 1, sizeof(*lock));
	lock->addr = addr;
	TAILQ_INIT(&lock->held);
	map_put(&sl->locks, addr, lock);
	return lock;
}

struct held *sleep_held_new(struct sleep *sl)
{
	struct held *h = TAILQ_FIRST(&sl->free_held);

	if (h)
		TAILQ_REMOVE(&sl->free_held, h, in_task);
	else
		h = mem_zalloc_lines(1, sizeof(*h));
	return h;
}

static void task_rests(struct sleep *sl, struct task *task)
{
	TAILQ_REMOVE(&sl->busy, task, busy);
	if (!task->log.ring)
		return;
	sl->n_logs--;
	if (sl->n_spare < MAX_SPARE)
		sl->spare[sl->n_spare++] = task->log.ring;
	else
		mem_free(task->log.ring);
	task->log.ring = NULL;
}

/* For all that the trace says, it is no longer held. */
static void held_leaves(struct sleep *sl, struct held *h)
{
	TAILQ_REMOVE(&h->lock->held, h, in_lock);
	h->task->sure[locks_is_program(h->section.family)]--;
	taken_remove(sl->taken, h->section.lock,
		     locks_is_exclusive(h->section.family));
	if (TAILQ_EMPTY(&h->lock->held)) {
		map_del(&sl->locks, h->lock->addr);
		h->lock->next = sl->free_locks;
		sl->free_locks = h->lock;
	}
	h->lock = NULL;
}

void sleep_held_doubt(struct sleep *sl, struct held *h)
{
	h->doubtful = true;
	sl->n_doubts++;
	held_leaves(sl, h);
}

void sleep_held_free(struct sleep *sl, struct held *h)
{
	TAILQ_REMOVE(&h->task->held, h, in_task);
	if (h->doubtful)
		sl->n_doubts--;
	else
		held_leaves(sl, h);
	if (!--h->task->n)
		task_rests(sl, h->task);
	TAILQ_INSERT_HEAD(&sl->free_held, h, in_task);
}

void sleep_task_log(struct sleep *sl, struct task *task,
		    const struct section *s)
{
	struct held *h;

	if (!task->log.ring && sl->n_logs < MAX_LOGS) {
		task->log.ring = sl->n_spare ? sl->spare[--sl->n_spare] :
			mem_zalloc_lines(LOCKS_INSIDE, sizeof(*s));
		sl->n_logs++;
	}
	section_log_put(&task->log, s);
	TAILQ_FOREACH(h, &task->held, in_task)
		h->section.ended += h->section.start <= s->start;
}

void sleep_log(struct sleep *sl, const struct stream *stream,
	       const struct section *s)
{
	struct task *task;

	if (s->depth[LOCKS_BOTH] == s->depth[LOCKS_SPINNING] &&
	    !s->depth[LOCKS_PROGRAM] && !sl->n_doubts)
		return;		/* it began in no other one */
	task = task_of(sl, &sl->running[stream->index], s);
	if (task && task->n)
		sleep_task_log(sl, task, s);
}

/* Asking what is held. */

unsigned int sleep_outer(const struct sleep *sl, const struct section *s,
			 const struct section **out, unsigned int max)
{
	bool program = locks_is_program(s->family);
	const struct task *task;
	const struct held *h;
	unsigned int n = 0;

	/* an interrupt does not take its locks inside a lock of the task */
	if (s->ctx || TAILQ_EMPTY(&sl->busy))
		return 0;
	task = task_of(sl, sl->now, s);
	if (!task)
		return 0;
	TAILQ_FOREACH_REVERSE(h, &task->held, held_list, in_task) {
		if (n == max)
			break;
		if (&h->section != s && !h->doubtful &&
		    locks_is_program(h->section.family) == program)
			out[n++] = &h->section;
	}
	return n;
}

const struct section_log *sleep_log_of(const struct sleep *sl,
				       const struct section *s)
{
	const struct task *task;

	task = map_get(&sl->tasks, section_task(s->tid, s->cpu));
	return task ? &task->log : NULL;
}

unsigned int sleep_open_inside(const struct sleep *sl, const struct section *s,
			       struct section *out)
{
	const struct task *task;
	const struct held *h;
	unsigned int n = 0;

	task = map_get(&sl->tasks, section_task(s->tid, s->cpu));
	if (!task)
		return 0;
	TAILQ_FOREACH_REVERSE(h, &task->held, held_list, in_task) {
		if (&h->section == s)	/* the rest came before it */
			break;
		if (section_is_late(s) && h->section.start >= s->end)
			continue;
		/* a program's lock is never taken inside of one of the kernel */
		if (h->doubtful || (locks_is_program(h->section.family) &&
				    !locks_is_program(s->family)))
			continue;
		out[n] = h->section;
		out[n++].end = 0;
	}
	return n;
}

struct section *sleep_excludes(struct sleep *sl, const struct stream *s,
			       unsigned int family)
{
	uint64_t task = section_task(s->rec->tid, s->cpu);
	struct sleeper *lock = map_get(&sl->locks, s->rec->a);
	struct held *h;

	if (!lock)
		return NULL;
	TAILQ_FOREACH(h, &lock->held, in_lock) {
		if (h->task->key != task && !(h->section.flags & SECTION_OVERDUE) &&
		    locks_excludes(h->section.family, family))
			return &h->section;
	}
	return NULL;
}

const struct section *sleep_holder(const struct sleep *sl, uint64_t lock)
{
	const struct sleeper *sleeper = map_get(&sl->locks, lock);

	return sleeper ? &TAILQ_FIRST(&sleeper->held)->section : NULL;
}

void sleep_free_unused(struct sleep *sl)
{
	struct held *h;

	while ((h = TAILQ_FIRST(&sl->free_held))) {
		TAILQ_REMOVE(&sl->free_held, h, in_task);
		mem_free(h);
	}
	while (sl->free_locks) {
		struct sleeper *lock = sl->free_locks;

		sl->free_locks = lock->next;
		mem_free(lock);
	}
	while (sl->n_spare)
		mem_free(sl->spare[--sl->n_spare]);
	arena_free(&sl->task_memory);
}
