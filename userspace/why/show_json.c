// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The answer for programs; ft-why(1) documents the names, which do not change. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/report.h"
#include "base/array.h"
#include "base/json.h"
#include "symbols/frames.h"
#include "symbols/tasks.h"
#include "view/interrupt_name.h"
#include "why/show.h"

static void put_symbol(struct json *j, const struct why *w, const char *key, uint64_t addr,
		       bool call)
{
	char symbol[SYMBOLS_LEN];

	json_text(j, key, symbols_format(w->symbols, addr, call, symbol, sizeof(symbol)));
}

static void put_address(struct json *j, const char *key, uint64_t addr)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	json_text(j, key, text);
}

static void put_task(struct json *j, const struct why *w, const char *key, const char *name_key,
		     int32_t tid)
{
	const char *name = names_find(w->names, tid);

	json_i64(j, key, tid);
	if (name)
		json_text(j, name_key, name);
}

static void put_lock(struct json *j, const struct why *w, unsigned int family, uint64_t lock)
{
	json_text(j, "family", locks_name(family));
	put_address(j, "lock", lock);
	put_symbol(j, w, "lock_symbol", lock, false);
}

static void put_interrupt(struct json *j, const struct why *w, const struct interrupt_span *span)
{
	char name[INTERRUPT_NAME_LEN];

	if (!span->event)
		return;
	interrupt_name(span, w->symbols, name, sizeof(name));
	json_text(j, "interrupt", name);
}

static void put_place(struct json *j, const struct why *w, const struct why_place *place)
{
	char function[WHY_WORDS];

	if (!place->function)
		return;
	json_text(j, "asleep_in", why_place_words(w, place, function));
	json_bool(j, "on_io", place->io);
}

static void put_holder(struct json *j, const struct why *w, const struct why_part *part)
{
	static const char *const holders[] = {
		[WHY_NOBODY] = "unknown", [WHY_TASK] = "task", [WHY_IN_INTERRUPT] = "interrupt",
		[WHY_CYCLE] = "cycle", [WHY_CUT] = "cut",
	};

	put_lock(j, w, part->family, part->lock);
	json_text(j, "holder", holders[part->holder]);
	if (part->holder == WHY_NOBODY)
		return;
	put_task(j, w, "task", "task_name", part->who);
	put_symbol(j, w, "holder_site", part->site, true);
}

static void put_parts(struct json *j, const struct why *w, const struct why_part *whole,
		      uint64_t from, unsigned int depth);

static void put_part(struct json *j, const struct why *w, const struct why_part *part,
		     uint64_t from, unsigned int depth)
{
	json_object(j, NULL);
	json_text(j, "cause", why_cause_name(part->cause));
	json_u64(j, "ticks", part->ticks);
	json_u64(j, "ns", why_ns(w, from + part->ticks) - why_ns(w, from));
	json_u64(j, "times", part->times);
	json_u64(j, "depth", depth);
	if (part->others)
		json_bool(j, "others", true);
	else if (part->cause == WHY_SPINNING || part->cause == WHY_WAITING)
		put_holder(j, w, part);
	else if (part->who)
		put_task(j, w, "task", "task_name", part->who);
	if (part->label)
		json_text(j, "state", part->label);
	put_place(j, w, &part->place);
	put_interrupt(j, w, &part->interrupt);
	json_end(j);
	put_parts(j, w, part, from, depth + 1);
}

/* One after the other, its parts behind a part: chains are longer than objects may nest. */
static void put_parts(struct json *j, const struct why *w, const struct why_part *whole,
		      uint64_t from, unsigned int depth)
{
	for (const struct why_part *part = whole->part; part; part = part->next) {
		put_part(j, w, part, from, depth);
		from += part->ticks;
	}
}

/* Functions, innermost first. */
static void put_stack(struct json *j, const struct why *w, const struct stack *stack)
{
	char name[FRAMES_INLINED][SYMBOLS_LEN];

	json_array(j, "stack");
	for (uint32_t i = 0; i < stack->n; i++) {
		unsigned int n = frames_at(w->symbols, stack, i, name);

		for (unsigned int k = 0; k < n; k++)
			json_text(j, NULL, name[k]);
	}
	json_end(j);
}

static void put_item(struct json *j, const struct why *w, const struct why_item *item)
{
	json_object(j, NULL);
	put_lock(j, w, item->family, item->lock);
	put_address(j, "site", item->site);
	put_symbol(j, w, "site_symbol", item->site, true);
	json_u64(j, "at_ns", why_ns(w, item->start - w->trace.start));
	json_u64(j, "ticks", item->end - item->start);
	json_u64(j, "ns", why_ns(w, item->end - item->start));
	put_task(j, w, "task", "task_name", item->tid);
	json_u64(j, "cpu", trace_stream_index(item->cpu));
	json_bool(j, "program", locks_is_program(item->family));
	json_text(j, "context", report_context_name(report_context(item->ctx)));
	if (item->stack)
		put_stack(j, w, stacks_at(w->stacks, item->stack));
	json_array(j, "parts");
	put_parts(j, w, &item->whole, 0, 0);
	json_end(j);
	json_end(j);
}

/* At most the largest number that fits in 64 bits. */
static uint64_t put_u128(struct json *j, const char *key, unsigned __int128 value)
{
	uint64_t v = value > UINT64_MAX ? UINT64_MAX : (uint64_t)value;

	json_u64(j, key, v);
	return v;
}

static void put_key(struct json *j, const struct why *w, const struct why_row *row)
{
	const struct class_entry *class;

	json_text(j, "family", locks_name(row->key.tag));
	switch (w->by) {
	case WHY_BY_LOCK:
		put_address(j, "lock", row->key.a);
		put_symbol(j, w, "lock_symbol", row->key.a, false);
		break;
	case WHY_BY_SITE:
		put_address(j, "site", row->key.a);
		put_symbol(j, w, "site_symbol", row->key.a, true);
		break;
	case WHY_BY_CLASS:
		class = class_index_at(w->classes, row->key.a);
		json_text(j, "class", class->name);
		if (class->kind)
			json_text(j, "kind", class->kind);
		json_u64(j, "types", class->types);
		break;
	}
}

static void put_detail(struct json *j, const struct why *w, const struct why_detail *detail)
{
	char waker[WHY_WORDS];

	json_object(j, NULL);
	json_text(j, "cause", why_cause_name(detail->cause));
	put_u128(j, "ticks", detail->ticks);
	if (detail->cause == WHY_WAITING) {
		json_text(j, "family", locks_name(detail->family));
		json_text(j, "class", detail->class->name);
	}
	if (detail->label)
		json_text(j, "state", detail->label);
	put_place(j, w, &detail->place);
	if (detail->interrupt.event)
		json_text(j, "interrupt", why_waker(w, detail, waker));
	else if (detail->who && names_find(w->names, detail->who))
		json_text(j, "task_name", why_waker(w, detail, waker));
	else if (detail->who)
		json_i64(j, "task", detail->who);
	json_end(j);
}

/* Those of a cause add up to it. */
static void put_details(struct json *j, const struct why *w, const struct why_row *row)
{
	static const enum why_cause causes[] = { WHY_WAITING, WHY_ASLEEP_D, WHY_ASLEEP };

	json_array(j, "sleep");
	for (const struct why_detail *detail = row->detail; detail; detail = detail->next)
		put_detail(j, w, detail);
	for (unsigned int i = 0; i < ARRAY_SIZE(causes); i++) {
		unsigned __int128 rest = why_details_rest(row, causes[i]);

		if (!rest)
			continue;
		json_object(j, NULL);
		json_text(j, "cause", why_cause_name(causes[i]));
		put_u128(j, "ticks", rest);
		json_bool(j, "others", true);
		json_end(j);
	}
	json_end(j);
}

static void put_row(struct json *j, const struct why *w, const struct why_row *row, bool all)
{
	json_object(j, all ? "all" : NULL);
	if (!all)
		put_key(j, w, row);
	json_u64(j, "count", row->count);
	json_u64(j, "max_ns", why_ns(w, row->max));
	json_u64(j, "ns", why_ns(w, put_u128(j, "ticks", row->sum)));
	json_object(j, "causes");
	for (unsigned int i = 0; i < WHY_CAUSES; i++)
		put_u128(j, why_cause_name(i), row->ticks[i]);
	json_end(j);
	put_details(j, w, row);
	json_end(j);
}

static void put_kind(struct json *j, const struct why *w, enum why_kind kind)
{
	const struct why_table *table = &w->table[kind];

	json_object(j, why_kind_name(kind));
	json_array(j, "longest");
	for (size_t i = 0; i < w->items[kind]; i++)
		put_item(j, w, &w->item[kind][i]);
	json_end(j);
	put_row(j, w, &table->all, true);
	json_array(j, "rows");
	for (size_t i = 0; i < table->rows && i < w->top; i++)
		put_row(j, w, table->row[i], false);
	json_end(j);
	json_u64(j, "without_row", table->memory.refused);
	json_end(j);
}

static void put_seen(struct json *j, const struct why *w)
{
	json_object(j, "known");
	json_bool(j, "wakings", w->seen.wakings);
	json_bool(j, "interrupts", w->seen.interrupts);
	json_bool(j, "softirqs", w->seen.softirqs);
	json_bool(j, "waits", w->seen.waits);
	json_end(j);
}

void why_json(const struct why *w)
{
	struct json j = { .f = stdout, .flat = 4 };

	json_object(&j, NULL);
	json_text(&j, "trace", w->trace.title);
	json_u64(&j, "clock_hz", w->trace.meta.freq);
	json_text(&j, "by", why_by_name(w->by));
	put_seen(&j, w);
	json_u64(&j, "cut_sections", w->cut_sections);
	json_u64(&j, "cut_waits", w->cut_waits);
	json_u64(&j, "refused", w->refused);
	if (w->holds)
		put_kind(&j, w, WHY_HOLD);
	if (w->waits)
		put_kind(&j, w, WHY_WAIT);
	json_end(&j);
}
