// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Recording an experiment: see experiment.h. */
#include <err.h>
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "overheads/events.h"
#include "overheads/experiment.h"
#include "overheads/load.h"
#include "record/child.h"
#include "record/recorder.h"
#include "record/share.h"
#include "trace/session_file.h"

#define SLOTS	"256K"	/* our own load has many switches */
#define LOOK_MS	20	/* between two looks at the time */

/* While it is recorded. */
struct recording {
	const struct experiment_asked	*asked;
	struct run_clock		clock;
	struct recorder			recorder;
	struct record_child		child;		/* the command */
	int				signals;	/* a descriptor */
	sigset_t			mask;		/* as it was */
	bool				ends;		/* a signal came */
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

void experiment_remove(const char *dir)
{
	if (nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS))
		warn("cannot remove '%s'", dir);
}

/* --- the directory -------------------------------------------------------- */

/* Without what makes it an experiment. */
static void forget(const char *dir)
{
	static const char *const names[] = { SESSION_FILE, EXPERIMENT_CALLS };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *path = experiment_path(dir, names[i]);

		unlink(path);
		mem_free(path);
	}
}

/* Return: false after a message */
static bool make_directory(const struct experiment_asked *asked, bool *is_new)
{
	bool exists;

	*is_new = !mkdir(asked->dir, 0777);
	exists = !*is_new && errno == EEXIST;
	if (exists && asked->force && experiment_is(asked->dir)) {
		forget(asked->dir);
		return true;
	}
	if (*is_new)
		return true;
	if (!exists)
		warn("cannot make the directory '%s'", asked->dir);
	else if (asked->force)
		warnx("'%s' exists, and is not an experiment of ft overheads: it is not replaced",
		      asked->dir);
	else
		warnx("'%s' exists: --force replaces an experiment", asked->dir);
	return false;
}

static void put_load(FILE *f, const struct record_child *child)
{
	char *text = NULL;
	size_t size;
	FILE *words;

	if (!child->argv) {
		session_put(f, "load", "own");
		return;
	}
	words = open_memstream(&text, &size);
	if (!words)
		mem_none();
	record_child_print(child, words);
	if (fclose(words))
		mem_none();
	session_put(f, "load", "%s", text);
	free(text);
}

/* Last: from now on it is an experiment. Return: false after a message */
static bool write_facts(const struct recording *r, int status)
{
	char *info = experiment_path(r->asked->dir, SESSION_DIR);
	char *path = experiment_path(r->asked->dir, SESSION_FILE);
	bool ok = false;
	FILE *f = NULL;

	if (!mkdir(info, 0777) || errno == EEXIST)
		f = fopen(path, "we");
	if (f) {
		session_put(f, EXPERIMENT_VERSION_KEY, EXPERIMENT_VERSION);
		session_put(f, "clock", "%s",
			    r->clock.source == FT_CLOCK_TSC ? "tsc" : "monotonic");
		session_put(f, "status", "%d", status);
		put_load(f, &r->child);
		ok = !close_output(f, path);
	} else {
		warn("cannot write '%s'", path);
	}
	mem_free(info);
	mem_free(path);
	return ok;
}

/* --- the load ------------------------------------------------------------- */

/* The terminal sends a signal to the command as well. */
static void take_signal(struct recording *r, const struct signalfd_siginfo *info)
{
	if (info->ssi_signo == SIGCHLD)
		return;
	if (info->ssi_signo == SIGUSR1) {
		record_share_refuse_snapshot();
		return;
	}
	r->ends = true;
	record_child_pass_on(&r->child, info);
}

static void look_at_signals(struct recording *r)
{
	struct pollfd fd = { .fd = r->signals, .events = POLLIN };
	struct signalfd_siginfo info;

	if (poll(&fd, 1, LOOK_MS) > 0 && read(r->signals, &info, sizeof(info)) == sizeof(info))
		take_signal(r, &info);
}

/* Return: false after a message: the recording is over */
static bool is_recorded(struct recording *r)
{
	if (!recorder_ended(&r->recorder))
		return true;
	warnx("ft record has ended before the load");
	return false;
}

static bool wait_seconds(struct recording *r, double seconds)
{
	double end = monotonic_now() + seconds;

	while (!r->ends && monotonic_now() < end) {
		look_at_signals(r);
		if (!is_recorded(r))
			return false;
	}
	return true;
}

/* Until it has ended. @failed: out: after a message */
static bool wait_command(struct recording *r, bool *failed)
{
	struct record_child *child = &r->child;
	bool ok = true;

	if (record_child_start(child, &r->mask))
		return false;
	while (!record_child_reap(child)) {
		look_at_signals(r);
		if (ok && !is_recorded(r)) {
			ok = false;
			record_child_stop(child);
		}
	}
	*failed = !r->ends && (!WIFEXITED(child->status) || WEXITSTATUS(child->status));
	if (*failed && ok)
		record_child_tell(child);
	return ok;
}

/*
 * The load, while it is recorded. @failed: out: the command failed, after a message. Return:
 * false after a message: there was none.
 */
static bool run_load(struct recording *r, bool *failed)
{
	bool alone = r->child.argv, ok;
	struct load *load = load_start(&r->clock, alone);
	struct call *calls;
	char *path;
	size_t n;

	if (!load)
		return false;
	ok = alone ? wait_command(r, failed) : wait_seconds(r, r->asked->seconds);
	calls = load_stop(load, &n);
	path = experiment_path(r->asked->dir, EXPERIMENT_CALLS);
	ok = ok && calls_write(path, calls, n);
	mem_free(path);
	mem_free(calls);
	return ok;
}

/* Return: exit status; @recorded: out: there is an experiment */
static int record(struct recording *r, char *trace, char *events, bool *recorded)
{
	struct recorder_asked asked = {
		.ft = "/proc/self/exe", .dir = trace, .events = events,
		.slots = r->asked->slots ? r->asked->slots : SLOTS, .force = r->asked->force,
		.quiet = true, .signals = &r->mask,
	};
	bool failed = false, ok;
	int status;

	run_clock_find(&r->clock);
	if (!recorder_start(&r->recorder, &asked))
		return FT_EXIT_ERROR;
	ok = run_load(r, &failed);
	status = recorder_stop(&r->recorder);
	if (status && status != FT_EXIT_LOST) {
		warnx("ft record ended with status %d", status);
		ok = false;
	}
	*recorded = ok && write_facts(r, status);
	return *recorded && !failed ? status : FT_EXIT_ERROR;
}

int experiment_record(const struct experiment_asked *asked, bool *recorded)
{
	struct recording r = { .asked = asked, .child = { .argv = asked->command } };
	char *events = events_of_overheads(), *trace;
	int status = FT_EXIT_ERROR;
	bool is_new = false;

	*recorded = false;
	r.signals = record_share_signals(&r.mask);
	if (events && r.signals >= 0 && make_directory(asked, &is_new)) {
		trace = experiment_path(asked->dir, EXPERIMENT_TRACE);
		status = record(&r, trace, events, recorded);
		if (!*recorded && is_new)
			experiment_remove(asked->dir);
		mem_free(trace);
	}
	if (r.signals >= 0)
		close(r.signals);
	free(events);
	return status;
}
