// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Statically linked, without any library of ours: still [COMMAND...]. It does nothing until
 * its input ends, and then executes COMMAND.
 *
 * As a library it stops the program while the loader works on it, before anything that is
 * in the program or a library is ready: no function can be called.
 */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef LIBRARY
static long call(long number, long a, long b)
{
#ifdef __x86_64__
	__asm__ volatile("syscall" : "+a" (number) : "D" (a), "S" (b) : "rcx", "r11", "memory");
	return number;
#else
	return 0;
#endif
}

static void nothing(void)
{
}

/* The loader asks this where the function is. */
static void (*stop(void))(void)
{
	call(SYS_kill, call(SYS_getpid, 0, 0), SIGSTOP);
	return nothing;
}

void still(void) __attribute__((ifunc("stop")));
void (*still_pointer)(void) = still;
#else
int main(int argc, char **argv)
{
	char c;

	if (read(0, &c, 1) < 0)
		return 1;
	return argc > 1 && execv(argv[1], argv + 1);
}
#endif
