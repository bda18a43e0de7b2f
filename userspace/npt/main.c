// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft npt: its options. A program of its own, as its event makes it one that ft run can
 * trace, and it locks all its memory.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/abouts.h"
#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/options.h"
#include "npt/loop_kernel.h"
#include "npt/result.h"
#include "record/program/clock.h"
#include "record/recorder.h"
#include "trace/outside.h"

#define CALIBRATION	0.1	/* seconds */
#define PRIORITY_MAX	99
#define LIMIT_MOST	1000000000000	/* ns */
#define SECONDS_LEAST	0.001
#define SECONDS_MOST	1e8

/* What says why a task did not run. */
#define USUAL	"sched_switch,irq_handler_*,softirq_entry,softirq_exit,hrtimer_expire_*," \
		"local_timer_*,reschedule_*"

struct npt {
	size_t		cpu, priority, turns, limit, top;
	unsigned int	work;
	double		seconds;
	struct recorder_asked record;
	const char	*page;
	bool		kernel, json;
};

static const struct option_row options[] = {
	{ 'C', "cpu", "N", "where (the last isolated CPU, or else the last one)",
	  OPTION_NUMBER(struct npt, cpu) },
	{ 'd', "duration", "SECONDS", "for so long (10)", OPTION_SECONDS(struct npt, seconds) },
	{ 'n', "turns", "N", "or until this many turns",
	  OPTION_NUMBER(struct npt, turns) },
	{ 'p', "priority", "N", "of SCHED_FIFO, 1 to 99 (99); 0: as any task, without locked memory",
	  OPTION_NUMBER(struct npt, priority) },
	{ 'w', "work", "WHAT", "what a turn does: nothing (default); an event, npt_turn, which "
	  "ft run can record; event-at, the same with the time that the turn has read; or a "
	  "system call", OPTION_CHOICE(struct npt, work, loop_work_name) },
	{ 'k', "kernel", NULL, "in the kernel, with interrupts off for 10 ms at a time: what delays "
	  "it then is an NMI, the firmware or a hypervisor", OPTION_FLAG(struct npt, kernel) },
	{ 0, "long", "NS", "look at turns of this many nanoseconds or more one by one (1000)",
	  OPTION_NUMBER(struct npt, limit) },
	{ 0, "top", "N", "show the N longest (10; 0: all)", OPTION_ROWS(struct npt, top) },
	OPTION_TITLE("Why turns were long:"),
	{ 'r', "record", "DIR", "record events of the kernel meanwhile, and name what took the CPU",
	  OPTION_PATH(struct npt, record.dir, COMPLETE_DIRECTORY) },
	{ 'l', "locks", NULL, "the locks, too", OPTION_FLAG(struct npt, record.locks) },
	{ 'e', "event", "EVENTS", "these instead of the scheduler's switches, interrupts, timers "
	  "and softirqs", OPTION_TEXT(struct npt, record.events),
	  .complete = COMPLETE_EVENTS },
	{ 's', "slots", "N", "records in each ring of the kernel's, as ft record takes it",
	  OPTION_TEXT(struct npt, record.slots) },
	{ 0, "force", NULL, "replace the trace in DIR", OPTION_FLAG(struct npt, record.force) },
	OPTION_TITLE("Output:"),
	{ 0, "json", NULL, "as JSON", OPTION_FLAG(struct npt, json) },
	{ 0, "html", "FILE", "as a page", OPTION_PATH(struct npt, page, COMPLETE_FILE) },
	{ }
};

static int npt_main(int argc, char **argv);

static const struct command npt_command = {
	.name = "npt",
	.about = ABOUT_NPT,
	.usage = "[OPTION...]",
	.text = "Runs a loop on one CPU, with real-time priority and locked memory, that does\n"
		"nothing but read the clock (non-preempt test). Each turn that takes longer was\n"
		"delayed: by an interrupt, another task, the firmware or a hypervisor. It shows how\n"
		"long turns took, the longest ones, and, with --record, the causes.\n",
	.options = options,
	.notes = "With --work event, 'ft run -o DIR -e npt_turn -- ft npt --work event' shows what\n"
		 "it costs to record the event; without ft run it is off and costs one instruction.\n",
	.excess = "it takes no operands",
	.main = npt_main,
};

/* Return: -1, or the exit status after a message */
static int check(const struct npt *o)
{
	if (o->priority > PRIORITY_MAX)
		return usage_error("npt", "--priority %zu: SCHED_FIFO has 1 to %d; 0 measures without it",
				   o->priority, PRIORITY_MAX);
	if (o->cpu != SIZE_MAX && o->cpu >= PLACE_ANY_CPU)
		return usage_error("npt", "--cpu %zu: there is no such CPU", o->cpu);
	if (!o->limit || o->limit > LIMIT_MOST)
		return usage_error("npt", "--long %zu: it takes 1 to %zu nanoseconds", o->limit,
				   (size_t)LIMIT_MOST);
	if (o->seconds < SECONDS_LEAST || o->seconds > SECONDS_MOST)
		return usage_error("npt", "--duration: it takes a millisecond to %.0f s",
				   SECONDS_MOST);
	if (o->kernel && o->work)
		return usage_error("npt", "--kernel has nothing in its loop: --work is for programs");
	if (!o->record.dir &&
	    (o->record.events || o->record.locks || o->record.slots || o->record.force))
		return usage_error("npt", "--event, --locks, --slots and --force need --record DIR");
	if (o->json && o->page)
		return usage_error("npt", "--json and --html: take one of them");
	return -1;
}

/* The clock of a trace, with its rate. Return: false after a message */
static bool find_clock(struct npt_result *r)
{
	struct run_clock clock;

	run_clock_find(&clock);
	while (!run_clock_settle(&clock, false))
		usleep(1000);
	r->hz = clock.hz;
	r->loop.clock = clock.source == FT_CLOCK_TSC ? LOOP_TSC : LOOP_MONOTONIC;
	if (r->in_kernel && r->loop.clock != LOOP_TSC) {
		warnx("--kernel needs the TSC, which this machine's kernel does not trust");
		return false;
	}
	return true;
}

static bool measure_there(struct npt_result *r, const struct npt *o, int kernel)
{
	struct loop bare = {
		.clock = r->loop.clock, .turns = UINT64_MAX,
		.ticks = (uint64_t)(CALIBRATION * (double)r->hz),
	};

	r->loop.ticks = (uint64_t)(o->seconds * (double)r->hz);
	r->loop.turns = o->turns ? o->turns : UINT64_MAX;
	r->start = time(NULL);
	if (kernel >= 0)
		return loop_kernel_run(kernel, &bare, r->hz, r->bare, &r->begin) &&
		       loop_kernel_run(kernel, &r->loop, r->hz, r->turns, &r->begin);
	loop_run(&bare, r->bare);
	r->begin = loop_run(&r->loop, r->turns);
	return true;
}

/* What came of it. Return: false after a message */
static bool conclude(struct npt_result *r)
{
	r->step = turns_step(r->bare);
	r->interrupted = end_signals_came();
	turns_sort(r->turns);
	if (!r->turns->count)
		warnx("nothing was measured: a signal came before the first turn");
	return r->turns->count;
}

/* Whether all is there that is needed, before anything is replaced. @kernel: see below */
static bool try_first(const struct npt_result *r, const struct npt *o, int *kernel)
{
	bool is_new = false;
	int page = -1;

	if (!outside_traces(o->page))
		return false;
	*kernel = o->kernel ? loop_kernel_open() : -1;
	if (o->kernel && *kernel < 0)
		return false;
	if (o->page) {
		page = open(o->page, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		is_new = page >= 0;
		if (!is_new && errno == EEXIST)
			page = open(o->page, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	}
	if (o->page && page < 0) {
		warn("cannot write '%s'", o->page);
		return false;
	}
	if (page >= 0)
		close(page);
	if (is_new)
		unlink(o->page);
	if (!place_take(&r->place))
		return false;
	place_leave();
	return true;
}

/* @kernel: of loop_kernel_open(), or -1. Return: false after a message */
static bool measure(struct npt_result *r, const struct npt *o, int kernel)
{
	bool ok = place_take(&r->place);

	if (!ok)
		return false;
	ok = measure_there(r, o, kernel);
	place_leave();
	return ok && conclude(r);
}

/* Return: exit status; there is a result if @r has turns */
static int measure_and_record(struct npt_result *r, const struct npt *o, int kernel)
{
	struct recorder recorder;
	int status;

	if (!o->record.dir)
		return measure(r, o, kernel) ? FT_EXIT_OK : FT_EXIT_ERROR;
	if (!recorder_start(&recorder, &o->record))
		return FT_EXIT_ERROR;
	if (!measure(r, o, kernel)) {
		recorder_stop(&recorder);
		return FT_EXIT_ERROR;
	}
	status = recorder_stop(&recorder);
	if (status && status != FT_EXIT_LOST) {
		warnx("ft record ended with status %d: no causes are named", status);
		return FT_EXIT_ERROR;
	}
	r->trace = o->record.dir;
	return status;
}

static int show(const struct npt_result *r, const struct npt *o, int status)
{
	if (o->page)
		return result_page(r, o->page) ? FT_EXIT_ERROR : status;
	if (o->json)
		result_json(r);
	else
		result_print(r);
	return flush_output(status);
}

static int npt_main(int argc, char **argv)
{
	struct npt o = {
		.cpu = SIZE_MAX, .priority = PRIORITY_MAX, .seconds = 10, .limit = 1000, .top = 10,
	};
	int status = options_parse_program(&npt_command, &o, &argc, &argv);
	struct npt_result r = { 0 };
	int kernel = -1;

	if (status >= 0)
		return status;
	status = check(&o);
	if (status >= 0)
		return status;
	/* of ft, which started this program; or by hand */
	o.record.ft = getenv("FT") ? getenv("FT") : "ft";
	if (!o.record.events)
		o.record.events = USUAL;
	r.place.cpu = o.cpu == SIZE_MAX ? PLACE_ANY_CPU : (uint32_t)o.cpu;
	r.place.priority = (uint32_t)o.priority;
	r.loop.work = o.work;
	r.top = o.top;
	r.in_kernel = o.kernel;
	if (!place_choose(&r.place) || !find_clock(&r))
		return FT_EXIT_ERROR;
	place_look(&r.place, &r.warnings);
	for (size_t i = 0; i < r.warnings.n; i++)
		warnx("%s", r.warnings.text[i]);
	r.bare = turns_new(UINT64_MAX);
	r.turns = turns_new((uint64_t)((double)o.limit * (double)r.hz / 1e9));
	end_signals_catch();
	status = try_first(&r, &o, &kernel) ? measure_and_record(&r, &o, kernel) : FT_EXIT_ERROR;
	if (r.turns->count) {
		causes_begin(&r.causes, r.turns);
		if (r.trace && !causes_find(&r.causes, r.trace,
					    r.loop.clock == LOOP_TSC ? "tsc" : "monotonic",
					    r.place.cpu, getpid()))
			status = FT_EXIT_ERROR;
		status = show(&r, &o, status);
		causes_free(&r.causes);
	}
	place_warnings_free(&r.warnings);
	turns_free(r.bare);
	turns_free(r.turns);
	return status;
}

int main(int argc, char **argv)
{
	program_invocation_short_name = (char *)"ft";
	program_invocation_name = (char *)"ft";
	return npt_main(argc, argv);
}
