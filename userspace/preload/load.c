// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Loading and unloading of libraries: dlclose() enters what is loaded before it removes
 * anything, and what it has removed after that; exit() enters what is loaded then. dlopen()
 * is not wrapped: it depends on its caller.
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
