// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Has a process the session mapped? userspace/record/program/objects.c, untraced.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "process/proc.h"
#include "record/program/run.h"

#define PID	12345

static const char with[] =
	"7f0000000000-7f0000800000 rw-s 00000000 00:01 7 /memfd:feather-trace (deleted)\n"
	"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n";
static const char without[] =
	"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n";
static const char cut[] =
	"55550000-55551000 rw-p 00000000 08:01 7 /bin/program\n";

static const char stackless[] =
	"7f0000000000-7f0000800000 rw-s 00000000 00:01 7 /memfd:feather-trace (deleted)\n";

static struct run run;
static const char *maps;
static unsigned int reads, faults;

char *__wrap_proc_read(pid_t pid, const char *name, ssize_t *len);
bool __wrap_proc_stat(pid_t pid, pid_t tid, struct proc_stat *st);
__u32 __wrap_run_objects(const struct run *r);

/* The process, and this one, whose only child it is. */
char *__wrap_proc_read(pid_t pid, const char *name, ssize_t *len)
{
	const char *text = "";

	if (!strcmp(name, "maps")) {
		text = maps;
		reads++;
	} else if (pid != PID && strstr(name, "/children")) {
		text = "12345 ";
	}
	*len = (ssize_t)strlen(text);
	return strdup(text);
}

bool __wrap_proc_stat(pid_t pid, pid_t tid, struct proc_stat *st)
{
	(void)pid;
	(void)tid;
	*st = (struct proc_stat){ .name = "program", .state = 'R', .size = 4096,
				  .faults = faults };
	return true;
}

__u32 __wrap_run_objects(const struct run *r)
{
	(void)r;
	return 0;
}

static int begin(void **state)
{
	(void)state;
	memset(&run, 0, sizeof(run));
	run.locks = true;
	reads = 0;
	return 0;
}

static void free_values(struct map *map)
{
	struct map_slot *slot;

	map_for_each(map, slot)
		free(slot->value);
	map_free(map);
}

static int end(void **state)
{
	(void)state;
	free_values(&run.mappings);
	free_values(&run.untraced_seen);
	map_free(&run.untraced_cut);
	map_free(&run.traced);
	return 0;
}

static bool is_traced(const char *text)
{
	maps = text;
	map_free(&run.traced);
	run_objects_look(&run, 0, PID);
	return map_get(&run.traced, PID);
}

/* What was seen last is true until whole ones are read: at the next look. */
static void cut_ones_are_none(void **state)
{
	(void)state;
	assert_false(is_traced(cut));
	assert_true(is_traced(with));
	assert_int_equal(reads, 2);
	run_objects_look(&run, 0, PID);
	assert_int_equal(reads, 2);	/* nothing is new */
}

/* A process that has unmapped its first stack has such ones at each look. */
static void cut_ones_that_stay_are_whole(void **state)
{
	(void)state;
	assert_false(is_traced(stackless));
	assert_true(is_traced(stackless));
	run_objects_look(&run, 0, PID);
	assert_int_equal(reads, 2);	/* nothing is new */
}

/* Those of one that executes another program break off anywhere, or there are none. */
static void cut_ones_that_change_are_none(void **state)
{
	(void)state;
	assert_true(is_traced(with));
	faults++;	/* now they may be new */
	assert_true(is_traced(cut));
	assert_true(is_traced(""));
	assert_true(is_traced(""));
	assert_true(is_traced(cut));
	assert_false(is_traced(cut));
}

static bool is_suspected(const char *text)
{
	maps = text;
	run_untraced_look(&run, 1);
	return map_get(&run.untraced_seen, PID);
}

static void cut_ones_may_have_the_session(void **state)
{
	(void)state;
	assert_false(is_suspected(with));
	assert_false(is_suspected(cut));
	assert_true(is_suspected(without));
}

static void cut_ones_that_stay_have_none(void **state)
{
	(void)state;
	assert_false(is_suspected(cut));
	assert_false(is_suspected(with));
	assert_false(is_suspected(cut));
	assert_false(is_suspected(""));
	assert_false(is_suspected(""));
	assert_false(is_suspected(cut));
	assert_true(is_suspected(cut));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(cut_ones_are_none, begin, end),
		cmocka_unit_test_setup_teardown(cut_ones_that_stay_are_whole, begin, end),
		cmocka_unit_test_setup_teardown(cut_ones_that_change_are_none, begin, end),
		cmocka_unit_test_setup_teardown(cut_ones_may_have_the_session, begin, end),
		cmocka_unit_test_setup_teardown(cut_ones_that_stay_have_none, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
