// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Tracks of Chrome trace events, and what all events begin with. See chrome.h. */
#include <inttypes.h>

#include "base/json.h"
#include "view/data/chrome.h"

static const char *const kind_names[CHROME_KINDS] = {
	[CHROME_CPU]		= "CPUs: spinning locks",
	[CHROME_TASK]		= "Tasks: sleeping locks",
	[CHROME_IDLE]		= "Idle tasks: sleeping locks",
	[CHROME_RING]		= "Rings of programs",
	[CHROME_RUNS]		= "CPUs: what runs",
	[CHROME_INTERRUPT]	= "CPUs: interrupts",
	[CHROME_THREAD]		= "Threads",
	[CHROME_CALL]		= "Threads: system calls",
};

/* Those of threads come after any number of tracks of sections. */
#define PROCESS_OF_THREADS	1000u

static unsigned int process_of(const struct chrome_track *t)
{
	if (t->kind >= CHROME_SECTIONS)
		return PROCESS_OF_THREADS + t->kind - CHROME_SECTIONS;
	return t->number * CHROME_SECTIONS + t->kind + 1;
}

/*
 * Whole nanoseconds, in microseconds. Rounded down one by one, times that were in
 * order stay so, and slices that nest do. Perfetto multiplies with 1000 in
 * floating point and cuts: the picosecond keeps 12.345 from becoming 12344.
 */
void chrome_us(struct export *x, const char *key, uint64_t ns)
{
	json_number(&x->json, key, "%" PRIu64 ".%03u001", ns / 1000,
		    (unsigned int)(ns % 1000));
}

uint64_t chrome_since_start(const struct export *x, uint64_t ts)
{
	return trace_ns(x->trace, ts - x->trace->start);
}

/* What names a process (@thread 0) or a thread, until json_end() twice: the value. */
static void open_name(struct export *x, const char *what, const struct chrome_track *t,
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

static void put_name_text(struct export *x, const char *what, const struct chrome_track *t,
			  int32_t thread, const char *name)
{
	open_name(x, what, t, thread);
	json_text(&x->json, "name", name);
	json_end(&x->json);
	json_end(&x->json);
}

static void put_sort_index(struct export *x, const char *what, const struct chrome_track *t,
			   int32_t thread, int64_t index)
{
	open_name(x, what, t, thread);
	json_i64(&x->json, "sort_index", index);
	json_end(&x->json);
	json_end(&x->json);
}

static void name_process(struct export *x, const struct chrome_track *t)
{
	char name[128], overlapping[32] = "";

	if (t->number)
		snprintf(overlapping, sizeof(overlapping), ", overlapping %u", t->number);
	snprintf(name, sizeof(name), "%s%s%s", kind_names[t->kind],
		 t->kind == CHROME_TASK &&
		 trace_cpu_streams(x->trace) < x->trace->n_streams ?
		 ", locks of programs" : "", overlapping);
	put_name_text(x, "process_name", t, 0, name);
	put_sort_index(x, "process_sort_index", t, 0, process_of(t));
}

static void name_thread(struct export *x, const struct chrome_track *t)
{
	static const char *const what[CHROME_KINDS] = {
		"CPU", "task", "idle task of CPU", "ring", "CPU", "CPU", "task", "task",
	};
	bool task = *what[t->kind] == 't';
	const char *name = task ? names_find(x->names, t->thread) : NULL;
	char text[128];

	snprintf(text, sizeof(text), "%.64s %d", name ? name : what[t->kind],
		 t->thread);
	put_name_text(x, "thread_name", t, t->thread, text);
	if (!task)	/* their numbers are shown anyway */
		put_sort_index(x, "thread_sort_index", t, t->thread, t->thread);
}

/* Names are given when a track is first used. */
void chrome_name(struct export *x, const struct chrome_track *t)
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

/* What all events begin with. */
void chrome_open(struct export *x, const char *phase, const struct chrome_track *t, uint64_t ns)
{
	json_object(&x->json, NULL);
	json_text(&x->json, "ph", phase);
	json_u64(&x->json, "pid", process_of(t));
	json_i64(&x->json, "tid", t->thread);
	chrome_us(x, "ts", ns);
}

void chrome_open_span(struct export *x, const struct chrome_track *t, uint64_t start,
		      uint64_t end)
{
	uint64_t from = chrome_since_start(x, start), to = chrome_since_start(x, end);

	chrome_name(x, t);
	chrome_open(x, "X", t, from);
	chrome_us(x, "dur", to - from);
}
