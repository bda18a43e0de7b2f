// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft export --format csv --heap. */
#include <err.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "ft/export/heap.h"

int export_heap(const struct heap_asked *asked, const char *output, char *const *dirs)
{
	FILE *f = output ? fopen(output, "we") : stdout;
	int status;

	if (!f) {
		warn("cannot write %s", output);
		return FT_EXIT_ERROR;
	}
	status = heap_csv(asked, dirs, f);
	if (output && fclose(f)) {
		warn("cannot write %s", output);
		status = FT_EXIT_ERROR;
	}
	return status;
}
