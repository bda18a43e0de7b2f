/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What an event costs in a program with libfeathertrace, from its trigger to its
 * record, and what tracing costs a pair of lock and unlock.
 *
 *	library_bench [ROUNDS]
 *
 * Prints lines of name, value, unit, with tabs between. The unit is a cycle of
 * the time stamp counter.
 *
 *	user.nop		a loop around a NOP of two bytes
 *	user.disabled		the same loop around a trigger that is off
 *	user.event.floor	reading the clock and storing 32 bytes, in order, in
 *				memory like a ring's, through a function: no tracer
 *				can do less
 *	user.event		a trigger that is on: two words, the default callback
 *	user.event.floor.<N>threads
 *	user.event.<N>threads	the same with N threads, on the CPUs that there are
 *	mutex.clock		reading the clock, in turns with what follows: the CPU's
 *				own speed changes from one program to the next
 *	mutex.pair.none		pthread_mutex_lock() and _unlock(), nobody waits
 *	mutex.pair.clock	the same with the clock read behind the one and before
 *				the other, and nothing done with it
 *	mutex.pair.floor	the same, and 32 bytes stored each time: what no tracer
 *				is below that calls the C library
 *	mutex.pair.traced	the same under libfeathertrace-pthread.so
 *	mutex.pair.ordered	the same as ft run --ordered has it, with BENCH_ORDERED
 *				set, and nothing else is measured then
 *	mutex.pair.stacks	the same as ft run --stacks has it, where no section is
 *				long enough for a stack, with BENCH_STACKS set likewise
 *	mutex.pair.none.2threads
 *	mutex.pair.floor.2threads
 *	mutex.pair.traced.2threads	two threads, each with its own mutex
 *
 * It runs itself again, as 'ft run' would: with a session in the environment and
 * the library preloaded. It is the reader of that session, too: rings hold a round
 * and are emptied between rounds. As in user_bench.c kinds take turns, and the value
 * is the lower quartile over all rounds of a round's mean over its threads.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#include "bench.h"
#include "libfeathertrace/session_init.h"

#define EVENTS		2000u
#define SLOTS		4096u		/* 128 KiB: of all threads of a CPU in its L2 cache */
#define RINGS		8u
#define THREADS		4u

DEFINE_FT_EVENT(bench_off, a, b);
DEFINE_FT_EVENT(bench_on, a, b);

enum what { NOP, DISABLED, FLOOR, TRIGGER, CLOCK, NONE, PAIR_CLOCK, PAIR_FLOOR, TRACED };

static const struct kind {
	const char	*name;
	enum what	what;
	unsigned int	threads;
} plain[] = {
	{ "user.nop", NOP, 1 },
	{ "user.disabled", DISABLED, 1 },
	{ "user.event.floor", FLOOR, 1 },
	{ "user.event", TRIGGER, 1 },
	{ "user.event.floor.2threads", FLOOR, 2 },
	{ "user.event.2threads", TRIGGER, 2 },
	{ "user.event.floor.4threads", FLOOR, 4 },
	{ "user.event.4threads", TRIGGER, 4 },
	{ "mutex.clock", CLOCK, 1 },
	{ "mutex.pair.none", NONE, 1 },
	{ "mutex.pair.clock", PAIR_CLOCK, 1 },
	{ "mutex.pair.floor", PAIR_FLOOR, 1 },
	{ "mutex.pair.traced", TRACED, 1 },
	{ "mutex.pair.none.2threads", NONE, 2 },
	{ "mutex.pair.floor.2threads", PAIR_FLOOR, 2 },
	{ "mutex.pair.traced.2threads", TRACED, 2 },
}, ordered[] = {
	{ "mutex.pair.ordered", TRACED, 1 },
}, stacked[] = {
	{ "mutex.pair.stacks", TRACED, 1 },
};

static const struct kind *kinds = plain;
static unsigned int n_kinds = sizeof(plain) / sizeof(plain[0]);

struct worker {
	pthread_mutex_t		lock;
	struct ft_record	*slots, *next;
	double			cycles;
	unsigned int		number;
} __attribute__((aligned(128)));

static struct worker workers[THREADS];
static pthread_barrier_t begin, end;
static const struct kind *volatile job;
static _Thread_local struct worker *own;
static _Thread_local int tid;

static struct ft_session *session;
static struct ft_ring mine[RINGS];
static const struct ft_session_rings sizes[FT_RINGS_KINDS] = {
	{ .slots = SLOTS, .rings = RINGS, .prepared = RINGS },
};

static int (*plain_lock)(pthread_mutex_t *), (*plain_unlock)(pthread_mutex_t *);
static int (*plain_trylock)(pthread_mutex_t *);
static int (*traced_lock)(pthread_mutex_t *), (*traced_unlock)(pthread_mutex_t *);

/* --- rounds --------------------------------------------------------------- */

static inline void floor_event(uint16_t id, uint64_t a, uint64_t b)
{
	struct ft_record *slot = own->next;

	own->next = slot + 1;
	store_record(slot, id, tid, a, b);
}

static NOINLINE int clock_lock(pthread_mutex_t *m)
{
	if (plain_trylock(m))
		abort();
	(void)clock_read();	/* gcc takes it for something with an effect */
	return 0;
}

static NOINLINE int clock_unlock(pthread_mutex_t *m)
{
	(void)clock_read();
	return plain_unlock(m);
}

/* As the library does it: try, which is what locking is, and return. */
static NOINLINE int floor_lock(pthread_mutex_t *m)
{
	if (plain_trylock(m))
		abort();
	floor_event(7, (uintptr_t)m, (uintptr_t)__builtin_return_address(0));
	return 0;
}

static NOINLINE int floor_unlock(pthread_mutex_t *m)
{
	floor_event(8, (uintptr_t)m, (uintptr_t)__builtin_return_address(0));
	return plain_unlock(m);
}

static NOINLINE void loop_nop(void)
{
	for (unsigned int i = 0; i < EVENTS; i++)
		__asm__ volatile(".byte 0x66, 0x90" : : : "memory");
}

static NOINLINE void loop_disabled(void)
{
	for (unsigned int i = 0; i < EVENTS; i++) {
		ft_event(bench_off, i, 3);
		__asm__ volatile("" : : : "memory");
	}
}

static NOINLINE void loop_trigger(void)
{
	for (unsigned int i = 0; i < EVENTS; i++) {
		ft_event(bench_on, i, 3);
		__asm__ volatile("" : : : "memory");
	}
}

static NOINLINE void floor_call(uint16_t id, uint64_t a, uint64_t b)
{
	floor_event(id, a, b);
}

static NOINLINE void loop_floor(void)
{
	for (unsigned int i = 0; i < EVENTS; i++)
		floor_call(7, i, 3);
}

static NOINLINE void clock_call(uint16_t id, uint64_t a, uint64_t b)
{
	uint64_t ts = clock_read();

	__asm__ volatile("" : : "r" (ts), "r" (id), "r" (a), "r" (b));
}

static NOINLINE void loop_clock(void)
{
	for (unsigned int i = 0; i < EVENTS; i++)
		clock_call(7, i, 3);
}

static NOINLINE void loop_pairs(int (*lock)(pthread_mutex_t *),
				int (*unlock)(pthread_mutex_t *))
{
	pthread_mutex_t *m = &own->lock;

	for (unsigned int i = 0; i < EVENTS; i++) {
		lock(m);
		unlock(m);
	}
}

static double round_of(enum what what)
{
	uint64_t t;

	if (own->next - own->slots > (long)(SLOTS - 2 * EVENTS))
		own->next = own->slots;
	t = clock_read();
	switch (what) {
	case NOP:
		loop_nop();
		break;
	case DISABLED:
		loop_disabled();
		break;
	case FLOOR:
		loop_floor();
		break;
	case TRIGGER:
		loop_trigger();
		break;
	case CLOCK:
		loop_clock();
		break;
	case NONE:
		loop_pairs(plain_lock, plain_unlock);
		break;
	case PAIR_CLOCK:
		loop_pairs(clock_lock, clock_unlock);
		break;
	case PAIR_FLOOR:
		loop_pairs(floor_lock, floor_unlock);
		break;
	case TRACED:
		loop_pairs(traced_lock, traced_unlock);
		break;
	}
	return (double)(clock_read() - t) / EVENTS;
}

/* --- threads -------------------------------------------------------------- */

static void worker_begin(unsigned int number)
{
	size_t size = SLOTS * sizeof(struct ft_record);

	own = &workers[number];
	own->number = number;
	own->slots = aligned_alloc(4096, size);
	if (!own->slots || ft_thread_prepare()) {
		fputs("library_bench: out of memory\n", stderr);
		exit(1);
	}
	memset(own->slots, 0, size);
	own->next = own->slots;
	pthread_mutex_init(&own->lock, NULL);
	tid = 1000 + (int)number;
	settle(number);
}

static void *worker_main(void *arg)
{
	worker_begin((unsigned int)(uintptr_t)arg);
	pthread_barrier_wait(&end);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (!job)
			return NULL;
		if (own->number < job->threads)
			own->cycles = round_of(job->what);
		pthread_barrier_wait(&end);
	}
}

/* As a reader does, while nobody writes. */
static void empty_rings(void)
{
	uint32_t count;

	for (unsigned int i = 0; i < RINGS; i++) {
		while ((count = ft_ring_ready(&mine[i], SLOTS)) != 0)
			ft_ring_release(&mine[i], count);
		ft_session_give_back(session, i, &mine[i]);
		if (ft_session_ring(session, i)->ring.lost) {
			fputs("library_bench: records were lost\n", stderr);
			exit(1);
		}
	}
}

static double run_round(unsigned int k)
{
	const struct kind *kind = &kinds[k];
	double sum = 0;

	if (kind->threads == 1) {
		sum = round_of(kind->what);
	} else {
		job = kind;
		pthread_barrier_wait(&begin);
		own->cycles = round_of(kind->what);
		pthread_barrier_wait(&end);
		for (unsigned int i = 0; i < kind->threads; i++)
			sum += workers[i].cycles;
	}
	empty_rings();
	return sum / kind->threads;
}

static const char *kind_name(unsigned int k)
{
	return kinds[k].name;
}

/* --- the session ---------------------------------------------------------- */

static int open_session(int fd)
{
	session = mmap(NULL, ft_session_size(sizes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	return session == MAP_FAILED;
}

/* Makes the session and runs this program again, in it. */
static int enter_session(char **argv)
{
	const char *library = getenv("BENCH_PRELOAD");
	char path[64];
	int fd = memfd_create("bench", 0);

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getpid(), fd);
	if (fd < 0 || ftruncate(fd, (off_t)ft_session_size(sizes)) ||
	    open_session(fd)) {
		perror("library_bench");
		return 1;
	}
	session->version = FT_SESSION_VERSION;
	memcpy(session->rings, sizes, sizeof(sizes));
	session->locks = 1;
	session->ordered = !!getenv("BENCH_ORDERED");
	if (getenv("BENCH_STACKS"))
		session->stacks = (struct ft_session_stacks){
			.what = FT_STACKS_SECTIONS, .sections = ~0ull,
		};
	strcpy(session->patterns, "bench_on");
	for (unsigned int i = 0; i < RINGS; i++) {
		ft_session_init_ring(session, sizes, i);
		ft_session_init_reader(session, sizes, i, &mine[i]);
	}
	ft_session_publish(session);
	setenv(FT_SESSION_ENV, path, 1);
	snprintf(path, sizeof(path), "%d", fd);
	setenv("BENCH_FD", path, 1);
	if (library)
		setenv("LD_PRELOAD", library, 1);
	execv("/proc/self/exe", argv);
	perror("library_bench");
	return 1;
}

static void find_locks(void)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	traced_lock = pthread_mutex_lock;
	traced_unlock = pthread_mutex_unlock;
	if (libc) {
		plain_lock = (__typeof__(plain_lock))dlsym(libc, "pthread_mutex_lock");
		plain_unlock = (__typeof__(plain_unlock))dlsym(libc, "pthread_mutex_unlock");
		plain_trylock = (__typeof__(plain_trylock))dlsym(libc, "pthread_mutex_trylock");
	}
	if (!plain_lock || !plain_unlock || !plain_trylock || plain_lock == traced_lock) {
		fputs("library_bench: BENCH_PRELOAD is not the library that "
		      "traces locks\n", stderr);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	const char *fd = getenv("BENCH_FD");
	unsigned int rounds = 1000;
	pthread_t threads[THREADS];

	if (argc > 1)
		rounds = (unsigned int)atoi(argv[1]);
	if (argc > 2 || rounds < 4) {
		fputs("usage: library_bench [ROUNDS], 4 or more\n", stderr);
		return 2;
	}
	if (!fd)
		return enter_session(argv);
	if (open_session(atoi(fd))) {
		perror("library_bench");
		return 1;
	}
	for (unsigned int i = 0; i < RINGS; i++) {
		ft_ring_init(&mine[i], ft_session_at(session, ft_session_slots_at(sizes, i)),
			     SLOTS);
		ft_ring_restart(&mine[i]);
	}
	if (session->ordered) {
		kinds = ordered;
		n_kinds = sizeof(ordered) / sizeof(ordered[0]);
	} else if (session->stacks.what) {
		kinds = stacked;
		n_kinds = sizeof(stacked) / sizeof(stacked[0]);
	}
	find_locks();
	pthread_barrier_init(&begin, NULL, THREADS);
	pthread_barrier_init(&end, NULL, THREADS);
	for (uintptr_t i = 1; i < THREADS; i++) {
		errno = pthread_create(&threads[i], NULL, worker_main, (void *)i);
		if (errno) {
			perror("library_bench: no thread");
			return 1;
		}
	}
	worker_begin(0);
	pthread_barrier_wait(&end);
	measure_kinds(n_kinds, rounds, run_round, kind_name);
	job = NULL;
	pthread_barrier_wait(&begin);
	for (unsigned int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
