// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft attach: its options. The recording is that of ft run: record/program/job.h. */
#include <getopt.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "ft/pid.h"
#include "ft/run_options.h"

static const char help[] =
	"Usage: ft attach PID -e EVENTS [OPTION...]\n"
	"\n"
	"Records events of a program that runs and is linked with libfeathertrace,\n"
	"until it ends, or Ctrl-C. The events are turned on for this time; the program\n"
	"goes on afterwards as before. It must be yours (see ptrace(2)); root may\n"
	"always. To see its events: ft list --pid PID\n"
	"\n"
	"  -e, --events EVENTS  names, patterns ('queue_*'), numbers, with commas; may\n"
	"                       be repeated\n"
	"  -d, --duration S     end after S seconds\n"
	"  -o, --output DIR     write here (default: ft-YYYYmmdd-HHMMSS)\n"
	"  -s, --slots N        size of the ring of each thread in records, a power\n"
	"                       of two (default: 64k)\n"
	"      --force          replace the trace in DIR\n"
	"\n"
	"Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n";

/* Applies one option. Return: exit status, or -1 to go on. */
static int apply_option(struct run_job *job, int c, char **argv)
{
	switch (c) {
	case 'd':
		if (parse_seconds(optarg, &job->seconds))
			return usage_error(argv[0], "not a number of seconds: '%s'",
					   optarg);
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
		{ "duration", required_argument, NULL, 'd' },
		{ "output", required_argument, NULL, 'o' },
		{ "slots", required_argument, NULL, 's' },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, ":e:d:o:s:h", longopts, NULL)) != -1) {
		c = apply_option(job, c, argv);
		if (c >= 0)
			return c;
	}
	if (optind == argc)
		return usage_error(argv[0], "attach to which process? Its number "
				   "is missing");
	if (optind + 1 < argc)
		return usage_error(argv[0], "one process at a time: '%s'",
				   argv[optind + 1]);
	job->pid = pid_parse(argv[optind]);
	if (!job->pid)
		return pid_bad(argv[0], argv[optind]);
	if (!*job->run.patterns)
		return usage_error(argv[0], "record what? -e EVENTS; to see them: "
				   "ft list --pid %d", job->pid);
	if (!*job->path)
		return usage_error(argv[0], "the name of the directory (-o) is "
				   "empty");
	return -1;
}

int attach_main(int argc, char **argv)
{
	static struct run_job job = RUN_JOB_INIT("ft attach --slots");
	int status;

	job.path = record_dir_default(job.default_path);
	status = parse_options(&job, argc, argv);
	return status < 0 ? run_job(&job) : status;
}
