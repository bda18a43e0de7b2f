// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What threads and CPUs do. See threads.h. */
#include <string.h>

#include "analysis/threads.h"
#include "base/array.h"
#include "base/mem.h"

#define INTERRUPTS	16u	/* in each other, with what runs in them */

enum what {
	IS_NEW,			/* not looked at yet */
	IS_NOTHING,
	IS_SWITCH,
	IS_WAKE,
	IS_ENTRY,
	IS_EXIT,
	IS_CALL,
	IS_RETURN,
};

/* @field: of IS_SWITCH who runs next; of IS_WAKE who is woken; of calls their number */
struct threads_event {
	enum what			what;
	const struct event_field	*field, *state;
	size_t				base;	/* length of its name without _entry or _exit */
};

struct thread {
	struct thread_span	now;		/* its end is not known yet */
	struct call_span	call;		/* the same, if calls */
	bool			calls;
	uint64_t		gaps;		/* threads.gaps when @now began */
	uint64_t		call_gaps;
};

struct cpu {
	struct thread_span	now;
	unsigned int		depth;
	struct interrupt_span	interrupt[INTERRUPTS];
};

/* --- events --------------------------------------------------------------- */

static const struct event_field *find(const struct event_type *type, const char *name)
{
	for (unsigned int i = 0; i < type->fields; i++) {
		if (type->field[i].name && !strcmp(type->field[i].name, name))
			return &type->field[i];
	}
	return NULL;
}

static bool ends_with(const char *name, const char *end, size_t *base)
{
	size_t len = strlen(name), n = strlen(end);

	if (len <= n || strcmp(name + len - n, end))
		return false;
	*base = len - n;
	return true;
}

/* What keeps its CPU until it ends. */
static bool is_interrupt(const char *name, size_t base)
{
	static const char *const known[] = {
		"irq_handler", "softirq", "timer_expire", "hrtimer_expire", "local_timer",
		"reschedule", "call_function", "call_function_single", "irq_work",
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strlen(known[i]) == base && !strncmp(name, known[i], base))
			return true;
	}
	return false;
}

static bool is_call(const struct event_type *type, struct threads_event *e)
{
	e->field = find(type, "id");
	return e->field;
}

static enum what classify(const struct event_type *type, struct threads_event *e)
{
	static const char *const wakes[] = { "sched_waking", "sched_wakeup", "sched_wakeup_new" };

	if (!strcmp(type->name, "sched_switch")) {
		e->field = find(type, "next");
		e->state = find(type, "prev_state");
		return e->field && e->state ? IS_SWITCH : IS_NOTHING;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wakes); i++) {
		if (!strcmp(type->name, wakes[i])) {
			e->field = find(type, "task");
			return e->field ? IS_WAKE : IS_NOTHING;
		}
	}
	if (!strcmp(type->name, "sys_enter"))
		return is_call(type, e) ? IS_CALL : IS_NOTHING;
	if (!strcmp(type->name, "sys_exit"))
		return is_call(type, e) ? IS_RETURN : IS_NOTHING;
	if (ends_with(type->name, "_entry", &e->base) && is_interrupt(type->name, e->base))
		return IS_ENTRY;
	if (ends_with(type->name, "_exit", &e->base) && is_interrupt(type->name, e->base))
		return IS_EXIT;
	return IS_NOTHING;
}

/* --- threads -------------------------------------------------------------- */

static struct thread *thread_of(struct threads *t, int32_t tid)
{
	struct thread *thread = map_get(&t->threads, (uint32_t)tid);

	if (!thread) {
		thread = mem_zalloc(1, sizeof(*thread));
		thread->now.tid = tid;
		map_put(&t->threads, (uint32_t)tid, thread);
	}
	return thread;
}

static bool is_known(const struct threads *t, const struct thread *thread)
{
	return thread->now.state == THREAD_RUNS ||
	       (thread->now.state != THREAD_UNKNOWN && thread->gaps == t->gaps);
}

static void tell_thread(struct threads *t, struct thread *thread, uint64_t time)
{
	thread->now.end = time;
	if (t->told->thread && is_known(t, thread) && thread->now.start < time)
		t->told->thread(t->arg, &thread->now);
}

static void set_state(struct threads *t, int32_t tid, uint64_t time, enum thread_state state,
		      const char *label, uint32_t cpu)
{
	struct thread *thread;

	if (!tid)	/* the idle tasks share the number */
		return;
	thread = thread_of(t, tid);
	tell_thread(t, thread, time);
	thread->now.start = time;
	thread->now.state = state;
	thread->now.label = label;
	thread->now.cpu = cpu;
	thread->gaps = t->gaps;
}

/* --- CPUs ----------------------------------------------------------------- */

static struct cpu *cpu_of(struct threads *t, uint32_t number)
{
	struct cpu *cpu = map_get(&t->cpus, number);

	if (!cpu) {
		cpu = mem_zalloc(1, sizeof(*cpu));
		cpu->now.cpu = number;
		map_put(&t->cpus, number, cpu);
	}
	return cpu;
}

static void tell_cpu(struct threads *t, struct cpu *cpu, uint64_t time)
{
	cpu->now.end = time;
	if (t->told->cpu && cpu->now.state == THREAD_RUNS && cpu->now.start < time)
		t->told->cpu(t->arg, &cpu->now);
}

static void leave(struct threads *t, const struct threads_event *e, uint64_t time, uint32_t cpu,
		  const struct ft_record *rec)
{
	const char *label = field_label(&e->state->type, event_field_value(e->state, rec->a, rec->b));
	enum thread_state state = THREAD_ASLEEP;

	if (label && *label == 'R')
		state = THREAD_PREEMPTED;
	else if (label && strchr("XZ", *label))
		state = THREAD_UNKNOWN;		/* it has ended, and its number may come again */
	set_state(t, rec->tid, time, state, label, cpu);
}

static void switch_to(struct threads *t, const struct threads_event *e, uint64_t time, uint32_t cpu,
		      const struct ft_record *rec)
{
	int32_t next = (int32_t)event_field_value(e->field, rec->a, rec->b);
	struct cpu *c = cpu_of(t, cpu);

	leave(t, e, time, cpu, rec);
	tell_cpu(t, c, time);
	c->now.start = time;
	c->now.tid = next;
	c->now.state = THREAD_RUNS;
	set_state(t, next, time, THREAD_RUNS, NULL, cpu);
}

/* What is already awake is woken, too: by one who comes late, or before it could sleep. */
static void wake(struct threads *t, const struct threads_event *e, uint64_t time, uint32_t cpu,
		 const struct ft_record *rec)
{
	int32_t tid = (int32_t)event_field_value(e->field, rec->a, rec->b);
	struct thread_wakeup wakeup = {
		.time = time, .cpu = cpu, .by = rec->tid, .woken = tid,
		.in_interrupt = cpu_of(t, cpu)->depth,
	};
	struct thread *thread = thread_of(t, tid);

	if (!tid || (is_known(t, thread) && thread->now.state != THREAD_ASLEEP))
		return;
	set_state(t, tid, time, THREAD_READY, NULL, thread->now.cpu);
	if (t->told->wakeup)
		t->told->wakeup(t->arg, &wakeup);
}

/* --- interrupts, system calls --------------------------------------------- */

static void enter(struct threads *t, const struct event_type *type, uint64_t time, uint32_t cpu,
		  const struct ft_record *rec)
{
	struct cpu *c = cpu_of(t, cpu);

	if (c->depth < INTERRUPTS)
		c->interrupt[c->depth++] = (struct interrupt_span){
			.start = time, .cpu = cpu, .event = type, .a = rec->a, .b = rec->b,
		};
}

/* The first field, as the number of the interrupt, tells one from another. */
static bool is_end(const struct interrupt_span *span, const struct threads_event *begin,
		   const struct event_type *type, const struct threads_event *e,
		   const struct ft_record *rec)
{
	const struct event_type *entered = span->event;

	return begin->base == e->base && !strncmp(entered->name, type->name, e->base) &&
	       (!type->fields || !entered->fields ||
		event_field_value(&entered->field[0], span->a, span->b) ==
		event_field_value(&type->field[0], rec->a, rec->b));
}

/* What was entered within it and not left was lost, or not of interest. */
static void leave_interrupt(struct threads *t, const struct event_type *type,
			    const struct threads_event *e, uint64_t time, uint32_t cpu,
			    const struct ft_record *rec)
{
	struct cpu *c = cpu_of(t, cpu);

	for (unsigned int i = c->depth; i-- > 0;) {
		struct interrupt_span *span = &c->interrupt[i];
		struct threads_event begin = { .what = IS_NEW };

		ends_with(span->event->name, "_entry", &begin.base);
		if (!is_end(span, &begin, type, e, rec))
			continue;
		c->depth = i;
		span->end = time;
		if (t->told->interrupt)
			t->told->interrupt(t->arg, span);
		return;
	}
}

/* The return from a signal's handler has no number: -1. */
static bool is_return_of(const struct call_span *begun, int32_t number)
{
	return begun->call == number || number == -1;
}

static void call(struct threads *t, const struct threads_event *e, uint64_t time,
		 const struct ft_record *rec)
{
	struct thread *thread = thread_of(t, rec->tid);
	int32_t number = (int32_t)event_field_value(e->field, rec->a, rec->b);

	if (e->what == IS_CALL) {
		thread->call = (struct call_span){ .start = time, .tid = rec->tid, .call = number };
		thread->call_gaps = t->gaps;
	} else if (thread->calls && is_return_of(&thread->call, number) &&
		   thread->call_gaps == t->gaps) {
		thread->call.end = time;
		if (t->told->call)
			t->told->call(t->arg, &thread->call);
	}
	thread->calls = e->what == IS_CALL;
}

/* --- the whole ------------------------------------------------------------ */

void threads_begin(struct threads *t, const struct metadata *meta,
		   const struct threads_told *told, void *arg)
{
	*t = (struct threads){ .meta = meta, .told = told, .arg = arg };
	t->events = mem_zalloc(meta->events[0].n + 1, sizeof(*t->events));
}

void threads_record(struct threads *t, uint64_t time, uint32_t cpu, const struct ft_record *rec)
{
	const struct event_type *type = metadata_event(t->meta, 0, rec->id);
	struct threads_event *e;

	if (!type)
		return;
	e = &t->events[rec->id];
	if (e->what == IS_NEW)
		e->what = classify(type, e);
	switch (e->what) {
	case IS_SWITCH:
		switch_to(t, e, time, cpu, rec);
		break;
	case IS_WAKE:
		wake(t, e, time, cpu, rec);
		break;
	case IS_ENTRY:
		enter(t, type, time, cpu, rec);
		break;
	case IS_EXIT:
		leave_interrupt(t, type, e, time, cpu, rec);
		break;
	case IS_CALL:
	case IS_RETURN:
		call(t, e, time, rec);
		break;
	case IS_NEW:
	case IS_NOTHING:
		break;
	}
}

void threads_gap(struct threads *t, uint32_t cpu)
{
	struct cpu *c = cpu_of(t, cpu);

	if (c->now.state == THREAD_RUNS && c->now.tid)
		thread_of(t, c->now.tid)->now.state = THREAD_UNKNOWN;
	c->now.state = THREAD_UNKNOWN;
	c->depth = 0;
	t->gaps++;
}

void threads_end(struct threads *t, uint64_t time)
{
	const struct map_slot *slot;

	map_for_each(&t->threads, slot) {
		tell_thread(t, slot->value, time);
		mem_free(slot->value);
	}
	map_for_each(&t->cpus, slot) {
		tell_cpu(t, slot->value, time);
		mem_free(slot->value);
	}
	map_free(&t->threads);
	map_free(&t->cpus);
	mem_free(t->events);
}
