/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How ring.h reads and writes memory, in the kernel and in programs.
 *
 * ft_own_*: access by the ring's own CPU or thread. In the kernel the ring is a
 * per-CPU variable and the compiler addresses its fields directly; the caller
 * has disabled preemption. ft_own_add() returns the old value; ft_own_cmpxchg() stores
 * @new if the field is still @old. Each must be one instruction with regard to interrupts
 * or signals on its own CPU. ft_own_const() is for fields that do not change while writers
 * may run; ft_own_reload() must not be answered from an earlier load.
 *
 * ft_any_*: access from elsewhere.
 */
#ifndef _FEATHER_TRACE_RING_ACCESS_H
#define _FEATHER_TRACE_RING_ACCESS_H

#ifdef __KERNEL__
#include <linux/percpu.h>

#define FT_OWN			__percpu

/*
 * gcc knows the segment that per-CPU variables live in, and so can use them as
 * operands of other instructions; this_cpu_read() is a load of its own. The
 * sanitizers would look for the variable at its address without the segment.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_SMP) && \
	defined(CONFIG_CC_IS_GCC) && !defined(__CHECKER__) && \
	!defined(CONFIG_KASAN) && !defined(CONFIG_KCSAN) && !defined(FT_RING_NO_ASM)
#define ft_own_load(field) \
	(*(const typeof(field) __seg_gs *)(uintptr_t)&(field))
#else
#define ft_own_load(field)	this_cpu_read(field)
#endif
#define ft_own_load_limit(field) ft_own_load(field)
#define ft_own_reload(field)	this_cpu_read(field)
#define ft_own_const(field)	ft_own_load(field)
#define ft_own_inc(field, n)	this_cpu_add(field, n)
/* The barrier: what is loaded before the addition stays before it. */
#define ft_own_add(field, n) \
	({ barrier(); this_cpu_add_return(field, n) - (n); })
#define ft_own_cmpxchg(field, old, new)	((void)this_cpu_cmpxchg(field, old, new))

#define ft_any_load(p)		READ_ONCE(*(p))
#define ft_any_store(p, v)	WRITE_ONCE(*(p), v)
#define ft_load_acquire(p)	smp_load_acquire(p)
#define ft_store_release(p, v)	smp_store_release(p, v)

#else /* user space */

#define FT_OWN
#define ft_own_load(field)	__atomic_load_n(&(field), __ATOMIC_RELAXED)
#define ft_own_load_limit(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define ft_own_reload(field)	__atomic_load_n(&(field), __ATOMIC_ACQUIRE)
#define ft_own_const(field)	(field)
#define ft_own_inc(field, n)	((void)ft_own_add(field, n))

#define ft_any_load(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define ft_any_store(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)
#define ft_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define ft_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)

/* ThreadSanitizer does not see into inline assembly. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(FT_RING_NO_ASM)
#define ft_own_add(field, n)						\
({									\
	__typeof__(field) ft_old = (n);					\
									\
	__asm__ volatile("xadd %0, %1"					\
			 : "+r" (ft_old), "+m" (field) : : "memory");	\
	ft_old;								\
})
#define ft_own_cmpxchg(field, old, new)					\
({									\
	__typeof__(field) ft_old = (old), ft_new = (new);		\
									\
	__asm__ volatile("cmpxchg %2, %1"				\
			 : "+a" (ft_old), "+m" (field)			\
			 : "r" (ft_new) : "memory");			\
})
#else
#define ft_own_add(field, n)						\
({									\
	__typeof__(field) ft_old;					\
									\
	__atomic_signal_fence(__ATOMIC_SEQ_CST);			\
	ft_old = __atomic_fetch_add(&(field), (n), __ATOMIC_RELAXED);	\
	__atomic_signal_fence(__ATOMIC_SEQ_CST);			\
	ft_old;								\
})
#define ft_own_cmpxchg(field, old, new)					\
({									\
	__typeof__(field) ft_old = (old);				\
									\
	__atomic_signal_fence(__ATOMIC_SEQ_CST);			\
	(void)__atomic_compare_exchange_n(&(field), &ft_old, (new), 0,	\
					  __ATOMIC_RELAXED,		\
					  __ATOMIC_RELAXED);		\
	__atomic_signal_fence(__ATOMIC_SEQ_CST);			\
})
#endif

#ifndef __always_inline
#define __always_inline		inline __attribute__((always_inline))
#endif
#ifndef likely
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#endif

#endif /* __KERNEL__ */

/*
 * Sets bits of a word that nobody else writes, as a release. Between the load and the store,
 * others read only the id in the word. On x86 every store is a release.
 */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(FT_RING_NO_ASM) && \
	!defined(__SANITIZE_ADDRESS__)
#define ft_own_publish(p, bits) \
	({ __asm__ volatile("orq %1, %0" : "+m" (*(p)) : "r" (bits) : "memory"); })
#else
#define ft_own_publish(p, bits)	ft_store_release(p, ft_any_load(p) | (bits))
#endif

#endif /* _FEATHER_TRACE_RING_ACCESS_H */
