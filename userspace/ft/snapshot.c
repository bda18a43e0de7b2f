// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft snapshot: its options. */
#include <signal.h>

#include "base/exit_status.h"
#include "control/sessions.h"
#include "ft/commands.h"
#include "record/kernel/snapshot.h"
#include "trace/directory.h"

static const struct option_row options[] = {
	{ 'o', "output", "DIR", "write here (default: ft-YYYYmmdd-HHMMSS)",
	  OPTION_PATH(struct snapshot, path, COMPLETE_DIRECTORY) },
	{ 0, "force", NULL, "replace the trace in DIR", OPTION_FLAG(struct snapshot, force) },
	{ }
};

static int snapshot_main(int argc, char **argv)
{
	char default_path[RECORD_DIR_DEFAULT];
	struct snapshot s = { .path = record_dir_default(default_path), .why = "asked",
			      .control = -1 };
	int ret = options_parse(&snapshot_command, &s, &argc, &argv);

	if (ret >= 0)
		return ret;
	s.session = argv[0];
	if (!s.session && !snapshot_guess(&s.session))
		return FT_EXIT_ERROR;
	/* report a file that may not grow as an error */
	signal(SIGXFSZ, SIG_IGN);
	return snapshot_take(&s);
}

const struct command snapshot_command = {
	.name = "snapshot",
	.about = "Writes the flight recorder's records into a directory",
	.usage = "[SESSION] [-o DIR] [--force]",
	.text = "Writes the latest records of the kernel's rings into a directory, as a trace\n"
		"like those of 'ft record', while recording goes on. The rings keep the latest\n"
		"records with 'ft record --flight', or after 'ft config mode=overwrite' while\n"
		"events are on. Without SESSION: those of the default session if it does so,\n"
		"else of the only one. The next snapshot begins where this one ends.\n",
	.options = options,
	.notes = "Exit status: 0; 1 an error; 2 bad arguments; 3 records were lost in that time.\n",
	.word = sessions_word,
	.max = 1,
	.excess = "one session at a time",
	.main = snapshot_main,
};
