// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft run: what is told of a recording, to its session file and the user. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>

#include "device.h"
#include "record_share.h"
#include "run.h"
#include "session.h"
#include "util.h"

static __u32 processes(const struct run *run)
{
	__u32 n = run->session->processes;

	return n > FT_SESSION_PROCESSES ? FT_SESSION_PROCESSES : n;
}

static void put_trace(FILE *f, const struct run *run)
{
	char uuid[UUID_LEN];

	session_put(f, "events", "%s%s%s", run->patterns,
		    run->locks && *run->patterns ? "," : "",
		    run->locks ? "locks of programs" : "");
	uuid_format(uuid, run->uuid);
	session_put(f, "uuid", "%s", uuid);
	session_put(f, "clock", "%s", device_clock_name(run->clock.source));
	session_put(f, "clock_hz", "%" PRIu64, run->clock.hz);
	if (run->locks)
		session_put(f, "lock_source", "pthread");
	session_put(f, "slots", "%u", run->slots);
}

static void put_result(FILE *f, const struct run *run)
{
	session_put(f, "ended", "%s", run->end);
	session_put(f, "duration_s", "%.6f", run->seconds_done);
	session_put(f, "processes", "%u", processes(run));
	session_put(f, "streams", "%u", run->n_streams);
	session_put(f, "records", "%llu", run->records);
	session_put(f, "lost", "%llu", run->lost);
	session_put(f, "lost_without_ring", "%llu", run->session->no_ring);
	session_put(f, "unwritten", "%llu", run->unwritten);
}

static void put_all(FILE *f, const void *arg)
{
	const struct run *run = arg;

	record_share_system(f, run->start);
	put_trace(f, run);
	if (run->pid)
		session_put(f, "pid", "%d", run->pid);
	else
		record_share_command(f, &run->child, run->end);
	if (run->end)
		put_result(f, run);
}

int run_tell_session(const struct run *run)
{
	return record_share_write(run->session_file, put_all, run);
}

static void tell_command(const struct run *run)
{
	char status[32];

	record_child_text(&run->child, status, sizeof(status));
	if (!run->child.ended)
		warnx("'%s' (pid %d) is still running: it is left alone",
		      run->child.argv[0], run->child.pid);
	else if (status[0] == 's')
		warnx("'%s' was ended by %s", run->child.argv[0], status);
	else if (status[0] != '0')
		warnx("'%s' exited with %s", run->child.argv[0], status);
}

static void tell_lost(const struct run *run)
{
	__u64 no_ring = run->session->no_ring;

	fprintf(stderr, "ft: LOST %llu records (%.2f%% of all)\n", run->lost,
		100.0 * run->lost /
		((double)run->lost + run->records + run->unwritten));
	if (no_ring)
		warnx("%llu of them in threads or processes that found no ring: "
		      "smaller rings allow for more of them: --slots %u",
		      no_ring, run->slots > 4096 ? run->slots / 4 : FT_SLOTS_MIN);
	if (run->lost > no_ring)
		warnx("larger rings lose less: ft run --slots %u ...",
		      run->slots > FT_SLOTS_MAX / 4 ? FT_SLOTS_MAX :
						      run->slots * 4);
}

static void tell_nothing(const struct run *run)
{
	if (!processes(run) && run->pid)
		warnx("process %d did not join the trace: none of these events "
		      "happened", run->pid);
	else if (!processes(run))
		warnx("no process joined the trace: %s",
		      run->locks ? "is the program statically linked?" :
				   "is the program linked with libfeathertrace?");
	else
		warnx("not one record came: did these events happen?");
}

void run_tell_summary(const struct run *run)
{
	__u32 n = processes(run);
	char size[32];

	if (run->pid)
		warnx("process %d %s", run->pid, run->end[0] == 'p' ?
		      "has ended" : "goes on");
	else
		tell_command(run);
	warnx("%llu records (%s) of %u process%s in %.2f s", run->records,
	      format_size(size, sizeof(size), run->bytes), n,
	      n == 1 ? "" : "es", run->seconds_done);
	if (run->lost)
		tell_lost(run);
	if (run->unwritten)
		warnx("%llu more records were read but could not be written",
		      run->unwritten);
	if (run->records)
		warnx("next: ft %s %s", run->locks ? "report" : "dump", run->path);
	else
		tell_nothing(run);
}
