// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* All commands that read a whole trace. */
#include <stdlib.h>

#include "base/exit_status.h"
#include "files.h"
#include "ft/commands.h"

static void check(int status)
{
	if (status != FT_EXIT_OK && status != FT_EXIT_ERROR && status != FT_EXIT_LOST)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *dir = files_dir();

	files_trace(data, size);
	check(files_run(&report_command,
			(const char *[]){ "--balance", dir, NULL }));
	check(files_run(&report_command,
			(const char *[]){ "--tsv", dir, NULL }));
	check(files_run(&report_command,
			(const char *[]){ "--rt", dir, NULL }));
	check(files_run(&why_command,
			(const char *[]){ "--json", dir, NULL }));
	check(files_run(&why_command, (const char *[]){ dir, NULL }));
	check(files_run(&requests_command, (const char *[]){
		"--begin", "mark", "--end", "contention_end", dir, NULL }));
	check(files_run(&export_command,
			(const char *[]){ "-fcsv", dir, NULL }));
	check(files_run(&export_command,
			(const char *[]){ "-fchrome", dir, NULL }));
	check(files_run(&dump_command,
			(const char *[]){ "--clock=wall", dir, NULL }));
	return 0;
}
