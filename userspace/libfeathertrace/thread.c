// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A thread's rings: taking them, and giving them back.
 *
 * No lock is taken here and no system call made: a handler of a signal may come at any
 * instruction and do the same, and a thread may have given up its right to make calls. A
 * handler has finished when it returns to the interrupted code. At worst the thread
 * forgets a ring that one of the two has taken; the reader frees that ring after the
 * thread has ended.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "libfeathertrace/places.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/relax.h"
#include "libfeathertrace/remote.h"
#include "libfeathertrace/restart.h"
#include "libfeathertrace/rings.h"
#include "libfeathertrace/room.h"
#include "libfeathertrace/sense.h"
#include "libfeathertrace/stacks.h"
#include "libfeathertrace/thread.h"
#include "libfeathertrace/tid.h"

/* How many events are lost before a thread that found no ring tries again. */
#define RETRY		1024u

/* How often a thread that does not wait looks for a ring that is its own and has room. */
#define RETRIES		8

/* The ring of a thread that has none: it has no room. */
static struct ft_ring closed;

__thread struct ft_thread ft_thread = { .ring = &closed, .guard = &ft_place_nobody };

/* Further state of a thread's rings. */
static __thread struct {
	__u64	joined;	/* ft_private.joined when it took them */
	__u32	first;	/* index + 1 of the ring taken first: its copy of the sensors */
	__u32	last;	/* index + 1 of the ring taken last, which links to the others */
	__u32	more;	/* how many of them are of FT_RINGS_MORE */
	__u32	skip;	/* events to lose before looking for a ring again */
	enum ft_stop stopped;
} own;

static bool all_stopped;	/* except threads that have a ring */

static pthread_key_t key;
static bool has_key;

/* --- rings ---------------------------------------------------------------- */

/*
 * A handler may fork in the middle of what follows, and trace in the child. The child then goes
 * on from here, and lists a ring that its parent has taken.
 */
static bool is_owned(const struct ft_user_ring *r)
{
	return __atomic_load_n(&r->owner, __ATOMIC_RELAXED) ==
	       FT_RING_OWNER(ft_process_index(), ft_thread.tid);
}

/*
 * The end of a thread. In a child made by fork(), or in a process that has changed its
 * session, the rings listed here are not its own; only the place is.
 */
static void thread_end(void *arg)
{
	struct ft_ring *const *place = ft_thread.guard;
	struct ft_user_ring *r;
	__u32 last = own.last;

	(void)arg;
	if (place == &ft_place_nobody)
		return;
	*(struct ft_ring **)place = NULL;
	ft_thread.ring = &closed;
	own.first = 0;
	own.last = 0;
	own.more = 0;
	/* A handler that runs from here on starts afresh. */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ft_thread.guard = &ft_place_nobody;
	ft_place_free(place);
	if (own.joined != ft_process_joined())
		return;
	while (last) {
		r = ft_session_ring(ft_session, last - 1);
		if (!is_owned(r))
			break;
		last = r->next;
		ft_rings_give_back(r);
	}
}

__attribute__((constructor(102)))
static void thread_constructor(void)
{
	has_key = !pthread_key_create(&key, thread_end);
}

static bool slow_clock;

/* The clock that takes no call. */
static bool has_fast_clock(void)
{
#ifdef __x86_64__
	return ft_session->clock == FT_CLOCK_TSC && !slow_clock;
#else
	return false;
#endif
}

static bool takes_fast_path(void)
{
	return has_fast_clock() && !ft_sensing.on && !ft_stacks_on;
}

static __u64 process_tag(void)
{
	__u32 index = ft_process_index();

	return index < FT_TAG_MAX ? (__u64)(index + 1) << FT_TAG_SHIFT : 0;
}

/*
 * Resets a thread of a new process, or in a new session. Return: false while the session
 * is being changed.
 */
static bool own_begin(void)
{
	__u64 joined = ft_process_joined();

	if (own.joined == joined)
		return joined;
	/* Again, if a handler has begun meanwhile, and part of its state was reset. */
	do {
		own.joined = 0;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		ft_thread.ring = &closed;
		own.first = 0;
		own.last = 0;
		own.more = 0;
		own.skip = 0;
		ft_thread.tid = ft_tid();
		ft_thread.tag = process_tag();
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&own.joined, __ATOMIC_RELAXED));
	own.joined = joined;
	return joined;
}

/* For names of locks that lie on a stack: each is one store, once a ring. */
static void own_place(struct ft_user_ring *r)
{
	/* Acquire: what follows is written after it. */
	__atomic_exchange_n(&r->tid, 0, __ATOMIC_ACQUIRE);
	r->thread = (uintptr_t)pthread_self();
	r->frame = (uintptr_t)__builtin_frame_address(0);
	/* Pairs with the acquire in note_thread(), copy_place() of ft run: written before it. */
	__atomic_store_n(&r->tid, ft_thread.tid, __ATOMIC_RELEASE);
}

static void own_push(__u32 taken)
{
	struct ft_user_ring *r = ft_session_ring(ft_session, taken - 1);

	/* First: a handler that finds the ring from here on counts in its copy. */
	if (!own.last) {
		if (ft_sensed && taken <= FT_SENSED_COPIES)
			ft_sense_begin(ft_sensed, taken - 1);
		if (ft_stacks_on)
			ft_stacks_begin(taken - 1);
		own.first = taken;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	}
	own_place(r);
	r->next = own.last;
	own.last = taken;
	ft_thread.ring = &r->ring;
	/*
	 * The first 32 keys need no memory of their own. If these are used up,
	 * pthread_setspecific() would call an allocator that may itself be traced:
	 * rather let the reader find out that the thread has ended.
	 */
	if (!r->next && has_key && key < 32)
		pthread_setspecific(key, r);
}

static void own_take(void)
{
	__u32 taken;

	if (own.skip) {
		own.skip--;
		return;
	}
	taken = own.last ? 0 : ft_rings_take(FT_RINGS_FIRST, ft_thread.tid);
	if (!taken && own.more < ft_session->more) {
		taken = ft_rings_take(FT_RINGS_MORE, ft_thread.tid);
		own.more += !!taken;
	}
	if (taken)
		own_push(taken);
	else if (!own.last || own.more < ft_session->more)
		own.skip = RETRY - 1;
}

/* One of the thread's own rings that the reader has emptied meanwhile. */
static bool own_find_room(void)
{
	struct ft_user_ring *r;
	__u32 i, n = 0;

	for (i = own.last; i && n++ < FT_SESSION_MORE; i = r->next) {
		r = ft_session_ring(ft_session, i - 1);
		if (!is_owned(r))
			break;
		if (!ft_ring_has_room(&r->ring))
			continue;
		ft_thread.ring = &r->ring;
		return true;
	}
	return false;
}

/*
 * Let events find the ring at once, if nothing else is to be done with them. Return: false
 * if the process has changed its session meanwhile, and the ring is not of the new one.
 */
static bool place_fill(struct ft_ring *ring)
{
	struct ft_ring **place = (struct ft_ring **)ft_thread.guard;

	ft_place_is_of(place, ft_thread.tid);
	__atomic_store_n(place, takes_fast_path() ? ring : ft_place_marked(ring),
			 __ATOMIC_SEQ_CST);
	/* A child that a handler has made, and that has taken a ring, has another one. */
	if (own.joined == __atomic_load_n(&ft_private->joined, __ATOMIC_SEQ_CST) &&
	    ring == *(struct ft_ring *volatile *)&ft_thread.ring) {
		if (is_owned((const struct ft_user_ring *)ring)) /* its first member */
			return true;
		own.joined = 0;		/* starts afresh */
	}
	__atomic_store_n(place, NULL, __ATOMIC_RELAXED);
	return false;
}

/* Threads that have a ring go on. */
static bool is_stopped(void)
{
	return own.stopped || (all_stopped && !own.last) || ft_process_is_unknown();
}

/* Return: the ring to write to, which may be full; NULL: none. */
static struct ft_ring *find_ring(void)
{
	struct ft_ring *ring;

	/* Again in a child, or in another session. */
	for (int i = 0; i < RETRIES; i++) {
		if (is_stopped() || !ft_process_join() || !ft_place_take() || !own_begin())
			break;
		if (!ft_ring_has_room(ft_thread.ring) && !own_find_room())
			own_take();
		ring = ft_thread.ring;
		if (ring == &closed)
			break;
		if (place_fill(ring))
			return ring;
	}
	return NULL;
}

/* The ring that find_ring() marked, or NULL. ft_restart_reserve() checks again whose it is. */
static struct ft_ring *placed_ring(void)
{
	struct ft_ring *ring = ft_thread.ring;
	bool placed = *(struct ft_ring *const volatile *)ft_thread.guard == ft_place_marked(ring);

	return placed && !takes_fast_path() && !is_stopped() &&
	       own.joined == ft_process_joined() && ft_ring_has_room(ring) ? ring : NULL;
}

bool ft_thread_begin(void)
{
	return find_ring();
}

/* Its rings stay its own: it may be in the middle of a record. */
enum ft_stop ft_thread_stop(enum ft_stop why)
{
	enum ft_stop before = own.stopped;

	own.stopped = why;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (why && ft_thread.guard != &ft_place_nobody)
		*(struct ft_ring **)ft_thread.guard = ft_place_marked(*ft_thread.guard);
	return before;
}

void ft_thread_slow_clock(void)
{
	slow_clock = true;
	ft_thread_forget();
}

bool ft_thread_is_stopped(void)
{
	return own.stopped || all_stopped;
}

void ft_thread_stop_later(void)
{
	all_stopped = true;
}

/* --- events --------------------------------------------------------------- */

static __u64 clock_call(void)
{
	struct timespec now;

#ifdef __x86_64__
	if (ft_session->clock == FT_CLOCK_TSC) {
		__builtin_ia32_lfence();
		return ft_thread_clock();
	}
#endif
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000u + now.tv_nsec;
}

static void join_remote(void)
{
	sigset_t old;

	ft_lock(&old);
	ft_remote_join();
	ft_unlock(&old);
}

static enum ft_session_lost why_lost(void)
{
	switch (own.stopped) {
	case FT_STOP_CLOCK:
		return FT_LOST_CLOCK;
	case FT_STOP_TWIN:
		return FT_LOST_TWIN;
	case FT_STOP_NOT:
		break;
	}
	if (all_stopped && !own.last)
		return FT_LOST_CLOCK;
	return ft_process_is_unknown() ? FT_LOST_CHILD : FT_LOST_NO_RING;
}

static void count_lost(void)
{
	__atomic_fetch_add(&ft_session->lost[why_lost()], 1, __ATOMIC_RELAXED);
}

/* A flight recorder leaves a small ring full until then. */
static void note_wait(struct ft_ring *ring)
{
	struct ft_user_ring *shared = (struct ft_user_ring *)ring; /* its first member */

	if (shared)
		ft_any_store(&shared->waits, ring->w);
}

/* This thread's own, as find_ring() has left it; another one if a handler has forked since. */
static bool is_own(const struct ft_ring *ring)
{
	return ring && ring == *(struct ft_ring *volatile *)&ft_thread.ring;
}

/*
 * No room in @ring, or this is a child, whose ring it is not. Return: was the record refused,
 * and is it counted? Otherwise there is room now, or another ring.
 */
static bool is_refused(struct ft_ring *ring, __u64 joined)
{
	return is_own(ring) && joined == ft_process_joined() && !ft_ring_look_again(ring);
}

/*
 * Waits for room where the session wants it, but not a thread that is not to be traced:
 * it may not be able to read the clock. Meanwhile the thread takes any other ring that
 * becomes free. It looks up its ring again each time: a handler may have forked, so that this
 * is the child.
 *
 * @joined: own.joined before the look whose ring it is. Return: a slot; NULL: the record is
 * lost, and counted.
 */
static struct ft_record *reserve(__u32 *word, __u64 *joined)
{
	struct ft_ring *ring = placed_ring() ?: find_ring();
	bool waits = ft_session->wait && !is_stopped();
	__u64 begin = waits ? clock_call() : 0;
	struct ft_record *slot;

	for (int i = 0; (ring && i < RETRIES) || waits; i += !waits) {
		/* Before is_own(): a handler that forks and traces changes both. */
		*joined = __atomic_load_n(&own.joined, __ATOMIC_ACQUIRE);
		slot = is_own(ring) ? ft_restart_reserve(ring, *joined, word) : NULL;
		if (slot)
			return slot;
		if (waits) {
			note_wait(ring);
			waits = !is_stopped() &&
				ft_room_may_wait(ft_session, begin, clock_call());
			ft_relax();
		} else if (is_refused(ring, *joined)) {
			return NULL;
		}
		ring = find_ring();
	}
	count_lost();
	return NULL;
}

static __u64 clock_now(__u32 marks)
{
	if (!has_fast_clock())
		return clock_call();
	return marks & FT_BEHIND_ATOMIC ? ft_thread_clock_behind() : ft_thread_clock();
}

/* @mark: whether it is an address, to be marked with the process. */
static __u64 tagged(__u64 word, __u32 mark)
{
	return mark ? word | ft_thread.tag : word;
}

/*
 * A handler may have forked since the reservation: in the child the slot is the parent's, who
 * fills it. The child writes its record to a ring of its own, once for each fork meanwhile.
 *
 * Return: the record's time; 0: it is lost, and counted.
 */
static __u64 put(__u32 id, __u64 a, __u64 b, __u32 marks)
{
	struct ft_record *slot, content;
	__u64 joined;
	__u32 word;

	do {
		word = FT_RING_ID(id);
		slot = reserve(&word, &joined);
		if (!slot)
			return 0;
		content.ts = clock_now(marks);
		content.a = tagged(a, marks & FT_MARK_A);
		content.b = tagged(b, marks & FT_MARK_B);
		content.tid = ft_thread.tid;
	} while (!ft_restart_put(slot, joined, word, &content));
	return content.ts;
}

/* --- stacks --------------------------------------------------------------- */

/* A handler may have forked since the record: then this is the child. */
static void put_stack(__u32 id, __u64 ts, __u64 a, __u64 b)
{
	__u64 word;

	if (own.first && own.joined == ft_process_joined() &&
	    ft_stacks_note(own.first - 1, id, ts, a, b, &word))
		put(FT_ID_STACK, word, a, FT_MARK_B);
}

/* A record, and its stack if it earns one. Return: the record's time; 0: it is lost. */
static __u64 put_all(__u32 id, __u64 a, __u64 b, __u32 marks)
{
	__u64 ts = put(id, a, b, marks);

	if (unlikely(ft_stacks_on) && ts && id < FT_ID_DYNAMIC)
		put_stack(id, ts, a, b);
	return ts;
}

/* --- sensors -------------------------------------------------------------- */

/* The copy in which this thread counts; FT_SENSED_COPIES or more: it has none. */
static __u32 own_copy(void)
{
	if (unlikely(!own.first || is_stopped() || own.joined != ft_process_joined()))
		return find_ring() ? own.first - 1 : FT_SENSED_COPIES;
	return own.first - 1;
}

/* Return: the sensors, which stay until count_end(); NULL: they are gone. */
static struct ft_sensed *count_begin(__u32 copy)
{
	ft_private->counting[copy]++;
	/* Pairs with ft_text_sync() in ft_sensors_leave(). */
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(&ft_sensed, __ATOMIC_ACQUIRE);
}

static void count_end(__u32 copy)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&ft_private->counting[copy], ft_private->counting[copy] - 1,
			 __ATOMIC_RELEASE);
}

static void sense_lock(__u32 id, __u64 ts, __u64 a, __u64 b, __u32 marks)
{
	__u32 copy = own_copy();
	struct ft_sensed *sensed;

	if (copy >= FT_SENSED_COPIES) {
		count_lost();
		return;
	}
	sensed = count_begin(copy);
	if (sensed)
		ft_sense_lock(sensed, copy, id, ts, tagged(a, marks & FT_MARK_A),
			      tagged(b, marks & FT_MARK_B), ft_thread.tag, ft_thread.tid);
	count_end(copy);
}

static bool is_recorded(__u32 id)
{
	return ft_sensing.recorded & (id < FT_ID_DYNAMIC ? FT_RECORDED_LOCKS : FT_RECORDED_EVENTS);
}

/* Records and sensors have one reading of the clock, and so the same times. */
static void record_sensed(__u32 id, __u64 a, __u64 b, __u32 marks)
{
	__u64 ts = is_recorded(id) ? put_all(id, a, b, marks) : 0;

	if (is_stopped()) {
		if (!is_recorded(id))
			count_lost();
		return;
	}
	if (!ts)
		ts = clock_now(marks);
	sense_lock(id, ts, a, b, marks);
}

static void sense_value(const struct ft_sense *sense, __u64 value)
{
	struct ft_seen seen = { .value = value };
	struct ft_sensed *sensed;
	__u32 copy;

	if (!ft_session || __atomic_load_n(&ft_session->closed, __ATOMIC_RELAXED))
		return;
	copy = own_copy();
	if (copy >= FT_SENSED_COPIES) {
		count_lost();
		return;
	}
	seen.tid = ft_thread.tid;
	if (sense->kind != FT_SENSOR_COUNTER)
		seen.ts = clock_now(0);
	sensed = count_begin(copy);
	if (sensed)
		ft_sense_value(sensed, sense, copy, &seen);
	count_end(copy);
}

void ft_thread_sense(const struct ft_sense *sense, __u64 value)
{
	int saved = errno;

	if (sense && ft_sensed)
		sense_value(sense, value);
	errno = saved;
}

/* --- what is slow --------------------------------------------------------- */

static void record_slow(__u32 id, __u64 a, __u64 b, __u32 marks)
{
	if (unlikely(ft_remote_news()))
		join_remote();
	if (!ft_session || __atomic_load_n(&ft_session->closed, __ATOMIC_RELAXED))
		return;
	if (ft_sensing.on)
		record_sensed(id, a, b, marks);
	else
		put_all(id, a, b, marks);
}

void ft_thread_slow(__u32 id, __u64 a, __u64 b, __u32 marks)
{
	int saved = errno;

	record_slow(id, a, b, marks);
	errno = saved;
}
