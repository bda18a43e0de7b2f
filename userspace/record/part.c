// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A directory that a recording writes to: see part.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "record/part.h"
#include "trace/session_file.h"

/* Disk space reserved for the session file at the start. */
#define SESSION_ROOM	(64 * 1024)

bool record_part_session(struct record_part *part)
{
	part->session = record_dir_create(&part->dir, SESSION_FILE);
	if (part->session < 0)
		return false;
	/* best effort: not every file system can reserve space */
	if (fallocate(part->session, FALLOC_FL_KEEP_SIZE, 0, SESSION_ROOM) &&
	    errno == ENOSPC) {
		warn("cannot write into %s", part->dir.path);
		return false;
	}
	return true;
}

void record_part_close(struct record_part *part, bool discard)
{
	if (part->session >= 0)
		close(part->session);
	part->session = -1;
	if (part->dir.fd >= 0 && discard)
		record_dir_discard(&part->dir);
	record_dir_close(&part->dir);
}
