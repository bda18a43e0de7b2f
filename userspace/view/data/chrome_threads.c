// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What threads and CPUs do, as Chrome trace events: a track for each thread with its states,
 * one with its system calls; for each CPU one with what it runs, one with its interrupts. An
 * arrow leads from who wakes a thread to where it becomes ready.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/json.h"
#include "view/data/chrome.h"
#include "view/interrupt_name.h"

static void put_name(struct export *x, const char *category, const char *name)
{
	json_text(&x->json, "cat", category);
	json_text(&x->json, "name", name);
}

/* The end of an event, and where it was. */
static void close_span(struct export *x, uint32_t cpu, int32_t tid)
{
	json_object(&x->json, "args");
	json_u64(&x->json, "cpu", cpu);
	json_i64(&x->json, "tid", tid);
	json_end(&x->json);
	json_end(&x->json);
}

/* What sched_switch's field prev_state tells, in words. */
static const char *asleep(const char *label)
{
	static const struct {
		const char *label, *text;
	} words[] = {
		{ "S", "asleep" }, { "D", "asleep, uninterruptible" }, { "I", "idle" },
		{ "T", "stopped" }, { "t", "traced" }, { "P", "parked" },
	};

	for (size_t i = 0; label && i < ARRAY_SIZE(words); i++) {
		if (!strcmp(words[i].label, label))
			return words[i].text;
	}
	return "asleep";
}

static void thread(void *arg, const struct thread_span *span)
{
	static const char *const states[] = {
		[THREAD_RUNS]		= "runs",
		[THREAD_PREEMPTED]	= "preempted",
		[THREAD_READY]		= "ready",
	};
	struct chrome_track t = { .kind = CHROME_THREAD, .thread = span->tid };
	struct export *x = arg;

	chrome_open_span(x, &t, span->start, span->end);
	put_name(x, "thread", span->state == THREAD_ASLEEP ? asleep(span->label) :
							      states[span->state]);
	close_span(x, span->cpu, span->tid);
}

static void cpu(void *arg, const struct thread_span *span)
{
	struct chrome_track t = { .kind = CHROME_RUNS, .thread = (int32_t)span->cpu };
	struct export *x = arg;
	const char *task;
	char name[80];

	/* where nothing runs, nothing is drawn */
	if (!span->tid)
		return;
	task = names_find(x->names, span->tid);
	snprintf(name, sizeof(name), "%.64s %" PRId32, task ? task : "task", span->tid);
	chrome_open_span(x, &t, span->start, span->end);
	put_name(x, "cpu", name);
	close_span(x, span->cpu, span->tid);
}

static void put_field(struct export *x, const struct interrupt_span *span,
		      const struct event_field *field)
{
	uint64_t value = event_field_value(field, span->a, span->b);
	const char *label = field_label(&field->type, value);
	char name[SYMBOLS_LEN];

	if (label)
		json_text(&x->json, field->name, label);
	else if (field->type.style == FIELD_CODE)
		json_text(&x->json, field->name,
			  symbols_format(x->symbols, value, false, name, sizeof(name)));
	else if (field->type.style == FIELD_HEX)
		json_number(&x->json, field->name, "\"0x%" PRIx64 "\"", value);
	else
		json_i64(&x->json, field->name, (int64_t)value);
}

static void interrupt(void *arg, const struct interrupt_span *span)
{
	struct chrome_track t = { .kind = CHROME_INTERRUPT, .thread = (int32_t)span->cpu };
	const struct event_type *type = span->event;
	char name[INTERRUPT_NAME_LEN];
	struct export *x = arg;

	chrome_open_span(x, &t, span->start, span->end);
	interrupt_name(span, x->symbols, name, sizeof(name));
	put_name(x, "interrupt", name);
	json_object(&x->json, "args");
	for (unsigned int i = 0; i < type->fields; i++) {
		if (type->field[i].name)
			put_field(x, span, &type->field[i]);
	}
	json_end(&x->json);
	json_end(&x->json);
}

static void call(void *arg, const struct call_span *span)
{
	struct chrome_track t = { .kind = CHROME_CALL, .thread = span->tid };
	struct export *x = arg;
	char name[32];

	snprintf(name, sizeof(name), "system call %" PRId32, span->call);
	chrome_open_span(x, &t, span->start, span->end);
	put_name(x, "call", name);
	close_span(x, span->cpu, span->tid);
}

static void put_arrow(struct export *x, const char *phase, const struct chrome_track *t,
		      uint64_t ns)
{
	chrome_name(x, t);
	chrome_open(x, phase, t, ns);
	put_name(x, "wakeup", "wakeup");
	json_u64(&x->json, "id", x->wakeups);
	if (*phase == 'f')	/* to the slice that it lies in, not to the next one */
		json_text(&x->json, "bp", "e");
	json_end(&x->json);
}

/* The idle task, and an interrupt that was not recorded, have no track to begin at. */
static void wakeup(void *arg, const struct thread_wakeup *w)
{
	struct chrome_track from = { .kind = CHROME_THREAD, .thread = w->by };
	struct chrome_track to = { .kind = CHROME_THREAD, .thread = w->woken };
	struct export *x = arg;

	if (w->in_interrupt)
		from = (struct chrome_track){
			.kind = CHROME_INTERRUPT, .thread = (int32_t)w->cpu,
		};
	else if (!w->by)
		return;
	x->wakeups++;
	put_arrow(x, "s", &from, chrome_since_start(x, w->time));
	put_arrow(x, "f", &to, chrome_since_start(x, w->ready));
}

const struct threads_told chrome_threads = {
	.thread		= thread,
	.cpu		= cpu,
	.interrupt	= interrupt,
	.call		= call,
	.wakeup		= wakeup,
};
