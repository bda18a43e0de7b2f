// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Libraries that come and go: what was loaded is entered before it can go, what has
 * gone after that, and what is there in the end. dlopen() is left alone: it looks at who
 * calls it.
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
