// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The session file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "trace/session_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const keys[] = { "host", "command", "lost.cpu3", "" };
	static const size_t room[] = { 0, 1, 7, 256 };
	size_t i, j;

	files_write(SESSION_FILE, data, size);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		for (j = 0; j < sizeof(room) / sizeof(room[0]); j++) {
			char *buf = malloc(room[j] ? room[j] : 1);
			int ret = session_get(files_dir(), keys[i], buf, room[j]);

			if (!ret && strlen(buf) >= room[j])
				abort();
			if (ret && ret != -ENOENT && ret != -ENAMETOOLONG)
				abort();
			free(buf);
		}
	}
	return 0;
}
