// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A library that locks the program's memory when it is loaded. Its constructor comes
 * before that of ours, which is not asked for by name.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((constructor))
static void lock_memory(void)
{
	/* ft has it, too */
	if (!strcmp(program_invocation_short_name, "limits"))
		puts(mlockall(MCL_CURRENT | MCL_FUTURE) ?
		     "not locked" : "locked early");
}
