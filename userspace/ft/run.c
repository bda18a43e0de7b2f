// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft run: its options. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "control/config.h"
#include "ft/commands.h"
#include "ft/run_options.h"
#include "record/exit.h"

static const char help[] =
	"Usage: ft run -e EVENTS|--locks [OPTION...] [--] COMMAND...\n"
	"\n"
	"Runs COMMAND and records what happens in it and in all that it starts,\n"
	"until the last of them has ended. Needs no module and no rights. Every CTF\n"
	"reader opens the directory; so does 'ft report'.\n"
	"\n"
	"  -e, --events EVENTS  events of programs that are linked with\n"
	"                       libfeathertrace: names, patterns ('queue_*'), with\n"
	"                       commas; may be repeated\n"
	"  -l, --locks          mutexes, rwlocks, spinlocks, semaphores and waits for\n"
	"                       conditions of unmodified programs (pthread)\n"
	"  -o, --output DIR     write here (default: ft-YYYYmmdd-HHMMSS)\n"
	"  -s, --slots N        size of the ring of each thread in records, a power\n"
	"                       of two (default: 64k)\n"
	"      --ordered        read the clock of an acquisition after the lock is taken,\n"
	"                       never before: sections do not overlap; costs 15 ns each\n"
	"      --force          replace the trace in DIR\n"
	"\n"
	"Exit status: COMMAND's, 128+N if signal N ended it; 3 records were lost and\n"
	"it would be 0; 125 ft failed, or bad arguments; 126, 127 COMMAND cannot be\n"
	"run, was not found.\n";

/* Return: exit status, or -1 to go on. */
static int add_patterns(struct run *run, const char *command)
{
	const char *bad = run_add_patterns(run, optarg);

	return bad ? usage_error(command, "%s", bad) : -1;
}

int run_job_option(struct run_job *job, int c, char **argv)
{
	struct run *run = &job->run;
	const char *bad;

	switch (c) {
	case 'e':
		return add_patterns(run, argv[0]);
	case 'o':
		job->path = optarg;
		return -1;
	case 'f':
		job->force = true;
		return -1;
	case 's':
		bad = config_parse_slots(optarg, &run->slots);
		if (bad)
			return usage_error(argv[0], "%s: '%s'", bad, optarg);
		return -1;
	}
	return usage_bad_option(c, argv);
}

/* Applies one option. Return: exit status, or -1 to go on. */
static int apply_option(struct run_job *job, int c, char **argv)
{
	switch (c) {
	case 'l':
		job->run.locks = true;
		return -1;
	case 'O':
		job->run.ordered = true;
		return -1;
	case 'h':
		fputs(help, stdout);
		return flush_output(FT_EXIT_OK);
	}
	return run_job_option(job, c, argv);
}

/* Return: exit status, or -1 to go on. */
static int parse_options(struct run_job *job, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "events", required_argument, NULL, 'e' },
		{ "locks", no_argument, NULL, 'l' },
		{ "output", required_argument, NULL, 'o' },
		{ "slots", required_argument, NULL, 's' },
		{ "ordered", no_argument, NULL, 'O' },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	/* '+': what follows COMMAND belongs to it */
	while ((c = getopt_long(argc, argv, "+:e:lo:s:h", longopts,
				NULL)) != -1) {
		c = apply_option(job, c, argv);
		if (c >= 0)
			return c;
	}
	if (!*job->run.patterns && !job->run.locks)
		return usage_error(argv[0], "record what? -e EVENTS (the "
				   "program's own), or --locks");
	if (job->run.ordered && !job->run.locks)
		return usage_error(argv[0], "--ordered is for locks: add --locks");
	if (!*job->path)
		return usage_error(argv[0], "the name of the directory (-o) is "
				   "empty");
	if (optind == argc)
		return usage_error(argv[0], "run which command?");
	job->child.argv = argv + optind;
	return -1;
}

int run_main(int argc, char **argv)
{
	static struct run_job job = RUN_JOB_INIT("ft run --slots");
	int status;

	job.path = record_dir_default(job.default_path);
	status = record_exit_own(parse_options(&job, argc, argv));
	return status < 0 ? run_job(&job) : status;
}
