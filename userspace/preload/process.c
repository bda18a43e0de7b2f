// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls by which a program changes what it may do, or what it is, so that to trace it as
 * before would do harm.
 */
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "../lib/process.h"
#include "../lib/rings.h"
#include "locks.h"

/*
 * After these the thread may not read the clock (the kernel takes rdtsc away with all
 * system calls but four), so it is not traced.
 */
static bool forbids_clock(int operation, unsigned long a)
{
	if (operation == PR_SET_SECCOMP)
		return a == SECCOMP_MODE_STRICT;
#ifdef PR_SET_TSC
	return operation == PR_SET_TSC && a == PR_TSC_SIGSEGV;
#else
	return false;
#endif
}

EXPORT int prctl(int operation, ...)
{
	unsigned long a, b, c, d;
	bool forbids;
	va_list ap;
	int result;

	/* as many as it could be, as in the C library's */
	va_start(ap, operation);
	a = va_arg(ap, unsigned long);
	b = va_arg(ap, unsigned long);
	c = va_arg(ap, unsigned long);
	d = va_arg(ap, unsigned long);
	va_end(ap);
	forbids = ft_tracing() && forbids_clock(operation, a);
	if (forbids)
		ft_thread_stop(true);
	result = ft_real.prctl(operation, a, b, c, d);
	if (!forbids)
		return result;
	if (result)
		ft_thread_stop(false);
	else
		ft_thread_stop_later();		/* threads that it makes have it, too */
	return result;
}

EXPORT int mlockall(int flags)
{
	if (ft_tracing()) {
		ft_process_objects();	/* the last time: their table goes, too */
		ft_rings_shrink();
	}
	return ft_real.mlockall(flags);
}

EXPORT int unshare(int flags)
{
	if (ft_tracing() && (flags & CLONE_NEWPID))
		ft_process_namespace();
	return ft_real.unshare(flags);
}

EXPORT int setns(int fd, int type)
{
	if (ft_tracing() && (!type || (type & CLONE_NEWPID)))
		ft_process_namespace();
	return ft_real.setns(fd, type);
}

/*
 * A child that has the memory of its parent, thread-local variables and all, and runs
 * beside it, would write to the same ring at the same time.
 */
static bool is_twin(int flags)
{
	return (flags & CLONE_VM) && !(flags & (CLONE_VFORK | CLONE_SETTLS));
}

EXPORT int clone(int (*function)(void *), void *stack, int flags, void *arg, ...)
{
	void *parent, *tls, *child;
	va_list ap;

	va_start(ap, arg);
	parent = va_arg(ap, void *);
	tls = va_arg(ap, void *);
	child = va_arg(ap, void *);
	va_end(ap);
	if (ft_tracing() && is_twin(flags))
		ft_thread_stop(true);
	return ft_real.clone(function, stack, flags, arg, parent, tls, child);
}
