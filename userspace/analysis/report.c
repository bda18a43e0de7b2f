// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a report has is asked here: times, names, sums. See report.h. */
#include <stdlib.h>
#include <time.h>

#include "analysis/report.h"
#include "trace/fact.h"

#define PSEC	1000000000000ull

const char *report_scope(enum locks_scope scope)
{
	static const char *const names[LOCKS_SCOPES] = {
		[LOCKS_SPINNING] = "spinning", [LOCKS_SLEEPING] = "sleeping",
		[LOCKS_BOTH] = "both", [LOCKS_PROGRAM] = "program",
		[LOCKS_SPIN] = "spin",
	};

	return names[scope];
}

report_ps report_span(const struct report *r, unsigned __int128 ticks)
{
	if (ticks >> 87)	/* the product has no more room */
		ticks = ((unsigned __int128)1 << 87) - 1;
	return ticks * PSEC / r->trace.meta.freq;
}

report_ps report_mean(const struct report *r, const struct histogram *h)
{
	if (!h->count)
		return 0;
	if (h->sum < (unsigned __int128)1 << 87)	/* PSEC < 2^40 */
		return h->sum * PSEC / ((unsigned __int128)h->count *
					r->trace.meta.freq);
	/* the remainder apart, so that the product stays within 128 bits */
	return report_span(r, h->sum / h->count) +
	       report_span(r, h->sum % h->count) / h->count;
}

report_ps report_mean_of(const struct report *r, unsigned __int128 sum,
			 uint64_t count)
{
	const struct histogram h = { .sum = sum, .count = count };

	return report_mean(r, &h);
}

const char *report_context_name(unsigned int context)
{
	static const char *const names[REPORT_CONTEXTS] = {
		"task", "softirq", "hardirq", "nmi",
	};

	return names[context];
}

unsigned int report_depths(const struct report *r, enum locks_scope scope)
{
	unsigned int depths = LOCKS_DEPTHS;

	while (depths && !r->depth[scope][depths - 1])
		depths--;
	return depths;
}

enum report_tables report_table(const struct report *r, unsigned int place)
{
	static const enum report_tables order[REPORT_TABLES] = {
		TABLE_SITE, TABLE_CLASS, TABLE_LOCK, TABLE_TASK, TABLE_STACK,
	};
	unsigned int i;

	for (i = 0; i < REPORT_TABLES; i++) {
		if (r->shows[order[i]] && !place--)
			return order[i];
	}
	return REPORT_TABLES;
}

bool report_has(const struct report_class *c)
{
	return c->lengths.count || c->waits.count || report_cuts(c);
}

bool report_shows_group(const struct report *r, enum locks_group group)
{
	bool programs = report_has(&r->group[GROUP_PROGRAM]);

	return group == GROUP_PROGRAM ? programs :
	       !programs || report_has(&r->group[GROUP_SPINNING]) ||
	       report_has(&r->group[GROUP_SLEEPING]);
}

bool report_shows_scope(const struct report *r, enum locks_scope scope)
{
	if (scope == LOCKS_SPIN && !locks_shows_spin(r->depth))
		return false;
	return report_shows_group(r, scope == LOCKS_PROGRAM ? GROUP_PROGRAM :
							      GROUP_SPINNING);
}

bool report_begin(const struct report *r, char *date, size_t len)
{
	struct tm tm;
	uint32_t ns;
	time_t at;

	if (!r->records || !trace_has_wall(&r->trace))
		return false;
	at = (time_t)trace_wall(&r->trace, r->first, &ns);
	return gmtime_r(&at, &tm) && strftime(date, len, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

bool report_early(const struct report *r, uint64_t *ns)
{
	char value[24], *end;

	if (!trace_fact(&r->trace, "acquire_early_ns", value, sizeof(value)))
		return false;
	*ns = strtoull(value, &end, 10);
	return end != value && !*end;
}

struct balance report_balance(const struct report *r, unsigned int family)
{
	struct balance sum = { 0 };
	unsigned int i, cut;

	for (i = 0; i < r->trace.n_streams; i++) {
		const struct balance *b = &locks_balance(r->locks, i)[family];

		sum.acquires += b->acquires;
		sum.releases += b->releases;
		sum.complete += b->complete;
		for (cut = 0; cut < LOCKS_CUTS; cut++) {
			sum.no_release[cut] += b->no_release[cut];
			sum.no_acquire[cut] += b->no_acquire[cut];
		}
	}
	return sum;
}
