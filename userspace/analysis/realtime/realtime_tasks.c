// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Real-time tasks: who they are, and what each does. See realtime.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/realtime/realtime_pass.h"
#include "base/array.h"
#include "base/mem.h"
#include "symbols/tasks.h"

#define TID_MAX	(1 << 22)	/* the kernel's limit */

const char *realtime_state_name(enum realtime_state state)
{
	static const char *const names[REALTIME_STATES] = {
		[REALTIME_RUNNING] = "running", [REALTIME_PREEMPTED] = "preempted",
		[REALTIME_LATENCY] = "latency", [REALTIME_BLOCKED] = "blocked",
		[REALTIME_ASLEEP] = "asleep", [REALTIME_INTERRUPTED] = "interrupted",
	};

	return names[state];
}

const char *realtime_policy(uint16_t policy)
{
	return policy == REALTIME_FIFO ? "FIFO" : policy == REALTIME_RR ? "RR" : "DEADLINE";
}

struct task_seen *realtime_task_find(const struct realtime_pass *p, int32_t tid)
{
	return tid > 0 ? map_get(&p->tasks, (uint32_t)tid) : NULL;
}

/* Each counts once. */
static void refuse(struct realtime_pass *p, uint32_t tid)
{
	uint8_t bit = 1u << tid % 8;

	if (!p->refused)
		p->refused = mem_zalloc(TID_MAX / 8 + 1, 1);
	p->answer.refused += !(p->refused[tid / 8] & bit);
	p->refused[tid / 8] |= bit;
}

/* The kernel's task that stops a CPU: it says FIFO 99, but comes before all others. */
static bool is_stop(const char *name)
{
	return name && !strncmp(name, "migration/", 10);
}

struct task_seen *realtime_task_get(struct realtime_pass *p, int32_t tid)
{
	struct task_seen *task = realtime_task_find(p, tid);

	if (task || tid <= 0 || tid > TID_MAX)
		return task;
	if (p->tasks.used == REALTIME_MAX_TASKS) {
		refuse(p, (uint32_t)tid);
		return NULL;
	}
	task = mem_zalloc(1, sizeof(*task));
	task->row.tid = tid;
	task->is_stop = is_stop(names_find(p->names, tid));
	map_put(&p->tasks, (uint32_t)tid, task);
	return task;
}

/* --- which policy and priority ----------------------------------------------------- */

/* May its priority be higher because somebody waits for it? Yes where that is not known. */
static bool may_inherit(const struct realtime_pass *p, const struct task_seen *task)
{
	if (realtime_is_told(p, task))
		return task->inherits;
	return !p->answer.seen.locks || !p->answer.seen.waits ||
	       waits_for_task(p->waits, task->row.tid);
}

static void set_own(struct task_seen *task, int prio)
{
	task->own = prio;
	if (task->is_rt)
		task->row.prio = prio;
}

/* A task that leaves its CPU may still have the priority of one that has stopped waiting. */
void realtime_prio(struct task_seen *task, int prio)
{
	if (!task->has_prio || prio > task->own)
		task->own = prio;
	set_own(task, task->own);
	task->prio = prio;
	task->has_prio = true;
}

void realtime_inherits(struct realtime_pass *p, struct task_seen *task, int own, int prio,
		       uint64_t time)
{
	if (time < task->when)
		return;
	task->when = time;
	task->told = p->part;
	task->inherits = prio < own;
	if (time >= task->prio_at) {
		task->prio = prio;
		task->has_prio = true;
	}
	set_own(task, own);
}

static bool is_realtime(uint16_t policy)
{
	return policy == REALTIME_FIFO || policy == REALTIME_RR || policy == REALTIME_DEADLINE;
}

/* The part of a span that the filter selects. Return: its length */
static uint64_t selected(const struct realtime_pass *p, uint64_t from, uint64_t to)
{
	if (from < p->filter.first)
		from = p->filter.first;
	if (p->filter.has_to && to > p->filter.end)
		to = p->filter.end;
	return to > from ? to - from : 0;
}

void realtime_no_policy(struct realtime_pass *p, struct task_seen *task, uint64_t time)
{
	realtime_wait_cut(p, task);
	if (task->is_rt)
		task->total += selected(p, task->since, time);
	task->is_rt = false;
}

void realtime_policy_is(struct realtime_pass *p, struct task_seen *task, uint16_t policy, int prio,
			uint64_t time)
{
	bool rt = is_realtime(policy);

	if (task->policy != policy)	/* it has another priority of its own */
		task->has_prio = false;
	task->policy = policy;
	task->has_policy = true;
	if (rt && !task->is_rt)
		task->since = time;
	if (!rt)
		realtime_no_policy(p, task, time);
	else
		task->row.policy = policy;
	task->is_rt = rt;
	task->was_rt |= rt;
	realtime_prio(task, prio);
	if (prio < task->own && !may_inherit(p, task))
		set_own(task, prio);
	if (rt && !task->waiting.now)	/* it may have begun to wait before */
		realtime_wait_begins(p, task->row.tid, time);
}

void realtime_task_ends(struct realtime_pass *p, struct task_seen *task, uint64_t time)
{
	realtime_no_policy(p, task, time);
	if (!task->was_rt) {
		map_del(&p->tasks, (uint32_t)task->row.tid);
		mem_free(task);
		return;
	}
	task->has_prio = false;
	task->has_policy = false;
	task->is_coming = false;
	task->told = 0;
	task->policy = UINT16_MAX;
}

void realtime_task_executes(struct realtime_pass *p, int32_t old, int32_t tid, uint64_t time)
{
	struct task_seen *from = realtime_task_find(p, old), *to;

	if (old == tid || !from)
		return;
	to = realtime_task_get(p, tid);
	if (to && from->has_policy && from->has_prio) {
		realtime_policy_is(p, to, from->policy, from->own, time);
		realtime_prio(to, from->prio);
		to->told = from->told;
		to->inherits = from->inherits;
	}
	realtime_task_ends(p, from, time);
}

/* --- states ------------------------------------------------------------------------ */

static void account(struct realtime_pass *p, struct task_seen *task, enum realtime_state state,
		    uint64_t from, uint64_t to)
{
	uint64_t ticks;

	if (!task || !task->is_rt)
		return;
	if (from < task->since)
		from = task->since;
	ticks = selected(p, from, to);
	task->row.ticks[state] += ticks;
	if (state == REALTIME_RUNNING && task->waiting.over)
		task->waiting.ran += ticks;
}

void realtime_settle(struct realtime_pass *p, struct cpu_seen *c, uint64_t time)
{
	struct task_seen *task = realtime_task_find(p, c->tid);

	if (task && c->since < time)
		account(p, task, c->interrupted ? REALTIME_INTERRUPTED :
			task->waiting.now ? REALTIME_BLOCKED : REALTIME_RUNNING, c->since, time);
	c->since = time;
}

static void latency(struct realtime_pass *p, struct task_seen *task,
		    const struct thread_span *span)
{
	uint64_t length = selected(p, span->start, span->end);

	account(p, task, REALTIME_LATENCY, span->start, span->end);
	task->row.wakeups += length > 0;
	if (length > task->row.latency_max)
		task->row.latency_max = length;
}

/* What runs is in realtime_settle(), with what interrupts it. */
static void thread(void *arg, const struct thread_span *span)
{
	struct realtime_pass *p = arg;
	struct task_seen *task = realtime_task_find(p, span->tid);

	if (!task || !task->is_rt)
		return;
	switch (span->state) {
	case THREAD_PREEMPTED:
		account(p, task, REALTIME_PREEMPTED, span->start, span->end);
		break;
	case THREAD_READY:
		latency(p, task, span);
		break;
	case THREAD_ASLEEP:
		account(p, task, task->waiting.now ? REALTIME_BLOCKED : REALTIME_ASLEEP,
			span->start, span->end);
		break;
	case THREAD_RUNS:
	case THREAD_UNKNOWN:
		break;
	}
}

const struct threads_told realtime_told = { .thread = thread };

/* --- the rows ---------------------------------------------------------------------- */

static uint64_t known(const struct realtime_task *row)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < REALTIME_STATES; i++)
		sum += row->ticks[i];
	return sum;
}

/* Highest priority first; the rest only so that the order is always the same. */
static int compare(const void *a, const void *b)
{
	const struct realtime_task *x = *(struct realtime_task *const *)a;
	const struct realtime_task *y = *(struct realtime_task *const *)b;

	if (x->prio != y->prio)
		return x->prio < y->prio ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void realtime_tasks_finish(struct realtime_pass *p)
{
	struct realtime *r = &p->answer;
	const struct map_slot *slot;

	r->task = mem_zalloc(p->tasks.used + 1, sizeof(*r->task));
	map_for_each(&p->tasks, slot) {
		struct task_seen *task = slot->value;
		uint64_t sum;

		realtime_no_policy(p, task, p->now);
		if (!task->was_rt || !task->total ||
		    !filter_thread(&p->filter, p->filter.first, 0, task->row.tid))
			continue;
		sum = known(&task->row);
		task->row.unknown = task->total > sum ? task->total - sum : 0;
		r->task[r->tasks++] = &task->row;
	}
	qsort(r->task, r->tasks, sizeof(*r->task), compare);
}
