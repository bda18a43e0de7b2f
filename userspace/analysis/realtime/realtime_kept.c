// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Real-time tasks: time in which a CPU preempts nobody. See realtime.h. */
#include "analysis/realtime/realtime_pass.h"
#include "base/array.h"

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

/* A section without a lock, as the filter sees it: it has no lock and no family. */
static bool is_selected(const struct filter *f, const struct off_seen *off, uint32_t cpu)
{
	const struct section like = {
		.start = off->since, .site = off->site, .tid = off->tid, .cpu = cpu,
		.ctx = off->ctx,
	};

	if (!f->active)
		return true;
	return !f->families && !f->locks.given && filter_section(f, &like);
}

/* The idle task never preempts itself: to leave it, it switches. */
void realtime_kept_off(struct realtime_pass *p, struct cpu_seen *c, unsigned int kept,
		       uint64_t time, const struct ft_record *rec)
{
	struct off_seen *off = &c->off[kept - REALTIME_PREEMPT_OFF];

	p->answer.kept[kept].seen = true;
	if (!off->since && (rec->tid || kept != REALTIME_PREEMPT_OFF))
		*off = (struct off_seen){
			.since = time, .site = rec->a, .tid = rec->tid, .ctx = rec->ctx,
		};
}

void realtime_kept_idle(struct realtime_pass *p, struct cpu_seen *c, uint64_t time, uint32_t cpu)
{
	if (c->off[0].since)
		realtime_kept_on(p, c, REALTIME_PREEMPT_OFF, time, cpu);
}

/* A span that began at time 0 is not seen: 0 stands for none. */
void realtime_kept_on(struct realtime_pass *p, struct cpu_seen *c, unsigned int kept,
		      uint64_t time, uint32_t cpu)
{
	struct off_seen *off = &c->off[kept - REALTIME_PREEMPT_OFF];

	p->answer.kept[kept].seen = true;
	if (off->since && is_selected(&p->filter, off, cpu))
		add(&p->answer.kept[kept], off->since, time, off->site, cpu);
	off->since = 0;
}

const char *realtime_missing(const struct realtime *r, unsigned int i)
{
	const struct realtime_span *kept = r->kept;
	const struct {
		bool		is_missing;
		const char	*line;
	} all[] = {
		{ r->seen.rt && !kept[FT_LOCK_RAW_SPIN].seen,
		  "raw spinlocks of PREEMPT_RT: it has no events of them (raw_spin_*), which\n  "
		  "--locks records where 'ft list' shows them" },
		{ !kept[REALTIME_PREEMPT_OFF].seen,
		  "preemption off without a lock: it has no events of preemptirq:preempt_*, which "
		  "only\n  kernels with CONFIG_PREEMPTIRQ_TRACEPOINTS have, and Debian's do not" },
		{ !kept[REALTIME_IRQ_OFF].seen,
		  "interrupts off without a lock: it has no events of preemptirq:irq_*, which "
		  "only\n  kernels with CONFIG_PREEMPTIRQ_TRACEPOINTS have, and Debian's do not" },
		{ !r->seen.wakings,
		  "when tasks were woken (sched_waking): latency counts as asleep" },
		{ !r->seen.interrupts,
		  "interrupts (irq_handler_*, softirq_*, local_timer_*): they count as running" },
		{ !r->seen.waits,
		  "waits for locks (contention_begin, contention_end): they count as asleep" },
		{ !r->seen.locks, "who holds locks (--locks): so no inversion can be found" },
		{ r->seen.rt && r->seen.locks && !r->seen.inheritance,
		  "when priorities were inherited: it has no record of sched_pi_setprio, as no "
		  "task inherited\n  one or it was off; they are known only from task switches" },
		{ true,
		  "locks of programs, rt_mutexes of the kernel and PI futexes: waits for them "
		  "count as asleep" },
	};

	if (i >= ARRAY_SIZE(all))
		return NULL;
	return all[i].is_missing ? all[i].line : "";
}
