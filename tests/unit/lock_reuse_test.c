// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What becomes of the memory of a lock: userspace/names/classes.h. A file is the kernel's. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/mem.h"
#include "names/classes.h"

#define PAGES_OF	8u
#define PAGE		4096u
#define DIRECT		0xffff888000000000ull
#define MAP		0xffffea0000000000ull	/* descriptions of pages, of 64 bytes */
#define SLAB_FLAG	7

/* Where members are. */
enum { FLAGS = 0, HEAD = 8, CACHE = 24, OWNER = 40, LOCK = 64, TASK_MM = 16, PID = 24, COMM = 32 };

/* The addresses of caches. */
enum { MM = 0x1000, BOX = 0x2000, MEMORY = 0x3000, MEMORY_TOO = 0x4000 };

static struct kcore_segment segments[] = {
	{ DIRECT, PAGES_OF * PAGE, 0 }, { MAP, PAGES_OF * 64, PAGES_OF * PAGE },
};

static struct memory_cache caches[] = {
	{ MM, "mm_struct", 1024, 1024, 0, false, false },
	{ BOX, "box", 512, 512, 0, false, false },
	{ MEMORY, "kmalloc-512", 512, 512, 0, true, false },
	{ MEMORY_TOO, "kmalloc-512", 512, 512, 0, true, false },
};

struct kernel {
	struct kcore		kcore;
	struct lock_types	types;
	struct lock_type	named[2];
	struct memory		m;
	char			path[32];
};

static void put(struct kernel *k, uint64_t addr, const void *data, size_t len)
{
	uint64_t at = addr >= MAP ? PAGES_OF * PAGE + addr - MAP : addr - DIRECT;

	assert_int_equal(pwrite(k->kcore.fd, data, len, (off_t)at), len);
}

static void put_word(struct kernel *k, uint64_t addr, uint64_t value)
{
	put(k, addr, &value, sizeof(value));
}

/* Page @page is of this cache; 0: of none. */
static void put_page(struct kernel *k, unsigned int page, uint64_t cache)
{
	put_word(k, MAP + page * 64 + FLAGS, cache ? 1u << SLAB_FLAG : 0);
	put_word(k, MAP + page * 64 + CACHE, cache);
}

static uint64_t object(unsigned int page)
{
	return DIRECT + page * PAGE + 1024;
}

static void put_task(struct kernel *k, unsigned int page, uint64_t mm, uint32_t pid,
		     const char *comm)
{
	char name[16] = "";

	memcpy(name, comm, strlen(comm));
	put_word(k, object(page) + TASK_MM, mm);
	put(k, object(page) + PID, &pid, sizeof(pid));
	put(k, object(page) + COMM, name, sizeof(name));
}

static int begin(void **state)
{
	struct kernel *k = mem_zalloc(1, sizeof(*k));
	int semaphore, number;

	strcpy(k->path, "/tmp/lock_reuse_XXXXXX");
	k->kcore = (struct kcore){ mkstemp(k->path), segments, ARRAY_SIZE(segments) };
	if (k->kcore.fd < 0 || ftruncate(k->kcore.fd, PAGES_OF * (PAGE + 64)))
		return -1;
	k->types.kernel = btf__new_empty();
	number = btf__add_int(k->types.kernel, "int", 4, BTF_INT_SIGNED);
	semaphore = btf__add_struct(k->types.kernel, "semaphore", 8);
	btf__add_field(k->types.kernel, "count", number, 0, 0);
	for (unsigned int i = 0; i < 2; i++) {
		btf__add_struct(k->types.kernel, i ? "mm_struct" : "box", i ? 1024 : 512);
		btf__add_field(k->types.kernel, "sem", semaphore, 8 * LOCK, 0);
	}
	/* names move while more are added */
	if (!lock_types_named(k->types.kernel, "box", &k->named[0]) ||
	    !lock_types_named(k->types.kernel, "mm_struct", &k->named[1]))
		return -1;
	k->types.named = k->types.type = k->named;
	k->types.n = 2;
	k->m = (struct memory){
		.kcore = &k->kcore, .types = &k->types,
		.direct = DIRECT, .vmalloc = 0xffffc90000000000ull, .pages = MAP,
		.page_size = 64, .page_flags = FLAGS, .page_head = HEAD, .slab_cache = CACHE,
		.slab_flag = SLAB_FLAG, .slab_type = -1, .reserved_flag = -1,
		.cache = caches, .n_caches = ARRAY_SIZE(caches),
		.owners = true, .mm_owner = OWNER, .task_mm = TASK_MM, .task_pid = PID,
		.task_comm = COMM,
	};
	for (uintptr_t i = 0; i < ARRAY_SIZE(caches); i++)
		map_put(&k->m.by_address, caches[i].addr, (void *)(i + 1));
	*state = k;
	return 0;
}

static int end(void **state)
{
	struct kernel *k = *state;

	close(k->kcore.fd);
	unlink(k->path);
	map_free(&k->m.by_address);
	btf__free(k->types.kernel);
	mem_free(k);
	return 0;
}

/* As names.c asks first. */
static struct lock_use ask(struct kernel *k, unsigned int page)
{
	struct lock_use use = { .addr = object(page) + LOCK, .family = FT_LOCK_SEMAPHORE };

	use.place = memory_find(&k->m, use.addr);
	use.owner = memory_owner(&k->m, use.addr, &use.place);
	use.asked = true;
	return use;
}

static struct lock_class class_of(struct kernel *k, const struct lock_use *use)
{
	struct classes *c = classes_new(&k->m, use, 1);
	struct lock_class class;

	classes_find(c, use, &class);
	classes_free(c);
	return class;
}

static void test_owner(void **state)
{
	struct kernel *k = *state;
	struct lock_use use;

	put_page(k, 1, MM);
	put_word(k, object(1) + OWNER, object(2));
	put_task(k, 2, object(1), 1234, "mysqld");
	use = ask(k, 1);
	assert_int_equal(use.owner.pid, 1234);
	assert_string_equal(use.owner.comm, "mysqld");
	put_task(k, 2, object(1), 1234, "mysqld_worker_x");
	lock_use_ask_again(&use, &k->m);
	assert_true(use.again);
	assert_int_equal(use.owner.pid, 1234);
	assert_string_equal(use.owner.comm, "mysqld_worker_x");
	assert_int_equal(class_of(k, &use).types, 1);
	/* what it says of itself need not end */
	put(k, object(2) + COMM, "0123456789abcdef", 16);
	use = ask(k, 1);
	assert_string_equal(use.owner.comm, "0123456789abcde");
}

static void test_owner_is_not_certain(void **state)
{
	struct kernel *k = *state;
	struct lock_use use;

	put_page(k, 1, MM);
	put_word(k, object(1) + OWNER, object(2));
	put_task(k, 2, object(3), 1234, "mysqld");
	assert_int_equal(ask(k, 1).owner.pid, 0);
	put_task(k, 2, object(1), 1234, "mysqld");
	k->m.owners = false;
	assert_int_equal(ask(k, 1).owner.pid, 0);
	k->m.owners = true;
	put_word(k, object(1) + OWNER, 0);
	assert_int_equal(ask(k, 1).owner.pid, 0);
	put_word(k, object(1) + OWNER, DIRECT + PAGES_OF * PAGE - 20);
	assert_int_equal(ask(k, 1).owner.pid, 0);
	/* another task's since, and no task's */
	put_word(k, object(1) + OWNER, object(2));
	use = ask(k, 1);
	put_task(k, 2, object(1), 1235, "mysqld");
	lock_use_ask_again(&use, &k->m);
	assert_int_equal(use.owner.pid, 0);
	use = ask(k, 1);
	assert_int_equal(use.owner.pid, 1235);
	put_word(k, object(2) + TASK_MM, 0);
	lock_use_ask_again(&use, &k->m);
	assert_int_equal(use.owner.pid, 0);
	/* an object of another cache has no such member */
	put_task(k, 2, object(1), 1235, "mysqld");
	put_page(k, 1, BOX);
	assert_int_equal(ask(k, 1).owner.pid, 0);
}

static void test_reused(void **state)
{
	static const struct { unsigned int first, then; bool reused; } cases[] = {
		{ BOX, BOX, false }, { BOX, MM, true }, { BOX, MEMORY, true },
		{ MEMORY, MEMORY_TOO, false }, { BOX, 0, false }, { 0, BOX, false },
	};
	struct kernel *k = *state;

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		struct lock_use use;

		put_page(k, 4, cases[i].first);
		use = ask(k, 4);
		put_page(k, 4, cases[i].then);
		lock_use_ask_again(&use, &k->m);
		assert_int_equal(use.reused, cases[i].reused);
	}
}

/* A class that was certain is not, and still has its name. */
static void test_reused_is_not_certain(void **state)
{
	struct kernel *k = *state;
	struct lock_use use;

	put_page(k, 4, BOX);
	use = ask(k, 4);
	assert_int_equal(class_of(k, &use).types, 1);
	put_page(k, 4, MM);
	lock_use_ask_again(&use, &k->m);
	assert_string_equal(class_of(k, &use).text, "box.sem");
	assert_int_equal(class_of(k, &use).types, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_owner, begin, end),
		cmocka_unit_test_setup_teardown(test_owner_is_not_certain, begin, end),
		cmocka_unit_test_setup_teardown(test_reused, begin, end),
		cmocka_unit_test_setup_teardown(test_reused_is_not_certain, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
