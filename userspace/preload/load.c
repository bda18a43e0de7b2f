// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Loading and unloading of libraries: dlclose() enters the loaded files before it
 * unloads any, and the unloaded ones after that; exit() enters the files loaded at that
 * time. dlopen() is not wrapped: it depends on its caller.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

#include "libfeathertrace/process.h"
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
	int ret;

	if (!real)
		real = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
	if (!ft_tracing())
		return real(handle);
	enter();
	ret = real(handle);
	enter();
	return ret;
}

__attribute__((destructor))
static void load_destructor(void)
{
	if (ft_mode == MODE_TRACE)
		enter();
}
