// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Real-time tasks: the pass over the trace. See realtime.h. */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/realtime/realtime_pass.h"
#include "base/array.h"
#include "base/mem.h"
#include "locks/reading.h"
#include "trace/scheduler_events.h"

enum what {
	IS_NEW,			/* not looked at yet */
	IS_NOTHING,
	IS_SWITCH,
	IS_WAKING,
	IS_WAKEUP,		/* says on which CPU */
	IS_MIGRATION,
	IS_EXEC,
	IS_INHERITANCE,		/* of a priority */
	IS_INTERRUPT,
	IS_PREEMPT_OFF, IS_PREEMPT_ON, IS_IRQ_OFF, IS_IRQ_ON,
};

/*
 * @task: the one that runs next, is woken, or moves; @left: the priority of the one that leaves;
 * @old: the number that it had; @own: its priority without inheritance. All but @task may be
 * NULL.
 */
struct realtime_event {
	enum what			what;
	const struct event_field	*task, *policy, *prio, *state, *left, *old, *own;
};

/* --- events ------------------------------------------------------------------------ */

static enum what known(const char *name)
{
	static const struct {
		const char	*name;
		enum what	what;
	} all[] = {
		{ "sched_switch", IS_SWITCH }, { "sched_waking", IS_WAKING },
		{ "sched_wakeup", IS_WAKEUP }, { "sched_wakeup_new", IS_WAKEUP },
		{ "sched_migrate_task", IS_MIGRATION }, { "sched_process_exec", IS_EXEC },
		{ "sched_pi_setprio", IS_INHERITANCE },
		{ "irq_handler_entry", IS_INTERRUPT }, { "softirq_entry", IS_INTERRUPT },
		{ "local_timer_entry", IS_INTERRUPT },
		{ "preempt_disable", IS_PREEMPT_OFF }, { "preempt_enable", IS_PREEMPT_ON },
		{ "irq_disable", IS_IRQ_OFF }, { "irq_enable", IS_IRQ_ON },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!strcmp(all[i].name, name))
			return all[i].what;
	}
	return IS_NOTHING;
}

static void classify(struct realtime_event *e, const struct event_type *type)
{
	bool leaves, inherits;

	e->what = known(type->name);
	leaves = e->what == IS_SWITCH;
	inherits = e->what == IS_INHERITANCE;
	if (!leaves && e->what != IS_WAKING && e->what != IS_WAKEUP && e->what != IS_MIGRATION &&
	    e->what != IS_EXEC && !inherits)
		return;
	e->task = event_type_field(type, leaves ? "next" : "task");
	e->policy = event_type_field(type, leaves ? "next_policy" : "task_policy");
	e->prio = event_type_field(type, leaves ? "next_prio" : inherits ? "new_prio" :
							       "task_prio");
	e->state = event_type_field(type, "prev_state");
	e->left = event_type_field(type, "prev_prio");
	e->old = event_type_field(type, "old_task");
	e->own = event_type_field(type, "own_prio");
	if (!e->task || (leaves && !e->state) || (e->what == IS_EXEC && !e->old) ||
	    (inherits && (!e->policy || !e->prio || !e->own)))
		e->what = IS_NOTHING;
}

static struct realtime_event *event_of(struct realtime_pass *p, uint32_t id)
{
	const struct event_type *type = metadata_event(&p->trace.meta, 0, id);
	struct realtime_event *e;

	if (!type)
		return NULL;
	e = &p->events[id];
	if (e->what == IS_NEW)
		classify(e, type);
	return e;
}

/* --- records of the scheduler -------------------------------------------------------- */

static int64_t value(const struct event_field *field, const struct ft_record *rec)
{
	return (int64_t)event_field_value(field, rec->a, rec->b);
}

/* @latest: the time of what is known: does a record tell something newer, or does it come late? */
static bool is_news(uint64_t *latest, uint64_t time)
{
	if (time < *latest)
		return false;
	*latest = time;
	return true;
}

static void has_policy(struct realtime_pass *p, const struct realtime_event *e,
		       const struct stream *s, struct task_seen *task)
{
	if (e->policy && e->prio && is_news(&task->prio_at, s->ts))
		realtime_policy_is(p, task, (uint16_t)value(e->policy, s->rec),
				   (int)value(e->prio, s->rec), s->ts);
}

/* A priority of a fair task, but what has none is real-time: its policy was changed. */
static void left(struct realtime_pass *p, struct task_seen *task, int prio, uint64_t time)
{
	if (prio >= REALTIME_FAIR && (task->is_rt || !task->has_policy)) {
		realtime_no_policy(p, task, time);
		task->has_prio = false;
	}
	realtime_prio(task, prio);
}

static void leaves(struct realtime_pass *p, const struct realtime_event *e, const struct stream *s)
{
	const char *label = field_label(&e->state->type, (uint64_t)value(e->state, s->rec));
	struct task_seen *task = realtime_task_get(p, s->rec->tid);

	if (!task || !is_news(&task->latest, s->ts))
		return;
	if (label && *label == 'R')
		task->is_coming = false;
	if (e->left && is_news(&task->prio_at, s->ts))
		left(p, task, (int)value(e->left, s->rec), s->ts);
	if (label && (*label == 'X' || *label == 'Z'))
		realtime_task_ends(p, task, s->ts);
}

/* What the record says of tasks, before it changes what they do. */
static void scheduled(struct realtime_pass *p, const struct realtime_event *e,
		      const struct stream *s)
{
	struct task_seen *task;

	if (e->what == IS_SWITCH)
		leaves(p, e, s);
	task = realtime_task_get(p, (int32_t)value(e->task, s->rec));
	if (!task || !is_news(&task->latest, s->ts))
		return;
	has_policy(p, e, s, task);
	task->is_coming = e->what == IS_WAKING && p->has_wakeups;
	if (e->what == IS_SWITCH)
		task->has_moved = false;
	if (e->what == IS_MIGRATION)
		task->has_moved = true;
	p->has_wakeups |= e->what == IS_WAKEUP;
}

static void inherits(struct realtime_pass *p, const struct realtime_event *e,
		     const struct stream *s)
{
	struct task_seen *task = realtime_task_get(p, (int32_t)value(e->task, s->rec));

	p->answer.seen.inheritance = true;
	if (!task)
		return;
	has_policy(p, e, s, task);
	/* its own priority is told nowhere else */
	realtime_inherits(p, task, (int)value(e->own, s->rec), (int)value(e->prio, s->rec),
			  s->ts);
}

/* Return: is it about who runs, or could? */
static bool kernel_event(struct realtime_pass *p, const struct stream *s, struct cpu_seen *c)
{
	struct realtime_event *e = event_of(p, s->rec->id);

	switch (e ? e->what : IS_NOTHING) {
	case IS_SWITCH:
		p->answer.seen.switches = true;
		if (!value(e->task, s->rec))
			realtime_kept_idle(p, c, s->ts, s->cpu);
		scheduled(p, e, s);
		return true;
	case IS_WAKING:
	case IS_WAKEUP:
		p->answer.seen.wakings = true;
		scheduled(p, e, s);
		return true;
	case IS_MIGRATION:
		scheduled(p, e, s);
		return true;
	case IS_EXEC:
		realtime_task_executes(p, (int32_t)value(e->old, s->rec),
				       (int32_t)value(e->task, s->rec), s->ts);
		return true;
	case IS_INHERITANCE:
		inherits(p, e, s);
		return true;
	case IS_INTERRUPT:
		p->answer.seen.interrupts = true;
		break;
	case IS_PREEMPT_OFF:
		realtime_kept_off(p, c, REALTIME_PREEMPT_OFF, s->ts, s->rec);
		break;
	case IS_PREEMPT_ON:
		realtime_kept_on(p, c, REALTIME_PREEMPT_OFF, s->ts, s->cpu);
		break;
	case IS_IRQ_OFF:
		realtime_kept_off(p, c, REALTIME_IRQ_OFF, s->ts, s->rec);
		break;
	case IS_IRQ_ON:
		realtime_kept_on(p, c, REALTIME_IRQ_OFF, s->ts, s->cpu);
		break;
	case IS_NEW:
	case IS_NOTHING:
		break;
	}
	return false;
}

/* --- the pass ------------------------------------------------------------------------ */

/* Return: is it about a lock whose holder may be preempted? */
static bool lock_record(struct realtime_pass *p, const struct stream *s, unsigned int kind)
{
	const struct ft_record *rec = s->rec;
	bool of_task = !(rec->ctx & p->interrupts) && !stream_is_program(s);

	if (kind < LOCKS_KIND_OTHER) {
		if (!stream_is_program(s)) {
			p->answer.seen.locks = true;
			p->answer.kept[kind / 2].seen = true;
		}
		locks_record(p->locks, s, kind);
		return !locks_is_spinning(kind / 2) && waits_waited_for(p->waits, rec->a);
	}
	if (kind == LOCKS_KIND_WAIT_BEGIN) {
		p->answer.seen.waits |= !stream_is_program(s);
		waits_begin(p->waits, s);
		if (of_task)
			realtime_wait_begins(p, rec->tid, s->ts);
	} else if (kind == LOCKS_KIND_WAIT_END) {
		if (of_task)
			realtime_wait_ends(p, rec->tid, waits_ending(p->waits, s), s->ts);
		waits_end(p->waits, s);
	}
	return false;	/* others who wait do so as before */
}

static void record(struct realtime_pass *p, const struct stream *s, unsigned int kind)
{
	struct cpu_seen *c = &p->cpus[s - p->trace.streams];
	bool changes = false;

	if (!stream_is_program(s)) {
		/* one that waited for a release may be earlier */
		p->now = s->ts > p->now ? s->ts : p->now;
		changes = c->tid != s->rec->tid;
		if (changes)	/* it was somebody else for some of the time */
			c->tid = -1;
		realtime_settle(p, c, s->ts);
		changes |= kernel_event(p, s, c);
		threads_record(&p->threads, s->ts, s->cpu, s->rec);
		c->tid = threads_running(&p->threads, s->cpu, &c->interrupted);
	}
	changes |= lock_record(p, s, kind);
	if (changes && p->n_waiting)
		realtime_look(p, s->ts > p->now ? s->ts : p->now);
}

static void gap(struct realtime_pass *p, const struct stream *s)
{
	struct cpu_seen *c = &p->cpus[s - p->trace.streams];
	uint64_t time = s->ts > p->trace.start ? s->ts : p->trace.start;

	if (s->item == STREAM_GAP && !stream_is_program(s)) {
		realtime_settle(p, c, time);
		*c = (struct cpu_seen){ .tid = -1, .since = time };
		threads_gap(&p->threads, time, s->cpu);
		realtime_look(p, p->now);	/* before holders are forgotten */
		p->part++;
	}
	waits_gap(p->waits, s, locks_in_gap(p->locks, s));
	locks_feed(p->locks, s);
	realtime_waits_gap(p);
}

static int read_all(struct realtime_pass *p)
{
	struct reading reading;
	struct stream *s;

	/* as the report's other tables: a section, and a wait before it, has one time in all */
	if (reading_begin(&reading, &p->trace, p->locks, NULL))
		return -1;
	while (reading_next(&reading, &s)) {
		if (s->item == STREAM_RECORD)
			record(p, s, reading_kind(&reading));
		else
			gap(p, s);
	}
	return reading_end(&reading);
}

static void acquired(void *arg, struct section *section)
{
	struct realtime_pass *p = arg;

	waits_acquired(p->waits, section);
}

static void begin(struct realtime_pass *p)
{
	static const struct locks_watch watch = { .begin = acquired };

	p->answer.seen.rt = locks_kernel_is_rt(&p->trace.meta);
	p->interrupts = p->answer.seen.rt ? FT_CTX_HARDIRQ | FT_CTX_NMI : UINT8_MAX;
	p->events = mem_zalloc(p->trace.meta.events[0].n + 1, sizeof(*p->events));
	p->cpus = mem_zalloc(p->trace.n_streams + 1, sizeof(*p->cpus));
	for (unsigned int i = 0; i < p->trace.n_streams; i++)
		p->cpus[i].tid = -1;
	p->rows = (struct pairs){ .size = sizeof(struct realtime_wait), .max = REALTIME_MAX_WAITS };
	p->part = 1;
	TAILQ_INIT(&p->waiting);
	TAILQ_INIT(&p->more);
	p->locks = locks_new(&p->trace, realtime_section, p);
	locks_watch(p->locks, &watch);
	p->waits = waits_new(p->locks, realtime_wait_told, p);
	waits_count_locks(p->waits);
	threads_begin(&p->threads, &p->trace.meta, &realtime_told, p);
	p->threads.tasks_do_softirqs = p->answer.seen.rt;
}

static void finish(struct realtime_pass *p)
{
	for (unsigned int i = 0; i < p->trace.n_streams; i++)
		realtime_settle(p, &p->cpus[i], p->now);
	threads_end(&p->threads, p->now);
	waits_finish(p->waits);
	locks_finish(p->locks);
	realtime_waits_finish(p);
	realtime_tasks_finish(p);
}

static void close_pass(struct realtime_pass *p)
{
	locks_free(p->locks);
	waits_free(p->waits);
	free(p->events);
	free(p->refused);
	free(p->cpus);
	filter_exit(&p->filter);
	trace_close(&p->trace);
}

const struct realtime *realtime_read(char *const *dirs, const struct filter_options *o,
				     const struct symbols *symbols, const struct names *names)
{
	struct realtime_pass *p = mem_zalloc(1, sizeof(*p));
	int ret;

	if (trace_open(&p->trace, dirs)) {
		free(p);
		return NULL;
	}
	p->names = names;
	ret = filter_bind(&p->filter, o, &p->trace, symbols, names);
	if (!ret) {
		begin(p);
		ret = read_all(p);
		finish(p);
	}
	if (!ret && !p->answer.seen.switches) {
		warnx("%s: no sched_switch was recorded, which --rt needs to know what tasks "
		      "do: " SCHEDULER_RECORD,
		      p->trace.title);
		ret = -1;
	}
	close_pass(p);
	if (!ret)
		return &p->answer;
	realtime_free(&p->answer);
	return NULL;
}

void realtime_free(const struct realtime *r)
{
	struct realtime_pass *p = (struct realtime_pass *)r;
	const struct map_slot *slot;

	if (!p)
		return;
	map_for_each(&p->tasks, slot)
		free(slot->value);
	map_free(&p->tasks);
	pairs_free(&p->rows);
	free(p->answer.task);
	free(p->answer.wait);
	free(p->answer.inversion);
	free(p);
}
