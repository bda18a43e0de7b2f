// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft fix. Whatever it was given: what it has mended can be read to its end, and
 * has nothing to mend any more.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_status.h"
#include "files.h"
#include "ft/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char fixed[96];
	int ret, report;

	files_trace(data, size);
	snprintf(fixed, sizeof(fixed), "%s.fixed", files_dir());
	ret = files_run(&fix_command,
			(const char *[]){ "-o", fixed, files_dir(), NULL });
	if (ret == FT_EXIT_USAGE)
		abort();
	if (ret != FT_EXIT_ERROR) {
		report = files_run(&report_command,
				   (const char *[]){ "--tsv", fixed, NULL });
		if (report != FT_EXIT_OK && report != FT_EXIT_LOST)
			abort();
		if (ret == FT_EXIT_LOST && report != FT_EXIT_LOST)
			abort();
		if (files_run(&fix_command,
			      (const char *[]){ "-n", fixed, NULL }) != FT_EXIT_OK)
			abort();
	}
	files_remove(fixed);
	return 0;
}
