// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Critical sections as Chrome trace events: JSON that Perfetto and
 * chrome://tracing open.
 *
 * A "process" is a kind of track, its "threads" are the tracks: a CPU for its
 * spinning sections, a task for its sleeping ones and those of its program. Slices on a
 * track must nest, or viewers drop some; so sections that overlap without nesting
 * (section_track() > 0) are on a track of the same number in another process. A section
 * whose end became known later has no track; it becomes a pair of asynchronous events with
 * its own id.
 *
 * The events are complete ones ("X"): their order in the file does not matter.
 */
#include <inttypes.h>

#include "base/json.h"
#include "view/data/export.h"

enum kind { KIND_CPU, KIND_TASK, KIND_IDLE, KIND_RING, KINDS };

static const char *const kind_names[KINDS] = {
	[KIND_CPU]	= "CPUs: spinning locks",
	[KIND_TASK]	= "Tasks: sleeping locks",
	[KIND_IDLE]	= "Idle tasks: sleeping locks",
	[KIND_RING]	= "Rings of programs",
};

struct track {
	enum kind	kind;
	unsigned int	number;		/* 0: where all nests */
	int32_t		thread;		/* CPU or task */
};

static unsigned int process_of(const struct track *t)
{
	return t->number * KINDS + t->kind + 1;
}

/*
 * Whole nanoseconds, in microseconds. Rounded down one by one, times that were in
 * order stay so, and slices that nest do. Perfetto multiplies with 1000 in
 * floating point and cuts: the picosecond keeps 12.345 from becoming 12344.
 */
static void put_us(struct export *x, const char *key, uint64_t ns)
{
	json_number(&x->json, key, "%" PRIu64 ".%03u001", ns / 1000,
		    (unsigned int)(ns % 1000));
}

static uint64_t since_start(const struct export *x, uint64_t ts)
{
	return trace_ns(x->trace, ts - x->trace->start);
}

/* Tracks. */

/* What names a process (@thread 0) or a thread, until json_end() twice: the value. */
static void open_name(struct export *x, const char *what, const struct track *t,
		      int32_t thread)
{
	struct json *j = &x->json;

	json_object(j, NULL);
	json_text(j, "ph", "M");
	json_text(j, "name", what);
	json_u64(j, "pid", process_of(t));
	json_i64(j, "tid", thread);
	json_object(j, "args");
}

static void put_name_text(struct export *x, const char *what, const struct track *t,
			  int32_t thread, const char *name)
{
	open_name(x, what, t, thread);
	json_text(&x->json, "name", name);
	json_end(&x->json);
	json_end(&x->json);
}

static void put_sort_index(struct export *x, const char *what, const struct track *t,
			   int32_t thread, int64_t index)
{
	open_name(x, what, t, thread);
	json_i64(&x->json, "sort_index", index);
	json_end(&x->json);
	json_end(&x->json);
}

static void name_process(struct export *x, const struct track *t)
{
	char name[128], overlapping[32] = "";

	if (t->number)
		snprintf(overlapping, sizeof(overlapping), ", overlapping %u", t->number);
	snprintf(name, sizeof(name), "%s%s%s", kind_names[t->kind],
		 t->kind == KIND_TASK &&
		 trace_cpu_streams(x->trace) < x->trace->n_streams ?
		 ", locks of programs" : "", overlapping);
	put_name_text(x, "process_name", t, 0, name);
	put_sort_index(x, "process_sort_index", t, 0, process_of(t));
}

static void name_thread(struct export *x, const struct track *t)
{
	static const char *const what[KINDS] = {
		"CPU", "task", "idle task of CPU", "ring",
	};
	const char *name = t->kind == KIND_TASK ? names_find(x->names, t->thread) :
			   NULL;
	char text[128];

	snprintf(text, sizeof(text), "%.64s %d", name ? name : what[t->kind],
		 t->thread);
	put_name_text(x, "thread_name", t, t->thread, text);
	if (t->kind != KIND_TASK)	/* their numbers are shown anyway */
		put_sort_index(x, "thread_sort_index", t, t->thread, t->thread);
}

/* Names are given when a track is first used. */
static void name_track(struct export *x, const struct track *t)
{
	uint64_t process = (uint64_t)process_of(t) << 32;
	uint64_t thread = process | (uint32_t)t->thread;
	uint64_t any = process | 1ull << 63;

	if (map_get(&x->named, thread))
		return;
	map_put(&x->named, thread, x);
	if (!map_get(&x->named, any)) {
		map_put(&x->named, any, x);
		name_process(x, t);
	}
	name_thread(x, t);
}

static struct track track_of(const struct section *s)
{
	struct track t = { .number = section_is_late(s) ? 0 : section_track(s) };

	t.kind = locks_is_spinning(s->family) ? KIND_CPU :
		 s->tid ? KIND_TASK : KIND_IDLE;
	t.thread = t.kind == KIND_TASK ? s->tid : (int32_t)s->cpu;
	return t;
}

/* What all events begin with. */
static void open_event(struct export *x, const char *phase, const struct track *t,
		       uint64_t ns)
{
	json_object(&x->json, NULL);
	json_text(&x->json, "ph", phase);
	json_u64(&x->json, "pid", process_of(t));
	json_i64(&x->json, "tid", t->thread);
	put_us(x, "ts", ns);
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
	struct json *j = &x->json;
	char name[SYMBOLS_LEN];

	json_object(j, "args");
	json_text(j, "family", locks_name(s->family));
	put_address(j, "lock", s->lock);
	if (symbols_find(x->symbols, s->lock, false, name, sizeof(name)))
		json_text(j, "lock_symbol", name);
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
		      const struct track *t)
{
	uint64_t id = ++x->late;

	open_event(x, "b", t, since_start(x, s->start));
	json_u64(&x->json, "id", id);
	put_name(x, s);
	put_args(x, s);
	json_end(&x->json);
	open_event(x, "e", t, since_start(x, s->end));
	json_u64(&x->json, "id", id);
	put_name(x, s);
	json_end(&x->json);
}

static void section(struct export *x, const struct section *s)
{
	uint64_t start = since_start(x, s->start), end = since_start(x, s->end);
	struct track t = track_of(s);

	name_track(x, &t);
	if (section_is_late(s)) {
		put_async(x, s, &t);
		return;
	}
	open_event(x, "X", &t, start);
	put_us(x, "dur", end - start);
	put_name(x, s);
	put_args(x, s);
	json_end(&x->json);
}

/* Moments. */

static void open_instant(struct export *x, const struct ft_reader_item *item,
			 const char *name)
{
	struct track t = {
		.kind = item->ring >= 0 ? KIND_RING : KIND_CPU,
		.thread = item->ring >= 0 ? item->ring : item->cpu,
	};

	name_track(x, &t);
	open_event(x, "i", &t, since_start(x, item->time));
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
			  export_time(x, x->trace->start, time));
	json_end(&x->json);
	json_end(&x->json);
}

const struct export_format export_chrome = {
	.name = "chrome",
	.begin = begin,
	.section = section,
	.gap = gap,
	.mark = mark,
	.end = end,
};
