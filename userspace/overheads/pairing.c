// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Samples from a trace: see pairing.h. */
#include <err.h>
#include <string.h>

#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "libfttrace/handle.h"
#include "overheads/marks.h"
#include "overheads/pairing.h"

#define TID_MAX		(1 << 22)	/* the kernel's limits */
#define CPU_MAX		(1 << 16)
#define FUNCTIONS_MAX	(1 << 16)	/* kernels have fewer; a damaged trace may not */
#define LEVELS		4		/* task, softirq, hardirq, NMI */
#define RT_PRIO_END	100		/* priorities of real-time tasks are below */

/* A pair of which the first event has come. */
struct open {
	bool		is;
	unsigned int	level;
	uint64_t	start;
};

struct timer {
	struct open	open;
	enum overhead	kind;
	uint64_t	timer;
};

/* Times are kept plus one tick, so that 0 means none. */
struct cpu {
	bool		in_gap;
	uint64_t	last[LEVELS];		/* the latest record of each level */
	uint64_t	switched;
	struct open	schedule, swtch;
	struct timer	timer[LEVELS];		/* of each level, as interrupts nest */
	struct open	sent[2];		/* IPIs to it: reschedule, call */
};

struct waking {
	uint64_t	time;
	bool		is_rt;
};

struct search {
	struct pairing		*p;
	struct calls		*calls;
	struct ft_reader	*reader;
	struct mark_event		*events;	/* by id */
	uint32_t		n_events;
	struct map		cpus;		/* struct cpu by number */
	struct map		wakings;	/* struct waking by task */
	struct map		functions;	/* enum overhead + 1, by address */
	unsigned int		gaps;		/* CPUs that are in one */
};

/* --- events --------------------------------------------------------------- */

static void classify_all(struct search *s)
{
	const struct event_types *types = &s->reader->trace.meta.events[0];

	s->n_events = types->n;
	s->events = mem_zalloc(types->n + 1, sizeof(*s->events));
	for (uint32_t i = 0; i < types->n; i++) {
		if (types->at[i])
			s->events[i].what = mark_classify(types->at[i], &s->events[i]);
	}
}

static bool has(const struct search *s, enum mark what)
{
	for (uint32_t i = 0; i < s->n_events; i++) {
		if (s->events[i].what == what)
			return true;
	}
	return false;
}

/* Which kinds have no samples because an event is missing, and which event. */
static void find_missing(struct search *s)
{
	for (unsigned int i = 0; i < OVERHEADS; i++) {
		const struct overhead_kind *kind = &overhead_kinds[i];
		enum mark begin = mark_sends(kind->begin) ? IS_SEND : kind->begin;

		if (begin && !has(s, begin) && !has(s, kind->begin))
			s->p->missing[i] = mark_name(begin);
		else if (!has(s, kind->end))
			s->p->missing[i] = mark_name(kind->end);
	}
}

/* --- pairs on a CPU ------------------------------------------------------- */

static unsigned int level_of(const struct ft_reader_item *item)
{
	if (item->context & FT_READER_NMI)
		return 3;
	if (item->context & FT_READER_HARDIRQ)
		return 2;
	return item->context & FT_READER_SOFTIRQ ? 1 : 0;
}

static struct cpu *cpu_of(struct search *s, uint32_t number)
{
	struct cpu *c = map_get(&s->cpus, number);

	if (!c) {
		c = mem_zalloc(1, sizeof(*c));
		map_put(&s->cpus, number, c);
	}
	return c;
}

static struct open begin(const struct ft_reader_item *item)
{
	return (struct open){ .is = true, .level = level_of(item), .start = item->time };
}

/* Was there an interrupt from @start until now? */
static bool is_disturbed(const struct cpu *c, unsigned int level, uint64_t start)
{
	while (++level < LEVELS) {
		if (c->last[level] > start)
			return true;
	}
	return false;
}

/* The pair ends, if it began. */
static void end(struct search *s, const struct cpu *c, enum overhead kind, struct open *open,
		uint64_t time)
{
	struct samples *samples = &s->p->kind[kind];

	if (!open->is)
		return;
	open->is = false;
	if (!overhead_kinds[kind].latency && is_disturbed(c, open->level, open->start))
		samples->disturbed++;
	else
		samples_add(samples, time - open->start);
}

static void cut(struct search *s, enum overhead kind, struct open *open)
{
	s->p->kind[kind].cut += open->is;
	open->is = false;
}

/* --- functions that events name ------------------------------------------- */

/* Which kind of overhead one belongs to; OVERHEADS: none. */
static enum overhead kind_of(struct search *s, uint64_t function)
{
	static const struct {
		const char	*name;
		enum overhead	kind;
	} known[] = {
		{ "tick_sched_timer", OVERHEAD_TICK },
		{ "tick_nohz_handler", OVERHEAD_TICK },		/* since 6.9 */
		{ "hrtimer_wakeup", OVERHEAD_RELEASE },
		{ "generic_smp_call_function_single_interrupt", OVERHEAD_CALL },
	};
	void *found = map_get(&s->functions, function);
	enum overhead kind = OVERHEADS;
	char name[SYMBOLS_LEN];

	if (found)
		return (enum overhead)((uintptr_t)found - 1);
	if (ft_reader_name(s->reader, function, FT_READER_DATA, name, sizeof(name)) > 0) {
		for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
			if (!strcmp(name, known[i].name))
				kind = known[i].kind;
		}
	}
	if (s->functions.used < FUNCTIONS_MAX)
		map_put(&s->functions, function, (void *)((uintptr_t)kind + 1));
	return kind;
}

/* --- timers --------------------------------------------------------------- */

static void begin_timer(struct search *s, struct cpu *c, const struct mark_event *e,
			const struct ft_reader_item *item)
{
	uint64_t function = event_field_value(e->more, item->record.a, item->record.b);
	struct timer *timer = &c->timer[level_of(item)];
	enum overhead kind = kind_of(s, function);

	cut(s, timer->kind, &timer->open);
	if (kind != OVERHEAD_TICK && kind != OVERHEAD_RELEASE)
		return;
	timer->kind = kind;
	timer->open = begin(item);
	timer->timer = event_field_value(e->field, item->record.a, item->record.b);
}

static void end_timer(struct search *s, struct cpu *c, const struct mark_event *e,
		      const struct ft_reader_item *item)
{
	struct timer *timer = &c->timer[level_of(item)];

	if (!timer->open.is ||
	    timer->timer != event_field_value(e->field, item->record.a, item->record.b))
		return;
	/* On PREEMPT_RT, a thread that can be preempted expires some of them. */
	if (c->switched > timer->open.start) {
		s->p->kind[timer->kind].disturbed++;
		timer->open.is = false;
	}
	end(s, c, timer->kind, &timer->open, item->time);
}

/* --- wake-ups ------------------------------------------------------------- */

static void cut_waking(struct search *s, const struct waking *w)
{
	s->p->kind[OVERHEAD_WAKEUP].cut++;
	s->p->kind[OVERHEAD_WAKEUP_RT].cut += w->is_rt;
}

static void forget_wakings(struct search *s)
{
	struct map_slot *slot;

	map_for_each(&s->wakings, slot) {
		cut_waking(s, slot->value);
		mem_free(slot->value);
	}
	map_clear(&s->wakings);
}

static struct waking *take_waking(struct search *s, int32_t tid)
{
	struct waking *w = tid > 0 ? map_get(&s->wakings, (uint32_t)tid) : NULL;

	if (w)
		map_del(&s->wakings, (uint32_t)tid);
	return w;
}

static void wake(struct search *s, const struct mark_event *e, const struct ft_reader_item *item)
{
	int32_t tid = (int32_t)event_field_value(e->field, item->record.a, item->record.b);
	struct waking *w = take_waking(s, tid);

	/* If two come with no switch between, the task was still running at the first. */
	mem_free(w);
	if (tid <= 0 || tid > TID_MAX)
		return;
	w = mem_zalloc(1, sizeof(*w));
	w->time = item->time;
	w->is_rt = (int64_t)event_field_value(e->more, item->record.a, item->record.b) <
		   RT_PRIO_END;
	if (!s->gaps) {
		map_put(&s->wakings, (uint32_t)tid, w);
		return;
	}
	cut_waking(s, w);
	mem_free(w);
}

static void run(struct search *s, int32_t tid, uint64_t time)
{
	struct waking *w = take_waking(s, tid);

	if (!w)
		return;
	samples_add(&s->p->kind[OVERHEAD_WAKEUP], time - w->time);
	if (w->is_rt)
		samples_add(&s->p->kind[OVERHEAD_WAKEUP_RT], time - w->time);
	mem_free(w);
}

/*
 * A task that leaves the CPU, if it was woken, was woken while it ran; unless it was already
 * on its way to sleep in __schedule(): then it was woken from that sleep.
 */
static void leave(struct search *s, const struct cpu *c, const struct mark_event *e,
		  const struct ft_reader_item *item)
{
	struct waking *w = take_waking(s, item->tid);
	const char *state = field_label(&e->more->type, event_field_value(e->more, item->record.a,
									  item->record.b));

	if (w && c->schedule.is && w->time >= c->schedule.start && state && *state != 'R')
		map_put(&s->wakings, (uint32_t)item->tid, w);
	else
		mem_free(w);
}

static void switch_tasks(struct search *s, struct cpu *c, const struct mark_event *e,
			 const struct ft_reader_item *item)
{
	leave(s, c, e, item);
	end(s, c, OVERHEAD_SCHEDULE, &c->schedule, item->time);
	cut(s, OVERHEAD_SWITCH, &c->swtch);
	c->swtch = begin(item);
	c->switched = item->time + 1;
	run(s, (int32_t)event_field_value(e->field, item->record.a, item->record.b), item->time);
}

/* --- IPIs ----------------------------------------------------------------- */

/* Without a callback it is to reschedule; others are irq_work, which a CPU sends to itself. */
static enum overhead sent_kind(struct search *s, const struct mark_event *e,
			       const struct ft_reader_item *item)
{
	uint64_t callback;

	if (e->what != IS_SEND)
		return e->what == IS_SEND_CALL ? OVERHEAD_CALL : OVERHEAD_RESCHEDULE;
	callback = event_field_value(e->more, item->record.a, item->record.b);
	return callback ? kind_of(s, callback) : OVERHEAD_RESCHEDULE;
}

/* Until the first of several has arrived, the others are the same interrupt. */
static void send(struct search *s, const struct mark_event *e, const struct ft_reader_item *item)
{
	/* an int: the upper half of the register may be anything */
	uint32_t cpu = (uint32_t)event_field_value(e->field, item->record.a, item->record.b);
	enum overhead kind = sent_kind(s, e, item);
	struct open *sent;

	if (cpu >= CPU_MAX || (kind != OVERHEAD_RESCHEDULE && kind != OVERHEAD_CALL))
		return;
	if (s->gaps) {
		s->p->kind[kind].cut++;
		return;
	}
	sent = &cpu_of(s, cpu)->sent[kind == OVERHEAD_CALL];
	if (!sent->is)
		*sent = begin(item);
}

static void forget_sent(struct search *s)
{
	struct map_slot *slot;

	map_for_each(&s->cpus, slot) {
		struct cpu *c = slot->value;

		cut(s, OVERHEAD_RESCHEDULE, &c->sent[0]);
		cut(s, OVERHEAD_CALL, &c->sent[1]);
	}
}

/* --- system calls --------------------------------------------------------- */

static void enter(struct search *s, const struct cpu *c, const struct ft_reader_item *item)
{
	struct samples *samples = &s->p->kind[OVERHEAD_SYSCALL];
	uint64_t start;

	if (!s->calls || item->tid <= 0 ||
	    !calls_match(s->calls, (uint32_t)item->tid, item->time, &start))
		return;
	if (is_disturbed(c, 0, start) || c->switched > start)
		samples->disturbed++;
	else
		samples_add(samples, item->time - start);
}

/* --- all of it ------------------------------------------------------------ */

/* Between the last record before the gap and the next one anything may have happened. */
static void begin_gap(struct search *s, struct cpu *c)
{
	cut(s, OVERHEAD_SCHEDULE, &c->schedule);
	cut(s, OVERHEAD_SWITCH, &c->swtch);
	for (unsigned int i = 0; i < LEVELS; i++)
		cut(s, c->timer[i].kind, &c->timer[i].open);
	/* while another CPU is in one, there are none */
	if (!s->gaps) {
		forget_wakings(s);
		forget_sent(s);
	}
	s->gaps += !c->in_gap;
	c->in_gap = true;
}

static void end_gap(struct search *s, struct cpu *c, const struct ft_reader_item *item)
{
	s->gaps--;
	c->in_gap = false;
	/* what was lost may have been an interrupt, or a switch */
	for (unsigned int i = 0; i < LEVELS; i++)
		c->last[i] = item->time;
	c->switched = item->time;
}

static void take_record(struct search *s, const struct ft_reader_item *item)
{
	const struct mark_event *e = &s->events[item->record.id];
	struct cpu *c = cpu_of(s, (uint32_t)item->cpu);

	if (c->in_gap)
		end_gap(s, c, item);
	switch (e->what) {
	case IS_SCHEDULE:
		c->schedule = begin(item);
		break;
	case IS_SWITCH:
		switch_tasks(s, c, e, item);
		break;
	case IS_SWITCHED:
		end(s, c, OVERHEAD_SWITCH, &c->swtch, item->time);
		break;
	case IS_TIMER:
		begin_timer(s, c, e, item);
		break;
	case IS_TIMER_END:
		end_timer(s, c, e, item);
		break;
	case IS_WAKING:
		wake(s, e, item);
		break;
	case IS_SEND:
	case IS_SEND_RESCHEDULE:
	case IS_SEND_CALL:
		send(s, e, item);
		break;
	case IS_RESCHEDULE:
		end(s, c, OVERHEAD_RESCHEDULE, &c->sent[0], item->time);
		break;
	case IS_CALL:
		end(s, c, OVERHEAD_CALL, &c->sent[1], item->time);
		break;
	case IS_SYSCALL:
		c->schedule.is = false;	/* the same task went on */
		enter(s, c, item);
		break;
	case IS_NOTHING:
		break;
	}
	/* Set it afterwards: on PREEMPT_RT, it may mean that the next task is doing a softirq. */
	c->last[level_of(item)] = item->time + 1;
}

/* What began and did not end. */
static void end_all(struct search *s)
{
	struct map_slot *slot;

	map_for_each(&s->cpus, slot)
		begin_gap(s, slot->value);
}

static bool read_all(struct search *s, const char *dir)
{
	const struct ft_reader_item *item;
	int status = ft_reader_open(s->reader, dir, FT_READER_RECORDS | FT_READER_GAPS);

	if (!status) {
		classify_all(s);
		find_missing(s);
		s->p->hz = ft_reader_frequency(s->reader);
		while ((status = ft_reader_next(s->reader, &item)) > 0) {
			if (item->ring >= 0)
				continue;
			if (item->kind == FT_READER_GAPS)
				begin_gap(s, cpu_of(s, (uint32_t)item->cpu));
			else if (!item->record.stream_class && item->record.id < s->n_events)
				take_record(s, item);
		}
		end_all(s);
		s->p->lost = ft_reader_lost(s->reader);
	}
	if (status)
		warnx("%s", ft_reader_error(s->reader));
	return !status;
}

static void free_values(struct map *map)
{
	struct map_slot *slot;

	map_for_each(map, slot)
		mem_free(slot->value);
	map_free(map);
}

bool pairing_find(struct pairing *p, const char *dir, struct calls *calls)
{
	struct search s = { .p = p, .calls = calls, .reader = ft_reader_new() };
	bool ok;

	if (!s.reader)
		mem_none();
	p->no_calls = !calls;
	ok = read_all(&s, dir);
	mem_free(s.events);
	free_values(&s.cpus);
	free_values(&s.wakings);
	map_free(&s.functions);
	ft_reader_free(s.reader);
	return ok;
}

void pairing_free(struct pairing *p)
{
	for (unsigned int i = 0; i < OVERHEADS; i++)
		samples_free(&p->kind[i]);
}
