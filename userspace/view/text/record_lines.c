// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Records as lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "view/text/record_lines.h"

static const char *clock_name(unsigned int i)
{
	static const char *const names[] = {
		[RECORD_CLOCK_RELATIVE] = "relative",
		[RECORD_CLOCK_WALL] = "wall",
		[RECORD_CLOCK_TICKS] = "ticks",
	};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

const struct option_row record_lines_options[] = {
	{ 0, "clock", "CLOCK", "relative (to the start of the trace; default), wall or ticks",
	  OPTION_CHOICE(struct record_lines, clock, clock_name) },
	{ 0, "raw", NULL, "as in the file: ticks, and numbers without symbols",
	  OPTION_FLAG(struct record_lines, raw) },
	{ 0, "tsv", NULL, "print tabs between columns; the first line names them",
	  OPTION_FLAG(struct record_lines, tsv) },
	{ }
};

#define NSEC		1000000000u
#define TIME_LEN	64

/* Times. */

static void format_wall(const struct trace *t, uint64_t ts, char *buf)
{
	uint32_t ns;
	time_t seconds = (time_t)trace_wall(t, ts, &ns);
	struct tm tm;
	size_t n = 0;

	if (localtime_r(&seconds, &tm))
		n = strftime(buf, TIME_LEN, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(buf + n, TIME_LEN - n, ".%09u", ns);
}

static void format_time(const struct record_lines *l, uint64_t ts, char *buf)
{
	uint64_t ns;

	if (l->clock == RECORD_CLOCK_TICKS) {
		snprintf(buf, TIME_LEN, "%" PRIu64, ts);
	} else if (l->clock == RECORD_CLOCK_WALL) {
		format_wall(l->trace, ts, buf);
	} else {
		ns = trace_ns(l->trace, ts - l->trace->start);
		snprintf(buf, TIME_LEN, "%" PRIu64 ".%09" PRIu64, ns / NSEC,
			 ns % NSEC);
	}
}

/* Time since the line before: the difference of the times shown, so that it adds up. */
static void format_delta(const struct record_lines *l, uint64_t ts, char *buf)
{
	uint64_t last = l->any ? l->last : ts, ns;

	if (l->clock == RECORD_CLOCK_TICKS) {
		snprintf(buf, TIME_LEN, "%" PRIu64, ts - last);
		return;
	}
	ns = trace_ns(l->trace, ts - l->trace->start) -
	     trace_ns(l->trace, last - l->trace->start);
	snprintf(buf, TIME_LEN, "%" PRIu64 ".%09" PRIu64, ns / NSEC, ns % NSEC);
}

/* Lines. */

static const char *format_ctx(uint8_t ctx, char buf[4])
{
	char *c = buf;

	if (ctx & FT_CTX_SOFTIRQ)
		*c++ = 's';
	if (ctx & FT_CTX_HARDIRQ)
		*c++ = 'h';
	if (ctx & FT_CTX_NMI)
		*c++ = 'n';
	if (c == buf)
		*c++ = 't';
	*c = '\0';
	return buf;
}

/* A CPU by its number; where programs wrote is a ring, and no CPU. */
static const char *format_stream(const struct record_lines *l, unsigned int stream,
				 char buf[TRACE_NAME_LEN])
{
	if (l->tsv || stream < TRACE_THREADS)
		return trace_stream_label(buf, stream);
	snprintf(buf, TRACE_NAME_LEN, "t%u", trace_stream_index(stream));
	return buf;
}

static void put_address(const struct record_lines *l, const char *name, uint64_t value)
{
	bool call = !strcmp(name, "caller") || !strcmp(name, "ip");
	char symbol[SYMBOLS_LEN];

	if (!l->raw && symbols_find(l->symbols, value, call, symbol, sizeof(symbol)))
		fputs(symbol, l->out);
	else if (!l->raw && (call || !strcmp(name, "lock")))
		fputs(symbols_format(l->symbols, value, call, symbol, sizeof(symbol)), l->out);
	else
		fprintf(l->out, "0x%" PRIx64, value);
}

/* As chrt(1) and nice(1) have it. The kernel counts down: 99 is 0, nice 0 is 120. */
static void put_prio(FILE *out, int64_t prio)
{
	if (prio < 0)
		fputs("deadline", out);
	else if (prio < 100)
		fprintf(out, "%" PRId64, 99 - prio);
	else
		fprintf(out, "nice:%" PRId64, prio - 120);
}

static void put_value(const struct record_lines *l, const char *name,
		      const struct field_type *type, uint64_t value)
{
	const char *label = l->raw ? NULL : field_label(type, value);

	if (label)
		fputs(label, l->out);
	else if (type->style == FIELD_PRIO && !l->raw)
		put_prio(l->out, (int64_t)value);
	else if (type->style == FIELD_HEX || type->style == FIELD_CODE ||
		 (l->raw && type->bits == FIELD_WORD))
		put_address(l, name, value);
	else if (type->style == FIELD_SIGNED || type->style == FIELD_PRIO)
		fprintf(l->out, "%" PRId64, (int64_t)value);
	else
		fprintf(l->out, "%" PRIu64, value);
}

/* In TSV a column has the fields of a word. */
static void put_word(const struct record_lines *l, const struct event_type *type,
		     unsigned int word, const struct ft_record *rec)
{
	static const struct field_type unknown = { .style = FIELD_HEX, .bits = FIELD_WORD };
	char before = l->tsv ? '\t' : ' ';
	bool any = false;

	for (unsigned int i = 0; type && i < type->fields; i++) {
		const struct event_field *f = &type->field[i];

		if (f->from / FIELD_WORD != word)
			continue;
		any = true;
		if (!f->name)
			continue;
		fprintf(l->out, "%c%s=", before, f->name);
		put_value(l, f->name, &f->type, event_field_value(f, rec->a, rec->b));
		before = ' ';
	}
	if (any) {
		if (before == '\t')
			fputc('\t', l->out);
		return;
	}
	fprintf(l->out, "%c%s=", before, word ? "b" : "a");
	put_value(l, "", &unknown, word ? rec->b : rec->a);
}

void record_lines_begin(const struct record_lines *l)
{
	if (l->tsv)
		fputs("time\tdelta\tcpu\tctx\ttid\tevent\ta\tb\n", l->out);
}

void record_lines_put(struct record_lines *l, uint64_t ts, unsigned int stream,
		      const struct event_type *type, const struct ft_record *rec)
{
	char time[TIME_LEN], delta[TIME_LEN], ctx[4], id[16];
	char label[TRACE_NAME_LEN];

	format_time(l, ts, time);
	format_delta(l, ts, delta);
	snprintf(id, sizeof(id), "id=%u", rec->id);
	if (l->raw)
		snprintf(ctx, sizeof(ctx), "%02x", rec->ctx);
	else
		format_ctx(rec->ctx, ctx);
	fprintf(l->out, l->tsv ? "%s\t%s\t%s\t%s\t%d\t%s" :
				 "%15s +%s %3s %-3s %7d %-20s", time, delta,
		format_stream(l, stream, label), ctx, rec->tid,
		type ? type->name : id);
	put_word(l, type, 0, rec);
	put_word(l, type, 1, rec);
	fputc('\n', l->out);
	l->last = ts;
	l->any = true;
}

void record_lines_gap(const struct record_lines *l, uint64_t ts, unsigned int stream,
		      uint64_t lost)
{
	char time[TIME_LEN], title[TRACE_NAME_LEN];

	format_time(l, ts > l->trace->start ? ts : l->trace->start, time);
	if (l->tsv)
		fprintf(l->out, "%s\t\t%s\t\t\tLOST\tcounted=%" PRIu64 "\t\n", time,
			format_stream(l, stream, title), lost);
	else
		fprintf(l->out,
			"%15s *** %s: records are missing after this (lost so far: %" PRIu64 ") ***\n",
			time, trace_stream_title(title, stream), lost);
}
