// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft sites: an ELF file of any kind. */
#include <stdio.h>
#include <stdlib.h>

#include "base/exit_status.h"
#include "files.h"
#include "ft/commands.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ways[][3] = {
		{ "--tsv", "--sort=event", NULL },
		{ "--json", "--no-demangle", NULL },
	};
	char path[96];

	files_write("elf", data, size);
	snprintf(path, sizeof(path), "%s/elf", files_dir());
	for (int i = 0; i < 2; i++) {
		if (files_run(&sites_command,
			      (const char *[]){ ways[i][0], ways[i][1], path,
						NULL }) == FT_EXIT_USAGE)
			abort();
	}
	return 0;
}
