// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* In which memory a program's locks lie: userspace/record/program/lock_memory.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/program/lock_memory.h"

/* In a process with a stack of its main thread and one of another thread. */
enum { MAIN = 100, WORKER = 101 };

#define WORKERS_STACK	0x7f0000000000ull
#define STACK		0x7ffc00000000ull

static const char below[] = "55550000-55551000 r-xp 00000000 08:01 7 /bin/program\n";
static const char whole[] =
	"55550000-55551000 r-xp 00000000 08:01 7 /bin/program\n"
	"7f0000000000-7f0000800000 rw-p 00000000 00:00 0 \n"
	"7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]\n"
	"7ffc00100000-7ffc00102000 r-xp 00000000 00:00 0 [vdso]\n";

static struct run run;
static struct run_lock_place places[1];

bool __wrap_run_process(struct run *r, __u32 i, struct ft_user_process *p);
__u32 __wrap_run_processes(const struct run *r);
__u32 __wrap_run_objects(const struct run *r);

bool __wrap_run_process(struct run *r, __u32 i, struct ft_user_process *p)
{
	(void)r;
	memset(p, 0, sizeof(*p));
	p->pid = MAIN;
	strcpy(p->comm, "program");
	return !i;
}

__u32 __wrap_run_processes(const struct run *r)
{
	(void)r;
	return 1;
}

__u32 __wrap_run_objects(const struct run *r)
{
	(void)r;
	return 0;
}

static int begin(void **state)
{
	struct run_lock_thread of_main = { 0, MAIN, 0x7f0001000000ull, STACK + 0x20000 };
	struct run_lock_thread worker = { 0, WORKER, WORKERS_STACK + 0x7ff000,
					  WORKERS_STACK + 0x7fe000 };

	(void)state;
	memset(&run, 0, sizeof(run));
	run.lock_names.places = places;
	run_lock_thread(&run, &of_main);
	run_lock_thread(&run, &worker);
	return 0;
}

static int end(void **state)
{
	struct map_slot *slot;

	(void)state;
	map_for_each(&run.lock_names.areas, slot)
		free(slot->value);
	map_free(&run.lock_names.areas);
	run_lock_memory_free(&run);
	return 0;
}

static void assert_stack(__u64 addr, bool likely)
{
	struct program_lock lock = { .addr = 1ull << FT_TAG_SHIFT | addr };

	run_lock_memory(&run, &lock);
	assert_int_equal(lock.memory, PROGRAM_STACK);
	assert_int_equal(lock.likely, likely);
}

static void mappings_tell(void **state)
{
	(void)state;
	run_lock_mappings(&run, 0, whole);
	assert_stack(STACK + 0x1000, false);
	assert_stack(WORKERS_STACK + 0x7f0000, false);
}

static void nothing_is_likely(void **state)
{
	(void)state;
	assert_stack(STACK + 0x1000, true);
	assert_stack(WORKERS_STACK + 0x7f0000, true);
}

/* A process that ends while its mappings are read has only some of them, or none. */
static void cut_ones_do_not_replace(void **state)
{
	(void)state;
	run_lock_mappings(&run, 0, whole);
	run_lock_mappings(&run, 0, below);
	run_lock_mappings(&run, 0, "");
	assert_stack(STACK + 0x1000, false);
	assert_stack(WORKERS_STACK + 0x7f0000, false);
}

static void cut_ones_tell_nothing(void **state)
{
	(void)state;
	run_lock_mappings(&run, 0, below);
	assert_stack(STACK + 0x1000, true);
	assert_stack(WORKERS_STACK + 0x7f0000, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(mappings_tell, begin, end),
		cmocka_unit_test_setup_teardown(nothing_is_likely, begin, end),
		cmocka_unit_test_setup_teardown(cut_ones_do_not_replace, begin, end),
		cmocka_unit_test_setup_teardown(cut_ones_tell_nothing, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
