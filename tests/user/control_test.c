// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events on and off within a program: names, numbers, nesting, callbacks, code. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <feather_trace/trigger.h>
#include <linux/feather_trace.h>

#include "libfeathertrace/text.h"

DEFINE_FT_EVENT(test_a, x, y);
DEFINE_FT_EVENT(test_b, x);
DEFINE_FT_EVENT(quiet);
DEFINE_FT_EVENT(four, a, b, c, d);

struct seen {
	unsigned int		n;
	const struct ft_event	*event;
	unsigned long long	word[4];
};

static struct seen seen;

static void see(const struct ft_event *event, unsigned long long a,
		unsigned long long b, unsigned long long c, unsigned long long d)
{
	struct seen *s = event->data;

	s->n++;
	s->event = event;
	s->word[0] = a;
	s->word[1] = b;
	s->word[2] = c;
	s->word[3] = d;
}

static int evaluated;

static int evaluate(void)
{
	return ++evaluated;
}

__attribute__((noinline)) static void announce_a(void)
{
	ft_event(test_a, evaluate(), 2);
}

__attribute__((noinline)) static void announce_b(void)
{
	ft_event(test_b, 3);
}

static int setup(void **state)
{
	static const char *const names[] = { "test_a", "test_b", "quiet", "four" };

	(void)state;
	ft_disable_all();
	memset(&seen, 0, sizeof(seen));
	evaluated = 0;
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(ft_set_callback(names[i], see, &seen), 1);
	return 0;
}

static void test_off(void **state)
{
	(void)state;
	announce_a();
	announce_b();
	assert_int_equal(seen.n, 0);
	assert_int_equal(evaluated, 0);
}

static void test_by_name(void **state)
{
	(void)state;
	assert_int_equal(ft_enable("test_a"), 1);
	assert_true(ft_is_enabled("test_a"));
	assert_false(ft_is_enabled("test_b"));
	announce_a();
	announce_b();
	assert_int_equal(seen.n, 1);
	assert_ptr_equal(seen.event, &ft_event_test_a);
	assert_int_equal(seen.word[0], 1);
	assert_int_equal(seen.word[1], 2);
	assert_int_equal(ft_disable("test_a"), 1);
	announce_a();
	assert_int_equal(seen.n, 1);
	assert_int_equal(ft_disable("test_a"), -ENOENT);
}

static void test_nested(void **state)
{
	(void)state;
	ft_enable("test_b");
	ft_enable("test_b");
	ft_disable("test_b");
	announce_b();
	assert_int_equal(seen.n, 1);
	ft_disable("test_b");
	announce_b();
	assert_int_equal(seen.n, 1);
	/* by name and by pattern are two */
	assert_int_equal(ft_enable("test_*"), 2);
	ft_enable("test_b");
	ft_disable("test_*");
	announce_a();
	announce_b();
	assert_int_equal(seen.n, 2);
	ft_disable_all();
	announce_b();
	assert_int_equal(seen.n, 2);
}

static void test_by_id(void **state)
{
	int id = ft_event_id("test_a");

	(void)state;
	assert_true(id > 0);
	assert_int_equal(ft_event_id("nothing"), -ENOENT);
	assert_int_equal(ft_enable_id((unsigned int)id), 1);
	assert_true(ft_is_enabled_id((unsigned int)id));
	announce_a();
	announce_b();
	assert_int_equal(seen.n, 1);
	assert_int_equal(ft_disable_id((unsigned int)id), 1);
	announce_a();
	assert_int_equal(seen.n, 1);
}

static void test_words(void **state)
{
	(void)state;
	ft_enable("*");
	ft_event(quiet);
	assert_int_equal(seen.n, 1);
	ft_event(four, 1, -1, "x" != NULL, 4);
	assert_int_equal(seen.word[0], 1);
	assert_true(seen.word[1] == UINT64_MAX);
	assert_int_equal(seen.word[3], 4);
}

static void test_bad_names(void **state)
{
	char name[200];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(ft_enable(""), -EINVAL);
	assert_int_equal(ft_enable(name), -EINVAL);
	name[FT_NAME_LEN] = '\0';
	assert_int_equal(ft_enable(name), -EINVAL);
	name[FT_NAME_LEN - 1] = '\0';
	assert_int_equal(ft_enable(name), 0);
	assert_int_equal(ft_disable(name), 0);
	assert_int_equal(ft_enable_id(0), -EINVAL);
	assert_int_equal(ft_enable_id(65536), -EINVAL);
	assert_int_equal(ft_enable("nothing_yet"), 0);
	assert_int_equal(ft_disable("nothing_yet"), 0);
	assert_int_equal(ft_set_callback("nothing", see, NULL), -ENOENT);
	for (int i = 0; i < 256; i++) {
		snprintf(name, sizeof(name), "many_%d", i);
		assert_int_equal(ft_enable(name), 0);
	}
	assert_int_equal(ft_enable("one_more"), -ENOSPC);
}

/* The original interface: a number and a function. */
static unsigned long by_number[6];

static void number0(unsigned long id)
{
	by_number[0] = id;
}

static void number4(unsigned long id, int a, const char *b, long c, char d)
{
	by_number[0] = id;
	by_number[1] = (unsigned long)a;
	by_number[2] = (unsigned long)b[0];
	by_number[3] = (unsigned long)c;
	by_number[4] = (unsigned long)d;
}

__attribute__((noinline)) static void announce_numbers(void)
{
	ft_event0(501, number0);
	ft_event4(502, number4, 1, "b", 3, 'd');
}

static void test_numbers(void **state)
{
	(void)state;
	announce_numbers();
	assert_int_equal(by_number[0], 0);
	ft_enable_id(501);
	announce_numbers();
	assert_int_equal(by_number[0], 501);
	assert_int_equal(by_number[1], 0);
	ft_enable_id(502);
	announce_numbers();
	assert_int_equal(by_number[0], 502);
	assert_int_equal(by_number[2], 'b');
	assert_int_equal(by_number[4], 'd');
	ft_disable_all();
	memset(by_number, 0, sizeof(by_number));
	announce_numbers();
	assert_int_equal(by_number[0], 0);
}

static int count_each(void *arg, const struct ft_event *event,
		      unsigned int triggers)
{
	unsigned int *n = arg;

	if (!strcmp(event->name, "test_a"))
		*n += triggers;
	return 0;
}

static void test_each(void **state)
{
	unsigned int n = 0;

	(void)state;
	assert_int_equal(ft_each_event(count_each, &n), 0);
	/* the compiler may have made copies */
	assert_true(n >= 1);
}

/* --- the code ------------------------------------------------------------- */

/* "r-xp" of the mapping that holds an address. */
static void rights(const void *at, char *to)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long low, high;
	char line[512], found[5];

	strcpy(to, "?");
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %4s", &low, &high, found) == 3 &&
		    (unsigned long)at >= low && (unsigned long)at < high)
			strcpy(to, found);
	}
	fclose(f);
}

static void no_code_is_writable(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (fgets(line, sizeof(line), f))
		assert_null(strstr(line, " rwx"));
	fclose(f);
}

static void test_rights(void **state)
{
	char before[5], after[5];

	(void)state;
	rights((const void *)announce_a, before);
	assert_string_equal(before, "r-xp");
	ft_enable("*");
	rights((const void *)announce_a, after);
	assert_string_equal(after, "r-xp");
	no_code_is_writable();
}

__attribute__((noinline)) static int constant(void)
{
	int value;

	__asm__ volatile("mov $0x11223344, %0" : "=r" (value));
	return value;
}

static unsigned char *find_constant(void)
{
	unsigned char *code = (unsigned char *)constant;

	while (memcmp(code, "\x44\x33\x22\x11", 4))
		code++;
	return code;
}

static void write_by(int (*write_text)(unsigned char *at, unsigned char byte))
{
	unsigned char *code = find_constant();
	char after[5];

	assert_int_equal(constant(), 0x11223344);
	assert_int_equal(write_text(code, 0x55), 0);
	ft_text_sync();
	assert_int_equal(constant(), 0x11223355);
	rights(code, after);
	assert_string_equal(after, "r-xp");
	assert_int_equal(write_text(code, 0x44), 0);
	ft_text_sync();
	assert_int_equal(constant(), 0x11223344);
}

static void test_write_mem(void **state)
{
	(void)state;
	write_by(ft_text_write_mem);
}

static void test_write_remap(void **state)
{
	(void)state;
	write_by(ft_text_write_remap);
}

/* Threads run the triggers while they are turned on and off. */
static int stop;

static void *run_triggers(void *arg)
{
	unsigned long *n = arg;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		ft_event(test_b, 1);
		ft_event(quiet);
		++*n;
	}
	return NULL;
}

static void count(const struct ft_event *event, unsigned long long a,
		  unsigned long long b, unsigned long long c,
		  unsigned long long d)
{
	(void)a;
	(void)b;
	(void)c;
	(void)d;
	__atomic_fetch_add((unsigned long *)event->data, 1, __ATOMIC_RELAXED);
}

static void test_toggling(void **state)
{
	unsigned long n[2] = { 0, 0 }, calls = 0;
	pthread_t t[2];

	(void)state;
	ft_set_callback("test_b", count, &calls);
	ft_set_callback("quiet", count, &calls);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, run_triggers, &n[i]), 0);
	for (int i = 0; i < 500; i++) {
		assert_int_equal(ft_enable("*"), 4);
		assert_int_equal(ft_disable("*"), 4);
	}
	ft_enable("*");
	while (!__atomic_load_n(&calls, __ATOMIC_RELAXED))
		sched_yield();
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert_true(calls <= 2 * (n[0] + n[1]));
}

/* A child can turn on what its parent has off, and the other way round. */
static void test_child(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	ft_enable("test_a");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		announce_a();
		ft_disable("test_a");
		announce_a();
		ft_enable("test_b");
		announce_b();
		_exit(seen.n == 2 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	announce_a();
	announce_b();
	assert_int_equal(seen.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_off, setup),
		cmocka_unit_test_setup(test_by_name, setup),
		cmocka_unit_test_setup(test_nested, setup),
		cmocka_unit_test_setup(test_by_id, setup),
		cmocka_unit_test_setup(test_words, setup),
		cmocka_unit_test_setup(test_bad_names, setup),
		cmocka_unit_test_setup(test_numbers, setup),
		cmocka_unit_test_setup(test_each, setup),
		cmocka_unit_test_setup(test_rights, setup),
		cmocka_unit_test_setup(test_write_mem, setup),
		cmocka_unit_test_setup(test_write_remap, setup),
		cmocka_unit_test_setup(test_toggling, setup),
		cmocka_unit_test_setup(test_child, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
