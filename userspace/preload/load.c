// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Loading and unloading of libraries: dlclose() enters the loaded files before it
 * unloads any, and the unloaded ones after that; meanwhile no thread takes a stack.
 * exit(), _exit() and quick_exit() enter the files loaded at that time. dlopen() is not
 * wrapped: it depends on its caller.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "libfeathertrace/process.h"
#include "libfeathertrace/stacks.h"
#include "preload/locks.h"

static void enter(void)
{
	int saved = errno;

	ft_process_objects();
	errno = saved;
}

EXPORT int dlclose(void *handle)
{
	static int (*real)(void *handle);
	bool unwinds;
	int ret;

	if (!real)
		real = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
	if (!ft_traced())
		return real(handle);
	enter();
	unwinds = ft_stacks_unload_begin();
	ret = real(handle);
	enter();	/* forgets what was found out of the files */
	if (unwinds)
		ft_stacks_unload_end();
	return ret;
}

__attribute__((destructor))
static void load_destructor(void)
{
	if (ft_mode == MODE_TRACE || ft_heap_is_traced)
		enter();
}

/*
 * These end a process without its destructors. A handler may call them, and a child of
 * vfork(), at any time: entering neither waits nor makes a system call.
 */
#define ENDS(name)							\
EXPORT _Noreturn void name(int status)					\
{									\
	if (ft_traced())						\
		enter();						\
	ft_real.name(status);						\
	__builtin_unreachable();					\
}

ENDS(_exit)
ENDS(_Exit)
ENDS(quick_exit)
