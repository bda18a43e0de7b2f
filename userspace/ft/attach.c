// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft attach: its options. The recording is that of ft run: record/program/job.h. */
#include "base/usage.h"
#include "ft/commands.h"
#include "process/by_hand.h"
#include "record/program/job.h"

static int refuse_stacks(void *to, const struct option_given *given)
{
	(void)to;
	return usage_error(given->command, "stacks belong to waits and sections of locks, and "
					   "'ft attach' records no locks: run the program with "
					   "'ft run --locks --stacks'");
}

static const struct option_row options[] = {
	{ 'e', "events", "EVENTS", "names, patterns ('queue_*'), numbers, with commas; may be "
	  "repeated", OPTION_CALL(struct run_job, run, run_job_take_events) },
	{ 'd', "duration", "SECONDS", "end after this time (0.5, 10)",
	  OPTION_SECONDS(struct run_job, seconds) },
	OPTION_GROUP_ALL(run_job_options),
	OPTION_TITLE("Flight recorder:"),
	{ 0, "flight", NULL, "keep the latest records in memory; write them to DIR/1, DIR/2 and "
	  "so on: at each SIGUSR1 that ft gets, and at the end",
	  OPTION_FLAG(struct run_job, run.flight) },
	OPTION_GROUP_ALL(run_flight_options),
	{ 0, "stacks", "WHAT", NULL, OPTION_CALL_ALL(refuse_stacks), .otherwise = "" },
	{ }
};

/* Return: exit status, or -1 to go on. */
static int parse_options(struct run_job *job, int argc, char **argv)
{
	int ret = options_parse(&attach_command, job, &argc, &argv);

	if (ret >= 0)
		return ret;
	job->pid = pid_parse(argv[0]);
	if (!job->pid)
		return usage_error("attach", "not the number of a process: '%s'", argv[0]);
	ret = conditions_check(&job->when.all, "attach", job->run.flight);
	if (ret < 0)
		ret = rotation_check(&job->rotation, "attach", &job->path, job->default_path,
				     job->run.flight);
	if (ret >= 0)
		return ret;
	if (!*job->run.patterns && !job->when.all.n)
		return usage_error("attach", "record what? -e EVENTS; to see them: "
				   "ft list --pid %d", job->pid);
	return -1;
}

static int attach_main(int argc, char **argv)
{
	static struct run_job job = RUN_JOB_INIT("ft attach --slots");
	int status;

	job.path = record_dir_default(job.default_path);
	status = parse_options(&job, argc, argv);
	return status < 0 ? run_job(&job, NULL) : status;
}

const struct command attach_command = {
	.name = "attach",
	.about = "Records the events of a running program",
	.usage = "PID -e EVENTS [OPTION...]",
	.text = "Records events of a running program that is linked with libfeathertrace, until\n"
		"it ends, or Ctrl-C. The events are on for this time only; afterwards the program\n"
		"goes on as before. It must be yours (see ptrace(2)); root may attach to any.\n"
		"To see its events: ft list --pid PID\n",
	.options = options,
	.notes = "Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n",
	.min = 1,
	.max = 1,
	.missing = "attach to which process? Its number is missing",
	.excess = "one process at a time",
	.main = attach_main,
};
