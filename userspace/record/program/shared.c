// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reads what programs write into the shared memory.
 *
 * Any program can write anywhere in it, at any time, by mistake or on purpose. So nothing
 * is used in place: each entry is copied once, the copy is checked, and only the copy is
 * used. Invalid entries are left out and counted.
 */
#include <pthread.h>
#include <string.h>

#include "libfeathertrace/heap_events.h"
#include "record/program/run.h"

/* More records than a thread can lose between two reads of its count. */
#define LOST_MAX	(1ull << 40)

/* The barrier keeps the compiler from reading the original again. */
static void copy(void *to, const void *from, size_t len)
{
	memcpy(to, from, len);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static bool is_ready(const __u32 *state)
{
	/* Pairs with the release of the state: the entry was written before it. */
	return __atomic_load_n(state, __ATOMIC_ACQUIRE) == FT_ENTRY_READY;
}

void run_damage(struct run *run)
{
	run->damage++;
}

__u32 run_processes(const struct run *run)
{
	__u32 n = ft_load_acquire(&run->session->processes);

	return n > FT_SESSION_PROCESSES ? FT_SESSION_PROCESSES : n;
}

__u32 run_objects(const struct run *run)
{
	__u32 n = ft_load_acquire(&run->session->objects);

	return n > FT_SESSION_OBJECTS ? FT_SESSION_OBJECTS : n;
}

bool run_process(struct run *run, __u32 i, struct ft_user_process *p)
{
	const struct ft_user_process *shared = ft_session_process(run->session, i);

	if (!is_ready(&shared->state))
		return false;
	copy(p, shared, sizeof(*p));
	/* Pairs with the release in leave_predecessor(): all its writes came before. */
	p->gone = ft_load_acquire(&shared->gone);
	p->comm[sizeof(p->comm) - 1] = '\0';
	/* a parent's index is lower, so that every walk to the ancestors ends */
	if (p->pid > 0 && p->parent <= i)
		return true;
	run_damage(run);
	return false;
}

bool run_object(struct run *run, __u32 i, struct ft_user_object *o)
{
	const struct ft_user_object *shared = ft_session_object(run->session, i);

	if (!is_ready(&shared->state))
		return false;
	copy(o, shared, sizeof(*o));
	o->path[sizeof(o->path) - 1] = '\0';
	if (o->process < run_processes(run) && o->start < o->end)
		return true;
	run_damage(run);
	return false;
}

bool run_lock_entry(const struct run *run, __u32 i, struct ft_user_lock *l)
{
	const struct ft_user_lock *shared = ft_session_lock(run->session, i);
	/* Pairs with the release in fill() of the library. */
	__u32 turn = __atomic_load_n(&shared->turn, __ATOMIC_ACQUIRE);

	copy(l, shared, sizeof(*l));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	l->turn = turn;
	return !(turn & 1) && turn == __atomic_load_n(&shared->turn, __ATOMIC_RELAXED);
}

bool run_stack(const struct run *run, __u32 i, struct ft_user_stack *s)
{
	const struct ft_user_stack *shared = ft_session_stack(run->session, i);

	if (!is_ready(&shared->state))
		return false;
	copy(s, shared, sizeof(*s));
	return true;
}

__u32 run_events(struct run *run)
{
	/* Pairs with the release in ft_session_raise(). */
	__u32 n = ft_load_acquire(&run->session->events);

	if (n && n <= FT_SESSION_EVENTS)
		ft_session_raise(&run->n_events, n - 1);
	return __atomic_load_n(&run->n_events, __ATOMIC_RELAXED);
}

static void take_event(struct run *run, __u32 i)
{
	struct ft_user_event e;

	copy(&e, ft_session_event(run->session, i), sizeof(e));
	e.state = FT_ENTRY_FREE;
	e.name[sizeof(e.name) - 1] = '\0';
	for (unsigned int k = 0; k < 2; k++)
		e.field[k][sizeof(e.field[k]) - 1] = '\0';
	run->events[i] = e;
	ft_session_raise(&run->n_events, i);
	/* Pairs with the acquire in run_event(). */
	ft_store_release(&run->events[i].state, FT_ENTRY_READY);
}

const struct ft_user_event *run_event(struct run *run, __u32 i)
{
	/* ft record reads rings in one thread, and writes metadata in another */
	static pthread_mutex_t taking = PTHREAD_MUTEX_INITIALIZER;

	if (i >= FT_SESSION_EVENTS)
		return NULL;
	/* Pairs with the release in take_event(). */
	if (is_ready(&run->events[i].state))
		return &run->events[i];
	if (!is_ready(&ft_session_event(run->session, i)->state))
		return NULL;
	pthread_mutex_lock(&taking);
	if (!is_ready(&run->events[i].state))
		take_event(run, i);
	pthread_mutex_unlock(&taking);
	return &run->events[i];
}

__u64 run_grown(struct run *run, __u64 old, const __u64 *shared)
{
	__u64 now = ft_any_load(shared);

	if (now - old < LOST_MAX)
		return now;
	run_damage(run);
	return old;
}

static bool is_known(struct run *run, __u16 id)
{
	if (id >= FT_ID_DYNAMIC)
		return run_event(run, id - FT_ID_DYNAMIC);
	return id == FT_ID_STACK ||
	       id == FT_ID_CONTENTION_BEGIN || id == FT_ID_CONTENTION_END ||
	       (id >= FT_ID_USER_HEAP && id < FT_ID_HEAP(FT_HEAP_EVENTS_N)) ||
	       (id >= FT_ID_USER_LOCK && id < FT_ID_USER_LOCK + 2 * FT_USER_FAMILIES);
}

bool run_record_is_asked(const struct run *run, const struct ft_record *r)
{
	if (r->id >= FT_ID_DYNAMIC)
		return true;
	if (r->id == FT_ID_STACK)
		return !stack_choice_is_empty(&run->stacks);
	return r->id >= FT_ID_USER_HEAP ? run->heap : run->locks;
}

bool run_record(struct run *run, const struct ft_record *shared, __u64 latest,
		struct ft_record *r)
{
	copy(r, shared, sizeof(*r));
	if (is_known(run, r->id) && r->ts <= latest)
		return true;
	run_damage(run);
	return false;
}
