// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Calls after which a program must be traced differently, or not at all, as they change
 * its rights or its identity.
 */
#include <linux/seccomp.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "libfeathertrace/process.h"
#include "libfeathertrace/rings.h"
#include "preload/locks.h"

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

/* Makes the call @real; if it succeeds, the clock is forbidden. */
#define WITHOUT_CLOCK(real)						\
({									\
	enum ft_stop before_ = ft_thread_stop(FT_STOP_CLOCK);		\
	__typeof__(real) result_ = (real);				\
									\
	if (result_)							\
		ft_thread_stop(before_);				\
	else								\
		ft_thread_stop_later();	/* its new threads inherit it */ \
	result_;							\
})

EXPORT int prctl(int operation, ...)
{
	unsigned long a, b, c, d;
	va_list ap;

	/* the most it can have, as in the C library's */
	va_start(ap, operation);
	a = va_arg(ap, unsigned long);
	b = va_arg(ap, unsigned long);
	c = va_arg(ap, unsigned long);
	d = va_arg(ap, unsigned long);
	va_end(ap);
	if (operation == PR_SET_SECCOMP)
		ft_process_sandboxed();
	return ft_traced() && forbids_clock(operation, a) ?
	       WITHOUT_CLOCK(ft_real.prctl(operation, a, b, c, d)) :
	       ft_real.prctl(operation, a, b, c, d);
}

/*
 * The C library's syscall(), which takes up to six arguments. It is declared as the
 * machine sees it, so that a call that does not matter here compiles to a jump: the
 * child of syscall(SYS_vfork) returns on its parent's stack.
 */
EXPORT long ft_syscall(long number, unsigned long a, unsigned long b, unsigned long c,
		       unsigned long d, unsigned long e, unsigned long f) __asm__("syscall");

/*
 * Also from another library's constructor, before this one's: then the session would be
 * mapped into memory that is locked.
 */
static COLD void memory_will_be_locked(void)
{
	if (ft_mode == MODE_UNREADY)
		ft_process_init();
	if (!ft_session)
		return;
	ft_process_objects();	/* the last time: their table goes, too */
	ft_sensors_leave();
	ft_rings_shrink();
}

long ft_syscall(long number, unsigned long a, unsigned long b, unsigned long c,
		unsigned long d, unsigned long e, unsigned long f)
{
	bool forbids = number == SYS_prctl ? forbids_clock((int)a, b) :
		       number == SYS_seccomp && a == SECCOMP_SET_MODE_STRICT;

	if (number == SYS_mlockall)
		memory_will_be_locked();
	else if ((number == SYS_seccomp && a == SECCOMP_SET_MODE_FILTER) ||
		 (number == SYS_prctl && a == PR_SET_SECCOMP))
		ft_process_sandboxed();
	else if (number == SYS_clone && (a & CLONE_NEWPID))
		ft_process_namespace();
	if (!ft_traced() || !forbids)
		return ft_real.syscall(number, a, b, c, d, e, f);
	return WITHOUT_CLOCK(ft_real.syscall(number, a, b, c, d, e, f));
}

EXPORT int mlockall(int flags)
{
	memory_will_be_locked();
	ft_traced();	/* finds the functions */
	return ft_real.mlockall(flags);
}

EXPORT int unshare(int flags)
{
	if (ft_traced() && (flags & CLONE_NEWPID))
		ft_process_namespace();
	return ft_real.unshare(flags);
}

EXPORT int setns(int fd, int type)
{
	if (ft_traced() && (!type || (type & CLONE_NEWPID)))
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
	enum ft_stop before;
	va_list ap;
	int pid;

	va_start(ap, arg);
	parent = va_arg(ap, void *);
	tls = va_arg(ap, void *);
	child = va_arg(ap, void *);
	va_end(ap);
	if (flags & CLONE_NEWPID)
		ft_process_namespace();
	if (!ft_traced() || !is_twin(flags))
		return ft_real.clone(function, stack, flags, arg, parent, tls, child);
	before = ft_thread_stop(FT_STOP_TWIN);
	pid = ft_real.clone(function, stack, flags, arg, parent, tls, child);
	if (pid < 0)
		ft_thread_stop(before);
	return pid;
}

/* fork() without its handlers, so the library's are not called. */
EXPORT pid_t _Fork(void)
{
	pid_t pid;

	ft_traced();	/* finds the functions */
	if (!ft_real.fork_only) {
		errno = ENOSYS;
		return -1;
	}
	pid = ft_real.fork_only();
	if (!pid)
		ft_process_forked();
	return pid;
}
