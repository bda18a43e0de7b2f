// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Threads that come and go, write, and are read at the same time, within one process:
 * so that sanitizers see both sides.
 *
 *	session_test [ROUNDS]
 *
 * It makes a session as ft run does, and runs itself again in it. Each of THREADS
 * threads writes its number and counts up; the reader demands that nothing is
 * missing but what is counted as lost.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#include "libfeathertrace/session_init.h"

#define FIRST	8u
#define MORE	8u
#define RINGS	(FIRST + MORE)
#define THREADS	4u
#define EVENTS	2000u

DEFINE_FT_EVENT(count, thread, number);

#define check(what)							\
do {									\
	if (!(what)) {							\
		fprintf(stderr, "session_test: %d: %s: %s\n", __LINE__,	\
			#what, strerror(errno));			\
		exit(1);						\
	}								\
} while (0)

static struct ft_session *session;
static struct ft_ring mine[RINGS];
static const struct ft_session_rings sizes[FT_RINGS_KINDS] = {
	{ .slots = 64, .rings = FIRST, .prepared = FIRST },
	{ .slots = 256, .rings = MORE, .prepared = MORE },
};
static int done;
static uint64_t records, holes;
static unsigned int rounds = 100;

/* By ring and thread, over all rounds: the last number seen. */
static uint64_t last[RINGS][4096 * THREADS];

static void *write_some(void *arg)
{
	uintptr_t thread = (uintptr_t)arg;

	for (uint64_t i = 1; i <= EVENTS; i++) {
		ft_event(count, thread, i);
		if (!(i % 128))
			sched_yield();
	}
	return NULL;
}

static void look_at(unsigned int i, const struct ft_record *r)
{
	check(r->a < rounds * THREADS);
	/* of one thread in order in each of its rings, and none twice */
	check(r->b > last[i][r->a] && r->b <= EVENTS);
	last[i][r->a] = r->b;
	records++;
}

static void read_ring(unsigned int i)
{
	struct ft_user_ring *shared = ft_session_ring(session, i);
	uint64_t settled = __atomic_load_n(&shared->settled, __ATOMIC_ACQUIRE);
	uint32_t count = ft_ring_ready(&mine[i], 64);

	for (uint32_t k = 0; k < count; k++)
		look_at(i, ft_ring_slot(&mine[i], mine[i].r + k * sizeof(struct ft_record)));
	ft_ring_release(&mine[i], count);
	ft_session_give_back(session, i, &mine[i]);
	/* nobody is killed here: every slot before @settled must be published */
	if (!count && settled > mine[i].r)
		holes++;
}

static void *read_all(void *arg)
{
	(void)arg;
	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		for (unsigned int i = 0; i < RINGS; i++)
			read_ring(i);
	}
	return NULL;
}

static uint64_t count_lost(void)
{
	uint64_t lost = session->lost[FT_LOST_NO_RING];

	for (unsigned int i = 0; i < RINGS; i++)
		lost += ft_session_ring(session, i)->ring.lost;
	return lost;
}

static void run(void)
{
	pthread_t reader, t[THREADS];

	check(!pthread_create(&reader, NULL, read_all, NULL));
	for (unsigned int round = 0; round < rounds; round++) {
		for (uintptr_t k = 0; k < THREADS; k++)
			check(!pthread_create(&t[k], NULL, write_some,
					      (void *)(round * THREADS + k)));
		for (unsigned int k = 0; k < THREADS; k++)
			pthread_join(t[k], NULL);
	}
	__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	pthread_join(reader, NULL);
	for (unsigned int k = 0; k < 256; k++) {
		for (unsigned int i = 0; i < RINGS; i++)
			read_ring(i);
	}
	printf("%lu records, %lu lost, %lu holes\n", (unsigned long)records,
	       (unsigned long)count_lost(), (unsigned long)holes);
	check(records + count_lost() == (uint64_t)rounds * THREADS * EVENTS);
	check(!holes);
	check(records > EVENTS);
	/* each thread has given back what it had */
	for (unsigned int i = 0; i < RINGS; i++)
		check(ft_session_ring(session, i)->owner == FT_RING_FREE);
	/* and took more of them: what is first is too small */
	check(session->rings[FT_RINGS_MORE].high > 1);
	check(session->processes == 1);
}

static void enter(char **argv)
{
	int fd = memfd_create("test", 0);
	char text[64];

	check(fd >= 0);
	check(!ftruncate(fd, (off_t)ft_session_size(sizes)));
	session = mmap(NULL, ft_session_size(sizes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd, 0);
	check(session != MAP_FAILED);
	session->version = FT_SESSION_VERSION;
	memcpy(session->rings, sizes, sizeof(sizes));
	session->more = 2;
	strcpy(session->patterns, "count");
	for (unsigned int i = 0; i < RINGS; i++) {
		ft_session_init_ring(session, sizes, i);
		ft_session_init_reader(session, sizes, i, &mine[i]);
	}
	ft_session_publish(session);
	snprintf(text, sizeof(text), "/proc/%d/fd/%d", getpid(), fd);
	setenv(FT_SESSION_ENV, text, 1);
	snprintf(text, sizeof(text), "%d", fd);
	setenv("TEST_FD", text, 1);
	execv("/proc/self/exe", argv);
	check(!"execv");
}

int main(int argc, char **argv)
{
	const char *fd = getenv("TEST_FD");

	if (argc > 1)
		rounds = (unsigned int)atoi(argv[1]);
	check(rounds && rounds <= 4096);
	if (!fd)
		enter(argv);
	session = mmap(NULL, ft_session_size(sizes), PROT_READ | PROT_WRITE,
		       MAP_SHARED, atoi(fd), 0);
	check(session != MAP_FAILED);
	for (unsigned int i = 0; i < RINGS; i++) {
		ft_ring_init(&mine[i], ft_session_at(session, ft_session_slots_at(sizes, i)),
			     sizes[ft_session_kind(sizes, i)].slots);
		ft_ring_restart(&mine[i]);
	}
	run();
	return 0;
}
