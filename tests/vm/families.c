// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A workload that takes locks of all families, much the same number of each
 * every time: one task, on one CPU, that waits for none but its own children.
 *
 * Usage: families ROUNDS
 *
 * Prints its task's id. What the families are taken for:
 *
 *	spin, mutex	a byte through a pipe
 *	rwsem_write	a mapping made and removed
 *	rwsem_read	its first page touched
 *	rwlock_read	asking for a child that there is not
 *	rwlock_write	a child, born and buried
 *	semaphore	a line for the kernel's log, too unimportant for the console
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

static void use_pipe(const int *fds)
{
	char byte = 0;

	need(write(fds[1], &byte, 1) == 1, "write to the pipe");
	need(read(fds[0], &byte, 1) == 1, "read from the pipe");
}

static void use_mapping(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	need(page != MAP_FAILED, "mmap");
	*(volatile char *)page = 1;
	need(!munmap(page, 4096), "munmap");
}

static void use_child(void)
{
	pid_t pid;

	need(waitpid(-1, NULL, WNOHANG) == -1, "waitpid without a child");
	pid = vfork();
	if (!pid)
		_exit(0);
	need(pid > 0 && waitpid(pid, NULL, 0) == pid, "a child");
}

static void use_log(int log)
{
	static const char line[] = "<7>ft-test: families\n";

	need(write(log, line, sizeof(line) - 1) == sizeof(line) - 1, "/dev/kmsg");
}

int main(int argc, char **argv)
{
	long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	int log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC), fds[2];
	cpu_set_t first;

	if (rounds < 1) {
		fprintf(stderr, "Usage: families ROUNDS\n");
		return 2;
	}
	need(log >= 0, "/dev/kmsg");
	need(!pipe(fds), "pipe");
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	need(!sched_setaffinity(0, sizeof(first), &first), "sched_setaffinity");

	while (rounds--) {
		use_pipe(fds);
		use_mapping();
		use_child();
		use_log(log);
	}
	printf("%d\n", (int)getpid());
	return 0;
}
