// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Recording an experiment, and reading it: see experiment.h. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "overheads/events.h"
#include "overheads/load.h"
#include "overheads/experiment.h"
#include "record/child.h"
#include "record/recorder.h"
#include "trace/session_file.h"

#define FACTS	"overheads"	/* key<TAB>value: version, load, clock */
#define CALLS	"calls"
#define TRACE	"trace"
#define VERSION	"1"
#define LOOK_NS	20000000	/* between two looks at signals and the command */

static char *path_in(const char *dir, const char *name)
{
	return mem_format("%s/%s", dir, name);
}

bool experiment_is(const char *dir)
{
	char *path = path_in(dir, FACTS);
	bool is = !access(path, F_OK);

	mem_free(path);
	return is;
}

static const char *clock_name(const struct run_clock *clock)
{
	return clock->source == FT_CLOCK_TSC ? "tsc" : "monotonic";
}

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

/* --- recording ------------------------------------------------------------ */

/* Return: false after a message */
static bool make_directory(const struct experiment_asked *asked, bool *is_new)
{
	bool exists;

	*is_new = !mkdir(asked->dir, 0777);
	exists = !*is_new && errno == EEXIST;
	if (*is_new || (exists && asked->force && experiment_is(asked->dir)))
		return true;
	if (!exists)
		warn("cannot make the directory '%s'", asked->dir);
	else if (asked->force)
		warnx("'%s' exists, and is no experiment of ft overheads: it is not replaced",
		      asked->dir);
	else
		warnx("'%s' exists: --force replaces an experiment", asked->dir);
	return false;
}

static bool write_facts(const struct experiment_asked *asked, const struct run_clock *clock)
{
	char *path = path_in(asked->dir, FACTS), *text = NULL;
	FILE *f = fopen(path, "we");
	bool ok;
	size_t size;

	if (!f) {
		warn("cannot write '%s'", path);
		mem_free(path);
		return false;
	}
	session_put(f, "version", VERSION);
	session_put(f, "clock", "%s", clock_name(clock));
	if (asked->command) {
		struct record_child child = { .argv = asked->command };
		FILE *words = open_memstream(&text, &size);

		if (!words)
			mem_none();
		record_child_print(&child, words);
		if (fclose(words))
			mem_none();
		session_put(f, "load", "%s", text);
		free(text);
	} else {
		session_put(f, "load", "own");
	}
	ok = !close_output(f, path);
	mem_free(path);
	return ok;
}

/* Until it has ended. A signal to us alone is passed on. Return: false: it failed */
static bool wait_for(struct record_child *child)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	bool passed = false;

	while (!record_child_reap(child)) {
		if (end_signals_came() && !passed) {
			record_child_stop(child);
			passed = true;
		}
		nanosleep(&look, NULL);
	}
	if (!passed)
		record_child_tell(child);
	return passed || (WIFEXITED(child->status) && !WEXITSTATUS(child->status));
}

static void wait_seconds(double seconds)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };
	struct timespec now;
	double end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + seconds;
	while (!end_signals_came() && (double)now.tv_sec + (double)now.tv_nsec / 1e9 < end) {
		nanosleep(&look, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	}
}

/*
 * The load, while it is recorded. @failed: out: the command failed, after a message. Return:
 * false after a message: there was none.
 */
static bool run_load(const struct experiment_asked *asked, const struct run_clock *clock,
		     bool *failed)
{
	struct record_child child = { .argv = asked->command };
	struct load *load = load_start(clock, asked->seconds, asked->command);
	bool ok = true;
	struct call *calls;
	sigset_t signals;
	char *path;
	size_t n;

	if (!load)
		return false;
	sigprocmask(SIG_BLOCK, NULL, &signals);
	if (!asked->command)
		wait_seconds(asked->seconds);
	else if (record_child_start(&child, &signals))
		ok = false;
	else
		*failed = !wait_for(&child);
	calls = load_stop(load, &n);
	path = path_in(asked->dir, CALLS);
	ok = ok && calls_write(path, calls, n);
	mem_free(path);
	mem_free(calls);
	return ok;
}

/* Return: exit status; @recorded: out: there is an experiment */
static int record(const struct experiment_asked *asked, char *trace, char *events, bool *recorded)
{
	struct recorder_asked recorder_asked = {
		.ft = "/proc/self/exe", .dir = trace, .events = events, .slots = asked->slots,
		.force = asked->force, .quiet = true,
	};
	struct run_clock clock;
	struct recorder recorder;
	bool failed = false, ok;
	int status;

	run_clock_find(&clock);
	if (!recorder_start(&recorder, &recorder_asked))
		return FT_EXIT_ERROR;
	ok = write_facts(asked, &clock) && run_load(asked, &clock, &failed);
	status = recorder_stop(&recorder);
	if (status && status != FT_EXIT_LOST)
		warnx("ft record ended with status %d", status);
	*recorded = ok && (!status || status == FT_EXIT_LOST);
	return *recorded && !failed ? status : FT_EXIT_ERROR;
}

int experiment_record(const struct experiment_asked *asked, bool *recorded)
{
	char *events = events_of_overheads(), *trace;
	int status = FT_EXIT_ERROR;
	bool is_new = false;

	*recorded = false;
	if (events && make_directory(asked, &is_new)) {
		trace = path_in(asked->dir, TRACE);
		status = record(asked, trace, events, recorded);
		if (!*recorded && is_new)
			experiment_remove(asked->dir);
		mem_free(trace);
	}
	free(events);
	return status;
}

/* --- reading -------------------------------------------------------------- */

/* Return: to be freed; NULL: there is no such fact */
static char *fact(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!strncmp(line, key, len) && line[len] == '\t')
			return mem_format("%.*s", (int)strcspn(line + len + 1, "\n"),
					  line + len + 1);
	}
	return NULL;
}

/* Return: false after a message */
static bool read_facts(struct experiment *r, const char *path, char **clock)
{
	char *text, *version;
	ssize_t len = read_path(path, &text);
	bool known;

	if (len < 0) {
		warnx("cannot read '%s': %s: is it an experiment of ft overheads -o?", path,
		      strerror((int)-len));
		return false;
	}
	version = fact(text, "version");
	known = version && !strcmp(version, VERSION);
	r->load = fact(text, "load");
	*clock = fact(text, "clock");
	mem_free(text);
	mem_free(version);
	if (known && r->load && *clock)
		return true;
	warnx("'%s' is damaged, or of another version of ft", path);
	return false;
}

static char *session_fact(const char *trace, const char *key)
{
	char *value = session_value(trace, key);

	return value ? value : mem_strdup("?");
}

static bool read_trace(struct experiment *r, const char *trace, struct calls *calls,
		       const char *clock)
{
	char *has = session_fact(trace, "clock");
	bool same = !strcmp(has, clock);

	mem_free(has);
	r->host = session_fact(trace, "host");
	r->kernel = session_fact(trace, "kernel_release");
	r->cpus = session_fact(trace, "cpus");
	r->seconds = session_fact(trace, "duration_s");
	return pairing_find(&r->pairing, trace, same ? calls : NULL);
}

bool experiment_read(struct experiment *r, const char *dir)
{
	char *facts = path_in(dir, FACTS), *path = path_in(dir, CALLS);
	char *trace = path_in(dir, TRACE), *clock = NULL;
	struct calls calls = { 0 };
	bool ok;

	*r = (struct experiment){ 0 };
	ok = read_facts(r, facts, &clock) && calls_read(&calls, path) &&
	     read_trace(r, trace, &calls, clock);
	calls_free(&calls);
	mem_free(facts);
	mem_free(path);
	mem_free(trace);
	mem_free(clock);
	return ok;
}

void experiment_free(struct experiment *r)
{
	mem_free(r->load);
	mem_free(r->host);
	mem_free(r->kernel);
	mem_free(r->cpus);
	mem_free(r->seconds);
	pairing_free(&r->pairing);
}

/* --- samples for other tools ---------------------------------------------- */

/* In a file's name, where '_' begins the next key. */
static char *name_part(const char *text)
{
	char *part = mem_strdup(text);

	for (char *c = part; *c; c++) {
		if (!isalnum((unsigned char)*c) && *c != '.' && *c != '-')
			*c = '-';
	}
	return part;
}

char *experiment_samples_name(const struct experiment *r, enum overhead kind)
{
	char *host = name_part(r->host), *cpus = name_part(r->cpus), *name;

	name = mem_format("overheads_host=%s_scheduler=Linux_m=%s_overhead=%s.float32", host, cpus,
			  overhead_kinds[kind].field);
	mem_free(host);
	mem_free(cpus);
	return name;
}

bool experiment_write_samples(const struct experiment *r, const char *dir)
{
	bool ok = true;

	for (unsigned int k = 0; k < OVERHEADS && ok; k++) {
		const struct samples *s = &r->pairing.kind[k];
		bool in_ns = strstr(overhead_kinds[k].field, "-LATENCY");
		double unit = in_ns ? 1e9 / (double)r->pairing.hz : 1;
		char *name = experiment_samples_name(r, k);
		char *path = path_in(dir, name);
		FILE *f = fopen(path, "we");

		if (f) {
			for (size_t i = 0; i < s->n; i++) {
				float sample = (float)((double)s->at[i] * unit);

				fwrite(&sample, sizeof(sample), 1, f);
			}
			ok = !close_output(f, path);
		} else {
			warn("cannot write '%s'", path);
			ok = false;
		}
		mem_free(path);
		mem_free(name);
	}
	return ok;
}
