/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The command of a benchmark, and what was recorded of it in a BPF ring buffer. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>

/* Exit status: no fault of the command's. */
#define FAILED		125

/** command_run - run it to its end; Return: its exit status, or FAILED */
static inline int command_run(char **command)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execvp(command[0], command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return FAILED;
	return WEXITSTATUS(status);
}

struct command_count {
	size_t	size;		/* of a record */
	size_t	records;
};

static inline int command_count_one(void *count, void *data, size_t size)
{
	struct command_count *c = count;

	(void)data;
	c->records += size == c->size;
	return 0;
}

/** command_count - @records of that @size in a ring; Return: 0, or -1 and errno */
static inline int command_count(int ring_fd, size_t size, size_t *records)
{
	struct command_count c = { .size = size };
	struct ring_buffer *ring = ring_buffer__new(ring_fd, command_count_one, &c, NULL);

	if (!ring)
		return -1;
	ring_buffer__consume(ring);
	ring_buffer__free(ring);
	*records = c.records;
	return 0;
}

/** command_quiet - for libbpf_set_print(): errors are told by their errno */
static inline int command_quiet(enum libbpf_print_level level, const char *format,
				va_list args)
{
	(void)level;
	(void)format;
	(void)args;
	return 0;
}

#endif /* BENCH_COMMAND_H */
