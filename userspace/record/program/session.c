// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The memory that is shared with the programs. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/feather_trace_sensor.h>

#include "libfeathertrace/session_init.h"
#include "record/program/reader.h"
#include "record/program/locks.h"
#include "record/program/run.h"
#include "record/program/sensors.h"
#include "record/program/stacks.h"

/* All rings of a kind may take 1/8 of the memory that is available at the start. */
#define MEMORY_SHARE	8

/* Slots of a thread's first ring; a busy thread takes larger rings after it. */
#define FIRST_SLOTS	256u

/* A thread may have this many larger rings, unless they would be smaller than MORE_SLOTS. */
#define MORE_RINGS	16u
#define MORE_SLOTS	8192u

/*
 * Rings are prepared ahead, so that no thread waits for the reader. First rings: FIRST_AHEAD,
 * or as many as are in use if that is more. Larger rings: enough for two threads; in a flight
 * recorder for more, as its rings are never emptied: each busy thread needs one of its own.
 */
#define FIRST_AHEAD	2048u
#define MORE_THREADS	2u
#define FLIGHT_THREADS	8u

/*
 * This many first rings get their memory when they are prepared. The others get it at the
 * first write, like the program's own memory.
 */
#define FIRST_FILLED	64u

static uint64_t memory_available(void)
{
	char line[128];
	uint64_t kib = 0;
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f)
		return 0;
	while (!kib && fgets(line, sizeof(line), f))
		sscanf(line, "MemAvailable: %" SCNu64, &kib);
	fclose(f);
	return kib << 10;
}

static __u32 count_rings(__u32 slots, __u32 max)
{
	uint64_t size = (uint64_t)slots * sizeof(struct ft_record);
	uint64_t n = memory_available() / MEMORY_SHARE / size;

	return n < 2 ? 2 : n > max ? max : (__u32)n;
}

static void choose_rings(struct run *run)
{
	struct ft_session_rings *first = &run->rings[FT_RINGS_FIRST];
	struct ft_session_rings *more = &run->rings[FT_RINGS_MORE];

	first->slots = run->slots < FIRST_SLOTS ? run->slots : FIRST_SLOTS;
	first->rings = count_rings(first->slots, FT_SESSION_FIRST);
	if (run->slots == first->slots)
		return;
	more->slots = run->slots / MORE_RINGS;
	if (more->slots < MORE_SLOTS)
		more->slots = run->slots < MORE_SLOTS ? run->slots : MORE_SLOTS;
	/* trimmed in time, it never gets full: its thread has one ring, with all the slots */
	if (run->flight)
		more->slots = run->slots;
	more->rings = count_rings(more->slots, FT_SESSION_MORE);
}

/*
 * With vm.overcommit_memory = 2 the kernel promises no more memory than it has. A program
 * that touches a page for which none is left would be killed.
 */
static bool memory_is_counted(void)
{
	FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
	bool counted = !f || fgetc(f) == '2';

	if (f)
		fclose(f);
	return counted;
}

/* Allocate memory for the next @n rings. Return: false: there is not enough. */
static bool fill(struct run *run, enum ft_session_kind kind, __u32 n)
{
	struct ft_session_rings *rings = &run->rings[kind];
	__u32 i = ft_session_first(run->rings, kind) + rings->prepared;

	if (kind == FT_RINGS_FIRST && !run->fills_all) {
		__u32 left = rings->prepared < FIRST_FILLED ?
			     FIRST_FILLED - rings->prepared : 0;

		n = n < left ? n : left;
	}
	return !n || !fallocate(run->memory, 0, (off_t)ft_session_slots_at(run->rings, i),
				(off_t)((uint64_t)n * rings->slots *
					sizeof(struct ft_record)));
}

/* At once; else page by page, as it is touched, which takes longer. Linux < 5.14 cannot. */
static void populate(void *p, size_t size)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)p & -page;

	madvise((void *)from, (uintptr_t)p + size - from, MADV_POPULATE_WRITE);
#else
	(void)p, (void)size;
#endif
}

static bool prepare(struct run *run, enum ft_session_kind kind, __u32 n)
{
	struct ft_session_rings *rings = &run->rings[kind];
	__u32 i = ft_session_first(run->rings, kind) + rings->prepared;

	if (!fill(run, kind, n))
		return false;
	populate(ft_session_ring(run->session, i), n * sizeof(struct ft_user_ring));
	for (__u32 end = i + n; i < end; i++)
		ft_session_init_ring(run->session, run->rings, i);
	rings->prepared += n;
	/* Pairs with the acquire in ft_rings_take(). */
	__atomic_store_n(&run->session->rings[kind].prepared, rings->prepared,
			 __ATOMIC_RELEASE);
	return true;
}

bool run_prepare(struct run *run)
{
	__u32 threads = run->flight ? FLIGHT_THREADS : MORE_THREADS;

	if (run->is_closed || ft_any_load(&run->session->closed))
		return true;
	for (unsigned int kind = 0; kind < FT_RINGS_KINDS; kind++) {
		const struct ft_session_rings *rings = &run->rings[kind];
		__u32 high = ft_any_load(&run->session->rings[kind].high), want;

		if (!rings->rings)
			continue;
		if (high > rings->prepared)
			high = rings->prepared;
		want = kind == FT_RINGS_MORE ? threads * (run->slots / rings->slots) :
		       high > FIRST_AHEAD ? high : FIRST_AHEAD;
		want = want < rings->rings - high ? high + want : rings->rings;
		if (want > rings->prepared && !prepare(run, kind, want - rings->prepared))
			return false;
	}
	return true;
}

bool run_session_make(struct run *run)
{
	struct ft_session *s;
	uint64_t size;

	if (!run_sensors_make(run))
		return false;
	choose_rings(run);
	run->fills_all = memory_is_counted();
	size = ft_session_size(run->rings);
	run->streams = calloc(FT_SESSION_RINGS, sizeof(*run->streams));
	run->packets = malloc(RUN_PACKETS);
	run->events = calloc(FT_SESSION_EVENTS, sizeof(*run->events));
	run->memory = memfd_create(FT_SESSION_MEMORY, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* sealed: if a program could truncate it, we would die of SIGBUS */
	if (!run->streams || !run->packets || !run->events || run->memory < 0 ||
	    ftruncate(run->memory, (off_t)size) ||
	    fcntl(run->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL))
		goto err;
	s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		 run->memory, 0);
	if (s == MAP_FAILED)
		goto err;
	run->session = s;
	run->size = size;
	s->version = FT_SESSION_VERSION;
	s->clock = run->clock.source;
	s->locks = run->locks ? FT_LOCKS_TRACED : 0;
	s->ordered = run->ordered;
	s->sensors = run->sensors > 0 ? (__u32)run->sensors : 0;
	s->recorded = run->recorded;
	s->sensors_by = FT_SPLIT_SITE + run->senses_by;
	s->size = size;
	if (run->rings[FT_RINGS_MORE].rings)
		s->more = run->slots / run->rings[FT_RINGS_MORE].slots;
	memcpy(s->rings, run->rings, sizeof(s->rings));
	memcpy(s->patterns, run->patterns, sizeof(s->patterns));
	if (!run_prepare(run) || !run_stacks_begin(run))
		goto err;
	run_meet_ring(run, 0);
	run_locks_begin(run);
	ft_session_publish(s);
	return true;
err:
	warn("no memory to share with the programs (%" PRIu64 " MiB, most of "
	     "which would not be used)", size >> 20);
	warnx("smaller rings need less: %s %u ...", run->slots_option,
	      run->slots > 1024 ? run->slots / 8 : FT_SLOTS_MIN);
	return false;
}

static void free_values(struct map *map)
{
	struct map_slot *slot;

	map_for_each(map, slot)
		free(slot->value);
	map_free(map);
}

void run_free(struct run *run)
{
	run_sensors_free(run);
	if (run->session)
		munmap(run->session, run->size);
	if (run->memory >= 0)
		close(run->memory);
	if (run->lease >= 0)
		close(run->lease);
	if (run->held >= 0)
		close(run->held);
	if (run->orphans)
		closedir(run->orphans);
	run->orphans = NULL;
	if (run->holder)
		waitpid(run->holder, NULL, 0);
	run->session = NULL;
	run->memory = run->lease = run->held = -1;
	run->holder = 0;
	free(run->streams);
	free(run->packets);
	free(run->events);
	free_values(&run->tasks);
	free_values(&run->mappings);
	free_values(&run->untraced_seen);
	map_free(&run->met);
	map_free(&run->traced);
	map_free(&run->untraced_cut);
	map_free(&run->untraced_told);
	map_free(&run->cuts);
	run_locks_free(run);
}

const char *run_add_patterns(struct run *run, const char *patterns)
{
	size_t len = strlen(run->patterns);

	if (!*patterns)
		return "the name of an event is empty";
	if (len + strlen(patterns) + 2 > sizeof(run->patterns))
		return "these are too many events: use a pattern ('*')";
	if (len)
		run->patterns[len++] = ',';
	strcpy(run->patterns + len, patterns);
	return NULL;
}
