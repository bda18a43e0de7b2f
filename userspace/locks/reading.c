// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reading a trace: how it begins and ends. See reading.h. */
#include <unistd.h>

#include "base/scope.h"
#include "locks/reading.h"
#include "trace/progress.h"

void reading_progress(struct reading *r, FILE *out)
{
	r->shown = isatty(STDERR_FILENO) && !(out && isatty(fileno(out)));
}

int reading_begin(struct reading *r, struct trace *t, struct locks *locks, FILE *out)
{
	*r = (struct reading){ .trace = t, .locks = locks };
	if (!scope_now)
		reading_progress(r, out);
	return early_init(&r->early, t, locks);
}

void reading_show(const struct reading *r)
{
	if (r->shown)
		progress_read(r->trace);
}

int reading_end(struct reading *r)
{
	if (r->shown && r->records)
		progress_end();
	early_exit(&r->early);
	return r->failed ? -1 : 0;
}
