// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Functions that the compiler calls when a wait is cancelled (wait.h). These functions
 * are those of libgcc_s, which is loaded at the start rather than named in this library:
 * a program of another C library must start, too, and would not find it.
 */
#include <dlfcn.h>
#include <unwind.h>

#include "preload/real.h"

typedef _Unwind_Reason_Code (*personality)(int, _Unwind_Action, _Unwind_Exception_Class,
					   struct _Unwind_Exception *,
					   struct _Unwind_Context *);

static personality real_personality;
static void (*real_resume)(struct _Unwind_Exception *);

_Unwind_Reason_Code __gcc_personality_v0(int version, _Unwind_Action actions,
					 _Unwind_Exception_Class class,
					 struct _Unwind_Exception *exception,
					 struct _Unwind_Context *context);

_Unwind_Reason_Code __gcc_personality_v0(int version, _Unwind_Action actions,
					 _Unwind_Exception_Class class,
					 struct _Unwind_Exception *exception,
					 struct _Unwind_Context *context)
{
	return real_personality ?
	       real_personality(version, actions, class, exception, context) :
	       _URC_CONTINUE_UNWIND;
}

/* Reached only through the personality function above. */
void _Unwind_Resume(struct _Unwind_Exception *exception)
{
	real_resume(exception);
	__builtin_unreachable();
}

void ft_unwind_find(void)
{
	void *library = dlopen("libgcc_s.so.1", RTLD_NOW);

	if (!library)
		return;
	real_resume = (void (*)(struct _Unwind_Exception *))
		      dlsym(library, "_Unwind_Resume");
	if (real_resume)
		real_personality = (personality)dlsym(library, "__gcc_personality_v0");
}
