// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Our probes of tracepoints. Of those for waiting for locks, the scheduler, interrupts, timers
 * and system calls, the arguments are known: the kernel's own declarations check their types.
 *
 * A record has two words and the number of the task that runs. Fields share the words, so that
 * each event is one record.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timer.h>

#include <asm/syscall.h>

#include <trace/events/ipi.h>
#include <trace/events/irq.h>
#include <trace/events/lock.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>
#include <trace/events/timer.h>

#include "compat.h"
#include "event/typed.h"
#include "sensor/probes.h"
#include "watch/watch.h"

#if FT_HAVE_IRQ_VECTORS
#include <asm/trace/irq_vectors.h>
#endif

/* Registered apart from what writes records. */
void ft_typed_watch(const struct ft_typed_own *own, u64 a, u64 b)
{
	u32 id = own->id;

	preempt_disable_notrace();
	ft_watch_call(id, ft_probe_announced(id), a, b);
	if (ft_sensor_is_any(id))
		ft_sensor_see(id, a, b, ft_sensor_now());
	preempt_enable_notrace();
}

/* --- words whose meaning is known ------------------------------------------ */

/* Two of them in a word, the first below. */
static __always_inline u64 ft_typed_pair(u32 low, u32 high)
{
	return low | (u64)high << 32;
}

/* Something of this CPU. */
static __always_inline u64 ft_typed_here(u32 number)
{
	return ft_typed_pair(number, raw_smp_processor_id());
}

/*
 * A task, its policy, and its priority as the kernel counts it: at the top of the word, so that
 * conditions can compare it with its sign.
 */
static __always_inline u64 ft_typed_task(const struct task_struct *p)
{
	return (u64)((u32)p->prio << 16 | p->policy) << 32 | (u32)p->pid;
}

/* The priority that a task gets from the one that waits for it; p->prio is still the old one. */
static __always_inline u64 ft_typed_inherits(const struct task_struct *p,
					     const struct task_struct *from)
{
	int prio = from ? min(p->normal_prio, from->prio) : p->normal_prio;

	return (u64)((u32)prio << 16 | p->policy) << 32 | (u32)p->pid;
}

/* The task it comes from; beside it, the priority without inheritance, and the one before. */
static __always_inline u64 ft_typed_inherited(const struct task_struct *p,
					      const struct task_struct *from)
{
	return (u64)((u32)p->prio << 16 | (u16)p->normal_prio) << 32 | (from ? (u32)from->pid : 0);
}

/* Bits of a state that tell why a task leaves the CPU: those of enum ft_state. */
#define FT_TYPED_STATES	(FT_STATE_SLEEPING | FT_STATE_WAITING | FT_STATE_STOPPED |	\
			 FT_STATE_TRACED | FT_STATE_PARKED | FT_STATE_DEAD |		\
			 FT_STATE_IDLE | FT_STATE_WAITING_LOCK | FT_STATE_FROZEN)
static_assert(FT_STATE_RUNNING == TASK_RUNNING);
static_assert(FT_STATE_SLEEPING == TASK_INTERRUPTIBLE);
static_assert(FT_STATE_WAITING == TASK_UNINTERRUPTIBLE);
static_assert(FT_STATE_STOPPED == __TASK_STOPPED);
static_assert(FT_STATE_TRACED == __TASK_TRACED);
static_assert(FT_STATE_PARKED == TASK_PARKED);
static_assert(FT_STATE_DEAD == TASK_DEAD);
static_assert(FT_STATE_IDLE == TASK_IDLE);
static_assert(FT_STATE_WAITING_LOCK == TASK_RTLOCK_WAIT);
static_assert(FT_STATE_FROZEN == TASK_FROZEN);

static __always_inline u32 ft_typed_state(bool preempt, unsigned int state)
{
	return preempt ? FT_STATE_PREEMPTED : state & FT_TYPED_STATES;
}

/* --- probes --------------------------------------------------------------- */

/*
 * The two probes of a tracepoint, for records and for watches, with what the words are. @args:
 * the tracepoint's, in parentheses.
 */
#define FT_TYPED_ARGS(...)	__VA_ARGS__
#define FT_TYPED_PROBES(name, args, a, b)					\
static void ft_typed_record_##name(void *own, FT_TYPED_ARGS args)		\
{										\
	ft_typed_record(own, a, b);						\
}										\
										\
static void ft_typed_watch_##name(void *own, FT_TYPED_ARGS args)		\
{										\
	ft_typed_watch(own, a, b);						\
}										\
										\
static void __maybe_unused ft_typed_check_##name(void)				\
{										\
	check_trace_callback_type_##name(ft_typed_record_##name);		\
	check_trace_callback_type_##name(ft_typed_watch_##name);		\
}

FT_TYPED_PROBES(contention_begin, (void *lock, unsigned int flags), (uintptr_t)lock, flags)
FT_TYPED_PROBES(contention_end, (void *lock, int ret), (uintptr_t)lock, (s64)ret)

FT_TYPED_PROBES(sched_switch, (bool preempt, struct task_struct *prev,
			       struct task_struct *next, unsigned int state),
		ft_typed_task(next), (u64)prev->prio << 48 | ft_typed_state(preempt, state))
FT_TYPED_PROBES(sched_waking, (struct task_struct *p), ft_typed_task(p),
		ft_typed_pair(p->tgid, task_cpu(p)))
FT_TYPED_PROBES(sched_wakeup, (struct task_struct *p), ft_typed_task(p),
		ft_typed_pair(p->tgid, task_cpu(p)))
FT_TYPED_PROBES(sched_wakeup_new, (struct task_struct *p), ft_typed_task(p),
		ft_typed_pair(p->tgid, task_cpu(p)))
FT_TYPED_PROBES(sched_migrate_task, (struct task_struct *p, int cpu), ft_typed_task(p),
		ft_typed_pair(task_cpu(p), cpu))
FT_TYPED_PROBES(sched_pi_setprio, (struct task_struct *p, struct task_struct *from),
		ft_typed_inherits(p, from), ft_typed_inherited(p, from))
FT_TYPED_PROBES(sched_process_fork, (struct task_struct *parent, struct task_struct *child),
		ft_typed_pair(child->pid, child->tgid), ft_typed_pair(parent->pid, parent->tgid))
FT_TYPED_PROBES(sched_process_exec, (struct task_struct *p, pid_t old,
				     struct linux_binprm *bprm),
		ft_typed_pair(p->pid, old), 0)
FT_TYPED_PROBES(sched_process_exit, (FT_TRACE_SCHED_EXIT_ARGS(p)), ft_typed_task(p), p->tgid)

/*
 * Two events that belong together have the same first word, which is the key of time(A, B):
 * so it has the CPU, or the task, where others do the same at the same time.
 */
FT_TYPED_PROBES(irq_handler_entry, (int irq, struct irqaction *action), ft_typed_here(irq),
		(uintptr_t)action->handler)
FT_TYPED_PROBES(irq_handler_exit, (int irq, struct irqaction *action, int ret),
		ft_typed_here(irq), (u32)ret)
FT_TYPED_PROBES(softirq_entry, (unsigned int vec), ft_typed_here(vec), 0)
FT_TYPED_PROBES(softirq_exit, (unsigned int vec), ft_typed_here(vec), 0)
FT_TYPED_PROBES(softirq_raise, (unsigned int vec), ft_typed_here(vec), 0)

FT_TYPED_PROBES(timer_expire_entry, (struct timer_list *timer, unsigned long base_clk),
		(uintptr_t)timer, (uintptr_t)timer->function)
FT_TYPED_PROBES(timer_expire_exit, (struct timer_list *timer), (uintptr_t)timer, 0)
FT_TYPED_PROBES(hrtimer_expire_entry, (struct hrtimer *timer, ft_hrtimer_now now),
		(uintptr_t)timer, (uintptr_t)ft_hrtimer_function(timer))
FT_TYPED_PROBES(hrtimer_expire_exit, (struct hrtimer *timer), (uintptr_t)timer, 0)

FT_TYPED_PROBES(sys_enter, (struct pt_regs *regs, long id), ft_typed_pair(id, current->pid),
		ft_syscall_first(regs))
FT_TYPED_PROBES(sys_exit, (struct pt_regs *regs, long ret),
		ft_typed_pair(syscall_get_nr(current, regs), current->pid), ret)

#if FT_HAVE_IPI_SEND
FT_TYPED_PROBES(ipi_send_cpu, (const unsigned int cpu, unsigned long site, void *callback),
		ft_typed_pair(cpu, 0), (uintptr_t)callback)
#endif
#if FT_HAVE_IRQ_VECTORS
#define FT_TYPED_VECTOR_PROBES(name)						\
	FT_TYPED_PROBES(name##_entry, (int vector), ft_typed_here(vector), 0)	\
	FT_TYPED_PROBES(name##_exit, (int vector), ft_typed_here(vector), 0)
FT_TYPED_VECTOR_PROBES(local_timer)
FT_TYPED_VECTOR_PROBES(reschedule)
FT_TYPED_VECTOR_PROBES(call_function)
FT_TYPED_VECTOR_PROBES(call_function_single)
FT_TYPED_VECTOR_PROBES(irq_work)
#endif

/* --- fields --------------------------------------------------------------- */

#define FT_TYPED(tracepoint)							\
	.name = #tracepoint, .record = ft_typed_record_##tracepoint,		\
	.watch = ft_typed_watch_##tracepoint

#define FT_TYPED_WORD(what)	{ .name = what, .bits = 64, .kind = FT_FIELD_HEX }
#define FT_TYPED_CODE(what)	{ .name = what, .bits = 64, .kind = FT_FIELD_CODE }
#define FT_TYPED_LONG(what)	{ .name = what, .bits = 64, .kind = FT_FIELD_SIGNED }
#define FT_TYPED_INT(what)	{ .name = what, .bits = 32, .kind = FT_FIELD_SIGNED }
#define FT_TYPED_UINT(what)	{ .name = what, .bits = 32, .kind = FT_FIELD_UNSIGNED }
#define FT_TYPED_TID(what)	{ .name = what, .bits = 32, .kind = FT_FIELD_TID }
#define FT_TYPED_STATE(what)	{ .name = what, .bits = 16, .kind = FT_FIELD_STATE }
#define FT_TYPED_NONE(size)	{ .name = "", .bits = size, .kind = FT_FIELD_UNSIGNED }
#define FT_TYPED_PRIO(what)	{ .name = what "_prio", .bits = 16, .kind = FT_FIELD_PRIO }
/* What ft_typed_task() makes. */
#define FT_TYPED_TASK(what)							\
	FT_TYPED_TID(what),							\
	{ .name = what "_policy", .bits = 16, .kind = FT_FIELD_POLICY },	\
	FT_TYPED_PRIO(what)

#define FT_TYPED_WOKEN	{							\
	FT_TYPED_TASK("task"),							\
	FT_TYPED_TID("process"), FT_TYPED_UINT("target_cpu"),			\
}
#define FT_TYPED_SOFTIRQ {							\
	{ .name = "vec", .bits = 32, .kind = FT_FIELD_SOFTIRQ },		\
	FT_TYPED_UINT("on_cpu"), FT_TYPED_NONE(64),				\
}
#define FT_TYPED_VECTOR	{							\
	FT_TYPED_UINT("vector"), FT_TYPED_UINT("on_cpu"), FT_TYPED_NONE(64),	\
}

static const struct ft_typed ft_typed[] = {
	{ FT_TYPED(contention_begin), .id = FT_ID_CONTENTION_BEGIN, .field = {
		FT_TYPED_WORD("lock"), FT_TYPED_WORD("flags"),
	} },
	{ FT_TYPED(contention_end), .id = FT_ID_CONTENTION_END, .field = {
		FT_TYPED_WORD("lock"), FT_TYPED_WORD("result"),
	} },

	{ FT_TYPED(sched_switch), .field = {
		FT_TYPED_TASK("next"),
		FT_TYPED_STATE("prev_state"), FT_TYPED_NONE(16), FT_TYPED_NONE(16),
		FT_TYPED_PRIO("prev"),
	} },
	{ FT_TYPED(sched_waking), .field = FT_TYPED_WOKEN },
	{ FT_TYPED(sched_wakeup), .field = FT_TYPED_WOKEN },
	{ FT_TYPED(sched_wakeup_new), .field = FT_TYPED_WOKEN },
	{ FT_TYPED(sched_migrate_task), .field = {
		FT_TYPED_TASK("task"),
		FT_TYPED_UINT("orig_cpu"), FT_TYPED_UINT("dest_cpu"),
	} },
	{ FT_TYPED(sched_pi_setprio), .field = {
		FT_TYPED_TID("task"),
		{ .name = "task_policy", .bits = 16, .kind = FT_FIELD_POLICY },
		FT_TYPED_PRIO("new"),
		FT_TYPED_TID("from"), FT_TYPED_PRIO("own"), FT_TYPED_PRIO("old"),
	} },
	{ FT_TYPED(sched_process_fork), .field = {
		FT_TYPED_TID("child"), FT_TYPED_TID("child_process"),
		FT_TYPED_TID("parent"), FT_TYPED_TID("parent_process"),
	} },
	{ FT_TYPED(sched_process_exec), .field = {
		FT_TYPED_TID("task"), FT_TYPED_TID("old_task"), FT_TYPED_NONE(64),
	} },
	{ FT_TYPED(sched_process_exit), .field = {
		FT_TYPED_TASK("task"),
		FT_TYPED_TID("process"), FT_TYPED_NONE(32),
	} },

	{ FT_TYPED(irq_handler_entry), .field = {
		FT_TYPED_UINT("irq"), FT_TYPED_UINT("on_cpu"), FT_TYPED_CODE("handler"),
	} },
	{ FT_TYPED(irq_handler_exit), .field = {
		FT_TYPED_UINT("irq"), FT_TYPED_UINT("on_cpu"),
		FT_TYPED_INT("ret"), FT_TYPED_NONE(32),
	} },
	{ FT_TYPED(softirq_entry), .field = FT_TYPED_SOFTIRQ },
	{ FT_TYPED(softirq_exit), .field = FT_TYPED_SOFTIRQ },
	{ FT_TYPED(softirq_raise), .field = FT_TYPED_SOFTIRQ },

	{ FT_TYPED(timer_expire_entry), .field = {
		FT_TYPED_WORD("timer"), FT_TYPED_CODE("function"),
	} },
	{ FT_TYPED(timer_expire_exit), .field = {
		FT_TYPED_WORD("timer"), FT_TYPED_NONE(64),
	} },
	{ FT_TYPED(hrtimer_expire_entry), .field = {
		FT_TYPED_WORD("timer"), FT_TYPED_CODE("function"),
	} },
	{ FT_TYPED(hrtimer_expire_exit), .field = {
		FT_TYPED_WORD("timer"), FT_TYPED_NONE(64),
	} },

	{ FT_TYPED(sys_enter), .field = {
		FT_TYPED_INT("id"), FT_TYPED_TID("task"), FT_TYPED_WORD("first"),
	} },
	{ FT_TYPED(sys_exit), .field = {
		FT_TYPED_INT("id"), FT_TYPED_TID("task"), FT_TYPED_LONG("ret"),
	} },

#if FT_HAVE_IPI_SEND
	{ FT_TYPED(ipi_send_cpu), .field = {
		FT_TYPED_UINT("cpu"), FT_TYPED_NONE(32), FT_TYPED_CODE("callback"),
	} },
#endif
#if FT_HAVE_IRQ_VECTORS
#define FT_TYPED_AT_VECTOR(tracepoint)						\
	{ FT_TYPED(tracepoint##_entry), .field = FT_TYPED_VECTOR },		\
	{ FT_TYPED(tracepoint##_exit), .field = FT_TYPED_VECTOR }
	FT_TYPED_AT_VECTOR(local_timer),
	FT_TYPED_AT_VECTOR(reschedule),
	FT_TYPED_AT_VECTOR(call_function),
	FT_TYPED_AT_VECTOR(call_function_single),
	FT_TYPED_AT_VECTOR(irq_work),
#endif
};

const struct ft_typed *ft_typed_at(unsigned int i)
{
	return i < ARRAY_SIZE(ft_typed) ? &ft_typed[i] : NULL;
}

const char *ft_typed_word(const struct ft_typed *typed, unsigned int word)
{
	unsigned int i, from = 0;

	for (i = 0; i < FT_FIELDS && from / 64 < word; i++)
		from += typed->field[i].bits;
	return typed->field[i].name[0] ? typed->field[i].name : "unused";
}

const struct ft_typed *ft_typed_find(const char *name)
{
	const struct ft_typed *typed;
	unsigned int i;

	for (i = 0; (typed = ft_typed_at(i)); i++)
		if (!strcmp(typed->name, name))
			return typed;
	return NULL;
}
