// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The two readings of a trace: what each record changes, and in which order. See why.h. */
#include <err.h>
#include <inttypes.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/message.h"
#include "locks/reading.h"
#include "symbols/tasks.h"
#include "trace/scheduler_events.h"
#include "why/pass.h"

const char *why_cause_name(enum why_cause cause)
{
	static const char *const names[WHY_CAUSES] = {
		[WHY_INTERRUPT] = "interrupt", [WHY_SOFTIRQ] = "softirq",
		[WHY_RUNNING] = "running", [WHY_SPINNING] = "spinning",
		[WHY_PREEMPTED] = "preempted", [WHY_READY] = "ready",
		[WHY_WAITING] = "waiting", [WHY_ASLEEP_D] = "uninterruptible",
		[WHY_ASLEEP] = "asleep", [WHY_UNKNOWN] = "unknown",
	};

	return names[cause];
}

const char *why_kind_name(enum why_kind kind)
{
	return kind == WHY_HOLD ? "held" : "waited";
}

/* --- an instant --------------------------------------------------------------------- */

enum why_cause why_cause_of_span(const struct thread_span *span, const struct wait *wait)
{
	switch (span->state) {
	case THREAD_RUNS:
		return WHY_RUNNING;
	case THREAD_PREEMPTED:	/* or it was about to wait: threads.c */
		return wait && span->label && *span->label != 'R' ? WHY_WAITING : WHY_PREEMPTED;
	case THREAD_READY:
		return WHY_READY;
	case THREAD_ASLEEP:
		if (wait)
			return WHY_WAITING;
		return span->label && *span->label == 'D' ? WHY_ASLEEP_D : WHY_ASLEEP;
	case THREAD_UNKNOWN:
		break;
	}
	return WHY_UNKNOWN;
}

const struct wait *why_wait_of(const struct why_pass *p, int32_t tid, uint32_t cpu,
			       uint64_t since, bool runs)
{
	const struct wait *wait = waits_open_since(p->waits, tid, cpu, p->interrupts, since, runs);

	return wait || tid <= 0 ? wait : waits_open_program(p->waits, tid, since);
}

enum why_cause why_running(const struct why_pass *p, int32_t tid, uint32_t cpu, uint64_t since)
{
	bool softirq;

	if (threads_interrupt(&p->threads, cpu, 0, &softirq))
		return softirq ? WHY_SOFTIRQ : WHY_INTERRUPT;
	return why_wait_of(p, tid, cpu, since, true) ? WHY_SPINNING : WHY_RUNNING;
}

/* --- callbacks of threads.h ------------------------------------------------------------------- */

/* The stack of a chosen one, if it is one. */
static void has_stack(struct why_pass *p, const struct why_item *like, uint32_t number)
{
	struct why_item *item = number ? map_get(&p->chosen, like->start) : NULL;

	for (; item; item = item->same) {
		if (item->kind == like->kind && item->lock == like->lock &&
		    item->tid == like->tid && item->ctx == like->ctx)
			item->stack = number;
	}
}

static void section_has(void *arg, const struct section *s, uint32_t number)
{
	const struct why_item like = {
		.kind = WHY_HOLD, .start = s->start, .lock = s->lock, .tid = s->tid,
		.ctx = s->ctx,
	};

	has_stack(arg, &like, number);
}

static void wait_has(void *arg, const struct wait *w, uint32_t number)
{
	const struct why_item like = {
		.kind = WHY_WAIT, .start = w->begin, .lock = w->lock, .tid = w->tid,
		.ctx = w->ctx,
	};

	has_stack(arg, &like, number);
}

static void section_begins(void *arg, struct section *s)
{
	struct why_pass *p = arg;

	if (p->second)
		why_parts_begin(p, s);
	else if (p->answer.holds && (!p->filter.active || filter_section(&p->filter, s)))
		why_sums_begin(p, s);
	if (p->stacked)
		stacked_begins(p->stacked, p->now, s);
	waits_acquired(p->waits, s);
}

static void section_ends(void *arg, const struct section *s)
{
	struct why_pass *p = arg;

	if (p->stacked)
		stacked_section(p->stacked, p->now, s);
	if (p->second)
		why_parts_end(p, s);
	else
		why_sums_end(p, s);
}

static void waited(void *arg, const struct wait *w)
{
	struct why_pass *p = arg;

	if (p->stacked)
		stacked_wait(p->stacked, p->now, w);
	if (!p->answer.waits)
		return;
	p->all_waits++;
	if (p->second)
		why_parts_waited(p, w);
	else
		why_sums_waited(p, w, filter_wait(&p->filter, w));
}

static void woken(struct why_pass *p)
{
	if (p->second)
		why_parts_woken(p);
	else
		why_sums_woken(p);
}

/* Running is counted for each CPU, with what interrupts it. */
static void thread_did(void *arg, const struct thread_span *span)
{
	struct why_pass *p = arg;

	if (span->state == THREAD_RUNS)
		return;
	if (p->woken.tid)	/* of another one: the same record reports both */
		woken(p);
	if (!p->second)
		why_sums_span(p, span);
	p->woken = (struct why_woken){ .tid = span->tid, .state = span->state };
}

/* Comes after what the thread did until then. */
static void thread_woken(void *arg, const struct thread_wakeup *wakeup)
{
	struct why_pass *p = arg;

	if (p->woken.tid != wakeup->woken)
		return;
	p->woken.by = wakeup->by;
	p->woken.interrupt = wakeup->interrupt;
}

static const struct threads_told told = { .thread = thread_did, .wakeup = thread_woken };

/* --- records ------------------------------------------------------------------------ */

/* Which member of struct why_seen this event sets. */
static size_t seen_at(const char *name)
{
	static const struct {
		const char	*name;
		size_t		at;
	} all[] = {
		{ "sched_switch", offsetof(struct why_seen, switches) },
		{ "sched_waking", offsetof(struct why_seen, wakings) },
		{ "sched_wakeup", offsetof(struct why_seen, wakings) },
		{ "irq_handler_entry", offsetof(struct why_seen, interrupts) },
		{ "local_timer_entry", offsetof(struct why_seen, interrupts) },
		{ "softirq_entry", offsetof(struct why_seen, softirqs) },
		{ "contention_begin", offsetof(struct why_seen, waits) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!strcmp(all[i].name, name))
			return all[i].at;
	}
	return offsetof(struct why_seen, others);
}

static void find_seen(struct why_pass *p)
{
	const struct metadata *meta = &p->answer.trace.meta;

	for (unsigned int class = 0; class < METADATA_CLASSES; class++) {
		for (uint32_t id = 0; id < meta->events[class].n; id++) {
			const struct event_type *type = metadata_event(meta, class, id);

			p->seen[class][id] = type ? (uint8_t)seen_at(type->name) :
						    offsetof(struct why_seen, others);
		}
	}
}

static void settle(struct why_pass *p, const struct stream *s, uint64_t time)
{
	if (p->second)
		why_parts_settle(p, time);
	else if (stream_is_program(s))
		why_sums_task(p, s->rec->tid, time);
	else
		why_sums_cpu(p, s->cpu, time);
}

/* Does this record change what anybody does? Most are of locks, and do not. */
static bool changes(const struct why_pass *p, const struct stream *s, unsigned int kind)
{
	if (kind < LOCKS_KIND_OTHER) {
		if (p->second && waits_waited_for(p->waits, s->rec->a))
			return true;
		if (stream_is_program(s))
			return false;
		return threads_running(&p->threads, s->cpu, NULL) != s->rec->tid ||
		       (!s->rec->ctx && threads_depth(&p->threads, s->cpu));
	}
	return true;
}

static void wait_begins(struct why_pass *p, const struct stream *s)
{
	const struct wait *wait;

	waits_begin(p->waits, s);
	wait = waits_begun(p->waits, s);
	if (!wait || !p->answer.waits || wait->begin != s->ts)
		return;		/* it goes on, or was there already */
	if (p->second)
		why_parts_wait_begins(p, wait);
	else
		why_sums_wait_begins(p, wait);
}

static void wait_ends(struct why_pass *p, const struct stream *s)
{
	const struct wait *wait = waits_ending(p->waits, s);

	if (wait && p->answer.waits) {
		if (p->second)
			why_parts_wait_ends(p, wait, s->ts);
		else
			why_sums_wait_ends(p, wait, s->ts);
	}
	if (p->stacked)
		stacked_wait_end(p->stacked, s);
	waits_end(p->waits, s);
}

static void lock_record(struct why_pass *p, const struct stream *s, unsigned int kind)
{
	if (p->stacked && kind < LOCKS_KIND_OTHER && kind % 2)
		stacked_release(p->stacked, s);
	if (kind < LOCKS_KIND_OTHER)
		locks_record(p->locks, s, kind);
	else if (kind == LOCKS_KIND_WAIT_BEGIN)
		wait_begins(p, s);
	else if (kind == LOCKS_KIND_WAIT_END)
		wait_ends(p, s);
	else if (kind == LOCKS_KIND_STACK && p->stacked)
		stacked_record(p->stacked, s, p->waits);
}

static void record(struct why_pass *p, const struct stream *s, unsigned int kind)
{
	bool any = changes(p, s, kind);

	if (p->requests)
		why_parts_unpark(p, s);
	((bool *)&p->answer.seen)[p->seen[s->class][s->rec->id]] = true;
	p->answer.seen.locks |= kind < LOCKS_KIND_OTHER;
	if (any)
		settle(p, s, s->ts);
	if (!stream_is_program(s)) {
		p->woken.tid = 0;
		threads_record(&p->threads, s->ts, s->cpu, s->rec);
		if (p->woken.tid)
			woken(p);
		if (!p->second && !(s->rec->ctx & p->interrupts))
			why_sums_no_interrupt(p, s->cpu);
	}
	lock_record(p, s, kind);
	if (p->requests)
		requests_record(p->requests, s);
	if (any && p->second)
		why_parts_look(p);
}

static void gap(struct why_pass *p, const struct stream *s)
{
	uint64_t time = s->ts > p->answer.trace.start ? s->ts : p->answer.trace.start;
	bool was_in_gap = locks_in_gap(p->locks, s);

	if (p->requests)
		why_parts_unpark(p, s);
	if (p->second)
		why_parts_settle(p, time);
	else if (!stream_is_program(s))
		why_sums_gap(p, time);
	p->woken.tid = 0;
	if (s->item == STREAM_GAP && !stream_is_program(s))
		threads_gap(&p->threads, time, s->cpu);
	if (p->woken.tid)
		woken(p);
	waits_gap(p->waits, s, was_in_gap);
	locks_feed(p->locks, s);
	if (p->stacked)
		stacked_gap(p->stacked, s);
	if (p->requests)
		requests_gap(p->requests, s, was_in_gap);
	if (p->second)
		why_parts_look(p);
}

/* --- the readings ------------------------------------------------------------------- */

static int read_all(struct why_pass *p)
{
	struct reading reading;
	uint64_t last = 0;
	struct stream *s;

	if (reading_begin(&reading, &p->answer.trace, p->locks, NULL)) {
		threads_end(&p->threads, 0);
		return -1;
	}
	while (reading_next(&reading, &p->now)) {
		s = p->now;
		if (s->ts > last)
			last = s->ts;
		if (s->item == STREAM_RECORD)
			record(p, s, reading_kind(&reading));
		else
			gap(p, s);
	}
	if (p->second)
		why_parts_settle(p, last);
	threads_end(&p->threads, last);
	return reading_end(&reading);
}

static void begin(struct why_pass *p)
{
	static const struct locks_watch watch = { .begin = section_begins };
	static const struct stacked_told stacks = { .section = section_has, .wait = wait_has };
	struct trace *t = &p->answer.trace;
	const char *version = metadata_env(&t->meta, "kernel_version");
	bool rt = version && strstr(version, "PREEMPT_RT");

	p->interrupts = rt ? FT_CTX_HARDIRQ | FT_CTX_NMI : UINT8_MAX;
	p->locks = locks_new(t, section_ends, p);
	locks_watch(p->locks, &watch);
	p->waits = waits_new(p->locks, waited, p);
	waits_count_locks(p->waits);
	if (p->second && !p->requests && p->answer.stacks) {
		p->stacked = stacked_new(t, p->answer.stacks, p->answer.symbols, false, &stacks, p);
		waits_keep(p->waits);
	}
	threads_begin(&p->threads, &t->meta, &told, p);
	p->threads.tasks_do_softirqs = rt;
}

static uint64_t cut_sections(const struct why_pass *p)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < p->answer.trace.n_streams; i++) {
		const struct balance *b = locks_balance(p->locks, i);

		for (unsigned int family = 0; family < LOCKS_FAMILIES; family++) {
			for (unsigned int cut = 0; cut < LOCKS_CUTS; cut++)
				sum += b[family].no_release[cut] + b[family].no_acquire[cut];
		}
	}
	return sum;
}

static void warn_empty(const struct why_pass *p)
{
	const struct why *w = &p->answer;

	if (!p->filter.active || p->part || w->table[WHY_HOLD].all.count ||
	    w->table[WHY_WAIT].all.count ||
	    (!w->seen.locks && !w->seen.waits))
		return;
	if (w->holds)
		filter_warn_empty(&w->trace, p->locks);
	else
		warnx("%s: no wait is selected: the trace has %" PRIu64, w->trace.title,
		      p->all_waits);
}

static void finish(struct why_pass *p)
{
	waits_finish(p->waits);
	if (p->stacked)
		stacked_finish(p->stacked);
	stacked_free(p->stacked);
	p->stacked = NULL;
	locks_finish(p->locks);
	if (!p->second) {
		p->answer.cut_sections = cut_sections(p);
		for (unsigned int i = 0; i < LOCKS_CUTS; i++)
			p->answer.cut_waits += waits_cut(p->waits, i);
		warn_empty(p);
	}
	locks_free(p->locks);
	waits_free(p->waits);
	why_sums_free(p);
}

static int reading(struct why_pass *p)
{
	int ret;

	begin(p);
	ret = read_all(p);
	if (p->requests)
		requests_finish(p->requests);
	finish(p);
	if (p->second)
		why_parts_finish(p);
	if (!ret && p->again)
		ret = trace_compare_books(&p->answer.trace, &p->before);
	p->before = trace_books(&p->answer.trace);
	return ret;
}

/* Return: -1, after a message */
static int lacks_events(const struct why_pass *p)
{
	const struct why *w = &p->answer;

	if (!w->seen.locks && !w->seen.waits)
		warnx("%s: no lock event was recorded, and 'ft why' is about locks: "
		      SCHEDULER_RECORD, w->trace.title);
	else
		warnx("%s: no sched_switch was recorded, which 'ft why' needs to know what "
		      "tasks do: "
		      SCHEDULER_RECORD, w->trace.title);
	return -1;
}

/* If there is nothing to take apart, the trace of the first reading stays. */
static int read_twice(struct why_pass *p, char *const *dirs)
{
	struct why *w = &p->answer;

	find_seen(p);
	if (reading(p))
		return -1;
	if (!why_has_events(w))
		return p->part ? 0 : lacks_events(p);
	why_rows_finish(p);
	if (!w->items[WHY_HOLD] && !w->items[WHY_WAIT])
		return 0;
	message_again();
	p->again = true;
	w->first = w->trace.meta;
	w->trace.meta = (struct metadata){ 0 };
	trace_close(&w->trace);
	p->closed = trace_open(&w->trace, dirs);
	if (p->closed)
		return -1;
	p->second = true;
	why_parts_choose(p);
	return reading(p);
}

struct why_pass *why_pass_open(const struct why_asked *asked, char *const *dirs)
{
	struct why_pass *p = mem_zalloc(1, sizeof(*p));
	struct why *w = &p->answer;

	w->holds = asked->holds;
	w->waits = asked->waits;
	w->by = asked->by;
	w->limit = asked->limit;
	w->top = asked->top;
	p->part = asked->part;
	p->again = asked->part;
	p->before = asked->before;
	if (asked->part)
		message_again();
	for (unsigned int kind = 0; kind < WHY_KINDS; kind++)
		w->table[kind] = (struct why_table){
			.memory = { .size = sizeof(struct why_row), .max = WHY_ROWS },
			.details = { .size = sizeof(struct why_detail), .max = WHY_DETAILS },
		};
	if (trace_open(&w->trace, dirs)) {
		mem_free(p);
		return NULL;
	}
	w->symbols = asked->part ? asked->given : symbols_open(w->trace.dir, &asked->symbols);
	w->names = names_open(w->trace.dir);
	w->classes = class_index_new(w->symbols);
	w->stacks = stacks_open_parts(&w->trace.parts);
	w->places = why_places_new(w->symbols, w->stacks);
	if (!filter_bind(&p->filter, &asked->filter, &w->trace, w->symbols, w->names))
		return p;
	why_free(w);
	return NULL;
}

int why_pass_read(struct why_pass *p)
{
	find_seen(p);
	p->second = true;
	return reading(p);
}

void why_cannot_read_again(char *const *dirs, const char *of)
{
	warnx("%s: was read once, but cannot be read again: nothing is said of %s", dirs[0], of);
}

const struct why *why_read(const struct why_asked *asked, char *const *dirs)
{
	struct why_pass *p = why_pass_open(asked, dirs);

	if (p && !read_twice(p, dirs))
		return &p->answer;
	if (p ? p->again : asked->part)
		why_cannot_read_again(dirs, "why locks were held");
	why_free(p ? &p->answer : NULL);
	return NULL;
}

void why_free(const struct why *read)
{
	struct why_pass *p = (struct why_pass *)read;
	struct why *w;

	if (!p)
		return;
	w = &p->answer;
	for (unsigned int kind = 0; kind < WHY_KINDS; kind++) {
		for (size_t i = 0; i < w->items[kind]; i++)
			why_parts_free(&w->item[kind][i].whole);
		mem_free(w->item[kind]);
		pairs_free(&w->table[kind].memory);
		pairs_free(&w->table[kind].details);
		mem_free(w->table[kind].row);
	}
	map_free(&p->chosen);
	map_free(&p->parked);
	mem_free(p->active);
	filter_exit(&p->filter);
	class_index_free(w->classes);
	why_places_free(w->places);
	stacks_free(w->stacks);
	metadata_free(&w->first);
	if (!p->part)
		symbols_free(w->symbols);
	names_free(w->names);
	if (!p->closed)
		trace_close(&w->trace);
	mem_free(p);
}
