// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A thread's ring: how it comes by one, and how it gives it back. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "remote.h"
#include "thread.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

/* How many events are lost before a thread without a ring tries again. */
#define RETRY		1024u

/* No ring is here, and none is NULL: this and that never agree. */
static struct ft_ring *const nobody = (struct ft_ring *)1;

__thread struct ft_thread ft_thread = { .guard = &nobody };

static __thread __u32 skip;	/* events to lose before looking for a ring again */

static pthread_key_t key;
static bool has_key;

/*
 * Places for threads. They are not wiped, only what they hold is: no thread of a
 * child gets the place that another one has from its parent.
 */
__u32 ft_thread_places;
static __u32 free_place[FT_SESSION_RINGS], n_free;

/* Return: where the kernel wipes; NULL where none is left. */
static struct ft_ring **place_take(void)
{
	if (ft_thread.guard != &nobody)	/* this thread's, from before fork() */
		return (struct ft_ring **)ft_thread.guard;
	if (n_free)
		return &ft_private->threads[free_place[--n_free]];
	return ft_thread_places < FT_SESSION_RINGS ?
	       &ft_private->threads[ft_thread_places++] : NULL;
}

static void place_free(struct ft_ring **place)
{
	*place = NULL;
	free_place[n_free++] = (__u32)(place - ft_private->threads);
	ft_thread.guard = &nobody;
	ft_thread.ring = NULL;
}

/*
 * Has it a ring of its process? Where the clock takes a call, the word has another
 * value, so that events take the slow path, but it is not wiped either.
 */
static bool has_ring(void)
{
	return ft_thread.guard != &nobody && *ft_thread.guard;
}

static void ring_give_back(struct ft_user_ring *r)
{
	/* Pairs with the acquire in ring_read() of ft run. */
	__atomic_store_n(&r->settled, r->ring.w, __ATOMIC_RELEASE);
	/* Pairs with the acquire in ring_claim(): what this owner wrote. */
	__atomic_store_n(&r->owner, FT_RING_FREE, __ATOMIC_RELEASE);
}

static void thread_end(void *arg)
{
	bool mine;
	sigset_t old;

	if (ft_thread.guard == &nobody)
		return;
	ft_lock(&old);
	/* a child of fork(), and who is in another session now, have only a place */
	mine = has_ring() && (void *)ft_thread.ring == arg;
	place_free((struct ft_ring **)ft_thread.guard);
	if (mine)
		ring_give_back(arg);
	ft_unlock(&old);
}

void ft_thread_forget(void)
{
	memset(ft_private->threads, 0,
	       ft_thread_places * sizeof(*ft_private->threads));
}

__attribute__((constructor(102)))
static void thread_constructor(void)
{
	has_key = !pthread_key_create(&key, thread_end);
}

/*
 * Its memory, before it is written to: a write that finds no page is SIGBUS. On
 * the node of the thread that takes it.
 */
static bool ring_populate(struct ft_user_ring *r, struct ft_record *slots)
{
	size_t size = (size_t)ft_session->slots * sizeof(*slots);

	if (r->populated)
		return true;
	/* kernels before 5.14 do not know it: then as without shared memory */
	if (madvise(slots, size, MADV_POPULATE_WRITE))
		return false;
	r->populated = 1;
	return true;
}

static bool ring_claim(struct ft_user_ring *r, __s32 tid)
{
	__u64 owner = FT_RING_FREE;

	/* Pairs with the release of @owner: what the last one left. */
	return __atomic_load_n(&r->owner, __ATOMIC_RELAXED) == FT_RING_FREE &&
	       __atomic_compare_exchange_n(&r->owner, &owner,
					   FT_RING_OWNER(ft_private->index, tid),
					   false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static void raise_high(__u32 i)
{
	__u32 high = __atomic_load_n(&ft_session->rings_high, __ATOMIC_RELAXED);

	while (high <= i &&
	       !__atomic_compare_exchange_n(&ft_session->rings_high, &high, i + 1,
					    true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

/* Return: NULL where all are taken, or there is no memory for one more. */
static struct ft_user_ring *ring_take(__s32 tid)
{
	struct ft_user_ring *r;
	struct ft_record *slots;

	for (__u32 i = 0; i < ft_session->rings; i++) {
		r = ft_session_ring(ft_session, i);
		if (!ring_claim(r, tid))
			continue;
		slots = ft_session_slots(ft_session, i, ft_session->slots);
		if (!ring_populate(r, slots)) {
			__atomic_store_n(&r->owner, FT_RING_FREE,
					 __ATOMIC_RELEASE);
			return NULL;
		}
		r->ring.slots = slots;
		prctl(PR_GET_NAME, r->comm);
		raise_high(i);
		return r;
	}
	return NULL;
}

static bool has_fast_clock(void)
{
#ifdef __x86_64__
	return ft_session->clock == FT_CLOCK_TSC;
#else
	return false;
#endif
}

static __u64 process_tag(void)
{
	return ft_private->index < FT_TAG_MAX ?
	       (__u64)(ft_private->index + 1) << FT_TAG_SHIFT : 0;
}

/* With all signals blocked, so that handlers do not do the same meanwhile. */
static int thread_begin(void)
{
	__s32 tid = (__s32)syscall(SYS_gettid);
	struct ft_ring **place;
	struct ft_user_ring *r;

	if (has_ring())	/* a handler was faster */
		return 1;
	if (!ft_process_join())
		return 0;
	place = place_take();
	if (!place)
		return 0;
	r = ring_take(tid);
	if (!r) {
		place_free(place);
		return 0;
	}
	ft_thread.tid = tid;
	ft_thread.tag = process_tag();
	ft_thread.ring = &r->ring;
	ft_thread.guard = place;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*place = has_fast_clock() ? &r->ring : nobody;
	/*
	 * The first 32 keys need no memory of their own. Where they were taken,
	 * an allocator that is traced itself would be asked here: rather let the
	 * reader find out that the thread has ended.
	 */
	if (has_key && key < 32)
		pthread_setspecific(key, r);
	return 1;
}

int ft_thread_begin(void)
{
	sigset_t old;
	int ok;

	ft_lock(&old);
	ok = thread_begin();
	ft_unlock(&old);
	return ok;
}

static __u64 clock_call(void)
{
	struct timespec now;

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

static void record_slow(__u32 id, __u64 a, __u64 b, __u32 marks)
{
	if (unlikely(ft_remote_news()))
		join_remote();
	if (!ft_session || __atomic_load_n(&ft_session->closed, __ATOMIC_RELAXED))
		return;
	if (!has_ring()) {
		if (skip) {
			skip--;
			goto lost;
		}
		if (!ft_thread_begin()) {
			skip = RETRY - 1;
			goto lost;
		}
	}
	ft_thread_write(ft_thread_find(), ft_thread.ring,
			has_fast_clock() ? 0 : clock_call(), id, a, b, marks);
	return;
lost:
	__atomic_fetch_add(&ft_session->no_ring, 1, __ATOMIC_RELAXED);
}

void ft_thread_slow(__u32 id, __u64 a, __u64 b, __u32 marks)
{
	int saved = errno;

	record_slow(id, a, b, marks);
	errno = saved;
}
