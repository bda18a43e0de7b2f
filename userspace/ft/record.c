// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft record: its options. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/config.h"
#include "ft/commands.h"
#include "packed/pack.h"
#include "record/exit.h"
#include "record/kernel/flight.h"
#include "record/kernel/record.h"

static int take_events(void *to, const struct option_given *given)
{
	struct record *rec = to;

	rec->chosen[rec->nchosen++] = given->value;
	return -1;
}

static int take_compress(void *to, const struct option_given *given)
{
	int *level = to;
	uint64_t n;

	if (parse_count(given->value, &n) || n < 1 || n > PACKED_LEVEL_MAX)
		return option_error(given, "must be 1 to %d, not '%s'", PACKED_LEVEL_MAX,
				    given->value);
	*level = (int)n;
	return -1;
}

/* The usual level, in words. */
#define LEVEL_TEXT(level)	#level
#define LEVEL_USUAL(level)	LEVEL_TEXT(level)

static const struct option_row options[] = {
	{ 'e', "events", "EVENTS", "names, patterns ('spin_*'), numbers, with commas; may be "
	  "repeated; see 'ft list'; tracepoints as 'tracepoint:kmem:kmalloc' or "
	  "'tracepoint:block_rq_issue(rq->__sector)', functions as 'function:vfs_read', points "
	  "in them as 'kprobe:vfs_read+0:dx'; see ft-enable(1)",
	  OPTION_CALL_ALL(take_events), .complete = COMPLETE_EVENTS },
	{ 'l', "locks", NULL, "all events of the kernel's locks",
	  OPTION_FLAG(struct record, locks) },
	{ 'u', "user", NULL, "record COMMAND and its children, too: with --locks, their locks "
	  "(pthread); with -e, the events that they declare (names that the kernel does not "
	  "have, or user:NAME); see 'ft run'", OPTION_FLAG(struct record, user.wanted) },
	{ 'o', "output", "DIR", "write here (default: ft-YYYYmmdd-HHMMSS)",
	  OPTION_PATH(struct record, path, COMPLETE_DIRECTORY) },
	{ 'd', "duration", "SECONDS", "end after this time (0.5, 10)",
	  OPTION_SECONDS(struct record, seconds) },
	{ 's', "slots", "N", "size of the ring of each CPU in records, a power of two (64k, 1M); "
	  "for this recording only",
	  OPTION_CALL(struct record, slots, config_take_slots), .word = config_slots_word },
	{ 0, "user-slots", "N", "size of the ring of each thread (default: 64k)",
	  OPTION_CALL(struct record, user_slots, config_take_slots), .word = config_slots_word },
	{ 0, "ordered", NULL, "stamp an acquisition only after it has finished, so that none is "
	  "stamped before the release that it waited for; costs tens of cycles each",
	  OPTION_FLAG(struct record, ordered) },
	{ 0, "own-session", NULL, "record in a session of its own: this and other recordings do "
	  "not disturb each other; for 'ft mark', give it a name: --session",
	  OPTION_FLAG(struct record, apart) },
	{ 0, "session", "NAME", "the same, with a name: for 'ft snapshot NAME', and for "
	  "'ft enable', 'ft mark' and so on with --session NAME; it ends with the recording",
	  OPTION_TEXT(struct record, session) },
	{ 0, "stacks", "WHAT", "record call stacks: of waits and sections that take longer, of "
			       "one in N acquisitions of a CPU, of all sleeps: 'waits>TIME', "
			       "'sections>TIME', '1/N', 'sleeps', with commas (without WHAT: "
			       STACK_CHOICE_USUAL ")",
	  OPTION_CALL(struct record, stacks, record_stacks_take), .otherwise = STACK_CHOICE_USUAL },
	{ 0, "stacks-room", "N", "with --stacks: how many different stacks are kept, a power of "
	  "two (default: 4096)", OPTION_CALL(struct record, stacks.room, record_stacks_take_room) },
	{ 0, "compress", "LEVEL", "write a compressed trace, which all commands read as a plain one; "
	  "from 1 (fast, if there is no LEVEL) to 19 (small)",
	  OPTION_CALL(struct record, compress, take_compress),
	  .otherwise = LEVEL_USUAL(PACKED_LEVEL) },
	OPTION_GROUP(struct record, rotation, rotation_options),
	{ 0, "no-lock-names", NULL, "do not ask the kernel's memory what locks are: see ft-record(1)",
	  OPTION_FLAG(struct record, lock_names.unwanted) },
	{ 0, "force", NULL, "replace the trace in DIR", OPTION_FLAG(struct record, force) },
	{ 'q', "quiet", NULL, "at the end, say only what went wrong",
	  OPTION_FLAG(struct record, quiet) },
	OPTION_TITLE("Flight recorder:"),
	{ 0, "flight", NULL, "keep the latest records in the rings of a session of its own "
	  "(--session NAME, or record_PID); write them to DIR/1, DIR/2 and so on: at each "
	  "SIGUSR1 that ft gets, and at the end; see 'ft snapshot'",
	  OPTION_FLAG(struct record, flight) },
	{ 0, "headroom", "N", "with --flight: records of each ring to keep free for bursts, at "
	  "most half of it (default: a quarter)",
	  OPTION_CALL(struct record, headroom, config_take_headroom) },
	{ 0, "when", "CONDITION", "also write them when this holds: 'EVENT', 'EVENT.FIELD == VALUE' (!=, "
	  "<, <=, >, >=), 'hold(spin) > 1ms', 'wait(mutex) > 5ms', 'time(EVENT, EVENT) > 1s', "
	  "'SENSOR > 1ms' (or > 10); "
	  "'&& comm == NAME' (tid, cpu, a field; count == N) restricts it; 'NAME: ' in front "
	  "names it; may be repeated", OPTION_CALL(struct record, when.all, conditions_take) },
	{ 0, "after", "SECONDS", "with --when: go on recording for this time, then write",
	  OPTION_SECONDS(struct record, when.all.after) },
	{ 0, "then", "WHAT", "snapshot: write one (the default); stop: close the rings at the very "
	  "event, write, and end; mark: only write a record; 'exec COMMAND': run it in a shell; "
	  "may be repeated", OPTION_CALL(struct record, when, record_when_take_then),
	  .word = record_when_word },
	{ 0, "times", "N", "with --when: act at most N times (default: 1)",
	  OPTION_NUMBER(struct record, when.all.times) },
	{ }
};

/* A name for a flight recorder's session that has none: snapshots need one. */
static const char *own_name(void)
{
	static char name[32];

	snprintf(name, sizeof(name), "record_%d", (int)getpid());
	return name;
}

/* Return: exit status, or -1 to go on. */
static int parse_options(struct record *rec, int argc, char **argv)
{
	int ret = options_parse(&record_command, rec, &argc, &argv);

	if (ret >= 0)
		return ret;
	ret = record_when_check(&rec->when, rec->flight);
	if (ret >= 0)
		return ret;
	ret = record_stacks_check(&rec->stacks);
	if (ret >= 0)
		return ret;
	if (!rec->nchosen && !rec->locks && !rec->when.all.n)
		return usage_error("record", "record which events? -e EVENTS (see: ft list), or "
				   "--locks");
	if (argc)
		rec->child.argv = argv;
	if (rec->user.wanted && !argc)
		return usage_error("record", "--user records what COMMAND does: which command? "
				   "Name it behind the options");
	if (rec->flight && rec->user.wanted)
		return usage_error("record", "--flight and --user exclude each other; run the "
				   "command with ft run --flight, while ft record --flight runs");
	if (rec->flight && rec->compress)
		return usage_error("record", "--flight and --compress exclude each other; a "
				   "snapshot becomes smaller with ft export -f compressed");
	if (rec->flight && !rec->session)
		rec->session = own_name();
	rec->apart |= !!rec->session;
	if (rec->headroom && !rec->flight)
		return usage_error("record", "--headroom is for a flight recorder: add --flight");
	if (rec->user_slots && !rec->user.wanted)
		return usage_error("record", "--user-slots needs --user");
	rec->rotation.forward.quiet = rec->quiet;
	ret = rotation_check(&rec->rotation, "record", &rec->path, rec->default_path, rec->flight);
	if (ret >= 0)
		return ret;
	if (rotation_wanted(&rec->rotation) && rec->user.wanted)
		return usage_error("record", "--rotate (or --to) and --user exclude each "
				   "other; of programs alone: ft run --rotate, ft run --to");
	if (rec->user_slots)
		rec->user.run.slots = rec->user_slots;
	rec->user.run.ordered = rec->ordered;
	return -1;
}

static int record_main(int argc, char **argv)
{
	struct record rec = { .control = -1, .holder = -1, .signal_fd = -1,
			      .parts = { RECORD_PART_INIT, RECORD_PART_INIT },
			      .part = &rec.parts[0], .rotation = ROTATION_INIT,
			      .tasks = RECORD_TASKS_INIT, .when = RECORD_WHEN_INIT,
			      .user = RECORD_USER_INIT };
	int status;

	rec.path = record_dir_default(rec.default_path);
	rec.chosen = calloc(argc, sizeof(*rec.chosen));
	if (!rec.chosen)
		err(FT_EXIT_FAILED, "ft record");
	status = record_exit_own(parse_options(&rec, argc, argv));
	if (status < 0 && rec.flight) {
		status = flight_record(&rec);
	} else if (status < 0) {
		if (record_prepare(&rec)) {
			status = record_run(&rec);
		} else {
			record_cleanup(&rec, true);
			status = FT_EXIT_FAILED;
		}
	}
	free(rec.chosen);
	return status;
}

const struct command record_command = {
	.name = "record",
	.about = "Records a trace into a directory",
	.usage = "-e EVENTS|--locks [OPTION...] [--] [COMMAND...]",
	.text = "Records a trace into a directory: until COMMAND ends, for a time, or\n"
		"until Ctrl-C. Every CTF reader opens the directory; so does 'ft report'.\n",
	.options = options,
	.notes = "Exit status: COMMAND's, 128+N if signal N ended it, 0 without one; 3 records\n"
		 "were lost and it would be 0; 125 ft failed, or bad arguments; 126, 127\n"
		 "COMMAND cannot be run, was not found.\n",
	.complete = COMPLETE_COMMAND,
	.stop = true,
	.max = OPERANDS_ANY,
	.main = record_main,
};
