// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Folded stacks: what a report has by stack, path by path. See export_folded.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "ft/export/folded.h"

/* ';' ends a frame, and a line ends where it does. */
static void put_frame(FILE *out, const char *name)
{
	for (; *name; name++)
		putc(*name == ';' ? ':' : (unsigned char)*name < ' ' ? '?' : *name, out);
}

static void put_paths(FILE *out, const struct report *r, enum stack_value of)
{
	struct stack_paths *paths = stack_paths_new(r);
	const struct stack_path *path;
	size_t n;

	for (path = stack_paths_list(paths, &n); n-- > 0 && !ferror(out); path++) {
		report_ps ns = (report_span(r, path->ticks[of]) + 500) / 1000;

		if (!ns)
			continue;
		for (uint32_t i = 0; i < path->n; i++) {
			if (i)
				putc(';', out);
			put_frame(out, path->frame[i]);
		}
		fprintf(out, " %" PRIu64 "\n", ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns);
	}
	stack_paths_free(paths);
}

/* Reports what is left out because its stack is unknown. Return: is anything in the output? */
static bool say_rest(const struct report *r, enum stack_value of)
{
	const char *what = of == STACK_HOLD ? "critical sections" : "waits";
	const struct table *t = &r->table[TABLE_STACK];
	uint64_t all = 0, have = 0;

	for (unsigned int family = 0; family < LOCKS_FAMILIES; family++)
		all += of == STACK_HOLD ? r->family[family].lengths.count :
					  r->family[family].waits.count;
	for (size_t i = 0; i < t->n_rows; i++)
		have += of == STACK_HOLD ? t->rows[i]->hold.count :
			t->rows[i]->wait ? t->rows[i]->wait->count : 0;
	if (!have)
		warnx("%s: none of %" PRIu64 " %s has a stack: record with --stacks",
		      r->trace.title, all, what);
	else if (have < all)
		warnx("%s: %" PRIu64 " of %" PRIu64 " %s have no stack and are left out",
		      r->trace.title, all - have, all, what);
	return have;
}

static int put_all(const struct folded_asked *asked, const struct report *r)
{
	FILE *out = asked->output ? fopen(asked->output, "we") : stdout;
	int ret;

	if (!out) {
		warn("cannot write %s", asked->output);
		return FT_EXIT_ERROR;
	}
	put_paths(out, r, asked->of);
	ret = output_finish(out, ferror(out) ? errno : 0, trace_status(&r->trace));
	if (asked->output && fclose(out)) {
		warn("cannot write %s", asked->output);
		ret = FT_EXIT_ERROR;
	}
	return ret;
}

int export_folded(const struct folded_asked *asked, char *const *dirs)
{
	const struct report_question q = {
		.symbols = asked->symbols, .filter = asked->filter, .by = 1u << TABLE_STACK,
		.jobs = asked->jobs,
	};
	const struct report *r = report_read(&q, dirs);
	int ret = FT_EXIT_ERROR;

	if (r && say_rest(r, asked->of))
		ret = put_all(asked, r);
	report_free(r);
	return ret;
}
