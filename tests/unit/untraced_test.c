// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which programs are said not to be traced: userspace/record/program/untraced.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/proc.h"
#include "record/program/run.h"

static char told[4][256];
static unsigned int lines, looks_at_environment, ends_before;
static pid_t child;

void __wrap_warnx(const char *format, ...);
bool __wrap_proc_has_variable(pid_t pid, const char *name, const char *value);
bool __real_proc_has_variable(pid_t pid, const char *name, const char *value);

void __wrap_warnx(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(told[lines++ % 4], sizeof(told[0]), format, args);
	va_end(args);
}

/* It ends before its environment is read for that time, and is a zombie. */
bool __wrap_proc_has_variable(pid_t pid, const char *name, const char *value)
{
	siginfo_t info;

	if (pid == child && ++looks_at_environment == ends_before) {
		kill(child, SIGKILL);
		assert_int_equal(0, waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT));
	}
	return __real_proc_has_variable(pid, name, value);
}

/* The program is asleep, and so it has begun. */
static void start(char *const env[])
{
	char *const argv[] = { (char *)"sleep", (char *)"600", NULL };
	struct proc_stat st = { 0 };

	child = fork();
	if (!child) {
		execve("/bin/sleep", argv, env);
		_exit(1);
	}
	for (int i = 0; i < 6000 && (strcmp(st.name, "sleep") || st.state != 'S'); i++) {
		usleep(10000);
		assert_true(proc_stat(child, 0, &st));
	}
	assert_string_equal("sleep", st.name);
}

/* How many lines a program with @env has that ends before the @before-th look at it. */
static unsigned int looked(char *const env[], unsigned int before)
{
	struct run run = { .name = "nobody's", .locks = true };

	lines = 0;
	looks_at_environment = 0;
	ends_before = before;
	start(env);
	run_untraced_look(&run, 0);
	run_untraced_look(&run, 0);
	kill(child, SIGKILL);
	assert_int_equal(child, waitpid(child, NULL, 0));
	free(map_get(&run.untraced_seen, (uint64_t)child));
	map_free(&run.untraced_seen);
	map_free(&run.untraced_told);
	map_free(&run.untraced_cut);
	return lines;
}

static char session[] = FT_SESSION_ENV "=nobody's", preload[] = "LD_PRELOAD=";

static void stays(void **state)
{
	char *const none[] = { NULL }, *const of_parent[] = { session, NULL };
	char *const both[] = { session, preload, NULL };

	(void)state;
	assert_int_equal(1, looked(none, 0));
	assert_non_null(strstr(told[0], "an environment of its own"));
	assert_int_equal(1, looked(of_parent, 0));
	assert_non_null(strstr(told[0], "took LD_PRELOAD from its environment"));
	assert_int_equal(1, looked(both, 0));
	assert_non_null(strstr(told[0], "cannot open the session"));
}

static void ends(void **state)
{
	char *const both[] = { session, preload, NULL };

	(void)state;
	assert_int_equal(0, looked(both, 1));
	assert_int_equal(0, looked(both, 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stays),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests_name("untraced", tests, NULL, NULL);
}
