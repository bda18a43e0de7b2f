// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The thread that names the kernel's locks: userspace/names/names.c. The kernel is one of this
 * test, with two functions and three calls of one of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/mem.h"
#include "names/kcore.h"
#include "names/kernel_symbols.h"
#include "names/lock_types.h"
#include "names/names.h"

#define TEXT	0xffffffff81000000ull
#define CODE	0x200000u	/* bytes of it */
#define LOCK	0xffff888000000000ull
#define LONG	60000		/* milliseconds, of which few pass unless it is broken */

/* _raw_spin_lock() is at the beginning; calls of it are there: */
static const uint32_t calls[] = { 0x100, 0x10000, 0x1ffff0 };

static _Atomic unsigned int reads;	/* of the kernel's code */
static bool no_memory;			/* when types are looked for */

int __wrap_kcore_open(struct kcore *k);
bool __wrap_kcore_read(const struct kcore *k, uint64_t addr, void *buf, size_t len);
int __wrap_kernel_symbols_load(struct kernel_symbols *s);
bool __wrap_lock_types_open(struct lock_types *t);

int __wrap_kcore_open(struct kcore *k)
{
	(void)k;
	return 0;
}

bool __wrap_kcore_read(const struct kcore *k, uint64_t addr, void *buf, size_t len)
{
	static unsigned char code[CODE];

	(void)k;
	if (addr < TEXT || addr - TEXT > CODE || len > CODE - (addr - TEXT))
		return false;
	reads++;
	for (unsigned int i = 0; i < 3; i++) {
		int32_t distance = -(int32_t)(calls[i] + 5);

		code[calls[i]] = 0xe8;
		memcpy(&code[calls[i] + 1], &distance, sizeof(distance));
	}
	memcpy(buf, code + (addr - TEXT), len);
	return true;
}

int __wrap_kernel_symbols_load(struct kernel_symbols *s)
{
	static const struct kernel_symbol symbols[] = {
		{ TEXT, "_raw_spin_lock", NULL }, { TEXT, "_stext", NULL },
		{ TEXT + CODE, "_etext", NULL },
	};

	s->symbol = mem_zalloc(3, sizeof(*s->symbol));
	memcpy(s->symbol, symbols, sizeof(symbols));
	s->n = 3;
	return 0;
}

bool __wrap_lock_types_open(struct lock_types *t)
{
	(void)t;
	if (no_memory)
		mem_none();
	return false;
}

/* Begins to ask, until that ends in a message. Return: which */
static const char *begin(struct lock_names **names)
{
	const char *why;

	*names = lock_names_start();
	assert_non_null(*names);
	lock_names_offer(*names, LOCK, TEXT, FT_LOCK_SPIN);
	for (unsigned int ms = 0; !(why = lock_names_missing(*names)); ms++) {
		assert_true(ms < LONG);
		usleep(1000);
	}
	return why;
}

/* Each part of a rotated recording has the file; the kernel's code is searched once for all. */
static void code_is_searched_once(void **state)
{
	struct lock_names *names;
	char *first, *again;
	unsigned int before;
	size_t len;

	(void)state;
	begin(&names);
	reads = 0;
	first = lock_names_calls(names, &len);
	assert_non_null(first);
	assert_non_null(strstr(first, "\n_raw_spin_lock\t0xffffffff81000105\tff00\t1efff0\n"));
	before = reads;
	assert_true(before >= CODE >> 16);
	again = lock_names_calls(names, &len);
	assert_string_equal(again, first);
	assert_int_equal(reads, before);
	free(first);
	free(again);
	lock_names_stop(names);
	lock_names_free(names);
}

/* Locks stay without names then, and all else goes on. */
static void without_memory_it_gives_up(void **state)
{
	struct lock_names *names;
	char text[256];
	size_t len;

	(void)state;
	no_memory = true;
	assert_string_equal(begin(&names), "out of memory");
	assert_null(lock_names_text(names, &len));
	assert_null(lock_names_calls(names, &len));
	for (unsigned int i = 0; i < 2 * LOCK_NAMES_MAX; i++)
		lock_names_offer(names, LOCK + 64 * i, TEXT, FT_LOCK_SPIN);
	assert_string_equal(lock_names_state(names, text, sizeof(text)), "none: out of memory");
	lock_names_stop(names);
	lock_names_free(names);
	no_memory = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_is_searched_once),
		cmocka_unit_test(without_memory_it_gives_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
