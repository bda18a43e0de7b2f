// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Critical sections as Chrome trace events: see chrome.h.
 *
 * A CPU is a track for its spinning sections, a task for its sleeping ones and those of
 * its program. Slices on a
 * track must nest, or viewers drop some; so sections that overlap without nesting
 * (section_track() > 0) are on a track of the same number in another process. A section
 * whose end became known later has no track; it becomes a pair of asynchronous events with
 * its own id.
 *
 * The events are complete ones ("X"): their order in the file does not matter.
 */
#include <inttypes.h>

#include "base/json.h"
#include "view/data/chrome.h"

static struct chrome_track track_of(const struct section *s)
{
	struct chrome_track t = { .number = section_is_late(s) ? 0 : section_track(s) };

	t.kind = locks_is_spinning(s->family) ? CHROME_CPU :
		 s->tid ? CHROME_TASK : CHROME_IDLE;
	t.thread = t.kind == CHROME_TASK ? s->tid : (int32_t)s->cpu;
	return t;
}

/* Sections. */

static void put_name(struct export *x, const struct section *s)
{
	char name[SYMBOLS_LEN], category[64];

	snprintf(category, sizeof(category), "%s%s%s", locks_name(s->family),
		 s->ctx ? "," : "", s->ctx ? report_context_name(report_context(s->ctx)) : "");
	json_text(&x->json, "cat", category);
	json_text(&x->json, "name", symbols_format(x->symbols, s->site, true, name,
						   sizeof(name)));
}

static void put_address(struct json *j, const char *key, uint64_t addr)
{
	json_number(j, key, "\"0x%" PRIx64 "\"", addr);
}

static void put_args(struct export *x, const struct section *s)
{
	const struct class_entry *class = class_index_known(x->classes, s->lock);
	struct json *j = &x->json;
	char name[SYMBOLS_LEN];

	json_object(j, "args");
	json_text(j, "family", locks_name(s->family));
	put_address(j, "lock", s->lock);
	if (symbols_find(x->symbols, s->lock, false, name, sizeof(name)))
		json_text(j, "lock_symbol", name);
	if (class)
		json_text(j, "class", class->same);
	put_address(j, "site", s->site);
	json_u64(j, "depth_spinning", s->depth[LOCKS_SPINNING]);
	json_u64(j, "depth_sleeping", s->depth[LOCKS_SLEEPING]);
	json_u64(j, "depth_both", s->depth[LOCKS_BOTH]);
	json_u64(j, "depth_program", s->depth[LOCKS_PROGRAM]);
	if (s->cpu < TRACE_THREADS)
		json_u64(j, "cpu", s->cpu);
	json_i64(j, "tid", s->tid);
	json_text(j, "context", report_context_name(report_context(s->ctx)));
	json_end(j);
}

static void put_async(struct export *x, const struct section *s,
		      const struct chrome_track *t)
{
	uint64_t id = ++x->late;

	chrome_open(x, "b", t, chrome_since_start(x, s->start));
	json_u64(&x->json, "id", id);
	put_name(x, s);
	put_args(x, s);
	json_end(&x->json);
	chrome_open(x, "e", t, chrome_since_start(x, s->end));
	json_u64(&x->json, "id", id);
	put_name(x, s);
	json_end(&x->json);
}

static void section(struct export *x, const struct section *s)
{
	struct chrome_track t = track_of(s);

	if (section_is_late(s)) {
		chrome_name(x, &t);
		put_async(x, s, &t);
		return;
	}
	chrome_open_span(x, &t, s->start, s->end);
	put_name(x, s);
	put_args(x, s);
	json_end(&x->json);
}

/* Moments. */

static void open_instant(struct export *x, const struct ft_reader_item *item,
			 const char *name)
{
	struct chrome_track t = {
		.kind = item->ring >= 0 ? CHROME_RING : CHROME_CPU,
		.thread = item->ring >= 0 ? item->ring : item->cpu,
	};

	chrome_name(x, &t);
	chrome_open(x, "i", &t, chrome_since_start(x, item->time));
	json_text(&x->json, "s", "t");
	json_text(&x->json, "cat", name);
	json_text(&x->json, "name", name);
	json_object(&x->json, "args");
}

static void close_instant(struct export *x)
{
	json_end(&x->json);
	json_end(&x->json);
}

static void gap(struct export *x, const struct ft_reader_item *item)
{
	bool program = item->ring >= 0;

	open_instant(x, item, "records lost");
	json_i64(&x->json, program ? "ring" : "cpu",
		 program ? item->ring : item->cpu);
	json_u64(&x->json, "lost_so_far", item->gap.lost);
	close_instant(x);
}

/* As text: not every reader of JSON has integers of 64 bits. */
static void mark(struct export *x, const struct ft_reader_item *item)
{
	open_instant(x, item, "mark");
	json_number(&x->json, "a", "\"%" PRIu64 "\"", item->record.a);
	json_number(&x->json, "b", "\"%" PRIu64 "\"", item->record.b);
	json_i64(&x->json, "tid", item->tid);
	json_text(&x->json, "context", report_context_name(report_context((uint8_t)item->context)));
	close_instant(x);
}

/* The whole: a line an event. */

static void begin(struct export *x)
{
	x->json = (struct json){ .f = x->out, .flat = 2, .dense = true };
	json_object(&x->json, NULL);
	json_text(&x->json, "displayTimeUnit", "ns");
	json_array(&x->json, "traceEvents");
}

static void end(struct export *x)
{
	char time[EXPORT_TIME_LEN];

	json_end(&x->json);
	json_object(&x->json, "otherData");
	json_text(&x->json, "tracer", "feather-trace");
	json_u64(&x->json, "lost", trace_lost(x->trace));
	if (trace_has_wall(x->trace))
		json_text(&x->json, "start_time",
			  export_time(x->trace, x->trace->start, time));
	json_end(&x->json);
	json_end(&x->json);
}

const struct export_format export_chrome = {
	.name = "chrome",
	.begin = begin,
	.section = section,
	.gap = gap,
	.mark = mark,
	.threads = &chrome_threads,
	.end = end,
};
