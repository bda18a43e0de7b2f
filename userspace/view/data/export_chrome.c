// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Critical sections as Chrome trace events: JSON that Perfetto and
 * chrome://tracing open.
 *
 * A "process" is a kind of track, its "threads" are the tracks: a CPU for its
 * spinning sections, a task for its sleeping ones and those of its program, in which
 * they lie. Slices on a track must nest,
 * or viewers drop some; so sections that overlap what they are not nested in
 * (section_track() > 0) are on a track of the same number in another process. A
 * section whose end was found out later has no track; it becomes a pair of
 * asynchronous events with an id of its own.
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

static void put_event(struct export *x)
{
	fputs(x->events++ ? ",\n" : "\n", x->out);
}

/*
 * Whole nanoseconds, in microseconds. Rounded down one by one, times that were in
 * order stay so, and slices that nest do. Perfetto multiplies with 1000 in
 * floating point and cuts: the picosecond keeps 12.345 from becoming 12344.
 */
static void put_us(struct export *x, const char *key, uint64_t ns)
{
	fprintf(x->out, ",\"%s\":%" PRIu64 ".%03u001", key, ns / 1000,
		(unsigned int)(ns % 1000));
}

static uint64_t since_start(const struct export *x, uint64_t ts)
{
	return trace_ns(&x->trace, ts - x->trace.start);
}

/* Tracks. */

static void name_process(struct export *x, const struct track *t)
{
	unsigned int pid = process_of(t);

	put_event(x);
	fprintf(x->out, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":0,\"args\":{\"name\":\"%s%s",
		pid, kind_names[t->kind], t->kind == KIND_TASK &&
		trace_cpu_streams(&x->trace) < x->trace.n_streams ?
		", locks of programs" : "");
	if (t->number)
		fprintf(x->out, ", overlapping %u", t->number);
	fputs("\"}}", x->out);
	put_event(x);
	fprintf(x->out, "{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%u,\"tid\":0,\"args\":{\"sort_index\":%u}}",
		pid, pid);
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
	put_event(x);
	fprintf(x->out, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%d,\"args\":{\"name\":",
		process_of(t), t->thread);
	json_string(x->out, text);
	fputs("}}", x->out);
	if (t->kind == KIND_TASK)	/* their numbers are shown anyway */
		return;
	put_event(x);
	fprintf(x->out, "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":%u,\"tid\":%d,\"args\":{\"sort_index\":%d}}",
		process_of(t), t->thread, t->thread);
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
	struct track t = { .number = s->late ? 0 : section_track(s) };

	t.kind = locks_is_spinning(s->family) ? KIND_CPU :
		 s->tid ? KIND_TASK : KIND_IDLE;
	t.thread = t.kind == KIND_TASK ? s->tid : (int32_t)s->cpu;
	return t;
}

/* What all events begin with. */
static void open_event(struct export *x, char phase, const struct track *t,
		       uint64_t ns)
{
	put_event(x);
	fprintf(x->out, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%d", phase,
		process_of(t), t->thread);
	put_us(x, "ts", ns);
}

/* Sections. */

static void put_name(struct export *x, const struct section *s)
{
	char name[SYMBOLS_LEN];

	fprintf(x->out, ",\"cat\":\"%s", locks_name(s->family));
	if (s->ctx)
		fprintf(x->out, ",%s", export_context(s->ctx));
	fputs("\",\"name\":", x->out);
	json_string(x->out, symbols_format(x->symbols, s->site, true, name,
					   sizeof(name)));
}

static void put_args(struct export *x, const struct section *s)
{
	char name[SYMBOLS_LEN];

	fprintf(x->out, ",\"args\":{\"family\":\"%s\",\"lock\":\"0x%" PRIx64 "\"",
		locks_name(s->family), s->lock);
	if (symbols_find(x->symbols, s->lock, false, name, sizeof(name))) {
		fputs(",\"lock_symbol\":", x->out);
		json_string(x->out, name);
	}
	fprintf(x->out, ",\"site\":\"0x%" PRIx64 "\",\"depth_spinning\":%u,\"depth_sleeping\":%u,\"depth_both\":%u,\"depth_program\":%u",
		s->site, s->depth[LOCKS_SPINNING], s->depth[LOCKS_SLEEPING],
		s->depth[LOCKS_BOTH], s->depth[LOCKS_PROGRAM]);
	if (s->cpu < TRACE_THREADS)
		fprintf(x->out, ",\"cpu\":%u", s->cpu);
	fprintf(x->out, ",\"tid\":%d,\"context\":\"%s\"}", s->tid,
		export_context(s->ctx));
}

static void put_async(struct export *x, const struct section *s,
		      const struct track *t)
{
	uint64_t id = ++x->late;

	open_event(x, 'b', t, since_start(x, s->start));
	fprintf(x->out, ",\"id\":%" PRIu64, id);
	put_name(x, s);
	put_args(x, s);
	fputc('}', x->out);
	open_event(x, 'e', t, since_start(x, s->end));
	fprintf(x->out, ",\"id\":%" PRIu64, id);
	put_name(x, s);
	fputc('}', x->out);
}

static void section(struct export *x, const struct section *s)
{
	uint64_t start = since_start(x, s->start), end = since_start(x, s->end);
	struct track t = track_of(s);

	name_track(x, &t);
	if (s->late) {
		put_async(x, s, &t);
		return;
	}
	open_event(x, 'X', &t, start);
	put_us(x, "dur", end - start);
	put_name(x, s);
	put_args(x, s);
	fputc('}', x->out);
}

/* Moments. */

static void open_instant(struct export *x, uint64_t ts, const struct stream *s,
			 const char *name)
{
	struct track t = {
		.kind = stream_is_program(s) ? KIND_RING : KIND_CPU,
		.thread = (int32_t)trace_stream_index(s->cpu),
	};

	name_track(x, &t);
	open_event(x, 'i', &t, since_start(x, ts));
	fprintf(x->out, ",\"s\":\"t\",\"cat\":\"%s\",\"name\":\"%s\"", name, name);
}

static void gap(struct export *x, uint64_t ts, const struct stream *s)
{
	open_instant(x, ts, s, "records lost");
	fprintf(x->out, ",\"args\":{\"%s\":%u,\"lost_so_far\":%" PRIu64 "}}",
		stream_is_program(s) ? "ring" : "cpu",
		trace_stream_index(s->cpu), stream_lost(s));
}

/* As text: not every reader of JSON has integers of 64 bits. */
static void mark(struct export *x, const struct stream *s)
{
	open_instant(x, s->ts, s, "mark");
	fprintf(x->out, ",\"args\":{\"a\":\"%" PRIu64 "\",\"b\":\"%" PRIu64 "\",\"tid\":%d,\"context\":\"%s\"}}",
		(uint64_t)s->rec->a, (uint64_t)s->rec->b, s->rec->tid,
		export_context(s->rec->ctx));
}

/* The whole. */

static void begin(struct export *x)
{
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", x->out);
}

static void end(struct export *x)
{
	char time[EXPORT_TIME_LEN];

	fprintf(x->out, "\n],\"otherData\":{\"tracer\":\"feather-trace\",\"lost\":%" PRIu64,
		trace_lost(&x->trace));
	if (export_wall(x))
		fprintf(x->out, ",\"start_time\":\"%s\"",
			export_time(x, x->trace.start, time));
	fputs("}}\n", x->out);
}

const struct export_format export_chrome = {
	.name = "chrome",
	.begin = begin,
	.section = section,
	.gap = gap,
	.mark = mark,
	.end = end,
};
