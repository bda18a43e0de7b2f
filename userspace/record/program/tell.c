// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Messages about the records of programs, and about losses. */
#include <err.h>
#include <stdio.h>

#include "base/number.h"
#include "record/program/run.h"

void run_put_events(FILE *f, const char *key, const struct run *run)
{
	session_put(f, key, "%s%s%s%s%s", run->patterns,
		    run->locks && *run->patterns ? "," : "",
		    run->locks ? "locks of programs" : "",
		    run->heap && (run->locks || *run->patterns) ? "," : "",
		    run->heap ? "heap of programs" : "");
}

void run_put_lost(FILE *f, const struct run *run)
{
	session_put(f, "lost_without_ring", "%llu", run->early_lost[FT_LOST_NO_RING]);
	if (run->early_lost[FT_LOST_CLOCK])
		session_put(f, "lost_without_clock", "%llu",
			    run->early_lost[FT_LOST_CLOCK]);
	if (run->early_lost[FT_LOST_TWIN])
		session_put(f, "lost_beside_child", "%llu",
			    run->early_lost[FT_LOST_TWIN]);
	if (run->early_lost[FT_LOST_CHILD])
		session_put(f, "lost_in_unknown_child", "%llu",
			    run->early_lost[FT_LOST_CHILD]);
}

static void tell_nothing(const struct run *run)
{
	if (!run_processes(run) && run->command_told)
		return;		/* the user has been told the reason */
	if (ft_any_load(&run->session->untraced))
		return;		/* a program has said so itself */
	if (!run_processes(run))
		warnx("no process joined the trace: %s",
		      run_preloads(run) ? "is the program statically linked?" :
				   "is the program linked with libfeathertrace?");
	else if (run->heap)
		warnx("no records of programs: '%s' has an allocator of its own, inside of it",
		      run->command_name);
	else if (run->locks && run->command_takes_none)
		warnx("no records of programs: '%s' itself calls no lock function of "
		      "pthread (Rust's standard library and Go have locks of their "
		      "own)", run->command_name);
	else
		warnx("no records of programs: did these events happen?");
}

void run_tell_missing(struct run *run, bool any)
{
	bool told = run_tell_own_locks(run) && run->command_takes_none;

	if (!any && !told)
		tell_nothing(run);
}

void run_tell_records(struct run *run, double seconds)
{
	__u32 n = run_processes(run);
	char size[32];

	warnx("%llu records (%s) of %u process%s in %.2f s", run->records,
	      format_size(size, sizeof(size), run->bytes), n,
	      n == 1 ? "" : "es", seconds);
	run_tell_missing(run, run->records);
}

static void tell_early_lost(const struct run *run)
{
	const __u64 *lost = run->early_lost;

	if (lost[FT_LOST_NO_RING] && run_processes(run) == FT_SESSION_PROCESSES)
		warnx("%llu of them in threads that found no ring: processes after the "
		      "first %u get none", lost[FT_LOST_NO_RING], FT_SESSION_PROCESSES);
	else if (lost[FT_LOST_NO_RING])
		warnx("%llu of them in threads or processes that found no ring: "
		      "there can be more rings if they are smaller: %s %u",
		      lost[FT_LOST_NO_RING], run->slots_option,
		      run->slots > 4096 ? run->slots / 4 : FT_SLOTS_MIN);
	if (lost[FT_LOST_CLOCK])
		warnx("%llu of them in threads that may no longer read the clock (seccomp's "
		      "strict mode, PR_SET_TSC): such threads are not traced", lost[FT_LOST_CLOCK]);
	if (lost[FT_LOST_TWIN])
		warnx("%llu of them in threads that have made a child with the memory "
		      "and the thread-local variables of its parent (clone with "
		      "CLONE_VM), or in that child: neither is traced from then on",
		      lost[FT_LOST_TWIN]);
	if (lost[FT_LOST_CHILD])
		warnx("%llu of them in children made under a seccomp filter, by the system call "
		      "clone or in another PID namespace: such a child is not traced, as the "
		      "filter may forbid asking for its process id", lost[FT_LOST_CHILD]);
}

void run_tell_lost(const struct run *run)
{
	if (run->damage)
		warnx("a program has written over the memory that it shares with ft: "
		      "%llu invalid entries were left out", run->damage);
	if (run->unwritten)
		warnx("%llu more records of programs were read but could not be "
		      "written", run->unwritten);
	if (!run->lost)
		return;
	fprintf(stderr, "ft: LOST %llu records of programs (%.2f%% of all)\n",
		run->lost, 100.0 * (double)run->lost /
		((double)run->lost + (double)run->records +
		 (double)run->unwritten));
	tell_early_lost(run);
	if (run->lost > run_early_lost(run) && run->slots < FT_SLOTS_MAX)
		warnx("larger rings lose less: %s %u ...", run->slots_option,
		      run->slots > FT_SLOTS_MAX / 4 ? FT_SLOTS_MAX :
						      run->slots * 4);
}

void run_tell_uncounted(struct run *run)
{
	run_tell_missing(run, run_processes(run));
	if (!run->lost)
		return;
	fprintf(stderr, "ft: LOST %llu events of programs: no sensor has counted them\n",
		run->lost);
	tell_early_lost(run);
}
