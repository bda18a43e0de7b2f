/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A process as /proc shows it; it may end at any time. */
#ifndef FT_PROCESS_PROC_H
#define FT_PROCESS_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * proc_read - the file @name of it
 * @len:	of what is returned, which ends with a zero
 *
 * Return: to be freed; NULL: it has ended, or we may not look.
 */
char *proc_read(pid_t pid, const char *name, ssize_t *len);

/**
 * proc_maps_are_whole - is that all of its file "maps"?
 *
 * Those of a process that ends, or executes another program, while they are read break off: the
 * kernel ends the file without an error. The main thread's stack is the last that counts.
 */
bool proc_maps_are_whole(const char *text);

/**
 * proc_maps_are_sure - is that all of it, as it is whole, or breaks off where it did before?
 * @cut:	of the process: what broke off at the last look; 0: nothing did
 *
 * A process that has unmapped its first stack, or named another one, has none that are whole.
 * One that ends has nothing mapped at the next look.
 */
bool proc_maps_are_sure(const char *text, ssize_t len, uint64_t *cut);

/** proc_has_program - while it ends it has none any more, and its other files are empty */
bool proc_has_program(pid_t pid);

/** proc_has_variable - was it started with this in its environment? @value: NULL: any */
bool proc_has_variable(pid_t pid, const char *name, const char *value);

/** proc_executes - does it execute a program that has no environment yet? */
bool proc_executes(pid_t pid);

/** proc_is_secure - does the loader ignore what its caller asks for? */
bool proc_is_secure(pid_t pid);

struct proc_stat {
	char			name[16];
	char			state;		/* 'R', 'S', 'Z', ... */
	unsigned long long	ticks;		/* of processor time: sysconf(_SC_CLK_TCK) */
	unsigned long long	faults;		/* of pages; a process: of all threads */
	unsigned long long	size;		/* of its memory, in bytes */
	unsigned int		cpu;		/* where it ran last */
	bool			of_kernel;	/* a thread of the kernel's */
};

/** proc_stat - of a thread; @tid 0: of the process. Return: false: it has ended */
bool proc_stat(pid_t pid, pid_t tid, struct proc_stat *st);

#endif /* FT_PROCESS_PROC_H */
