// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Options that ft run and ft attach share. */
#include "base/usage.h"
#include "control/config.h"
#include "record/program/job.h"

int run_job_take_events(void *to, const struct option_given *given)
{
	const char *bad = run_add_patterns(to, given->value);

	return bad ? usage_error(given->command, "%s", bad) : -1;
}

const struct option_row run_job_options[] = {
	{ 'o', "output", "DIR", "write here (default: ft-YYYYmmdd-HHMMSS)",
	  OPTION_PATH(struct run_job, path, COMPLETE_DIRECTORY) },
	{ 's', "slots", "N", "size of the ring of each thread in records, a power of two "
	  "(default: 64k)",
	  OPTION_CALL(struct run_job, run.slots, config_take_slots), .word = config_slots_word },
	OPTION_GROUP(struct run_job, rotation, rotation_options),
	{ 0, "force", NULL, "replace the trace in DIR", OPTION_FLAG(struct run_job, force) },
	{ }
};

const struct option_row run_flight_options[] = {
	{ 0, "when", "CONDITION", "write them also when 'EVENT' happens, or 'EVENT.FIELD == VALUE' "
	  "(!=, <, <=, >, >=) holds; 'NAME: ' in front names it; may be repeated",
	  OPTION_CALL(struct run_job, when.all, conditions_take) },
	{ 0, "after", "SECONDS", "with --when: go on recording for this time, then write",
	  OPTION_SECONDS(struct run_job, when.all.after) },
	{ 0, "times", "N", "with --when: write at most N times (default: 1)",
	  OPTION_NUMBER(struct run_job, when.all.times) },
	{ }
};
