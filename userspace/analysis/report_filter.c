// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Selecting critical sections: options, names, and the question itself. */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analysis/report_filter.h"
#include "base/mem.h"
#include "base/number.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"

static void set_add(struct filter_set *set, uint64_t low, uint64_t high)
{
	set->range = mem_resize(set->range, set->n + 1, sizeof(*set->range));
	set->range[set->n++] = (struct filter_range){ low, high };
	set->given = true;
}

static bool set_has(const struct filter_set *set, uint64_t value)
{
	size_t i;

	if (!set->given)
		return true;
	for (i = 0; i < set->n; i++) {
		if (value >= set->range[i].low && value <= set->range[i].high)
			return true;
	}
	return false;
}

/* "0-3,8" */
int filter_cpus(struct report_filter *f, const char *list)
{
	char *copy = mem_strdup(list), *rest = copy, *part;
	int ret = 0;

	while (!ret && (part = strsep(&rest, ","))) {
		char *dash = strchr(part, '-');
		uint64_t low, high;

		if (dash)
			*dash++ = '\0';
		ret = parse_u64(part, &low);
		high = low;
		if (!ret && dash)
			ret = parse_u64(dash, &high);
		if (!ret && high < low)
			ret = -1;
		if (!ret)
			set_add(&f->cpus, low, high);
	}
	free(copy);
	return ret ? -1 : 0;
}

int filter_family(struct report_filter *f, const char *name)
{
	char *copy = mem_strdup(name), *rest = copy, *part;
	int ret = 0;

	while (!ret && (part = strsep(&rest, ","))) {
		unsigned int i;

		for (i = 0; i < LOCKS_FAMILIES; i++) {
			if (!strcmp(part, locks_name(i)))
				break;
		}
		if (i == LOCKS_FAMILIES)
			ret = -1;
		else
			f->families |= 1u << i;
	}
	free(copy);
	return ret;
}

int filter_seconds(const char *text, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (end == text || *end || !isfinite(*seconds) || *seconds < 0 ||
	    strchr(text, 'x'))
		return -1;
	return 0;
}

static uint64_t ticks_at(const struct trace *t, double seconds)
{
	double ticks = seconds * (double)t->meta.freq;
	uint64_t at;

	if (ticks >= 0x1p63)
		return UINT64_MAX;
	if (__builtin_add_overflow(t->start, (uint64_t)ceil(ticks), &at))
		return UINT64_MAX;
	return at;
}

/* A number that is no symbol's is an address of the kernel. */
static int resolve_symbol(struct filter_set *set, const char *option,
			  const char *name, const struct symbols *symbols,
			  bool call)
{
	struct symbols_range *range;
	uint64_t addr;
	size_t n, i;

	n = symbols_lookup(symbols, name, &range);
	for (i = 0; i < n; i++) {
		/* a return address is behind its call; name+0x1f is one */
		bool shift = call && range[i].low != range[i].high;

		set_add(set, range[i].low + shift, range[i].high + shift);
	}
	free(range);
	if (!n && !parse_u64(name, &addr)) {
		set_add(set, addr, addr);
		return 0;
	}
	if (n)
		return 0;
	if (symbols)
		warnx("%s: the trace has no symbol '%s'; an address is written 0x...",
		      option, name);
	else
		warnx("%s: '%s' cannot be looked up without symbols; an address is written 0x...",
		      option, name);
	return -1;
}

static int resolve_task(struct report_filter *f, const struct names *names)
{
	uint64_t tid;
	int32_t *tids;
	size_t n, i;

	if (!parse_u64(f->task, &tid) && tid <= INT32_MAX) {
		set_add(&f->tasks, tid, tid);
		return 0;
	}
	n = names_lookup(names, f->task, &tids);
	for (i = 0; i < n; i++)
		set_add(&f->tasks, (uint32_t)tids[i], (uint32_t)tids[i]);
	free(tids);
	if (n)
		return 0;
	if (names)
		warnx("--task: no task of the trace is called '%s'; 'ft report' lists them",
		      f->task);
	else
		warnx("--task: the trace does not have the names of its tasks: give a number, not '%s'",
		      f->task);
	return -1;
}

int filter_resolve(struct report_filter *f, const struct trace *t,
		   const struct symbols *symbols, const struct names *names)
{
	if (f->cpus.given && t->n_streams && !trace_cpu_streams(t)) {
		warnx("--cpu: %s is a trace of programs, which do not know their CPU", t->dir);
		return -1;
	}
	f->first = f->has_from ? ticks_at(t, f->from) : 0;
	f->end = f->has_to ? ticks_at(t, f->to) : UINT64_MAX;
	if ((f->site && resolve_symbol(&f->sites, "--site", f->site, symbols,
				       true)) ||
	    (f->lock && resolve_symbol(&f->locks, "--lock", f->lock, symbols,
				       false)) ||
	    (f->task && resolve_task(f, names)))
		return -1;
	f->active = f->cpus.given || f->tasks.given || f->sites.given ||
		    f->locks.given || f->families || f->has_from || f->has_to;
	return 0;
}

void filter_leave_out(struct report_filter *f, const struct names *names,
		      const char *name)
{
	int32_t *tids;
	size_t n = names_lookup(names, name, &tids), i;

	for (i = 0; i < n; i++)
		set_add(&f->others, (uint32_t)tids[i], (uint32_t)tids[i]);
	f->active |= n > 0;
	free(tids);
}

bool filter_selects(const struct report_filter *f, const struct section *s)
{
	if (f->families && !(f->families >> s->family & 1))
		return false;
	if (s->start < f->first || (f->has_to && s->start >= f->end))
		return false;
	/* what an interrupt takes is not the interrupted task's */
	if (f->tasks.given && s->ctx)
		return false;
	if (f->others.given && !s->ctx && set_has(&f->others, (uint32_t)s->tid))
		return false;
	return set_has(&f->cpus, s->cpu) && set_has(&f->sites, s->site) &&
	       set_has(&f->locks, s->lock) &&
	       set_has(&f->tasks, (uint32_t)s->tid);
}

void filter_free(struct report_filter *f)
{
	free(f->cpus.range);
	free(f->tasks.range);
	free(f->others.range);
	free(f->sites.range);
	free(f->locks.range);
	*f = (struct report_filter){ 0 };
}
