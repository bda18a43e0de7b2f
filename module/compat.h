/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What differs between kernels, as features. The rest of the module tests for
 * no version and no configuration.
 */
#ifndef _FT_COMPAT_H
#define _FT_COMPAT_H

#include <linux/kconfig.h>

/*
 * Can the lock functions be wrapped? They must be functions, all of them, that
 * ftrace can make call something; and not those of lockdep, which are others.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_SMP) && \
	defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && \
	defined(CONFIG_HAVE_STATIC_CALL) && \
	!defined(CONFIG_DEBUG_LOCK_ALLOC) && \
	(defined(CONFIG_PREEMPT_RT) || defined(CONFIG_UNINLINE_SPIN_UNLOCK)) && \
	!defined(CONFIG_INLINE_SPIN_UNLOCK_IRQ) && \
	!defined(CONFIG_INLINE_READ_UNLOCK) && !defined(CONFIG_INLINE_WRITE_UNLOCK)
#define FT_HAVE_ATTACH		1
#else
#define FT_HAVE_ATTACH		0
#endif

/*
 * Is raw_spinlock_t another lock than spinlock_t? Then it has events of its own, but not by
 * wrapping where an unlock of it is inlined: acquisitions without their releases would mislead.
 */
#ifdef CONFIG_PREEMPT_RT
#define FT_RAW_IS_OTHER		1
#else
#define FT_RAW_IS_OTHER		0
#endif
#if FT_HAVE_ATTACH && FT_RAW_IS_OTHER && defined(CONFIG_UNINLINE_SPIN_UNLOCK)
#define FT_HAVE_ATTACH_RAW	1
#else
#define FT_HAVE_ATTACH_RAW	0
#endif

/* Does the kernel notify us of modules with tracepoints? */
#if defined(CONFIG_TRACEPOINTS) && defined(CONFIG_MODULES)
#define FT_HAVE_MODULE_TRACEPOINTS	1
#else
#define FT_HAVE_MODULE_TRACEPOINTS	0
#endif

/* Can a point inside of a function be an event? Its registers are struct pt_regs as words. */
#if defined(CONFIG_X86_64) && defined(CONFIG_KPROBES)
#define FT_HAVE_KPROBES		1
#else
#define FT_HAVE_KPROBES		0
#endif

/* Can a module ask the kernel's unwinder for the stack it is called from? */
#ifdef CONFIG_STACKTRACE
#define FT_HAVE_STACKS		1
#else
#define FT_HAVE_STACKS		0
#endif

/* Does preempt_count() tell whether preemption is off? */
#ifdef CONFIG_PREEMPT_COUNT
#define FT_HAVE_PREEMPT_COUNT	1
#else
#define FT_HAVE_PREEMPT_COUNT	0
#endif

/* Where a function's body begins: after ENDBR, if there is one, and the NOP. */
#ifdef CONFIG_X86_KERNEL_IBT
#define FT_BODY			9
#else
#define FT_BODY			5
#endif

/* Does ftrace put a jump there, or only a call? */
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_JMP
#define FT_HOOK_JUMP		1
#else
#define FT_HOOK_JUMP		0
#endif

/* Tracepoints of interrupts that CPUs send each other, and of the timer's. */
#if defined(CONFIG_X86_LOCAL_APIC) && defined(CONFIG_SMP) && defined(CONFIG_IRQ_WORK)
#define FT_HAVE_IRQ_VECTORS	1
#else
#define FT_HAVE_IRQ_VECTORS	0
#endif

#ifndef __ASSEMBLY__

#include <linux/device.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/version.h>

/* The kernel patch: triggers in the lock primitives. */
#if IS_ENABLED(CONFIG_FEATHER_TRACE)
#include <linux/feather.h>
#define FT_HAVE_LOCK_TRIGGERS	1
#else
#define FT_HAVE_LOCK_TRIGGERS	0
#endif

/* struct class * became const in the callbacks, and its owner implicit. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define ft_class_create(name)	class_create(name)
#else
#define ft_class_create(name)	class_create(THIS_MODULE, name)
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
#define ft_devnode_device	const struct device
#else
#define ft_devnode_device	struct device
#endif

/* vm_flags are changed by functions. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void ft_vm_flags_mod(struct vm_area_struct *vma,
				   unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
#define ft_vm_flags_mod		vm_flags_mod
#endif

/* A timer is given its function when it is set up. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void ft_hrtimer_setup(struct hrtimer *timer,
				    enum hrtimer_restart (*fn)(struct hrtimer *),
				    clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#else
#define ft_hrtimer_setup	hrtimer_setup
#endif

/*
 * The per-CPU variable behind preempt_count(), where its bytes can be addressed.
 * Elsewhere, and for sparse, which would miss __percpu, preempt_count() does.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_SMP) && !defined(__CHECKER__)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0) || \
	LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
#define FT_PREEMPT_COUNT	__preempt_count
#else
#define FT_PREEMPT_COUNT	pcpu_hot.preempt_count
#endif
#endif

/* Where softirqs are counted: with PREEMPT_RT in the task, else beside preemption. */
#ifdef CONFIG_PREEMPT_RT
#define FT_SOFTIRQ_COUNT(preempt)	(current->softirq_disable_cnt)
#define FT_SOFTIRQ_SEGMENT		""
#else
#define FT_SOFTIRQ_COUNT(preempt)	(*(const u32 *)(preempt))
#define FT_SOFTIRQ_SEGMENT		"%%gs:"
#endif

/* What tracepoints tell. */
#define FT_HAVE_IPI_SEND	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0))
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define FT_TRACE_SCHED_EXIT_ARGS(task)	struct task_struct *task
#else
#define FT_TRACE_SCHED_EXIT_ARGS(task)	struct task_struct *task, bool group_dead
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#define ft_hrtimer_now	ktime_t *
#else
#define ft_hrtimer_now	ktime_t
#endif

/* A system call's first argument; of programs of 32 bits it is in another register. */
#ifdef CONFIG_X86_64
#define ft_syscall_first(regs)	(in_ia32_syscall() ? (regs)->bx : (regs)->di)
#else
#define ft_syscall_first(regs)						\
	({ unsigned long ft_args[6]; syscall_get_arguments(current, regs, ft_args); ft_args[0]; })
#endif

/* The function of a timer is private to its code; a tracepoint may look. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
#define ft_hrtimer_function(timer)	((timer)->function)
#else
#define ft_hrtimer_function(timer)	ACCESS_PRIVATE(timer, function)
#endif

/* Works that any CPU may do. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define ft_unbound_wq	system_unbound_wq
#else
#define ft_unbound_wq	system_dfl_wq
#endif

/* Direct calls of ftrace: one ops for a function, which stays ours. */
#if FT_HAVE_ATTACH
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define ft_ftrace_direct_add	register_ftrace_direct_multi
#define ft_ftrace_direct_del	unregister_ftrace_direct_multi
#define FT_FTRACE_DIRECT_DEL	unregister_ftrace_direct_multi	/* for tests: its name */
#else
#define ft_ftrace_direct_add	register_ftrace_direct
#define ft_ftrace_direct_del(ops, addr) \
	unregister_ftrace_direct(ops, addr, false)
#define FT_FTRACE_DIRECT_DEL	unregister_ftrace_direct
#endif
#if FT_HOOK_JUMP
#define ft_ftrace_direct_addr(hook)	ftrace_jmp_set((unsigned long)(hook))
#else
#define ft_ftrace_direct_addr(hook)	((unsigned long)(hook))
#endif
#endif

#endif /* !__ASSEMBLY__ */

#endif /* _FT_COMPAT_H */
