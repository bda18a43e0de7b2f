// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A recording of programs: what is done again and again, and at the end. */
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/program/run.h"

/* It would like to be in time; the others may have what it leaves. */
#define READER_NICE	-10

/* Records that do not fill a packet wait no longer than this. */
#define FLUSH_SECONDS	0.5

/* Who is alive is looked at this often; earlier where so many rings were taken. */
#define LOOK_SECONDS	0.1
#define LOOK_STREAMS	8
#define LOOK_SOON	0.005

/*
 * The reader sleeps longer and longer while rings are nearly empty, and shortly once one
 * is not: it takes time that a full machine has not. At most as long as a busy program
 * takes to fill half a ring: on a sudden, it makes so many records in a thread.
 */
#define SLEEP_MIN	1	/* ms */
#define SLEEP_MAX	10
#define BURST		8000	/* records in a ms */
#define NEARLY_EMPTY	8	/* 1/256 of a ring */
#define RATHER_FULL	32
#define MUST_BE_READ	64

/* Threads that are in the middle of a record at the end have this long. */
#define SETTLE_US	20000

void run_begin(void)
{
	/* not everybody may */
	setpriority(PRIO_PROCESS, 0, READER_NICE);
}

void run_raise_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

/* Are most of the large rings taken? Some may be of threads that have ended. */
static bool are_scarce(const struct run *run)
{
	const struct ft_session_rings *more = &run->rings[FT_RINGS_MORE];
	__u32 first = ft_session_first(run->rings, FT_RINGS_MORE), taken = 0;

	if (more->high <= more->rings / 2)
		return false;
	for (__u32 i = 0; i < more->high; i++)
		taken += ft_any_load(&ft_session_ring(run->session, first + i)->owner) !=
			 FT_RING_FREE;
	return taken > more->rings / 2;
}

/* Is it time? Also where more and more rings are used. */
static bool should_look(const struct run *run, double now)
{
	return now >= run->last_look + LOOK_SECONDS ||
	       (now >= run->last_look + LOOK_SOON &&
		(run->n_streams > run->looked_streams + LOOK_STREAMS ||
		 are_scarce(run)));
}

static int next_sleep(const struct run *run, unsigned int fullest)
{
	/* of a flight recorder's ring a quarter is free */
	int longest = (int)(run->slots / (run->flight ? 4 : 2) / BURST), next;

	if (fullest >= RATHER_FULL || !run->sleep_ms)
		return SLEEP_MIN;
	next = fullest < NEARLY_EMPTY ? run->sleep_ms * 2 : run->sleep_ms;
	if (longest > SLEEP_MAX)
		longest = SLEEP_MAX;
	return next < longest ? next : longest > SLEEP_MIN ? longest : SLEEP_MIN;
}

unsigned int run_step(struct run *run)
{
	double now = monotonic_now();
	unsigned int what = 0, fullest = run_fullest(run);
	bool all = now >= run->next_flush;

	run->sleep_ms = next_sleep(run, fullest);
	run_prepare(run);
	if (run->flight) {
		run_flight_trim(run);
		run_clock_settle(&run->clock, false);
	} else if (run_clock_settle(&run->clock, fullest >= MUST_BE_READ)) {
		/* packets tell how fast the clock runs */
		if (run_read(run, all) > run->slots / 4)
			what |= RUN_BUSY;
		if (all)
			run->next_flush = now + FLUSH_SECONDS;
	}
	if (should_look(run, now)) {
		run_look(run);
		run_untraced_look(run, now);
		run->looked_streams = run->n_streams;
		run->last_look = now;
		what |= RUN_LOOKED;
	}
	return what;
}

void run_close(struct run *run)
{
	__atomic_store_n(&run->session->closed, 1, __ATOMIC_RELEASE);
	for (unsigned int kind = 0; kind < FT_RINGS_KINDS; kind++) {
		__u32 i = ft_session_first(run->rings, kind);

		for (__u32 end = i + run->rings[kind].prepared; i < end; i++) {
			ft_ring_close(&run->streams[i].ring);
			ft_ring_close(&ft_session_ring(run->session, i)->ring);
		}
	}
}

void run_finish(struct run *run)
{
	run_clock_settle(&run->clock, true);
	if (!run->flight)
		run_read(run, true);
	run_look(run);
	if (run->alive)
		usleep(SETTLE_US);
	if (!run->flight)
		run_read_end(run);
}
