// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What threads and CPUs do. See threads.h. */
#include <string.h>

#include "analysis/threads.h"
#include "analysis/threads_event.h"
#include "base/mem.h"
#include "trace/stacks.h"

#define INTERRUPTS	16u	/* in each other, with what runs in them */

#define TID_MAX		(1 << 22)	/* the kernel's limit */

struct thread {
	struct thread_span	now;		/* its end is not known yet */
	struct call_span	call;		/* the same, if calls */
	struct thread_wakeup	wakeup;		/* while it ran, about to sleep, if is_woken */
	bool			calls, is_woken;
	uint32_t		queue;		/* see threads_queue() */
	uint64_t		gaps;		/* threads.gaps when @now began */
	uint64_t		call_gaps;
};

struct entered {
	struct interrupt_span	span;
	int32_t			tid;		/* who was interrupted */
	bool			paused;		/* see pause_softirqs() */
	bool			softirq;	/* and in no other interrupt */
};

struct cpu {
	struct thread_span	now;
	uint64_t		last;		/* time of its latest record */
	bool			in_gap;
	uint32_t		stack;		/* of who runs, and sleeps next; 0: none */
	unsigned int		depth;
	struct entered		entered[INTERRUPTS];
};

/* --- threads -------------------------------------------------------------- */

/* Return: NULL if there is no such thread; the idle tasks share a number. */
static struct thread *thread_of(struct threads *t, int32_t tid)
{
	struct thread *thread;

	if (tid <= 0 || tid > TID_MAX)
		return NULL;
	thread = map_get(&t->threads, (uint32_t)tid);
	if (!thread) {
		thread = mem_zalloc(1, sizeof(*thread));
		thread->now.tid = tid;
		thread->queue = UINT32_MAX;
		map_put(&t->threads, (uint32_t)tid, thread);
	}
	return thread;
}

static bool is_known(const struct threads *t, const struct thread *thread)
{
	return thread->now.state == THREAD_RUNS ||
	       (thread->now.state != THREAD_UNKNOWN && thread->gaps == t->gaps && !t->in_gaps);
}

static void tell_thread(struct threads *t, struct thread *thread, uint64_t time)
{
	thread->now.end = time;
	if (t->told->thread && is_known(t, thread) && thread->now.start < time)
		t->told->thread(t->arg, &thread->now);
}

/*
 * A record may come late, as its CPU's stream waited for a release that did not come
 * (locks/early.h): then later records of other CPUs about the thread hold.
 */
static bool is_late(const struct thread *thread, uint64_t time)
{
	return time < thread->now.start;
}

static void set_state(struct threads *t, struct thread *thread, uint64_t time,
		      enum thread_state state, uint32_t cpu)
{
	tell_thread(t, thread, time);
	thread->now.start = time;
	thread->now.state = state;
	thread->now.label = NULL;
	thread->now.stack = 0;
	thread->now.cpu = cpu;
	thread->gaps = t->gaps;
}

static void tell_wakeup(struct threads *t, struct thread_wakeup wakeup, uint64_t ready)
{
	wakeup.ready = ready;
	if (t->told->wakeup)
		t->told->wakeup(t->arg, &wakeup);
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

/*
 * From @time on it is not known who runs here; the last task is taken to have run until then.
 */
static void stop(struct threads *t, struct cpu *c, uint64_t time)
{
	struct thread *thread = thread_of(t, c->now.tid);

	if (c->now.state != THREAD_RUNS)
		return;
	tell_cpu(t, c, time);
	c->now.state = THREAD_UNKNOWN;
	if (thread && thread->now.state == THREAD_RUNS && thread->now.cpu == c->now.cpu)
		set_state(t, thread, time, THREAD_UNKNOWN, c->now.cpu);
}

/*
 * A thread is ready as it was woken; but perhaps it was running, and was woken once more. Then
 * a switch to it comes late. One away from it says that it did not run any more.
 */
static void late_run(struct thread *thread, const struct cpu *c)
{
	bool again = thread->now.state == THREAD_PREEMPTED && thread->now.cpu == c->now.cpu;

	if (thread->now.state != THREAD_READY && !again)
		return;
	thread->now.state = THREAD_RUNS;
	thread->now.cpu = c->now.cpu;
}

static void late_leave(struct thread *thread, const struct cpu *c, const char *label)
{
	if (thread->now.state == THREAD_RUNS && thread->now.cpu == c->now.cpu)
		thread->now.state = label && *label == 'R' ? THREAD_PREEMPTED : THREAD_READY;
}

/*
 * A sleep that ends without a wake-up, though these are recorded, was not one: the thread was
 * about to sleep when a signal came, and some kernels report that as sleep.
 */
static void run(struct threads *t, struct cpu *c, int32_t tid, uint64_t time)
{
	struct thread *thread = thread_of(t, tid);

	c->now.start = time;
	c->now.tid = tid;
	c->now.state = THREAD_RUNS;
	c->stack = 0;
	if (!thread)
		return;
	if (is_late(thread, time)) {
		late_run(thread, c);
		return;
	}
	if (thread->now.state == THREAD_ASLEEP && t->has_wakings)
		thread->now.state = THREAD_PREEMPTED;
	thread->is_woken = false;
	thread->queue = c->now.cpu;
	set_state(t, thread, time, THREAD_RUNS, c->now.cpu);
}

static void forget(struct threads *t, struct thread *thread)
{
	map_del(&t->threads, (uint32_t)thread->now.tid);
	mem_free(thread);
}

/* What tells that it sleeps comes late: what has woken it from that came before. */
static void was_woken(struct threads *t, struct thread *thread)
{
	set_state(t, thread, thread->wakeup.time, THREAD_READY, thread->now.cpu);
	tell_wakeup(t, thread->wakeup, thread->wakeup.time);
}

static void leave(struct threads *t, const struct threads_event *e, uint64_t time,
		  const struct cpu *c, const struct ft_record *rec)
{
	uint64_t left = event_field_value(e->state, rec->a, rec->b);
	const char *label = field_label(&e->state->type, left);
	struct thread *thread = thread_of(t, rec->tid);
	enum thread_state state = THREAD_ASLEEP;

	if (!thread)
		return;
	if (is_late(thread, time)) {
		late_leave(thread, c, label);
		return;
	}
	if (label && (*label == 'X' || *label == 'Z')) {	/* the number may come again */
		tell_thread(t, thread, time);
		forget(t, thread);
		return;
	}
	if (label && *label == 'R')
		state = THREAD_PREEMPTED;
	else if (thread->is_woken && thread->wakeup.time <= time)
		state = THREAD_READY;
	set_state(t, thread, time, state, c->now.cpu);
	thread->now.label = label;
	thread->now.stack = c->stack;
	if (state == THREAD_ASLEEP && thread->wakeup.time > time) {
		was_woken(t, thread);
		return;		/* it is where it was woken to */
	}
	thread->is_woken = false;
	thread->queue = c->now.cpu;
	if (state == THREAD_READY)
		tell_wakeup(t, thread->wakeup, time);
}

/*
 * On PREEMPT_RT a softirq is done by a thread, which may be preempted within: then nothing of
 * it is on the CPU until that thread runs again.
 */
static void pause_softirqs(struct threads *t, struct cpu *c, uint64_t time, int32_t tid)
{
	for (unsigned int i = 0; i < c->depth; i++) {
		struct entered *entered = &c->entered[i];

		if (entered->tid != tid || entered->paused)
			continue;
		entered->paused = true;
		entered->span.end = time;
		if (t->told->interrupt)
			t->told->interrupt(t->arg, &entered->span);
	}
}

static void resume_softirqs(struct cpu *c, uint64_t time, int32_t tid)
{
	for (unsigned int i = 0; i < c->depth; i++) {
		struct entered *entered = &c->entered[i];

		if (entered->tid == tid && entered->paused) {
			entered->paused = false;
			entered->span.start = time;
		}
	}
}

static void switch_to(struct threads *t, const struct threads_event *e, uint64_t time,
		      struct cpu *c, const struct ft_record *rec)
{
	int32_t next = (int32_t)event_field_value(e->field, rec->a, rec->b);

	leave(t, e, time, c, rec);
	tell_cpu(t, c, time);
	pause_softirqs(t, c, time, rec->tid);
	run(t, c, next, time);
	resume_softirqs(c, time, next);
}

/*
 * Each record says who runs on its CPU. That is another one than the last switch said
 * if a thread got another number when it executed a program.
 */
static void look_who_runs(struct threads *t, struct cpu *c, uint64_t time, int32_t tid)
{
	if (!t->has_switches || (c->now.state == THREAD_RUNS && c->now.tid == tid))
		return;
	stop(t, c, c->last);
	run(t, c, tid, time);
}

/* --- wake-ups ------------------------------------------------------------- */

/* From @base on: the outermost interrupt, or else the outermost softirq. */
static const struct entered *outermost(const struct cpu *c, unsigned int base, bool softirqs)
{
	const struct entered *found = NULL;

	for (unsigned int i = base; i < c->depth; i++) {
		const struct entered *entered = &c->entered[i];

		if (entered->paused || (entered->softirq && !softirqs))
			continue;
		if (!entered->softirq)
			return entered;
		if (!found)
			found = entered;
	}
	return found;
}

static struct thread_wakeup wakeup_of(const struct cpu *c, uint64_t time,
				      const struct ft_record *rec, int32_t woken)
{
	const struct entered *in = rec->ctx ? outermost(c, 0, true) : NULL;

	return (struct thread_wakeup){
		.time = time, .cpu = c->now.cpu, .woken = woken,
		.in_interrupt = rec->ctx && c->depth, .by = rec->ctx ? 0 : rec->tid,
		.interrupt = in ? in->span : (struct interrupt_span){ 0 },
	};
}

/* sched_waking does not know yet where it will be. */
static void queued(struct threads *t, const struct threads_event *e, uint64_t time,
		   const struct ft_record *rec)
{
	struct thread *thread;

	if (!e->cpu || e->what == IS_WAKING)
		return;
	thread = thread_of(t, (int32_t)event_field_value(e->field, rec->a, rec->b));
	if (thread && !is_late(thread, time))
		thread->queue = (uint32_t)event_field_value(e->cpu, rec->a, rec->b);
}

/*
 * One that still runs may be about to sleep: it is ready when it has left its CPU. Or it
 * runs on: then the wake-up is reported at once (IS_WAKEUP).
 */
static void wake(struct threads *t, const struct threads_event *e, uint64_t time,
		 const struct cpu *c, const struct ft_record *rec)
{
	int32_t tid = (int32_t)event_field_value(e->field, rec->a, rec->b);
	struct thread *thread = thread_of(t, tid);

	t->has_wakings |= e->what != IS_BIRTH;
	t->has_wakeups |= e->what == IS_WAKEUP;
	if (!thread || is_late(thread, time))
		return;
	if (thread->now.state == THREAD_RUNS) {
		thread->is_woken = e->what == IS_WAKING && t->has_wakeups &&
				   thread->now.cpu != c->now.cpu;
		if (e->what != IS_WAKEUP)	/* that does not know who did */
			thread->wakeup = wakeup_of(c, time, rec, tid);
		return;
	}
	if (is_known(t, thread) && thread->now.state != THREAD_ASLEEP)
		return;
	set_state(t, thread, time, THREAD_READY, thread->now.cpu);
	if (e->what != IS_WAKEUP)
		tell_wakeup(t, wakeup_of(c, time, rec, tid), time);
}

/* --- interrupts, system calls --------------------------------------------- */

static void enter(struct cpu *c, const struct event_type *type, uint64_t time,
		  const struct ft_record *rec)
{
	if (c->depth < INTERRUPTS)
		c->entered[c->depth++] = (struct entered){
			.span = {
				.start = time, .cpu = c->now.cpu, .event = type,
				.a = rec->a, .b = rec->b,
			},
			.tid = rec->tid,
			.softirq = rec->ctx == FT_CTX_SOFTIRQ,
		};
}

/* The interrupted task goes on: the end of its interrupts was not recorded. */
static void look_what_is_over(struct cpu *c, const struct ft_record *rec)
{
	for (unsigned int i = 0; i < c->depth && !rec->ctx; i++) {
		if (c->entered[i].tid == rec->tid)
			c->depth = i;
	}
}

/* Where the thread goes to sleep: its sched_switch comes next. */
static void about_to_sleep(struct cpu *c, const struct ft_record *rec)
{
	if (STACKS_OF(rec->a) == STACKS_OF_SLEEP)
		c->stack = STACKS_ID(rec->a);
}

/* The first field, as the number of the interrupt, tells one from another. */
static bool is_end(const struct interrupt_span *span, const struct event_type *type, size_t base,
		   const struct ft_record *rec)
{
	const struct event_type *entered = span->event;

	return !strncmp(entered->name, type->name, base) &&
	       !strcmp(entered->name + base, "_entry") &&
	       (!type->fields || !entered->fields ||
		event_field_value(&entered->field[0], span->a, span->b) ==
		event_field_value(&type->field[0], rec->a, rec->b));
}

/* What was entered within it and not left was lost, or not of interest. */
static void leave_interrupt(struct threads *t, const struct event_type *type, size_t base,
			    uint64_t time, struct cpu *c, const struct ft_record *rec)
{
	for (unsigned int i = c->depth; i-- > 0;) {
		struct interrupt_span *span = &c->entered[i].span;

		if (!is_end(span, type, base, rec))
			continue;
		c->depth = i;
		span->end = time;
		if (t->told->interrupt && !c->entered[i].paused)
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
		 const struct cpu *c, const struct ft_record *rec)
{
	struct thread *thread = thread_of(t, rec->tid);
	int32_t number = (int32_t)event_field_value(e->field, rec->a, rec->b);

	if (!thread)
		return;
	if (e->what == IS_CALL) {
		thread->call = (struct call_span){
			.start = time, .tid = rec->tid, .cpu = c->now.cpu, .call = number,
		};
		thread->call_gaps = t->gaps;
	} else if (thread->calls && is_return_of(&thread->call, number) &&
		   thread->call_gaps == t->gaps && !t->in_gaps) {
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

static void end_gap(struct threads *t, struct cpu *c)
{
	c->in_gap = false;
	t->in_gaps--;
	t->gaps++;
}

static struct threads_event *event_of(struct threads *t, const struct event_type *type,
				      uint32_t id)
{
	struct threads_event *e = &t->events[id];

	if (e->what == IS_NEW)
		threads_event_classify(e, type);
	return e;
}

void threads_record(struct threads *t, uint64_t time, uint32_t cpu, const struct ft_record *rec)
{
	const struct event_type *type = metadata_event(t->meta, 0, rec->id);
	struct cpu *c = cpu_of(t, cpu);
	struct threads_event *e;

	if (c->in_gap)
		end_gap(t, c);
	look_what_is_over(c, rec);
	look_who_runs(t, c, time, rec->tid);
	c->last = time;
	if (!type)
		return;
	e = event_of(t, type, rec->id);
	switch (e->what) {
	case IS_SWITCH:
		t->has_switches = true;
		switch_to(t, e, time, c, rec);
		break;
	case IS_WAKING:
	case IS_WAKEUP:
	case IS_BIRTH:
		queued(t, e, time, rec);
		wake(t, e, time, c, rec);
		break;
	case IS_MIGRATION:
		queued(t, e, time, rec);
		break;
	case IS_ENTRY:
		enter(c, type, time, rec);
		break;
	case IS_EXIT:
		leave_interrupt(t, type, e->base, time, c, rec);
		break;
	case IS_CALL:
	case IS_RETURN:
		call(t, e, time, c, rec);
		break;
	case IS_STACK:
		about_to_sleep(c, rec);
		break;
	case IS_NEW:
	case IS_NOTHING:
		break;
	}
}

void threads_gap(struct threads *t, uint64_t time, uint32_t cpu)
{
	struct cpu *c = cpu_of(t, cpu);

	stop(t, c, time);
	c->depth = 0;
	t->in_gaps += !c->in_gap;
	c->in_gap = true;
	c->stack = 0;
}

const struct thread_span *threads_now(const struct threads *t, int32_t tid)
{
	const struct thread *thread = tid > 0 ? map_get(&t->threads, (uint32_t)tid) : NULL;

	return thread && is_known(t, thread) ? &thread->now : NULL;
}

int32_t threads_running(const struct threads *t, uint32_t cpu, bool *interrupted)
{
	const struct cpu *c = map_get(&t->cpus, cpu);

	if (interrupted)
		*interrupted = false;
	if (!c || c->in_gap || c->now.state != THREAD_RUNS)
		return -1;
	if (interrupted)
		*interrupted = outermost(c, 0, !t->tasks_do_softirqs);
	return c->now.tid;
}

uint32_t threads_queue(const struct threads *t, int32_t tid)
{
	const struct thread *thread = tid > 0 ? map_get(&t->threads, (uint32_t)tid) : NULL;

	return thread ? thread->queue : UINT32_MAX;
}

unsigned int threads_depth(const struct threads *t, uint32_t cpu)
{
	const struct cpu *c = map_get(&t->cpus, cpu);

	return c ? c->depth : 0;
}

const struct interrupt_span *threads_interrupt(const struct threads *t, uint32_t cpu,
					       unsigned int base, bool *softirq)
{
	const struct cpu *c = map_get(&t->cpus, cpu);
	const struct entered *in = c ? outermost(c, base, !t->tasks_do_softirqs) : NULL;

	if (softirq)
		*softirq = in && in->softirq;
	return in ? &in->span : NULL;
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
