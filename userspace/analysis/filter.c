// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Selecting sections and records: what is asked for, looked up in a trace. */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#include "analysis/filter.h"
#include "base/mem.h"
#include "base/number.h"
#include "locks/waits.h"
#include "symbols/symbols.h"
#include "symbols/tasks.h"

#define NSEC	1000000000u

static void set_add(struct filter_set *set, uint64_t low, uint64_t high)
{
	/* room for twice as many when they are a power of two */
	if (!(set->n & (set->n - 1)))
		set->range = mem_resize(set->range, set->n ? 2 * set->n : 1, sizeof(*set->range));
	set->range[set->n++] = (struct filter_range){ low, high };
	set->given = true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct filter_range *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* In order, and apart from each other: a class of locks may have a hundred thousand. */
static void set_settle(struct filter_set *set)
{
	size_t kept = 0;

	if (!set->n)
		return;
	qsort(set->range, set->n, sizeof(*set->range), compare_ranges);
	for (size_t i = 1; i < set->n; i++) {
		if (set->range[i].low > set->range[kept].high)
			set->range[++kept] = set->range[i];
		else if (set->range[i].high > set->range[kept].high)
			set->range[kept].high = set->range[i].high;
	}
	set->n = kept + 1;
}

/* For a set that is settled. */
static bool set_has(const struct filter_set *set, uint64_t value)
{
	size_t from = 0, to = set->n;

	if (!set->given)
		return true;
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (set->range[mid].high < value)
			from = mid + 1;
		else
			to = mid;
	}
	return from < set->n && set->range[from].low <= value;
}

/* The first tick that is not before this time. */
static uint64_t ticks_at(const struct trace *t, uint64_t ns)
{
	unsigned __int128 ticks = ((unsigned __int128)ns * t->meta.freq + NSEC - 1) /
				  NSEC + t->start;

	return ticks > UINT64_MAX ? UINT64_MAX : (uint64_t)ticks;
}

/* A number that is no symbol's is an address of the kernel. */
static int bind_symbol(struct filter_set *set, const char *option, const char *name,
		       const struct symbols *symbols, bool call)
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

static int bind_task(struct filter_set *tasks, const char *name,
		     const struct names *names)
{
	uint64_t tid;
	int32_t *tids;
	size_t n, i;

	if (!parse_u64(name, &tid) && tid <= INT32_MAX) {
		set_add(tasks, tid, tid);
		return 0;
	}
	n = names_lookup(names, name, &tids);
	for (i = 0; i < n; i++)
		set_add(tasks, (uint32_t)tids[i], (uint32_t)tids[i]);
	free(tids);
	if (n)
		return 0;
	if (names)
		warnx("--task: no task of the trace is called '%s'; 'ft report' lists them",
		      name);
	else
		warnx("--task: the trace does not have the names of its tasks: give a number, not '%s'",
		      name);
	return -1;
}

static int bind_name(struct filter *f, const struct filter_name *name,
		     const struct symbols *symbols, const struct names *names)
{
	switch (name->what) {
	case FILTER_TASK:
		return bind_task(&f->tasks, name->name, names);
	case FILTER_SITE:
		return bind_symbol(&f->sites, "--site", name->name, symbols, true);
	default:
		return bind_symbol(&f->locks, "--lock", name->name, symbols, false);
	}
}

static bool has_cpu(const struct trace *t, uint64_t cpu)
{
	unsigned int i;

	for (i = 0; i < t->n_streams; i++) {
		if (t->streams[i].cpu == cpu)
			return !stream_is_program(&t->streams[i]);
	}
	return false;
}

/* Return: 0, or -1 with a message */
static int check_cpus(const struct filter_options *o, const struct trace *t)
{
	uint64_t cpu;
	size_t i;

	if (!t->n_streams)	/* of a running trace */
		return 0;
	if (o->cpus.given && !trace_cpu_streams(t)) {
		warnx("--cpu: %s is a trace of programs, which do not know their CPU", t->title);
		return -1;
	}
	for (i = 0; i < o->cpus.n; i++) {
		cpu = o->cpus.range[i].low;
		while (has_cpu(t, cpu) && cpu < o->cpus.range[i].high)
			cpu++;
		if (has_cpu(t, cpu))
			continue;
		warnx("%s: no CPU %" PRIu64 " in this trace", t->title, cpu);
		return -1;
	}
	return 0;
}

uint64_t filter_last_cpu(const struct filter_options *o)
{
	uint64_t last = 0;
	size_t i;

	for (i = 0; i < o->cpus.n; i++) {
		if (o->cpus.range[i].high > last)
			last = o->cpus.range[i].high;
	}
	return last;
}

static void leave_out(struct filter *f, const struct names *names, const char *name)
{
	int32_t *tids;
	size_t n = names_lookup(names, name, &tids), i;

	for (i = 0; i < n; i++)
		set_add(&f->others, (uint32_t)tids[i], (uint32_t)tids[i]);
	free(tids);
}

/* ft record takes locks of its own, in these tasks. */
static void leave_out_recorder(struct filter *f, const struct trace *t,
			       const struct names *names)
{
	char name[24];

	leave_out(f, names, "ft");
	for (unsigned int i = 0; i < t->n_streams; i++) {
		snprintf(name, sizeof(name), "ft-cpu%u", t->streams[i].cpu);
		leave_out(f, names, name);
	}
}

int filter_bind(struct filter *f, const struct filter_options *o,
		const struct trace *t, const struct symbols *symbols,
		const struct names *names)
{
	size_t i;

	if (check_cpus(o, t))
		return -1;
	for (i = 0; i < o->cpus.n; i++)
		set_add(&f->cpus, o->cpus.range[i].low, o->cpus.range[i].high);
	for (i = 0; i < o->n_names; i++) {
		if (bind_name(f, &o->names[i], symbols, names))
			return -1;
	}
	f->families = o->families;
	f->first = o->has_from ? ticks_at(t, o->from) : 0;
	f->end = o->has_to ? ticks_at(t, o->to) : UINT64_MAX;
	f->has_to = o->has_to;
	if (o->without_recorder)
		leave_out_recorder(f, t, names);
	set_settle(&f->cpus);
	set_settle(&f->tasks);
	set_settle(&f->sites);
	set_settle(&f->locks);
	set_settle(&f->others);
	f->active = f->others.given || o->cpus.given || o->n_names || o->families || o->has_from ||
		    o->has_to;
	if (!f->sites.given || !symbols || !t->parts.n || o->no_fold)
		return 0;
	return filter_find_shown(f, t, symbols);
}

bool filter_has_site(const struct filter *f, uint64_t site)
{
	return set_has(&f->sites, site);
}

bool filter_cpu(const struct filter *f, uint32_t cpu)
{
	return set_has(&f->cpus, cpu);
}

bool filter_at(const struct filter *f, uint64_t ts, uint32_t cpu)
{
	if (ts < f->first || (f->has_to && ts >= f->end))
		return false;
	return filter_cpu(f, cpu);
}

/* What an interrupt does is not the interrupted task's. */
static bool is_of_task(const struct filter *f, int32_t tid, uint8_t ctx)
{
	if (f->tasks.given && ctx)
		return false;
	if (f->others.given && !ctx && set_has(&f->others, (uint32_t)tid))
		return false;
	return set_has(&f->tasks, (uint32_t)tid);
}

bool filter_section(const struct filter *f, const struct section *s)
{
	if (f->families && !(f->families >> s->family & 1))
		return false;
	return filter_at(f, s->start, s->cpu) && is_of_task(f, s->tid, s->ctx) &&
	       set_has(&f->locks, s->lock) &&
	       (set_has(&f->sites, s->site) || filter_is_shown(f, s));
}

struct section filter_section_of(const struct wait *w)
{
	return (struct section){
		.start = w->begin, .lock = w->lock, .site = w->site,
		.tid = w->tid, .cpu = w->cpu, .family = w->family,
		.ctx = w->ctx,
	};
}

bool filter_wait(const struct filter *f, const struct wait *w)
{
	const struct section s = filter_section_of(w);

	return !f->active || filter_section(f, &s);
}

bool filter_thread(const struct filter *f, uint64_t ts, uint32_t cpu, int32_t tid)
{
	return filter_at(f, ts, cpu) && is_of_task(f, tid, 0);
}

bool filter_interrupt(const struct filter *f, uint64_t ts, uint32_t cpu)
{
	return filter_at(f, ts, cpu) && !f->tasks.given;
}

static bool acquires_shown(const struct filter *f, uint64_t ts, uint32_t cpu,
			   const struct ft_record *rec)
{
	const struct section s = { .start = ts, .lock = rec->a, .tid = rec->tid, .cpu = cpu };

	return filter_is_shown(f, &s);
}

bool filter_record(const struct filter *f, uint64_t ts, uint32_t cpu,
		   const struct ft_record *rec, unsigned int kind)
{
	bool taken = kind < LOCKS_KIND_OTHER;
	bool waits = kind == LOCKS_KIND_WAIT_BEGIN || kind == LOCKS_KIND_WAIT_END;

	if (f->families && !(taken && f->families >> (kind / 2) & 1))
		return false;
	if (f->sites.given && !(taken && (set_has(&f->sites, rec->b) ||
					  acquires_shown(f, ts, cpu, rec))))
		return false;
	if (f->locks.given && !((taken || waits) && set_has(&f->locks, rec->a)))
		return false;
	return filter_at(f, ts, cpu) && is_of_task(f, rec->tid, rec->ctx);
}

static bool has_family(const struct trace *t, const struct locks *locks, unsigned int family)
{
	for (unsigned int i = 0; i < t->n_streams; i++) {
		if (locks_balance(locks, i)[family].complete)
			return true;
	}
	return false;
}

void filter_warn_empty(const struct trace *t, const struct locks *locks)
{
	char names[512] = "";
	uint64_t end = t->start;
	size_t used = 0;

	for (unsigned int family = 0; family < LOCKS_FAMILIES && used < sizeof(names); family++) {
		if (has_family(t, locks, family))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", locks_name(family));
	}
	for (unsigned int i = 0; i < t->n_streams; i++)
		end = t->streams[i].ts_end > end ? t->streams[i].ts_end : end;
	warnx("%s: no section is selected: the trace has %s in %.6f s", t->title,
	      used ? names : "none", (double)(end - t->start) / (double)t->meta.freq);
}

void filter_exit(struct filter *f)
{
	free(f->cpus.range);
	free(f->tasks.range);
	free(f->others.range);
	free(f->sites.range);
	free(f->locks.range);
	filter_free_shown(f);
	*f = (struct filter){ 0 };
}
