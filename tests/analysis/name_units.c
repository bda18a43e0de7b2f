// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of symbols: demangled, shortened, and found again. */
#include <err.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/demangle.h"
#include "symbols/programs.h"
#include "symbols/symbols.h"

/* --- demangling ----------------------------------------------------------- */

static void names_are_demangled(void **state)
{
	static const struct {
		const char *name, *want;	/* NULL: it is none */
	} cases[] = {
		{ "_ZN5depot5QueueIiE4pushERKi", "depot::Queue<int>::push" },
		{ "_ZN5depot4gateE", "depot::gate" },
		{ "_Z4holdv", "hold" },
		{ "_ZN12_GLOBAL__N_15ThingC2Ev", "(anonymous namespace)::Thing::Thing" },
		{ "_ZplRK1AS1_", "operator+" },
		{ "_Z3fooi.cold", "foo.cold" },
		{ "_Z3fooi.constprop.0.isra.3", "foo.constprop.0.isra.3" },
		{ "_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()" },
		/* Rust, before and with its own scheme */
		{ "_ZN4core3ptr18real_drop_in_place17h0123456789abcdefE",
		  "core::ptr::real_drop_in_place" },
		{ "_ZN1r4deep10G$LT$T$GT$4show17hb817c0bed1276fc4E",
		  "r::deep::G<T>::show" },
		{ "_RNvMNtCs1234_1r4deepINtB2_1GlE4showB4_",
		  "<r::deep::G<i32>>::show" },
		{ "_RNvCs1234_7mycrate3foo", "mycrate::foo" },
		/* none */
		{ "main", NULL }, { "", NULL }, { "_", NULL }, { "_Z", NULL },
		{ "_R", NULL }, { "_ZN", NULL }, { "_ZN5depot", NULL },
		{ "_raw_spin_lock", NULL }, { "_Rfoo", NULL },
		/* what would move the cursor, or begin a line */
		{ "_Z4a\nbcv", NULL }, { "_Z4a\033bcv", NULL },
	};
	char buf[DEMANGLE_LEN];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is = demangle(cases[i].name, buf, sizeof(buf));

		if (is != (cases[i].want != NULL))
			fail_msg("%s: %s", cases[i].name, is ? buf : "not demangled");
		if (is)
			assert_string_equal(buf, cases[i].want);
	}
}

static void rooms_are_kept(void **state)
{
	const char *name = "_ZN5depot5QueueIiE4pushERKi";
	char buf[DEMANGLE_LEN];

	(void)state;
	memset(buf, '#', sizeof(buf));
	assert_true(demangle(name, buf, 24));
	assert_string_equal(buf, "depot::Queue<int>::push");
	assert_true(demangle(name, buf, 23));
	assert_string_equal(buf, "depot::Queue<int>::...");
	assert_true(demangle(name, buf, 4));
	assert_string_equal(buf, "...");
	assert_int_equal(buf[24], '#');
	assert_false(demangle(name, buf, 3));
}

/* f<p<int, int>, p<that, that>, p<that, that>, ...>: 2^60 letters. */
static void short_names_of_long_ones_end(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[2048] = "_Z1fI1pIiiE", number[8], buf[DEMANGLE_LEN];

	(void)state;
	for (unsigned int i = 1; i < 60; i++) {
		if (i < 36)
			snprintf(number, sizeof(number), "%c", digits[i]);
		else
			snprintf(number, sizeof(number), "1%c", digits[i - 36]);
		sprintf(name + strlen(name), "S0_IS%s_S%s_E", number, number);
	}
	strcat(name, "Evv");
	assert_true(demangle(name, buf, sizeof(buf)));
	assert_int_equal(strlen(buf), sizeof(buf) - 1);
	assert_int_equal(strncmp(buf, "f<p<int, int>, p<p<int, int>, ", 30), 0);
	assert_string_equal(buf + strlen(buf) - 3, "...");
}

/* --- symbols of a trace --------------------------------------------------- */

#define AT(addr)	(1ull << PROGRAMS_SHIFT | (addr))

static char dir[] = "/tmp/ft-names-XXXXXX";
static char longest[400];

static int make_trace(void **state)
{
	char path[64];
	FILE *f;

	(void)state;
	if (!mkdtemp(dir))
		err(1, "cannot make %s", dir);
	snprintf(path, sizeof(path), "%s/info", dir);
	if (mkdir(path, 0700))
		err(1, "cannot make %s", path);
	strcat(path, "/programs");
	f = fopen(path, "w");
	if (!f)
		err(1, "cannot write %s", path);
	memset(longest, 'x', sizeof(longest) - 1);
	memcpy(longest, "begin", 5);
	memcpy(longest + sizeof(longest) - 4, "end", 3);
	fprintf(f, "process\t1\t100\t0\t0\tprog\nfile\t0\t/bin/prog\n"
		"1000\t100\t_ZN5depot5QueueIiE4pushERKi\n"
		"1100\t100\t_ZplRK1AS1_\n1200\t100\tmain\n"
		"1300\t100\t%s\n1400\t100\t_ZN5depot5QueueIiE4pushEOi\n"
		"object\t0\t1\t1000\t2000\t0\t0\n", longest);
	return fclose(f);
}

static int remove_trace(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "%s/info/programs", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/info", dir);
	rmdir(path);
	return rmdir(dir);
}

static void addresses_have_names(void **state)
{
	struct symbols_options o = { .mangled = true };
	struct symbols *s = symbols_open(dir, NULL);
	char buf[SYMBOLS_LEN];

	(void)state;
	assert_string_equal(symbols_format(s, AT(0x1010), true, buf, sizeof(buf)),
			    "depot::Queue<int>::push+0x10 [prog]");
	assert_string_equal(symbols_format(s, AT(0x1000), false, buf, sizeof(buf)),
			    "depot::Queue<int>::push [prog]");
	assert_string_equal(symbols_identity(s, AT(0x1010), true, buf, sizeof(buf)),
			    "_ZN5depot5QueueIiE4pushERKi+0x10 [prog]");
	assert_string_equal(symbols_format(s, AT(0x1210), true, buf, sizeof(buf)),
			    "main+0x10 [prog]");
	symbols_free(s);
	s = symbols_open(dir, &o);
	assert_string_equal(symbols_format(s, AT(0x1010), true, buf, sizeof(buf)),
			    "_ZN5depot5QueueIiE4pushERKi+0x10 [prog]");
	symbols_free(s);
}

/* Both ends of the name, and all that comes after it. */
static void long_names_are_shortened(void **state)
{
	struct symbols *s = symbols_open(dir, NULL);
	char buf[SYMBOLS_LEN];

	(void)state;
	symbols_format(s, AT(0x1310), true, buf, 48);
	assert_int_equal(strlen(buf), 47);
	assert_int_equal(strncmp(buf, "beginxxx", 8), 0);
	assert_non_null(strstr(buf, "xxx...xxx"));
	assert_string_equal(strstr(buf, "end"), "end+0x10 [prog]");
	symbols_free(s);
}

static void names_are_found(void **state)
{
	static const struct {
		const char	*name;
		size_t		n;
		uint64_t	low;
	} cases[] = {
		{ "_ZN5depot5QueueIiE4pushERKi", 1, 0x1000 },
		{ "depot::Queue<int>::push", 2, 0x1000 },
		{ "depot::Queue<int>::push [prog]", 2, 0x1000 },
		{ "depot::Queue<int>::push [other]", 0, 0 },
		{ "depot::Queue<int>::push+0x10 [prog]", 2, 0x1010 },
		{ "depot::Queue<int>::push+0x101", 0, 0 },
		{ "operator+", 1, 0x1100 }, { "operator++0x8", 1, 0x1108 },
		{ "main+16", 1, 0x1210 }, { "main+", 0, 0 }, { "", 0, 0 },
		{ "]", 0, 0 }, { " []", 0, 0 }, { "[]", 0, 0 },
	};
	struct symbols *s = symbols_open(dir, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct symbols_range *range;
		size_t n = symbols_lookup(s, cases[i].name, &range);

		if (n != cases[i].n)
			fail_msg("'%s': %zu", cases[i].name, n);
		if (n)
			assert_int_equal(range[0].low, AT(cases[i].low));
		free(range);
	}
	symbols_free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_demangled),
		cmocka_unit_test(rooms_are_kept),
		cmocka_unit_test(short_names_of_long_ones_end),
		cmocka_unit_test(addresses_have_names),
		cmocka_unit_test(long_names_are_shortened),
		cmocka_unit_test(names_are_found),
	};

	return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
