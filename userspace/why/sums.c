// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The first reading: each section and each wait, by cause.
 *
 * What is under way has a time up to which its causes are known. It only rises, and what
 * lies between it and the next reported time is unknown: so the parts always add up.
 */
#include "base/mem.h"
#include "why/pass.h"

/* A task cannot hold and wait for more: anything older was cut without a record of it. */
#define MOST_OPEN	(4 * LOCKS_MAX_HELD)
/* Tasks without any are forgotten when there are this many. */
#define MOST_OWNERS	(64u << 10)

#define INTERRUPTS	(1ull << 33)	/* in keys, beside those of section_task() */

/* --- owners ------------------------------------------------------------------------ */

static uint64_t key_of(int32_t tid, uint32_t cpu, bool interrupts)
{
	return interrupts ? INTERRUPTS | cpu : section_task(tid, cpu);
}

static struct why_owner *find(const struct why_pass *p, int32_t tid, uint32_t cpu, bool interrupts)
{
	return map_get(&p->owners, key_of(tid, cpu, interrupts));
}

static void owner_free(struct why_owner *owner)
{
	for (unsigned int i = 0; i < owner->n; i++)
		why_details_free(&owner->open[i].sleeps);
	mem_free(owner->open);
	mem_free(owner);
}

/* Forgets tasks that have none. */
static void forget(struct why_pass *p)
{
	struct map old = p->owners;
	const struct map_slot *slot;

	p->owners = (struct map){ 0 };
	map_for_each(&old, slot) {
		struct why_owner *owner = slot->value;

		if (owner->n)
			map_put(&p->owners, owner->key, owner);
		else
			owner_free(owner);
	}
	map_free(&old);
}

static struct why_owner *owner_get(struct why_pass *p, int32_t tid, uint32_t cpu, bool interrupts)
{
	struct why_owner *owner = find(p, tid, cpu, interrupts);

	if (owner)
		return owner;
	if (p->owners.used >= MOST_OWNERS)
		forget(p);
	owner = mem_zalloc(1, sizeof(*owner));
	owner->key = key_of(tid, cpu, interrupts);
	owner->tid = tid;
	owner->cpu = cpu;
	owner->interrupts = interrupts;
	map_put(&p->owners, owner->key, owner);
	return owner;
}

static void take_out(struct why_owner *owner, unsigned int i)
{
	why_details_free(&owner->open[i].sleeps);
	memmove(&owner->open[i], &owner->open[i + 1],
		(--owner->n - i) * sizeof(*owner->open));
}

static struct why_open *add(struct why_pass *p, struct why_owner *owner)
{
	if (owner->n == MOST_OPEN) {
		take_out(owner, 0);
		p->answer.refused++;
	}
	if (owner->n == owner->room) {
		owner->room = owner->room ? 2 * owner->room : 4;
		owner->open = mem_resize(owner->open, owner->room, sizeof(*owner->open));
	}
	return &owner->open[owner->n++];
}

/* --- accounts ---------------------------------------------------------------------- */

static void count(struct why_open *open, enum why_cause cause, uint64_t to)
{
	open->ticks[cause] += to - open->since;
	open->since = to;
	open->last = cause;
}

/* From @from to @to it was @cause; the time before it that is not counted yet is unknown. */
static void account(struct why_open *open, uint64_t from, uint64_t to, enum why_cause cause)
{
	if (open->over || to <= open->since)
		return;
	if (from > to)
		from = to;
	if (from > open->since)
		count(open, WHY_UNKNOWN, from);
	count(open, cause, to);
}

/* In an interrupt it runs or spins, except while another interrupts that one. */
static enum why_cause of_interrupt(const struct why_pass *p, const struct why_owner *owner,
				   const struct why_open *open)
{
	bool softirq;

	if (threads_interrupt(&p->threads, owner->cpu, open->base, &softirq))
		return softirq ? WHY_SOFTIRQ : WHY_INTERRUPT;
	return waits_open_in(p->waits, owner->tid, owner->cpu, open->ctx, open->waits) ?
	       WHY_SPINNING : WHY_RUNNING;
}

static void of_interrupts(struct why_pass *p, uint32_t cpu, uint64_t time)
{
	struct why_owner *owner = find(p, 0, cpu, true);

	for (unsigned int i = 0; owner && i < owner->n; i++)
		account(&owner->open[i], 0, time, of_interrupt(p, owner, &owner->open[i]));
}

static void task_now(struct why_pass *p, const struct why_owner *owner, struct why_open *open,
		     uint64_t time)
{
	const struct thread_span *now = threads_now(&p->threads, owner->tid);
	enum why_cause cause = WHY_UNKNOWN;
	uint64_t from = 0;

	if (now) {
		from = now->start;
		if (now->state == THREAD_RUNS)
			cause = why_running(p, owner->tid, now->cpu, open->waits);
		else
			cause = why_cause_of_span(now, why_wait_of(p, owner->tid, now->cpu,
								   open->waits, false));
	} else if (!owner->tid && !threads_running(&p->threads, owner->cpu, NULL)) {
		cause = why_running(p, 0, owner->cpu, open->waits);
	}
	account(open, from, time, cause);
}

static void all_now(struct why_pass *p, struct why_owner *owner, uint64_t time)
{
	for (unsigned int i = 0; i < owner->n; i++)
		task_now(p, owner, &owner->open[i], time);
}

static void settle_task(struct why_pass *p, int32_t tid, uint32_t cpu, uint64_t time)
{
	struct why_owner *owner = find(p, tid, cpu, false);

	if (owner)
		all_now(p, owner, time);
}

/* No span is reported for an idle task. */
void why_sums_cpu(struct why_pass *p, uint32_t cpu, uint64_t time)
{
	int32_t runs = threads_running(&p->threads, cpu, NULL);

	settle_task(p, 0, cpu, time);
	if (runs > 0)
		settle_task(p, runs, cpu, time);
	of_interrupts(p, cpu, time);
}

void why_sums_task(struct why_pass *p, int32_t tid, uint64_t time)
{
	if (tid > 0)
		settle_task(p, tid, 0, time);
}

void why_sums_span(struct why_pass *p, const struct thread_span *span)
{
	struct why_owner *owner = find(p, span->tid, span->cpu, false);

	for (unsigned int i = 0; owner && i < owner->n; i++) {
		struct why_open *open = &owner->open[i];
		const struct wait *wait = why_wait_of(p, span->tid, span->cpu, open->waits, false);
		enum why_cause cause = why_cause_of_span(span, wait);
		uint64_t before = open->ticks[cause];

		account(open, span->start, span->end, cause);
		why_details_slept(p, &open->sleeps, cause, open->ticks[cause] - before, span, wait);
	}
}

void why_sums_woken(struct why_pass *p)
{
	struct why_owner *owner = find(p, p->woken.tid, 0, false);

	for (unsigned int i = 0; owner && i < owner->n; i++)
		why_details_woken(p, &owner->open[i].sleeps);
}

void why_sums_no_interrupt(struct why_pass *p, uint32_t cpu)
{
	struct why_owner *owner = find(p, 0, cpu, true);

	for (unsigned int i = owner ? owner->n : 0; i-- > 0;) {
		if (!owner->open[i].over)	/* else it will be told */
			take_out(owner, i);
	}
}

/* Kernel's sections and waits that may wander are cut by any gap. */
static bool is_cut(const struct why_open *open)
{
	return !locks_is_program(open->family) && !locks_is_spinning(open->family);
}

void why_sums_gap(struct why_pass *p, uint64_t time)
{
	const struct map_slot *slot;

	map_for_each(&p->owners, slot) {
		struct why_owner *owner = slot->value;

		for (unsigned int i = owner->n; i-- > 0;) {
			if (is_cut(&owner->open[i]))
				take_out(owner, i);
		}
		if (!owner->interrupts)
			all_now(p, owner, time);
	}
	forget(p);
}

/* --- beginnings and ends ----------------------------------------------------------- */

static struct why_open *find_open(struct why_owner *owner, enum why_kind kind, uint64_t start,
				  uint64_t lock, uint8_t ctx)
{
	for (unsigned int i = owner ? owner->n : 0; i-- > 0;) {
		struct why_open *open = &owner->open[i];

		if (open->start == start && open->lock == lock && open->kind == kind &&
		    open->ctx == ctx)
			return open;
	}
	return NULL;
}

void why_sums_begin(struct why_pass *p, const struct section *s)
{
	bool interrupts = why_in_interrupt(p, s->family, s->ctx);
	struct why_owner *owner = owner_get(p, s->tid, s->cpu, interrupts);

	if (interrupts)
		owner->tid = s->tid;
	*add(p, owner) = (struct why_open){
		.kind = WHY_HOLD, .start = s->start, .since = s->start, .lock = s->lock,
		.family = s->family, .ctx = s->ctx, .last = WHY_UNKNOWN,
		.waits = why_waits_since(s),
		.base = interrupts ? threads_depth(&p->threads, s->cpu) : 0,
	};
}

void why_sums_wait_begins(struct why_pass *p, const struct wait *w)
{
	bool interrupts = why_in_interrupt(p, w->family, w->ctx);
	struct why_owner *owner = owner_get(p, w->tid, w->cpu, interrupts);

	if (find_open(owner, WHY_WAIT, w->begin, w->lock, w->ctx))
		return;		/* it did spin, and sleeps now: one wait */
	if (interrupts)
		owner->tid = w->tid;
	*add(p, owner) = (struct why_open){
		.kind = WHY_WAIT, .start = w->begin, .since = w->begin, .lock = w->lock,
		.family = w->family, .ctx = w->ctx, .last = WHY_UNKNOWN,
		.base = interrupts ? threads_depth(&p->threads, w->cpu) : 0,
	};
}

static void settle_open(struct why_pass *p, struct why_owner *owner, struct why_open *open,
			uint64_t time)
{
	if (owner->interrupts)
		account(open, 0, time, of_interrupt(p, owner, open));
	else
		task_now(p, owner, open, time);
}

static struct why_owner *owner_of_wait(const struct why_pass *p, const struct wait *w)
{
	return find(p, w->tid, w->cpu, why_in_interrupt(p, w->family, w->ctx));
}

void why_sums_wait_ends(struct why_pass *p, const struct wait *w, uint64_t time)
{
	struct why_owner *owner = owner_of_wait(p, w);
	struct why_open *open = find_open(owner, WHY_WAIT, w->begin, w->lock, w->ctx);

	if (!open || open->over)
		return;
	settle_open(p, owner, open, time);
	open->over = true;
}

/*
 * It has ended at @end. Where clocks of CPUs differ, more may be counted already: that was
 * the last cause, or else nothing is known.
 */
static void finish(struct why_open *open, uint64_t end)
{
	uint64_t more = open->since > end ? open->since - end : 0;

	open->over = false;
	if (!more)
		return;
	if (open->ticks[open->last] >= more) {
		open->ticks[open->last] -= more;
		return;
	}
	memset(open->ticks, 0, sizeof(open->ticks));
	open->ticks[WHY_UNKNOWN] = end - open->start;
}

static void tell(struct why_pass *p, struct why_owner *owner, struct why_open *open,
		 struct why_item *item, bool selected)
{
	struct why_table *table = &p->answer.table[item->kind];
	struct why_row *row;

	memcpy(item->ticks, open->ticks, sizeof(item->ticks));
	if (selected) {
		row = why_rows_add(p, item);
		why_details_add(table, &table->all, &open->sleeps, open->ticks);
		if (row)
			why_details_add(table, row, &open->sleeps, open->ticks);
	}
	take_out(owner, (unsigned int)(open - owner->open));
}

void why_sums_end(struct why_pass *p, const struct section *s)
{
	struct why_owner *owner = find(p, s->tid, s->cpu, why_in_interrupt(p, s->family, s->ctx));
	struct why_open *open = find_open(owner, WHY_HOLD, s->start, s->lock, s->ctx);
	struct why_item item = {
		.kind = WHY_HOLD, .start = s->start, .end = s->end, .lock = s->lock,
		.site = s->site, .tid = s->tid, .cpu = s->cpu, .family = s->family, .ctx = s->ctx,
	};

	if (!open)
		return;
	if (section_is_late(s)) {	/* what it did then was counted with what it did later */
		memset(open->ticks, 0, sizeof(open->ticks));
		open->ticks[WHY_UNKNOWN] = s->end - s->start;
	} else {
		settle_open(p, owner, open, s->end);
		account(open, 0, s->end, WHY_UNKNOWN);
		finish(open, s->end);
	}
	tell(p, owner, open, &item, true);
}

/* The lock may have been released after the wait's own end, as clocks differ: it spun so long. */
void why_sums_waited(struct why_pass *p, const struct wait *w, bool selected)
{
	struct why_owner *owner = owner_of_wait(p, w);
	struct why_open *open = find_open(owner, WHY_WAIT, w->begin, w->lock, w->ctx);
	struct why_item item = {
		.kind = WHY_WAIT, .start = w->begin, .end = w->end, .lock = w->lock,
		.site = w->site, .tid = w->tid, .cpu = w->cpu, .family = w->family, .ctx = w->ctx,
	};

	if (!open)
		return;
	open->over = false;
	account(open, 0, w->end, WHY_SPINNING);
	finish(open, w->end);
	tell(p, owner, open, &item, selected);
}

void why_sums_free(struct why_pass *p)
{
	const struct map_slot *slot;

	map_for_each(&p->owners, slot)
		owner_free(slot->value);
	map_free(&p->owners);
}
