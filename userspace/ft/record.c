// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft record: its options. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/config.h"
#include "ft/commands.h"
#include "record/exit.h"
#include "record/kernel/record.h"

#define OPTION_USER_SLOTS	0x100
#define OPTION_ORDERED		0x101

static const char help[] =
	"Usage: ft record -e EVENTS|--locks [OPTION...] [--] [COMMAND...]\n"
	"\n"
	"Records a trace into a directory: until COMMAND ends, for a time, or\n"
	"until Ctrl-C. Every CTF reader opens the directory; so does 'ft report'.\n"
	"\n"
	"  -e, --events EVENTS  names, patterns ('spin_*'), numbers, with commas;\n"
	"                       may be repeated; see 'ft list'; tracepoints as\n"
	"                       'tracepoint:sched:sched_switch'\n"
	"  -l, --locks          all events of the kernel's locks\n"
	"  -u, --user           also what COMMAND and its children do: with --locks\n"
	"                       their locks (pthread); with -e the events that they\n"
	"                       declare (names that the kernel does not have, or\n"
	"                       user:NAME); see 'ft run'\n"
	"  -o, --output DIR     write here (default: ft-YYYYmmdd-HHMMSS)\n"
	"  -d, --duration SECONDS\n"
	"                       end after this time (0.5, 10)\n"
	"  -s, --slots N        size of the ring of each CPU in records, a power\n"
	"                       of two (64k, 1M); for this recording only\n"
	"      --user-slots N   size of the ring of each thread (default: 64k)\n"
	"      --ordered        acquisitions of locks read the clock only when they\n"
	"                       have finished: none is stamped before the release\n"
	"                       that it waited for; tens of cycles more for each\n"
	"      --force          replace the trace in DIR\n"
	"\n"
	"Exit status: COMMAND's, 128+N if signal N ended it, 0 without one; 3 records\n"
	"were lost and it would be 0; 125 ft failed, or bad arguments; 126, 127\n"
	"COMMAND cannot be run, was not found.\n";

/* Applies one option. Return: exit status, or -1 to go on. */
static int apply_option(struct record *rec, int c, char **argv)
{
	const char *bad;

	switch (c) {
	case 'e':
		rec->chosen[rec->nchosen++] = optarg;
		return -1;
	case 'l':
		rec->locks = true;
		return -1;
	case 'o':
		rec->path = optarg;
		return -1;
	case 'f':
		rec->force = true;
		return -1;
	case 'd':
		if (parse_seconds(optarg, &rec->seconds))
			return usage_error(argv[0], "not a number of seconds: "
					   "'%s'", optarg);
		return -1;
	case 'u':
		rec->user.wanted = true;
		return -1;
	case OPTION_ORDERED:
		rec->ordered = true;
		rec->user.run.ordered = true;
		return -1;
	case 's':
	case OPTION_USER_SLOTS:
		bad = config_parse_slots(optarg, c == 's' ? &rec->slots :
						 &rec->user_slots);
		if (bad)
			return usage_error(argv[0], "%s: '%s'", bad, optarg);
		return -1;
	case 'h':
		fputs(help, stdout);
		return flush_output(FT_EXIT_OK);
	}
	return usage_bad_option(c, argv);
}

/* Return: exit status, or -1 to go on. */
static int parse_options(struct record *rec, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "events", required_argument, NULL, 'e' },
		{ "locks", no_argument, NULL, 'l' },
		{ "output", required_argument, NULL, 'o' },
		{ "duration", required_argument, NULL, 'd' },
		{ "slots", required_argument, NULL, 's' },
		{ "user", no_argument, NULL, 'u' },
		{ "user-slots", required_argument, NULL, OPTION_USER_SLOTS },
		{ "ordered", no_argument, NULL, OPTION_ORDERED },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	/* '+': what follows COMMAND belongs to it */
	while ((c = getopt_long(argc, argv, "+:e:lo:d:s:uh",
				longopts, NULL)) != -1) {
		c = apply_option(rec, c, argv);
		if (c >= 0)
			return c;
	}
	if (!rec->nchosen && !rec->locks)
		return usage_error(argv[0], "record which events? "
				   "-e EVENTS (see: ft list), or --locks");
	if (!*rec->path)
		return usage_error(argv[0], "the name of the directory (-o) is "
				   "empty");
	if (optind < argc)
		rec->child.argv = argv + optind;
	if (rec->user.wanted && !rec->child.argv)
		return usage_error(argv[0], "--user records what COMMAND does: run "
				   "which command?");
	if (rec->user_slots && !rec->user.wanted)
		return usage_error(argv[0], "--user-slots is for the programs: "
				   "--user");
	if (rec->user_slots)
		rec->user.run.slots = rec->user_slots;
	return -1;
}

int record_main(int argc, char **argv)
{
	struct record rec = { .control = -1, .holder = -1, .session = -1,
			      .signal_fd = -1, .dir.fd = -1,
			      .tasks = RECORD_TASKS_INIT,
			      .user = RECORD_USER_INIT };
	int status;

	rec.path = record_dir_default(rec.default_path);
	rec.chosen = calloc(argc, sizeof(*rec.chosen));
	if (!rec.chosen)
		err(FT_EXIT_FAILED, "ft record");
	status = record_exit_own(parse_options(&rec, argc, argv));
	if (status < 0) {
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
