// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Types of objects with locks: userspace/names/candidates.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <bpf/btf.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/mem.h"
#include "names/candidates.h"

/* Structures: a semaphore of 8 bytes, and one that begins with a semaphore. */
static struct lock_type semaphore, box;

static int begin(void **state)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED), id;

	*state = btf;
	id = btf__add_struct(btf, "semaphore", 8);
	btf__add_field(btf, "count", number, 0, 0);
	btf__add_struct(btf, "box", 8);
	btf__add_field(btf, "sem", id, 0, 0);
	return !lock_types_named(btf, "semaphore", &semaphore) ||
	       !lock_types_named(btf, "box", &box);
}

static int end(void **state)
{
	btf__free(*state);
	return 0;
}

/* Of one function, whose arguments point to @of. */
static struct arguments arguments_of(const struct lock_type *of)
{
	return (struct arguments){ .type = { *of }, .n = 1, .first = { 0, 1 },
				   .function = { "f" }, .n_functions = 1 };
}

static struct candidates candidates_of(const struct lock_types *types, const struct lock_type *type)
{
	struct candidates all = { .types = types, .list = mem_zalloc(2, sizeof(*all.list)) };

	candidates_add(&all, type, 0, FT_LOCK_SEMAPHORE);
	assert_int_equal(all.n, 1);
	return all;
}

static void test_by_sites(void **state)
{
	struct lock_types types = { .kernel = *state };
	struct candidates all = candidates_of(&types, &box);
	struct arguments a = arguments_of(&box);

	assert_string_equal(all.list[0].path.text, "box.sem");
	assert_true(candidates_narrow_by_sites(&all, &a));
	assert_true(arguments_all_know(&all.list[0], &a));
	a = arguments_of(&semaphore);
	assert_false(candidates_narrow_by_sites(&all, &a));
	assert_false(arguments_all_know(&all.list[0], &a));
	mem_free(all.list);
}

/* An object that is nothing but a lock has no structure on the way to it. */
static void test_the_lock_itself(void **state)
{
	struct lock_types types = { .kernel = *state };
	struct candidates all = candidates_of(&types, &semaphore);
	struct arguments a = arguments_of(&box);

	assert_string_equal(all.list[0].path.text, "semaphore");
	assert_false(candidates_narrow_by_sites(&all, &a));
	assert_false(arguments_all_know(&all.list[0], &a));
	a = arguments_of(&semaphore);
	assert_true(arguments_all_know(&all.list[0], &a));
	mem_free(all.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_by_sites, begin, end),
		cmocka_unit_test_setup_teardown(test_the_lock_itself, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
