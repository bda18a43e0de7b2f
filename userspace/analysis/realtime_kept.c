// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Real-time tasks: time in which a CPU preempts nobody. See realtime.h. */
#include "analysis/realtime_pass.h"

const char *realtime_kept_name(unsigned int kept)
{
	if (kept == REALTIME_PREEMPT_OFF)
		return "preempt_off";
	if (kept == REALTIME_IRQ_OFF)
		return "irq_off";
	return locks_is_spinning(kept) ? locks_name(kept) : NULL;
}

static void add(struct realtime_span *span, uint64_t start, uint64_t end, uint64_t site,
		uint32_t cpu)
{
	if (!span->lengths.count || end - start > span->lengths.max) {
		span->when = start;
		span->site = site;
		span->cpu = cpu;
	}
	realtime_add(&span->lengths, end - start);
}

void realtime_section(void *arg, const struct section *section)
{
	struct realtime_pass *p = arg;

	if (!p->filter.active || filter_section(&p->filter, section))
		add(&p->answer.kept[section->family], section->start, section->end, section->site,
		    section->cpu);
}

void realtime_kept_off(struct realtime_pass *p, struct cpu_seen *c, unsigned int kept,
		       uint64_t time, uint64_t site)
{
	unsigned int i = kept - REALTIME_PREEMPT_OFF;

	p->answer.kept[kept].seen = true;
	if (c->off_since[i])
		return;
	c->off_since[i] = time;
	c->off_site[i] = site;
}

/* Of time 0, nothing is known: it is a moment too late. */
void realtime_kept_on(struct realtime_pass *p, struct cpu_seen *c, unsigned int kept,
		      uint64_t time, uint32_t cpu)
{
	unsigned int i = kept - REALTIME_PREEMPT_OFF;
	uint64_t since = c->off_since[i];

	p->answer.kept[kept].seen = true;
	c->off_since[i] = 0;
	if (since && filter_interrupt(&p->filter, since, cpu))
		add(&p->answer.kept[kept], since, time, c->off_site[i], cpu);
}
