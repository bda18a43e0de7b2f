// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft run --block: programs wait for room in their rings, but must not wait for a recorder
 * that is killed or stopped. A separate thread increments the beat, even while the others
 * are held up: see libfeathertrace/room.c.
 */
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "record/program/run.h"

#define BEAT_US		10000
#define SILENCE_MS	1000u	/* a busy machine can keep the thread from running */

static void *beat(void *arg)
{
	struct run *run = arg;

	run_begin();	/* threads that wait for room spin, and keep CPUs busy */
	while (!__atomic_load_n(&run->beat_ends, __ATOMIC_RELAXED)) {
		__atomic_fetch_add(&run->session->beat, 1, __ATOMIC_RELAXED);
		usleep(BEAT_US);
	}
	return NULL;
}

bool run_beat_begin(struct run *run)
{
	__u64 rate;
	int ret;

	if (!run->wait_ms)
		return true;
	run->session->beat = 1;
	ret = pthread_create(&run->beat, NULL, beat, run);
	if (ret) {
		warnx("cannot start a thread: %s", strerror(ret));
		return false;
	}
	run->beats = true;
	pthread_setname_np(run->beat, "ft-beat");
	rate = run_clock_rate(&run->clock);
	run->session->silence = rate * SILENCE_MS / 1000;
	run->session->wait = rate * run->wait_ms / 1000;
	return true;
}

void run_beat_end(struct run *run)
{
	if (!run->beats)
		return;
	__atomic_store_n(&run->beat_ends, true, __ATOMIC_RELAXED);
	pthread_join(run->beat, NULL);
	run->beats = false;
}
