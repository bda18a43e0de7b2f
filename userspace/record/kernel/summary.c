// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft record: writes the session file, and reports to the user. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/exit_status.h"
#include "base/number.h"
#include "control/device.h"
#include "record/kernel/facts.h"
#include "record/kernel/record.h"
#include "record/share.h"
#include "trace/progress.h"
#include "trace/session_file.h"

static const char *const end_names[] = {
	[RECORD_UNFINISHED] = NULL,
	[RECORD_BY_TIME] = "time",
	[RECORD_BY_COMMAND] = "command",
	[RECORD_BY_SIGNAL] = "signal",
	[RECORD_BY_OTHERS] = "disabled",
	[RECORD_BY_ERROR] = "error",
	[RECORD_BY_ROTATION] = "rotation",
};

static void put_trace(FILE *f, const struct record *rec)
{
	record_facts_trace(f, &rec->events, &rec->info, rec->early);
	session_put(f, "lock_source", "%s%s",
		    device_locks_name(rec->info.lock_source),
		    rec->user.run.locks ? ", pthread" : "");
	session_put(f, "slots", "%u", rec->config.slots);
	if (!rec->user.wanted)
		return;
	run_put_events(f, "program_events", &rec->user.run);
	session_put(f, "program_slots", "%u", rec->user.run.slots);
}

static void put_programs(FILE *f, const struct run *run)
{
	session_put(f, "processes", "%u", run_processes(run));
	session_put(f, "streams", "%u", run->n_streams);
	session_put(f, "program_records", "%llu", run->records);
	session_put(f, "program_lost", "%llu", run->lost);
	run_put_lost(f, run);
}

/* A part, and why it ended. */
struct told {
	const struct record		*rec;
	const struct record_part	*part;
	enum record_end			end;
};

static void put_result(FILE *f, const struct told *told)
{
	bool old = told->end == RECORD_BY_ROTATION;
	const struct record *rec = told->rec;
	const struct run *run = &rec->user.run;
	struct rings_total total;
	char text[256];
	const char *names;

	rings_sum_file(&rec->rings, old, &total);
	session_put(f, "ended", "%s", end_names[told->end]);
	session_put(f, "duration_s", "%.6f", told->part->seconds);
	session_put(f, "clock_state", "%s", device_clock_state(rec->clock_flags));
	session_put(f, "tasks", "%s", rec->tasks.state);
	names = record_locks_state(&rec->lock_names, text, sizeof(text));
	if (names)
		session_put(f, "lock_names", "%s", names);
	record_stacks_put(f, &rec->stacks);
	session_put(f, "cpus", "%u", total.cpus);
	session_put(f, "records", "%llu", total.records + run->records);
	session_put(f, "lost", "%llu", total.lost + run->lost);
	session_put(f, "lost_before", "%" PRIu64,
		    told->part->number > 1 ? 0 : total.lost_before);
	session_put(f, "unwritten", "%llu", total.unwritten + run->unwritten);
	if (rec->rings.replaced)
		session_put(f, "replaced", "yes");
	if (rec->compress)
		session_put(f, "compress_stored", "%" PRIu64, total.stored);
	for (unsigned int cpu = 0; cpu < rec->rings.n; cpu++) {
		const struct ring *ring = &rec->rings.ring[cpu];

		if (ring->open)
			record_facts_lost(f, cpu, old ? ring->old.lost : ring_books(ring).lost);
	}
	if (rec->user.wanted)
		put_programs(f, run);
}

static void put_all(FILE *f, const void *arg)
{
	const struct told *told = arg;
	const struct record *rec = told->rec;

	record_share_system(f, told->part->start);
	session_put(f, "kallsyms", "%s", told->part->symbols);
	put_trace(f, rec);
	if (rec->compress)
		session_put(f, "compress", "%d", rec->compress);
	rotation_put(f, &rec->rotation, told->part);
	if (rec->child.argv)
		record_share_command(f, &rec->child, rec->end);
	if (told->end)
		put_result(f, told);
}

bool record_session_write(const struct record *rec, const struct record_part *part,
			  enum record_end end)
{
	const struct told told = { rec, part, end };

	return record_share_write(&part->dir, part->session, put_all, &told);
}

void record_progress(const struct record *rec)
{
	struct rings_total total;
	char size[32];

	rings_sum(&rec->rings, &total);
	progress_show("%.1f s: %" PRIu64 " records, %" PRIu64 " lost, %s",
		      monotonic_now() - rec->began, total.records, total.lost,
		      format_size(size, sizeof(size), total.bytes));
}

static void summary_lost(const struct record *rec,
			 const struct rings_total *total)
{
	const char *between = "";
	__u32 slots = rec->config.slots;

	fprintf(stderr, "ft: LOST %" PRIu64 " records (%.2f%% of all): ",
		total->lost, 100.0 * total->lost /
		((double)total->lost + total->records + total->unwritten));
	for (unsigned int cpu = 0; cpu < rec->rings.n; cpu++) {
		const struct ring *ring = &rec->rings.ring[cpu];

		if (!ring->open || !ring->lost)
			continue;
		fprintf(stderr, "%sCPU %u: %" PRIu64, between, cpu, ring->lost);
		between = ", ";
	}
	fputc('\n', stderr);
	if (slots >= FT_SLOTS_MAX)
		warnx("the rings are as large as can be: "
		      "record fewer events, or onto a faster disk");
	else
		warnx("larger rings lose less: ft record --slots %u ...",
		      slots > FT_SLOTS_MAX / 4 ? FT_SLOTS_MAX : slots * 4);
}

void record_summary(struct record *rec)
{
	struct rings_total total;
	char size[32];

	rings_sum(&rec->rings, &total);
	record_child_tell(&rec->child);
	if (!rec->quiet)
		warnx("%" PRIu64 " records (%s) of %u CPU%s in %.2f s",
		      total.records, format_size(size, sizeof(size), total.bytes),
		      total.cpus, total.cpus == 1 ? "" : "s", rec->seconds_done);
	rotation_summary(&rec->rotation, rec->part->number);
	if (total.lost)
		summary_lost(rec, &total);
	if (total.stored)
		warnx("compression could not keep up: %s of the records were written "
		      "uncompressed; to make it smaller: ft export -f compressed",
		      format_size(size, sizeof(size), total.stored));
	record_stacks_tell(&rec->stacks, rec->quiet);
	if (rec->clock_flags & FT_INFO_CLOCK_RESTARTED)
		warnx("the TSC restarted or stopped while the machine was "
		      "suspended: this is the end of the trace");
	if (rec->clock_flags & FT_INFO_CLOCK_UNSTABLE)
		warnx("the TSC became unstable during this recording: times of "
		      "different CPUs, and across that moment, cannot be "
		      "compared. Record again: the next trace has the kernel's "
		      "clock");
	if (total.lost_before)
		warnx("before this recording the trace had lost %" PRIu64
		      " records", total.lost_before);
	if (total.unwritten)
		warnx("%" PRIu64 " more records were read but could not be "
		      "written", total.unwritten);
	if (rec->rings.replaced)
		warnx("another trace began, perhaps before this one was read to its end: if "
		      "anything was still in its rings, it is lost, and not counted");
	if (rec->still_active)
		warnx("other events are still on, the trace goes on without "
		      "this recording; see: ft status");
	if (!total.records)
		warnx("no records: did these events happen? Do they have places "
		      "in the code? See: ft list");
	if (rec->user.wanted) {
		run_tell_records(&rec->user.run, rec->seconds_done);
		run_tell_lost(&rec->user.run);
	}
	if (!rec->quiet && !forward_wanted(&rec->rotation.forward) &&
	    (total.records || rec->user.run.records))
		warnx("next: ft report %s", rec->path);
}
