// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Critical sections as CSV (RFC 4180, lines end with a newline alone). */
#include <inttypes.h>

#include "view/data/csv.h"
#include "view/data/export.h"

static void begin(struct export *x)
{
	fputs("start_ns,end_ns,length_ns,start_time,family,depth_spinning,"
	      "depth_sleeping,depth_both,cpu,tid,context,lock,lock_symbol,"
	      "site,site_symbol,depth_program,class\n", x->out);
}

/* Ticks in nanoseconds with three decimals, rounded down. */
static void put_ns(struct export *x, uint64_t ticks)
{
	unsigned __int128 ps = (unsigned __int128)ticks * 1000000000000ull /
			       x->trace->meta.freq;

	fprintf(x->out, "%" PRIu64 ".%03u,", (uint64_t)(ps / 1000),
		(unsigned int)(ps % 1000));
}

static void put_address(struct export *x, uint64_t addr, bool call)
{
	char name[SYMBOLS_LEN];

	fprintf(x->out, ",0x%" PRIx64 ",", addr);
	if (symbols_find(x->symbols, addr, call, name, sizeof(name)))
		csv_text(x->out, name);
}

static void section(struct export *x, const struct section *s)
{
	char time[EXPORT_TIME_LEN];

	put_ns(x, s->start - x->trace->start);
	put_ns(x, s->end - x->trace->start);
	put_ns(x, s->end - s->start);
	fprintf(x->out, "%s,%s,%u,%u,%u,",
		trace_has_wall(x->trace) ? export_time(x->trace, s->start, time) : "",
		locks_name(s->family), s->depth[LOCKS_SPINNING],
		s->depth[LOCKS_SLEEPING], s->depth[LOCKS_BOTH]);
	if (s->cpu < TRACE_THREADS)	/* a program does not know its CPU */
		fprintf(x->out, "%u", s->cpu);
	fprintf(x->out, ",%d,%s", s->tid, report_context_name(report_context(s->ctx)));
	put_address(x, s->lock, false);
	put_address(x, s->site, true);
	fprintf(x->out, ",%u,", s->depth[LOCKS_PROGRAM]);
	if (x->class)
		csv_text(x->out, x->class->same);
	fputc('\n', x->out);
}

static void end(struct export *x)
{
	(void)x;
}

const struct export_format export_csv = {
	.name = "csv",
	.apart = true,
	.begin = begin,
	.section = section,
	.end = end,
};
