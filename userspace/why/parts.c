// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The second reading: the chosen sections and waits, with who and what.
 *
 * Each of them has a tree. Whenever something changes, the time since the last change is added
 * to the part that was true until then, and to those above it: so the parts of a part always add
 * up to it. Then it looks at what is true now: of the task, of the holder of the lock that it
 * waits for, and so on.
 */
#include "base/mem.h"
#include "why/pass.h"

/* Whose time it is: a task's, or of an interrupt that is not the @base'th or deeper. */
struct subject {
	int32_t		tid;
	uint32_t	cpu;
	uint8_t		ctx;		/* of an interrupt: its own */
	unsigned int	base;
	bool		interrupt;
	uint64_t	waits;		/* as why_waits_since() */
};

/* Parts of a task that sleeps, in any tree: who wakes it is not known yet. */
struct why_pending {
	LIST_HEAD(, why_part)	parts;
};

/* --- an instant --------------------------------------------------------------------- */

static const struct section *holder_of(const struct why_pass *p, const struct wait *wait)
{
	return locks_is_spinning(wait->family) ? locks_holder(p->locks, wait->lock, wait->family) :
						 locks_sleeping_holder(p->locks, wait->lock);
}

/* Return: the lock's holder, to be examined next, or NULL */
static const struct section *waits(const struct why_pass *p, const struct wait *wait,
				   struct why_part *part)
{
	const struct section *held = holder_of(p, wait);

	part->lock = wait->lock;
	part->family = wait->family;
	if (!held)
		return NULL;
	part->who = held->tid;
	part->site = held->site;
	part->holder = why_in_interrupt(p, held->family, held->ctx) ? WHY_IN_INTERRUPT : WHY_TASK;
	return held;
}

static void interrupted(const struct interrupt_span *span, bool softirq, struct why_part *part)
{
	part->cause = softirq ? WHY_SOFTIRQ : WHY_INTERRUPT;
	part->interrupt = *span;
}

/* It has a CPU. */
static const struct section *has_cpu(const struct why_pass *p, const struct subject *of,
				     uint32_t cpu, struct why_part *part)
{
	const struct interrupt_span *span;
	const struct wait *wait;
	bool softirq;

	span = threads_interrupt(&p->threads, cpu, of->base, &softirq);
	if (span) {
		interrupted(span, softirq, part);
		return NULL;
	}
	wait = of->interrupt ? waits_open_in(p->waits, of->tid, cpu, of->ctx, of->waits) :
			       why_wait_of(p, of->tid, cpu, of->waits, true);
	part->cause = wait ? WHY_SPINNING : WHY_RUNNING;
	return wait ? waits(p, wait, part) : NULL;
}

static const struct section *has_no_cpu(const struct why_pass *p, const struct subject *of,
					const struct thread_span *now, struct why_part *part)
{
	const struct wait *wait = why_wait_of(p, now->tid, now->cpu, of->waits, false);
	int32_t runs;

	part->cause = why_cause_of_span(now, wait);
	if (part->cause == WHY_WAITING)
		return waits(p, wait, part);
	if (part->cause == WHY_PREEMPTED || part->cause == WHY_READY) {
		runs = threads_running(&p->threads, threads_queue(&p->threads, now->tid), NULL);
		part->who = runs > 0 ? runs : 0;
	} else {
		part->label = now->label;
		part->place = why_places_find(p->answer.places, now->stack);
		part->who = now->tid;
		part->pending = true;	/* who wakes it is not known yet */
	}
	return NULL;
}

/* What it does. Return: whom to examine instead, or NULL */
static const struct section *look(const struct why_pass *p, const struct subject *of,
				  struct why_part *part)
{
	const struct thread_span *now;
	const struct wait *wait;

	*part = (struct why_part){ .cause = WHY_UNKNOWN };
	if (of->interrupt)
		return has_cpu(p, of, of->cpu, part);
	now = threads_now(&p->threads, of->tid);
	if (!now && !p->answer.seen.switches) {	/* a program's trace, alone */
		wait = why_wait_of(p, of->tid, of->cpu, of->waits, false);
		part->cause = wait ? WHY_WAITING : WHY_UNKNOWN;
		return wait ? waits(p, wait, part) : NULL;
	}
	if (now && now->state == THREAD_RUNS)
		return has_cpu(p, of, now->cpu, part);
	if (now)
		return has_no_cpu(p, of, now, part);
	if (!of->tid && !threads_running(&p->threads, of->cpu, NULL))
		return has_cpu(p, of, of->cpu, part);
	return NULL;
}

/* Is it in the chain already? An idle task never waits for one that sleeps. */
static bool is_in(const int32_t *chain, unsigned int n, int32_t tid)
{
	while (n-- > 0) {
		if (chain[n] == tid)
			return tid > 0;
	}
	return false;
}

static struct why_part *look_at(const struct why_pass *p, struct why_item *item)
{
	struct subject of = {
		.tid = item->tid, .cpu = item->cpu, .ctx = item->ctx, .base = item->base,
		.interrupt = why_in_interrupt(p, item->family, item->ctx), .waits = item->waits,
	};
	struct why_part *at = &item->whole, part;
	int32_t chain[WHY_CHAIN];

	for (unsigned int n = 0;; n++) {
		const struct section *held = look(p, &of, &part);

		chain[n] = of.interrupt ? 0 : of.tid;
		if (held && part.holder == WHY_TASK && is_in(chain, n + 1, held->tid))
			part.holder = WHY_CYCLE;
		else if (held && part.holder == WHY_TASK && n + 1 == WHY_CHAIN)
			part.holder = WHY_CUT;
		at = why_tree_part(at, &part);
		if (!held || part.holder != WHY_TASK || at->others)
			return at;
		of = (struct subject){ .tid = held->tid, .cpu = held->cpu,
				       .waits = why_waits_since(held) };
	}
}

/* --- sleep that has ended ------------------------------------------------------------- */

/* What @part said before it was known who would wake it. */
static void known(struct why_part *part, struct why_part like)
{
	uint64_t ticks = part->ticks, times = part->times;
	struct why_part *to;

	why_tree_not_pending(part);
	if (!ticks && !times)
		return;
	to = why_tree_part(part->up, &like);
	to->ticks += ticks;
	to->times += times;
	part->ticks = 0;
	part->times = 0;
}

static void wakes(struct why_part *part, const struct why_woken *woken)
{
	if (woken->state == THREAD_ASLEEP)
		known(part, (struct why_part){
			.cause = part->cause, .label = part->label, .place = part->place,
			.who = woken->by, .interrupt = woken->interrupt,
		});
	else		/* it was not asleep */
		known(part, (struct why_part){ .cause = WHY_PREEMPTED });
}

/* Most wake-ups are of tasks that are in no tree. */
void why_parts_woken(struct why_pass *p)
{
	uint64_t tid = (uint32_t)p->woken.tid;
	struct why_pending *pending = map_get(&p->pending, tid);

	if (!pending)
		return;
	while (!LIST_EMPTY(&pending->parts))
		wakes(LIST_FIRST(&pending->parts), &p->woken);
	map_del(&p->pending, tid);
	mem_free(pending);
}

static void is_pending(struct why_pass *p, struct why_part *part)
{
	uint64_t tid = (uint32_t)part->who;
	struct why_pending *pending = map_get(&p->pending, tid);

	if (part->listed)
		return;
	if (!pending) {
		pending = mem_zalloc(1, sizeof(*pending));
		LIST_INIT(&pending->parts);
		map_put(&p->pending, tid, pending);
	}
	LIST_INSERT_HEAD(&pending->parts, part, in_pending);
	part->listed = true;
}

static void free_pending(struct why_pass *p)
{
	const struct map_slot *slot;

	map_for_each(&p->pending, slot)
		mem_free(slot->value);
	map_free(&p->pending);
}

/* These had not been woken when all was over. */
static void not_woken(struct why_part *part)
{
	for (struct why_part *in = part->part, *next; in; in = next) {
		next = in->next;
		if (in->pending)
			known(in, (struct why_part){
				.cause = in->cause, .label = in->label, .place = in->place });
		else
			not_woken(in);
	}
}

/* --- chosen ones -------------------------------------------------------------------- */

void why_parts_choose(struct why_pass *p)
{
	struct why *w = &p->answer;

	p->active = mem_zalloc(w->items[WHY_HOLD] + w->items[WHY_WAIT], sizeof(*p->active));
	for (unsigned int kind = 0; kind < WHY_KINDS; kind++) {
		for (size_t i = 0; i < w->items[kind]; i++) {
			struct why_item *item = &w->item[kind][i];

			item->same = map_get(&p->chosen, item->start);
			map_put(&p->chosen, item->start, item);
		}
	}
}

/* One that begins, or one that goes on: @active. */
static struct why_item *chosen(const struct why_pass *p, const struct why_item *like, bool active)
{
	struct why_item *item = map_get(&p->chosen, like->start);

	for (; item; item = item->same) {
		if (item->kind == like->kind && item->lock == like->lock &&
		    item->tid == like->tid && item->ctx == like->ctx &&
		    item->active == active && !item->done)
			return item;
	}
	return NULL;
}

static struct why_item *of_section(const struct why_pass *p, const struct section *s, bool active)
{
	const struct why_item like = {
		.kind = WHY_HOLD, .start = s->start, .lock = s->lock, .tid = s->tid, .ctx = s->ctx,
	};

	return chosen(p, &like, active);
}

static struct why_item *of_wait(const struct why_pass *p, const struct wait *w, bool active)
{
	const struct why_item like = {
		.kind = WHY_WAIT, .start = w->begin, .lock = w->lock, .tid = w->tid, .ctx = w->ctx,
	};

	return chosen(p, &like, active);
}

static void grow_item(struct why_item *item, uint64_t time)
{
	if (item->over || time <= item->since)
		return;
	why_tree_grow(item->now, time - item->since);
	item->since = time;
}

static bool is_above(const struct why_part *part, const struct why_part *below)
{
	while (below && below != part)
		below = below->up;
	return below;
}

/* A part that goes on, in the whole or in a longer chain, does not begin again. */
static void look_item(struct why_pass *p, struct why_item *item)
{
	struct why_part *now = look_at(p, item);

	if (now->pending)
		is_pending(p, now);
	for (struct why_part *part = now; part && !is_above(part, item->now); part = part->up)
		part->times++;
	item->now = now;
}

static void add_active(struct why_pass *p, struct why_item *item)
{
	if (p->requests && p->n_active == p->room_active) {
		p->room_active = p->room_active ? 2 * p->room_active : 16;
		p->active = mem_resize(p->active, p->room_active, sizeof(*p->active));
	}
	p->active[p->n_active++] = item;
}

static void item_begins(struct why_pass *p, struct why_item *item, uint64_t waits)
{
	if (!item)
		return;
	item->active = true;
	item->since = item->start;
	item->waits = waits;
	item->base = why_in_interrupt(p, item->family, item->ctx) ?
		     threads_depth(&p->threads, item->cpu) : 0;
	add_active(p, item);
	item->now = NULL;
	look_item(p, item);
}

/* That is all that can be said of it. */
static void not_known(struct why_item *item)
{
	static const struct why_part unknown = { .cause = WHY_UNKNOWN, .times = 1 };

	why_parts_free(&item->whole);
	item->whole = (struct why_part){ .cause = WHY_UNKNOWN };
	why_tree_grow(why_tree_part(&item->whole, &unknown), item->end - item->start);
}

/* More is counted already, where clocks of CPUs differ: as much of that cause, as in sums.c. */
static void shrink(struct why_item *item)
{
	uint64_t more = item->since - item->end, all = 0;
	const struct why_part *top = item->now;
	struct why_part *part;

	while (top->up != &item->whole)
		top = top->up;
	for (part = item->whole.part; part; part = part->next)
		all += part->cause == top->cause ? part->ticks : 0;
	if (all < more) {
		not_known(item);
		return;
	}
	why_tree_take(item->now, &more);
	for (part = item->whole.part; part; part = part->next) {
		if (part->cause == top->cause)
			why_tree_take(part, &more);
	}
}

/* It sleeps, for no lock: only what names its task changes that. */
static bool may_park(const struct why_pass *p, const struct why_item *item)
{
	return p->requests && item->now->pending && item->now->up == &item->whole;
}

static void unpark(struct why_pass *p, int32_t tid, uint64_t time)
{
	struct why_item *item = map_get(&p->parked, (uint32_t)tid);

	if (!item)
		return;
	map_del(&p->parked, (uint32_t)tid);
	grow_item(item, time);
	add_active(p, item);
}

static void unpark_all(struct why_pass *p, uint64_t time)
{
	const struct map_slot *slot;

	map_for_each(&p->parked, slot) {
		grow_item(slot->value, time);
		add_active(p, slot->value);
	}
	map_free(&p->parked);
}

void why_parts_unpark(struct why_pass *p, const struct stream *s)
{
	const struct event_type *type;

	if (!p->parked.used)
		return;
	if (s->item != STREAM_RECORD) {
		unpark_all(p, s->ts > p->answer.trace.start ? s->ts : p->answer.trace.start);
		return;
	}
	unpark(p, s->rec->tid, s->ts);
	type = stream_is_program(s) ? NULL : metadata_event(&p->answer.trace.meta, s->class,
							    s->rec->id);
	/* any of its words may be a task, such as the one that is woken */
	for (unsigned int i = 0; type && i < type->fields; i++)
		unpark(p, (int32_t)event_field_value(&type->field[i], s->rec->a, s->rec->b), s->ts);
}

static void leaves(struct why_pass *p, struct why_item *item)
{
	size_t i = 0;

	unpark(p, item->tid, item->since);
	while (p->active[i] != item)
		i++;
	p->active[i] = p->active[--p->n_active];
	item->active = false;
	item->over = false;
}

/* What ends here is another one of no length: this one begins at the same tick, after it. */
static bool begins_again(struct why_pass *p, struct why_item *item, uint64_t end)
{
	if (end == item->end)
		return false;
	leaves(p, item);
	why_parts_free(&item->whole);
	item->whole = (struct why_part){ 0 };
	return true;
}

static void item_ends(struct why_pass *p, struct why_item *item)
{
	leaves(p, item);
	item->done = true;
	if (item->since > item->end)
		shrink(item);
	not_woken(&item->whole);
	why_tree_sort(&item->whole);
}

void why_parts_begin(struct why_pass *p, const struct section *s)
{
	item_begins(p, of_section(p, s, false), why_waits_since(s));
}

void why_parts_wait_begins(struct why_pass *p, const struct wait *w)
{
	item_begins(p, of_wait(p, w, false), 0);
}

void why_parts_end(struct why_pass *p, const struct section *s)
{
	struct why_item *item = of_section(p, s, true);

	if (!item || begins_again(p, item, s->end))
		return;
	if (section_is_late(s)) {
		not_known(item);
		item->since = item->end;
	}
	grow_item(item, s->end);
	item_ends(p, item);
}

void why_parts_wait_ends(struct why_pass *p, const struct wait *w, uint64_t time)
{
	struct why_item *item = of_wait(p, w, true);

	if (!item)
		return;
	grow_item(item, time);
	item->over = true;
}

void why_parts_waited(struct why_pass *p, const struct wait *w)
{
	struct why_item *item = of_wait(p, w, true);

	if (!item || begins_again(p, item, w->end))
		return;
	item->over = false;
	if (item->since < w->end) {
		item->now = why_tree_part(&item->whole, &(struct why_part){
			.cause = WHY_SPINNING, .lock = w->lock, .family = w->family });
		grow_item(item, w->end);
	}
	item_ends(p, item);
}

void why_parts_start(struct why_pass *p, struct why_item *item)
{
	item_begins(p, item, item->start);
}

void why_parts_stop(struct why_pass *p, struct why_item *item, uint64_t end)
{
	item->end = end;
	grow_item(item, end);
	item_ends(p, item);
	if (item->whole.ticks != end - item->start)
		not_known(item);
}

void why_parts_finish(struct why_pass *p)
{
	struct why *w = &p->answer;

	for (unsigned int kind = 0; kind < WHY_KINDS; kind++) {
		for (size_t i = 0; i < w->items[kind]; i++) {
			struct why_item *item = &w->item[kind][i];

			if (item->active || item->whole.ticks != item->end - item->start)
				not_known(item);
		}
	}
	free_pending(p);
}

void why_parts_settle(struct why_pass *p, uint64_t time)
{
	for (size_t i = 0; i < p->n_active; i++)
		grow_item(p->active[i], time);
}

void why_parts_look(struct why_pass *p)
{
	for (size_t i = 0; i < p->n_active; i++) {
		struct why_item *item = p->active[i];

		if (!item->over)
			look_item(p, item);
		if (!may_park(p, item))
			continue;
		map_put(&p->parked, (uint32_t)item->tid, item);
		p->active[i--] = p->active[--p->n_active];
	}
}
