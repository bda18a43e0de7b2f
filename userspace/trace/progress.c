// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Progress of long work. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/visible.h"
#include "trace/progress.h"

#define CLEAR	"\r\033[K"	/* to the start of the line, and all behind it away */

void progress_show(const char *fmt, ...)
{
	char *text, *shown;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vformat(fmt, ap);
	va_end(ap);
	shown = visible_new(text);
	fprintf(stderr, CLEAR "%s", shown);
	mem_free(shown);
	mem_free(text);
}

void progress_read(const struct trace *t)
{
	uint64_t done = 0;
	unsigned int i;

	for (i = 0; i < t->n_streams; i++)
		done += stream_done(&t->streams[i]);
	/* it may have grown since */
	if (done > t->size)
		done = t->size;
	progress_show("reading %s: %3u %%", t->title,
		      (unsigned int)(t->size ? 100 * done / t->size : 100));
}

void progress_end(void)
{
	fputs(CLEAR, stderr);
}
