// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Stacks of what takes long: see stacks.h. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "libfeathertrace/heap_events.h"
#include "libfeathertrace/unwind/own_stack.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/relax.h"
#include "libfeathertrace/rings.h"
#include "libfeathertrace/stacks.h"
#include "libfeathertrace/unwind/unwind.h"

/* What a thread holds at once, and waits for, with the handlers that interrupt it. */
#define HELD_MAX	16u
#define AWAITED_MAX	4u

struct begun {
	__u64	lock, ts;
	__u64	site;		/* of a wait */
};

/* The latest to begin: the oldest is forgotten if there is no room. */
struct begun_list {
	__u32		n;
	struct begun	at[HELD_MAX];
};

struct thread {
	struct begun_list	held, awaited;
	__u32			acquisitions;
};

bool ft_stacks_on;

static struct ft_session_stacks asked;

/* By the first ring of a thread: a child takes another one, and begins with nothing. */
static struct thread *threads;

int ft_stacks_join(const struct ft_session *session)
{
	const size_t size = FT_SESSION_RINGS * sizeof(*threads);
	void *memory;

	if (!session->stacks.what)
		return 0;
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return errno;
	ft_own_stack_learn();
	threads = memory;
	asked = session->stacks;
	ft_stacks_on = true;
	return 0;
}

/* A thread may be about to use the memory: it stays. */
void ft_stacks_forget(void)
{
	ft_stacks_on = false;
}

void ft_stacks_begin(__u32 ring)
{
	/* its number comes from shared memory */
	if (ring < FT_SESSION_RINGS)
		memset(&threads[ring], 0, sizeof(threads[ring]));
}

/* --- what takes how long -------------------------------------------------- */

/*
 * A handler may come anywhere in these two, and use the list as well. What it leaves is valid;
 * at worst what one of the two has begun is not found later, and has no stack.
 */
static inline void push(struct begun_list *list, __u32 max, __u64 ts, __u64 lock, __u64 site)
{
	__u32 n = list->n < max ? list->n : max;

	if (unlikely(n == max)) {
		memmove(&list->at[0], &list->at[1], (max - 1) * sizeof(*list->at));
		n--;
	}
	list->at[n].lock = lock;
	list->at[n].ts = ts;
	list->at[n].site = site;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	list->n = n + 1;
}

/* The latest one of this lock. Return: false if there is none. */
static inline bool pop(struct begun_list *list, __u32 max, __u64 lock, struct begun *b)
{
	__u32 n = list->n < max ? list->n : max, i = n;

	while (i && list->at[i - 1].lock != lock)
		i--;
	if (unlikely(!i))
		return false;
	*b = list->at[i - 1];
	if (unlikely(i < n))
		memmove(&list->at[i - 1], &list->at[i], (n - i) * sizeof(*list->at));
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	list->n = n - 1;
	return true;
}

/* Return: is it longer than @limit? Clocks of two CPUs may differ by a little. */
static bool is_long(const struct begun *b, __u64 ts, __u64 limit)
{
	return ts > b->ts && ts - b->ts > limit;
}

/* These take words, not structures: a CPU is slow to read at once what it wrote in parts. */

/* One in so many acquisitions, or allocations. */
static bool is_turn(struct thread *t)
{
	if (!(asked.what & FT_STACKS_ACQUISITIONS) || ++t->acquisitions < asked.one_in)
		return false;
	t->acquisitions = 0;
	return true;
}

static bool note_acquire(struct thread *t, __u64 ts, __u64 lock)
{
	if (asked.what & FT_STACKS_SECTIONS)
		push(&t->held, HELD_MAX, ts, lock, 0);
	return is_turn(t);
}

static bool note_release(struct thread *t, __u64 ts, __u64 lock)
{
	struct begun b;

	return asked.what & FT_STACKS_SECTIONS && pop(&t->held, HELD_MAX, lock, &b) &&
	       is_long(&b, ts, asked.sections);
}

static void note_wait(struct thread *t, __u64 ts, __u64 lock, __u64 word)
{
	/* see FT_WAIT_USER() */
	if (asked.what & FT_STACKS_WAITS)
		push(&t->awaited, AWAITED_MAX, ts, lock, word >> 8);
}

static bool note_waited(struct thread *t, __u64 ts, __u64 lock, __u64 *site)
{
	struct begun b;

	if (!(asked.what & FT_STACKS_WAITS) || !pop(&t->awaited, AWAITED_MAX, lock, &b))
		return false;
	*site = b.site;
	return is_long(&b, ts, asked.waits);
}

/* --- the table ------------------------------------------------------------ */

static __u32 hash_of(const struct ft_user_stack *s)
{
	__u64 hash = s->process;

	for (__u32 i = 0; i < s->n; i++) {
		hash = (hash ^ s->addr[i]) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return (__u32)(hash >> 32);
}

/* A stack that another thread, or the code under this handler, is still writing differs. */
static bool is_same(const struct ft_user_stack *in, const struct ft_user_stack *s)
{
	/* Pairs with the release below: the entry was written before it. */
	return __atomic_load_n(&in->state, __ATOMIC_ACQUIRE) == FT_ENTRY_READY &&
	       in->hash == s->hash && in->process == s->process && in->n == s->n &&
	       !memcmp(in->addr, s->addr, s->n * sizeof(*s->addr));
}

static bool enter(struct ft_user_stack *in, const struct ft_user_stack *s)
{
	__u32 state = FT_ENTRY_FREE;

	if (!__atomic_compare_exchange_n(&in->state, &state, FT_ENTRY_BUSY, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	in->process = s->process;
	in->hash = s->hash;
	in->n = s->n;
	memcpy(in->addr, s->addr, s->n * sizeof(*s->addr));
	/* Pairs with the acquires in is_same(), and in run_stack() of ft run. */
	__atomic_store_n(&in->state, FT_ENTRY_READY, __ATOMIC_RELEASE);
	return true;
}

/* Return: its id; 0: no room. */
static __u32 find_or_enter(const struct ft_user_stack *s)
{
	for (__u32 i = 0; i < FT_STACK_PROBES; i++) {
		__u32 at = (s->hash + i) & (FT_SESSION_STACKS - 1);
		struct ft_user_stack *in = ft_session_stack(ft_session, at);

		if (is_same(in, s) || enter(in, s))
			return at + 1;
	}
	return 0;
}

static void count(__u64 *counter)
{
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static bool is_unloading(void)
{
	return __atomic_load_n(&ft_private->unloading, __ATOMIC_SEQ_CST);
}

static __u32 take(__u64 site)
{
	struct ft_user_stack s = { .process = ft_process_index() };
	bool gone;
	__u32 id;

	/* Who unloads a file need not wait for those that come now. */
	if (is_unloading()) {
		count(&ft_session->stacks.failed);
		return 0;
	}
	/*
	 * Files go, and the table does, as rings do: ft_stacks_unload_begin() and
	 * ft_rings_shrink() wait for those in here.
	 */
	ft_takers_enter();
	if (!is_unloading())
		s.n = ft_unwind(asked.unwind, site, s.addr);
	s.hash = hash_of(&s);
	gone = !s.n || ft_rings_are_shrunk();
	id = gone ? 0 : find_or_enter(&s);
	ft_takers_leave();
	if (!id)
		count(gone ? &ft_session->stacks.failed : &ft_session->stacks.full);
	return id;
}

/* --- files that are unloaded ---------------------------------------------- */

/* A thread in there gets on within this time, though it is preempted on a busy machine. */
#define UNLOAD_SECONDS	2

/* The clock may take a call. */
#define UNLOAD_SPINS	(1u << 14)

/* How many were in there for longer, or have left their stack in there: siglongjmp(). */
static __u32 stuck;

static __u32 takers(void)
{
	return __atomic_load_n(&ft_private->takers, __ATOMIC_SEQ_CST);
}

/* Spins: a sandbox may know no other way to wait. */
static void wait_for_unwinding(void)
{
	__u32 n = takers(), left = __atomic_load_n(&stuck, __ATOMIC_RELAXED);
	struct timespec now;
	time_t end = 0;

	if (n < left)
		left = n;
	for (unsigned int i = 1; (n = takers()) > left; i++) {
		ft_relax();
		if (i % UNLOAD_SPINS)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (!end)
			end = now.tv_sec + UNLOAD_SECONDS + 1;
		if (now.tv_sec >= end)
			left = n;
	}
	__atomic_store_n(&stuck, left, __ATOMIC_RELAXED);
}

bool ft_stacks_unload_begin(void)
{
	if (!ft_stacks_on)
		return false;
	/* Before @takers is read: a thread that enters later sees this in take(). */
	__atomic_fetch_add(&ft_private->unloading, 1, __ATOMIC_SEQ_CST);
	wait_for_unwinding();
	return true;
}

/* In a child that was made meanwhile the number is wiped, as in ft_takers_leave(). */
void ft_stacks_unload_end(void)
{
	__u32 n = __atomic_load_n(&ft_private->unloading, __ATOMIC_RELAXED);

	while (n && !__atomic_compare_exchange_n(&ft_private->unloading, &n, n - 1, true,
						 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/* --- events --------------------------------------------------------------- */

bool ft_stacks_note(__u32 ring, __u32 id, __u64 ts, __u64 a, __u64 b, __u64 *word)
{
	enum ft_stack_of of = FT_STACK_OF_WAIT;
	struct thread *t = &threads[ring];
	__u64 site = b;
	bool wanted = false;

	if (ring >= FT_SESSION_RINGS)
		return false;
	if (id == FT_ID_CONTENTION_BEGIN) {
		note_wait(t, ts, a, b);
	} else if (id == FT_ID_CONTENTION_END) {
		wanted = note_waited(t, ts, a, &site);
	} else if (id >= FT_ID_HEAP(FT_HEAP_BEGINS_FIRST) &&
		   id <= FT_ID_HEAP(FT_HEAP_BEGINS_LAST)) {
		of = FT_STACK_OF_ALLOCATION;
		wanted = is_turn(t);
	} else if (id < FT_ID_USER_LOCK || id >= FT_ID_USER_LOCK + 2 * FT_USER_FAMILIES) {
		return false;
	} else if (FT_ID_IS_RELEASE(id)) {
		of = FT_STACK_OF_SECTION;
		wanted = note_release(t, ts, a);
	} else {
		of = FT_STACK_OF_ACQUISITION;
		wanted = note_acquire(t, ts, a);
	}
	if (wanted)
		*word = FT_STACKS_WORD(take(site), of);
	return wanted;
}
