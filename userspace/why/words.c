// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Causes, tasks, locks in words. See show.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/report.h"
#include "base/array.h"
#include "symbols/frames.h"
#include "symbols/tasks.h"
#include "view/interrupt_name.h"
#include "why/show.h"

#define NSEC	1000000000u

uint64_t why_ns(const struct why *w, uint64_t ticks)
{
	return (uint64_t)((unsigned __int128)ticks * NSEC / w->trace.meta.freq);
}

uint64_t why_rest(const struct why_part *part, unsigned int *n)
{
	uint64_t ticks = 0;

	for (*n = 0; part; part = part->next, ++*n)
		ticks += part->ticks;
	return ticks;
}

double why_at(const struct why *w, uint64_t ticks)
{
	return (double)(ticks - w->trace.start) / (double)w->trace.meta.freq;
}

const char *why_task_words(const struct why *w, int32_t tid, char buf[WHY_WORDS])
{
	const char *name = names_find(w->names, tid);

	if (tid)
		snprintf(buf, WHY_WORDS, "%.15s %" PRId32, name ? name : "task", tid);
	else
		snprintf(buf, WHY_WORDS, "an idle task");
	return buf;
}

const char *why_cause_words(enum why_cause cause)
{
	static const char *const words[WHY_CAUSES] = {
		[WHY_INTERRUPT] = "in interrupts", [WHY_SOFTIRQ] = "in softirqs",
		[WHY_RUNNING] = "running", [WHY_SPINNING] = "spinning for a lock",
		[WHY_PREEMPTED] = "preempted", [WHY_READY] = "woken, without a CPU",
		[WHY_WAITING] = "waiting for a lock", [WHY_ASLEEP_D] = "asleep in D",
		[WHY_ASLEEP] = "asleep", [WHY_UNKNOWN] = "not known",
	};

	return words[cause];
}

static const char *lock_words(const struct why *w, unsigned int family, uint64_t lock,
			      char buf[WHY_WORDS])
{
	char symbol[SYMBOLS_LEN];

	snprintf(buf, WHY_WORDS, "%s %s", locks_families[family].title,
		 symbols_format(w->symbols, lock, false, symbol, sizeof(symbol)));
	return buf;
}

/* Who or what, with "by" or "in" before it; "" if unknown. */
static const char *by_words(const struct why *w, const struct why_part *part, const char *before,
			    char buf[WHY_WORDS])
{
	char who[WHY_WORDS];

	buf[0] = '\0';
	if (part->interrupt.event)
		interrupt_name(&part->interrupt, w->symbols, who, sizeof(who));
	else if (part->who)
		why_task_words(w, part->who, who);
	else
		return buf;
	snprintf(buf, WHY_WORDS, "%s%.*s", before, WHY_WORDS - 32, who);
	return buf;
}

static const char *waits_words(const struct why *w, const struct why_part *part,
			       char buf[WHY_WORDS])
{
	char lock[WHY_WORDS];

	snprintf(buf, WHY_WORDS, "%s for the %.*s",
		 part->cause == WHY_SPINNING ? "spinning" : "waiting", WHY_WORDS - 32,
		 lock_words(w, part->family, part->lock, lock));
	return buf;
}

const char *why_place_words(const struct why *w, const struct why_place *place,
			    char buf[WHY_WORDS])
{
	buf[0] = '\0';
	if (place->function)
		symbols_format(w->symbols, place->function, false, buf, SYMBOLS_LEN);
	return buf;
}

/* "asleep in D"; or, where that is known, "asleep on I/O in folio_wait_bit_common (D)" */
static const char *asleep_words(const struct why *w, const struct why_place *place,
				const char *state, char buf[WHY_WORDS])
{
	char function[WHY_WORDS];

	if (*why_place_words(w, place, function))
		snprintf(buf, WHY_WORDS, "asleep %sin %.*s (%s)", place->io ? "on I/O " : "",
			 SYMBOLS_LEN, function, state ? state : "?");
	else
		snprintf(buf, WHY_WORDS, "asleep in %s", state ? state : "?");
	return buf;
}

const char *why_part_words(const struct why *w, const struct why_part *part, char buf[WHY_WORDS])
{
	char by[WHY_WORDS], sleep[WHY_WORDS];

	if (part->others) {
		snprintf(buf, WHY_WORDS, "%s: others", why_cause_words(part->cause));
		return buf;
	}
	switch (part->cause) {
	case WHY_INTERRUPT:
	case WHY_SOFTIRQ:
		snprintf(buf, WHY_WORDS, "%s", by_words(w, part, "in ", by));
		break;
	case WHY_PREEMPTED:
		snprintf(buf, WHY_WORDS, "preempted%s", by_words(w, part, " by ", by));
		break;
	case WHY_READY:
		snprintf(buf, WHY_WORDS, "woken, waiting for a CPU%s",
			 by_words(w, part, " that has ", by));
		break;
	case WHY_SPINNING:
	case WHY_WAITING:
		waits_words(w, part, buf);
		break;
	case WHY_ASLEEP_D:
	case WHY_ASLEEP:
		snprintf(buf, WHY_WORDS, "%.*s%.*s", WHY_WORDS / 2,
			 asleep_words(w, &part->place, part->label, sleep), SYMBOLS_LEN,
			 by_words(w, part, WHY_WOKEN_BY, by));
		break;
	default:
		snprintf(buf, WHY_WORDS, "%s", why_cause_words(part->cause));
	}
	return buf;
}

const char *why_holder_words(const struct why *w, const struct why_part *part,
			     char buf[WHY_WORDS])
{
	char symbol[SYMBOLS_LEN], who[WHY_WORDS];

	buf[0] = '\0';
	if (part->others || (part->cause != WHY_SPINNING && part->cause != WHY_WAITING))
		return buf;
	if (part->holder == WHY_NOBODY)
		snprintf(buf, WHY_WORDS, "held by nobody that is known");
	else
		snprintf(buf, WHY_WORDS, "held by %.*s from %s on%s", 64,
			 part->holder == WHY_IN_INTERRUPT ? "an interrupt" :
			 why_task_words(w, part->who, who),
			 symbols_format(w->symbols, part->site, true, symbol, sizeof(symbol)),
			 part->holder == WHY_CYCLE ? ": a cycle" :
			 part->holder == WHY_CUT ? ": the chain is longer" : "");
	return buf;
}

const char *why_item_words(const struct why *w, const struct why_item *item, char buf[WHY_WORDS])
{
	char lock[WHY_WORDS], symbol[SYMBOLS_LEN];

	snprintf(buf, WHY_WORDS, "%.*s%s%s", 2 * SYMBOLS_LEN - 8,
		 lock_words(w, item->family, item->lock, lock), item->site ? " at " : "",
		 item->site ? symbols_format(w->symbols, item->site, true, symbol,
					     sizeof(symbol)) : "");
	return buf;
}

const char *why_item_where(const struct why *w, const struct why_item *item, char buf[WHY_WORDS])
{
	char title[TRACE_NAME_LEN], who[WHY_WORDS];

	snprintf(buf, WHY_WORDS, "at %.9f s, %s, %s%s%.*s", why_at(w, item->start),
		 trace_stream_title(title, item->cpu),
		 item->ctx ? report_context_name(report_context(item->ctx)) : "",
		 item->ctx ? " in " : "", 64, why_task_words(w, item->tid, who));
	return buf;
}

const char *why_row_words(const struct why *w, const struct why_row *row, char buf[WHY_WORDS])
{
	const char *title = locks_families[row->key.tag].title;
	char symbol[SYMBOLS_LEN];

	if (w->by == WHY_BY_LOCK)
		return lock_words(w, row->key.tag, row->key.a, buf);
	if (w->by == WHY_BY_CLASS) {
		snprintf(buf, WHY_WORDS, "%s %s", title,
			 class_index_at(w->classes, row->key.a)->name);
		return buf;
	}
	snprintf(buf, WHY_WORDS, "%s at %s", title, row->key.a ?
		 symbols_format(w->symbols, row->key.a, true, symbol, sizeof(symbol)) :
		 "(not known)");
	return buf;
}

char *why_stack_words(const struct why *w, const struct why_item *item)
{
	if (!item->stack)
		return NULL;
	return frames_path(w->symbols, stacks_at(w->stacks, item->stack), true, WHY_SHOWN);
}

const char *why_by_name(unsigned int by)
{
	static const char *const names[] = {
		[WHY_BY_LOCK] = "lock", [WHY_BY_SITE] = "site", [WHY_BY_CLASS] = "class",
	};

	return by < ARRAY_SIZE(names) ? names[by] : NULL;
}

const char *why_by_words(enum why_by by)
{
	return by == WHY_BY_SITE ? "call site" : by == WHY_BY_CLASS ? "class of lock" : "lock";
}

const char *why_waker(const struct why *w, const struct why_detail *detail, char buf[WHY_WORDS])
{
	const char *name = detail->who ? names_find(w->names, detail->who) : NULL;
	int len = name ? why_task_kind(name) : 0;

	buf[0] = '\0';
	if (detail->interrupt.event)
		interrupt_name(&detail->interrupt, w->symbols, buf, WHY_WORDS);
	else if (name)
		snprintf(buf, WHY_WORDS, "%.*s%s", len < 15 ? len : 15, name,
			 name[len] ? "/..." : "");
	else if (detail->who)
		snprintf(buf, WHY_WORDS, "a task without a name");
	return buf;
}

const char *why_detail_words(const struct why *w, const struct why_detail *detail,
			     char buf[WHY_WORDS])
{
	char who[WHY_WORDS], sleep[WHY_WORDS];

	if (detail->cause == WHY_WAITING)
		snprintf(buf, WHY_WORDS, "waiting for a %s %.*s",
			 locks_families[detail->family].title, SYMBOLS_LEN, detail->class->name);
	else
		snprintf(buf, WHY_WORDS, "%.*s%s%.*s", WHY_WORDS / 2,
			 asleep_words(w, &detail->place, detail->label, sleep),
			 *why_waker(w, detail, who) ? WHY_WOKEN_BY : "", SYMBOLS_LEN, who);
	return buf;
}

const char *why_missing(const struct why *w, unsigned int line)
{
	const struct {
		bool		known;
		const char	*text;
	} lines[] = {
		{ w->seen.wakings,
		  "wake-ups (sched_waking): who waits for a CPU counts as asleep" },
		{ w->seen.interrupts,
		  "interrupts (irq_handler_*, local_timer_*): they count as running" },
		{ w->seen.softirqs, "softirqs (softirq_*): they count as running" },
		{ w->seen.waits,
		  "waiting for locks (contention_begin): it counts as asleep, or running" },
	};

	if (line >= ARRAY_SIZE(lines))
		return NULL;
	return lines[line].known ? "" : lines[line].text;
}
