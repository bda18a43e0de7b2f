// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft overheads: its options, and the order of things. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "ft/commands.h"
#include "overheads/experiment_show.h"
#include "trace/outside.h"

#define SECONDS_LEAST	0.1
#define SECONDS_MOST	1000.0

enum format { FORMAT_TEXT, FORMAT_TSV, FORMAT_JSON, FORMAT_CSV };

struct asked {
	struct experiment_asked	experiment;
	const char		*keep, *read, *samples;
	size_t			most;
	unsigned int		format;
};

static const struct option_row options[] = {
	{ 'd', "duration", "SECONDS", "how long to run our own load (10)",
	  OPTION_SECONDS(struct asked, experiment.seconds) },
	{ 'o', "output", "DIR", "keep the experiment in DIR",
	  OPTION_PATH(struct asked, keep, COMPLETE_DIRECTORY) },
	{ 0, "force", NULL, "replace the experiment in DIR",
	  OPTION_FLAG(struct asked, experiment.force) },
	{ 's', "slots", "N", "records in each ring, as ft record takes it",
	  OPTION_TEXT(struct asked, experiment.slots) },
	{ 'r', "read", "DIR", "show an experiment that was kept, record nothing",
	  OPTION_PATH(struct asked, read, COMPLETE_DIRECTORY) },
	OPTION_TITLE("Output:"),
	{ 'n', "samples", "N", "take N random samples of each overhead: greatest values can be "
			       "compared only between equal numbers of samples",
	  OPTION_NUMBER(struct asked, most) },
	{ 0, "tsv", NULL, "a line for each overhead, in nanoseconds",
	  OPTION_SET(struct asked, format, FORMAT_TSV) },
	{ 0, "json", NULL, "the same as one JSON object",
	  OPTION_SET(struct asked, format, FORMAT_JSON) },
	{ 0, "csv", NULL, "in the columns of LITMUS^RT's ft-compute-stats, in microseconds",
	  OPTION_SET(struct asked, format, FORMAT_CSV) },
	{ 0, "samples-to", "DIR", "write all samples to files in DIR, for LITMUS^RT's tools",
	  OPTION_PATH(struct asked, samples, COMPLETE_DIRECTORY) },
	{ }
};

static int show(const struct asked *o, const char *dir, int status)
{
	struct experiment e;

	if (!experiment_read(&e, dir)) {
		experiment_free(&e);
		return FT_EXIT_ERROR;
	}
	if (o->samples && !experiment_write_samples(&e, o->samples))
		status = FT_EXIT_ERROR;
	for (unsigned int k = 0; k < OVERHEADS; k++)
		samples_choose(&e.pairing.kind[k], o->most);
	if (o->format == FORMAT_TSV)
		experiment_tsv(&e);
	else if (o->format == FORMAT_JSON)
		experiment_json(&e);
	else if (o->format == FORMAT_CSV)
		experiment_csv(&e);
	else
		experiment_text(&e);
	if (!status && experiment_lacks(&e))
		status = FT_EXIT_LOST;
	experiment_free(&e);
	return flush_output(status);
}

/* In a directory of its own, which is removed. Return: exit status */
static int run_and_forget(struct asked *o)
{
	const char *tmp = getenv("TMPDIR");
	char *top = mem_format("%s/ft-overheads-XXXXXX", tmp && *tmp ? tmp : "/tmp"), *dir;
	bool recorded;
	int status;

	if (!mkdtemp(top)) {
		warn("cannot make the directory '%s'", top);
		mem_free(top);
		return FT_EXIT_ERROR;
	}
	dir = mem_format("%s/run", top);
	o->experiment.dir = dir;
	status = experiment_record(&o->experiment, &recorded);
	if (recorded)
		status = show(o, dir, status);
	experiment_remove(top);
	mem_free(dir);
	mem_free(top);
	return status;
}

static int run_and_keep(struct asked *o)
{
	bool recorded;
	int status;

	o->experiment.dir = o->keep;
	status = experiment_record(&o->experiment, &recorded);
	return recorded ? show(o, o->keep, status) : status;
}

/* Return: false after a message */
static bool may_write(const struct asked *o)
{
	char *file;
	bool ok;

	if (!o->samples)
		return outside_traces(o->keep);
	file = mem_format("%s/samples", o->samples);
	ok = outside_traces(file) && outside_traces(o->keep);
	mem_free(file);
	if (ok && access(o->samples, W_OK)) {
		warn("cannot write into '%s'", o->samples);
		ok = false;
	}
	return ok;
}

/* Return: -1, or the exit status after a message */
static int check(const struct asked *o)
{
	const struct experiment_asked *e = &o->experiment;

	if (o->read && (o->keep || e->force || e->slots || e->command))
		return usage_error("overheads", "--read shows an experiment that was kept: nothing is "
				   "recorded");
	if (o->experiment.force && !o->keep)
		return usage_error("overheads", "--force needs --output DIR");
	if (e->seconds && (e->command || o->read))
		return usage_error("overheads", "--duration is for our own load");
	if (e->seconds && (e->seconds < SECONDS_LEAST || e->seconds > SECONDS_MOST))
		return usage_error("overheads", "--duration: it takes %.1f to %.0f seconds",
				   SECONDS_LEAST, SECONDS_MOST);
	if (!may_write(o))
		return FT_EXIT_ERROR;
	if (!o->most)
		return usage_error("overheads", "--samples 0: it takes a number from 1 on");
	return -1;
}

static int overheads_main(int argc, char **argv)
{
	struct asked o = { .most = SIZE_MAX };
	int status = options_parse(&overheads_command, &o, &argc, &argv);

	if (status >= 0)
		return status;
	if (argc)
		o.experiment.command = argv;
	status = check(&o);
	if (status >= 0)
		return status;
	if (o.read)
		return show(&o, o.read, FT_EXIT_OK);
	if (!o.experiment.seconds)
		o.experiment.seconds = 10;
	return o.keep ? run_and_keep(&o) : run_and_forget(&o);
}

const struct command overheads_command = {
	.name = "overheads",
	.about = "Measures what the scheduler's operations cost",
	.usage = "[OPTION...] [--] [COMMAND [ARG]...]",
	.text = "Records a load, COMMAND or one of our own, and shows the time that scheduling,\n"
		"context switches, ticks, releases by timers and system calls took, and the\n"
		"latency of wake-ups and interprocessor interrupts. The kernel is any; it needs\n"
		"the module (ft load).\n",
	.options = options,
	.notes = "Two experiments that were kept can be compared: ft compare DIR DIR.\n"
		 "Exit status: 0 all well, 1 error or COMMAND failed, 2 usage, 3 records lost.\n",
	.complete = COMPLETE_COMMAND,
	.stop = true,
	.max = OPERANDS_ANY,
	.main = overheads_main,
};
