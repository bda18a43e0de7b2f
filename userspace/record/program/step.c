// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A recording of programs: one round of the recorder, and the end of a recording. */
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/program/run.h"
#include "record/program/seam.h"
#include "record/program/sensors.h"

/* The reader must be in time; it leaves most of the CPU to others. */
#define READER_NICE	-10

/* Records that do not fill a packet wait no longer than this. */
#define FLUSH_SECONDS	0.5

/* How often to look for living processes; LOOK_SOON once LOOK_STREAMS more rings are used. */
#define LOOK_SECONDS	0.1
#define LOOK_STREAMS	8
#define LOOK_SOON	0.005

/*
 * While all rings are nearly empty, the reader sleeps longer and longer: on a busy machine
 * its CPU time is missing elsewhere. Once a ring is rather full, it sleeps SLEEP_MIN. It
 * never sleeps longer than a thread that suddenly makes BURST records per ms takes to fill
 * half a ring.
 */
#define SLEEP_MIN	1	/* ms */
#define SLEEP_MAX	10
#define BURST		8000	/* records in a ms */
#define NEARLY_EMPTY	8	/* 1/256 of a ring */
#define RATHER_FULL	32
#define MUST_BE_READ	64

/* At the end, threads get this long to finish the record that they are writing. */
#define SETTLE_US	20000

void run_begin(void)
{
	/* fails without the privilege to do so: no matter */
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

/* Are most of the larger rings taken? Some may belong to threads that have ended. */
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

/* Is it time for run_look()? Also if more and more rings are used. */
static bool should_look(const struct run *run, double now)
{
	return now >= run->last_look + LOOK_SECONDS ||
	       (now >= run->last_look + LOOK_SOON &&
		(run->n_streams > run->looked_streams + LOOK_STREAMS ||
		 are_scarce(run)));
}

static int next_sleep(const struct run *run, unsigned int fullest)
{
	/* in a flight recorder's ring, a quarter is free */
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
	bool all = now >= run->next_flush || run_seam_is_open(run);

	run->sleep_ms = next_sleep(run, fullest);
	run_prepare(run);
	if (run->flight) {
		run_flight_trim(run);
		run_clock_settle(&run->clock, false);
	} else if (run_clock_settle(&run->clock, fullest >= MUST_BE_READ)) {
		/* each packet contains the clock's rate, so it must be known */
		if (run_read(run, all) > run->slots / 4)
			what |= RUN_BUSY;
		if (all)
			run->next_flush = now + FLUSH_SECONDS;
	}
	run_sensors_show_clock(run);
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
	__u32 i;

	__atomic_store_n(&run->session->closed, 1, __ATOMIC_RELEASE);
	run->is_closed = true;
	run_for_each_ring(run, i)
		ft_ring_close(&run->streams[i].ring);
	for (unsigned int kind = 0; kind < FT_RINGS_KINDS; kind++) {
		i = ft_session_first(run->rings, kind);
		for (__u32 end = i + run->rings[kind].prepared; i < end; i++)
			ft_ring_close(&ft_session_ring(run->session, i)->ring);
	}
}

void run_finish(struct run *run)
{
	run_clock_settle(&run->clock, true);
	run_sensors_show_clock(run);
	if (!run->flight)
		run_read(run, true);
	run_look(run);
	if (run->alive)
		usleep(SETTLE_US);
	if (!run->flight)
		run_read_end(run);
}
