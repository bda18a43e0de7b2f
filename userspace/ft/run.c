// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft run: its options. */
#include <unistd.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/number.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "ft/run_sensors.h"
#include "record/exit.h"
#include "record/program/job.h"
#include "sensor/labels.h"
#include "trace/outside.h"

#define BLOCK_MAX	3600000u	/* ms */
#define HEAP_BLOCK	1000u		/* ms: with --heap, if no other is given */

static int take_block(void *to, const struct option_given *given)
{
	uint64_t ms;

	if (parse_u64(given->value, &ms) || !ms || ms > BLOCK_MAX)
		return option_error(given, "is not a number of milliseconds from 1 to %u: '%s'",
				    BLOCK_MAX, given->value);
	*(__u32 *)to = (__u32)ms;
	return -1;
}

static int take_stacks(void *to, const struct option_given *given)
{
	struct stack_choice *choice = to;
	const char *bad = stack_choice_parse(given->value, choice);

	if (!bad && choice->sleeps)
		bad = "'sleeps' are of the kernel: ft record";
	return bad ? option_error(given, "'%s': %s", given->value, bad) : -1;
}

/* As enum ft_session_unwind has them. */
static const char *unwind_name(unsigned int i)
{
	static const char *const names[] = { "fp", "dwarf" };

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static int take_sensors(void *to, const struct option_given *given)
{
	struct run_job *job = to;

	job->run.senses = true;
	job->sensors_file = given->value;
	return -1;
}

/* From FT_SPLIT_SITE on, as enum ft_sensor_split has them. */
static const char *sensors_by_name(unsigned int i)
{
	return i <= FT_SPLIT_TASK - FT_SPLIT_SITE ? label_split(FT_SPLIT_SITE + i) : NULL;
}

static const struct option_row options[] = {
	{ 'e', "events", "EVENTS", "events of programs that are linked with libfeathertrace: "
	  "names, patterns ('queue_*'), with commas; may be repeated",
	  OPTION_CALL(struct run_job, run, run_job_take_events) },
	{ 'l', "locks", NULL, "mutexes, rwlocks, spinlocks, semaphores and waits for conditions "
	  "of unmodified programs (pthread)", OPTION_FLAG(struct run_job, run.locks) },
	{ 0, "heap", NULL, "allocations of unmodified programs: malloc() and its like, new and "
			   "delete; implies --block, except with --flight; 'ft report --heap' "
			   "shows them",
	  OPTION_FLAG(struct run_job, run.heap) },
	{ 0, "heap-maps", NULL, "with --heap: mappings as well, of mmap(), mremap() and munmap()",
	  OPTION_FLAG(struct run_job, run.heap_maps) },
	OPTION_GROUP_ALL(run_job_options),
	{ 0, "ordered", NULL, "stamp an acquisition after the lock is taken, never before, so that "
	  "sections do not overlap; costs 15 ns each",
	  OPTION_FLAG(struct run_job, run.ordered) },
	{ 0, "no-lock-names", NULL, "do not find out what locks are: see ft-run(1)",
	  OPTION_FLAG(struct run_job, run.lock_names.unwanted) },
	{ 0, "stacks", "WHAT", "record the stack of what takes long, with commas: 'waits', 'waits>10us', "
	  "'sections>100us', and '1/N' acquisitions or allocations (default: "
	  STACK_CHOICE_USUAL ")",
	  OPTION_CALL(struct run_job, run.stacks, take_stacks), .otherwise = STACK_CHOICE_USUAL },
	{ 0, "unwind", "HOW", "find callers with frame pointers (fp, the default) or with the "
	  "unwind tables of the programs' files (dwarf): see ft-run(1)",
	  OPTION_CHOICE(struct run_job, run.unwind, unwind_name) },
	{ 0, "block", "MS", "when a ring is full, its thread waits for room, at most MS "
	  "milliseconds (default: 1000), instead of losing the record",
	  OPTION_CALL(struct run_job, run.wait_ms, take_block), .otherwise = "1000" },
	{ 0, "sensors", "FILE", "count and measure instead of recording: how long locks are held "
	  "and waited for, by call site, and the programs' own sensors; shown at the end, with "
	  "FILE written there as JSON; -e and --locks record as well",
	  OPTION_CALL_ALL(take_sensors), .otherwise = "" },
	{ 0, "sensors-by", "WHAT", "with --sensors: locks have a row for each site (default), lock or "
	  "task", OPTION_CHOICE(struct run_job, run.senses_by, sensors_by_name) },
	OPTION_TITLE("Flight recorder:"),
	{ 0, "flight", NULL, "keep the latest records in memory; write them to DIR/1, DIR/2 and "
	  "so on: at each SIGUSR1 that ft gets, at a crash of COMMAND, at the end",
	  OPTION_FLAG(struct run_job, run.flight) },
	OPTION_GROUP_ALL(run_flight_options),
	{ }
};

/* Return: exit status, or -1 to go on. */
static int parse_options(struct run_job *job, int argc, char **argv)
{
	int ret = options_parse(&run_command, job, &argc, &argv);

	if (ret >= 0)
		return ret;
	ret = conditions_check(&job->when.all, "run", job->run.flight);
	if (ret >= 0)
		return ret;
	ret = rotation_check(&job->rotation, "run", &job->path, job->default_path,
			     job->run.flight);
	if (ret >= 0)
		return ret;
	job->run.recorded = (*job->run.patterns || job->when.all.n ? FT_RECORDED_EVENTS : 0) |
			    (job->run.locks ? FT_RECORDED_LOCKS : 0) |
			    (job->run.heap ? FT_RECORDED_HEAP : 0) |
			    (job->run.heap_maps ? FT_RECORDED_MAPS : 0);
	if (job->run.heap_maps && !job->run.heap)
		return usage_error("run", "--heap-maps is for the heap: add --heap");
	if (job->run.heap && job->run.senses)
		return usage_error("run", "--heap and --sensors: take one of them");
	/* a release that is lost looks like a block that nobody has freed */
	if (job->run.heap && !job->run.flight && !job->run.wait_ms)
		job->run.wait_ms = HEAP_BLOCK;
	job->run.locks |= job->run.senses;
	if (!job->run.recorded && !job->run.senses)
		return usage_error("run", "record what? -e EVENTS (the program's own), --locks, "
				   "--heap, or --sensors");
	if (job->run.ordered && !job->run.locks)
		return usage_error("run", "--ordered is for locks: add --locks");
	if (job->run.senses_by && !job->run.senses)
		return usage_error("run", "--sensors-by is for sensors: add --sensors");
	if (job->run.senses && job->run.flight)
		return usage_error("run", "--sensors and --flight: take one of them");
	if (job->run.lock_names.unwanted && !job->run.locks)
		return usage_error("run", "--no-lock-names is for locks: add --locks");
	if (!stack_choice_is_empty(&job->run.stacks) &&
	    !(job->run.recorded & (FT_RECORDED_LOCKS | FT_RECORDED_HEAP)))
		return usage_error("run", "--stacks is for locks and the heap: add --locks or --heap");
	if (!stack_choice_is_empty(&job->run.stacks) && !job->run.locks && !job->run.stacks.one_in)
		return usage_error("run", "waits and sections need --locks; with --heap alone: "
				   "--stacks=1/N, the stack of one in N allocations");
	if (job->run.unwind && stack_choice_is_empty(&job->run.stacks))
		return usage_error("run", "--unwind is for stacks: add --stacks");
	job->child.argv = argv;
	return outside_traces(job->sensors_file) ? -1 : FT_EXIT_FAILED;
}

static int run_command_main(struct run_job *job)
{
	int status;

	if (run_job_has_trace(job))
		return run_job(job, run_sensors_show);
	/* what names addresses is saved there, as for a trace */
	job->path = run_sensors_place();
	job->force = true;
	if (!job->path)
		return FT_EXIT_FAILED;
	status = run_job(job, run_sensors_show);
	rmdir(job->path);
	return status;
}

static int run_main(int argc, char **argv)
{
	static struct run_job job = RUN_JOB_INIT("ft run --slots");
	int status;

	job.path = record_dir_default(job.default_path);
	status = record_exit_own(parse_options(&job, argc, argv));
	return status < 0 ? run_command_main(&job) : status;
}

const struct command run_command = {
	.name = "run",
	.about = "Records what programs do: their events, their locks, their heap",
	.usage = "-e EVENTS|--locks|--heap|--sensors [OPTION...] [--] COMMAND...",
	.text = "Runs COMMAND and records what happens in it and in all that it starts,\n"
		"until the last of them has ended. Needs no module and no privileges. Every\n"
		"CTF reader opens the directory; so does 'ft report'.\n",
	.options = options,
	.notes = "Exit status: COMMAND's, 128+N if signal N ended it; 3 records were lost and\n"
		 "it would be 0; 125 ft failed, or bad arguments; 126, 127 COMMAND cannot be\n"
		 "run, was not found.\n",
	.complete = COMPLETE_COMMAND,
	.stop = true,
	.min = 1,
	.max = OPERANDS_ANY,
	.missing = "run which command?",
	.main = run_main,
};
