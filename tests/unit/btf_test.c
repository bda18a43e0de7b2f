// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The types of tracepoints' and functions' arguments: userspace/control/btf.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/btf.h>
#include <linux/feather_trace.h>

#include "control/btf.h"

#define SIGNED_32	(32 | FT_WORD_SIGNED)
#define INFO(kind, n)	((uint32_t)(kind) << 24 | (n))
#define KFLAG		(1u << 31)

static uint32_t types[1024], n_types, id;
static char names[1024];
static uint32_t n_names;

static uint32_t name(const char *text)
{
	uint32_t at = n_names;

	strcpy(names + n_names, text);
	n_names += strlen(text) + 1;
	return at;
}

/* Return: the number of the new type. */
static uint32_t add(const char *called, uint32_t info, uint32_t size_or_type)
{
	types[n_types++] = called ? name(called) : 0;
	types[n_types++] = info;
	types[n_types++] = size_or_type;
	return ++id;
}

static uint32_t add_int(uint32_t size, uint32_t encoding)
{
	uint32_t number = add("int", INFO(BTF_KIND_INT, 0), size);

	types[n_types++] = encoding << 24 | size * 8;
	return number;
}

static void add_tracepoint(const char *called, uint32_t n, uint32_t a, uint32_t b)
{
	uint32_t of[] = { 0, a, b };
	uint32_t proto = add(NULL, INFO(BTF_KIND_FUNC_PROTO, n), 0);

	for (uint32_t i = 0; i < n; i++) {
		types[n_types++] = 0;
		types[n_types++] = of[i];
	}
	add(called, INFO(BTF_KIND_TYPEDEF, 0), add(NULL, INFO(BTF_KIND_PTR, 0), proto));
}

/* All arguments are of one type, but the last one perhaps; the first one is called @first. */
static void add_function(const char *called, uint32_t result, const char *first, uint32_t n,
			 uint32_t type, uint32_t last)
{
	uint32_t proto = add(NULL, INFO(BTF_KIND_FUNC_PROTO, n), result);

	for (uint32_t i = 0; i < n; i++) {
		types[n_types++] = !i && first ? name(first) : 0;
		types[n_types++] = i == n - 1 ? last : type;
	}
	add(called, INFO(BTF_KIND_FUNC, 0), proto);
}

/* Of two members, the second from bit @second on. */
static uint32_t add_struct(const char *called, uint32_t a, uint32_t b, uint32_t second,
			   uint32_t size)
{
	uint32_t number = add(called, INFO(BTF_KIND_STRUCT, 2), size);

	types[n_types++] = 0;
	types[n_types++] = a;
	types[n_types++] = 0;
	types[n_types++] = 0;
	types[n_types++] = b;
	types[n_types++] = second;
	return number;
}

static void add_functions(uint32_t sint, uint32_t uint, uint32_t boolean, uint32_t record)
{
	uint32_t slong = add_int(8, BTF_INT_SIGNED);
	uint32_t pointer = add(NULL, INFO(BTF_KIND_PTR, 0), sint);
	uint32_t pair = add_struct("pair", slong, slong, 64, 16);
	uint32_t large = add_struct("large", slong, slong, 64, 24);
	uint32_t packed = add_struct("packed", uint, slong, 32, 12);

	add_function("read", slong, "fd", 3, uint, pointer);
	add_function("nothing", 0, NULL, 0, 0, 0);
	add_function("unnamed", boolean, NULL, 1, pointer, pointer);
	add_function("negative", sint, "of", 1, sint, sint);
	add_function("six", 0, "a", 6, slong, pointer);
	add_function("seven", 0, "a", 7, slong, pointer);
	add_function("three_pairs", 0, "a", 3, pair, pair);
	add_function("pairs_and_more", 0, "a", 4, pair, sint);
	add_function("small_struct", record, "a", 1, record, record);
	add_function("packed_struct", 0, "a", 1, packed, packed);
	add_function("confusing", sint, "result", 1, sint, sint);
	add_function("large_struct", 0, "a", 2, sint, large);
	add_function("large_result", large, "a", 1, sint, sint);
	add_function("variable", sint, "format", 2, pointer, 0);
	add_function("real", 0, "a", 1, 0, add("double", INFO(BTF_KIND_FLOAT, 0), 8));
	add("no_function", INFO(BTF_KIND_FUNC, 0), sint);
}

static int begin(void **state)
{
	uint32_t sint, uint, ulong, byte, boolean, choice, below, record, word;

	(void)state;
	n_types = 0;
	id = 0;
	n_names = 1;
	sint = add_int(4, BTF_INT_SIGNED);
	uint = add_int(4, 0);
	ulong = add_int(8, 0);
	byte = add_int(1, BTF_INT_SIGNED);
	boolean = add_int(1, BTF_INT_BOOL);
	choice = add("choice", INFO(BTF_KIND_ENUM, 1), 4);
	types[n_types++] = 0;
	types[n_types++] = 7;
	below = add("below", INFO(BTF_KIND_ENUM, 1) | KFLAG, 4);
	types[n_types++] = 0;
	types[n_types++] = -1;
	record = add("record", INFO(BTF_KIND_STRUCT, 1), 4);
	types[n_types++] = 0;
	types[n_types++] = sint;
	types[n_types++] = 0;
	word = add("u16", INFO(BTF_KIND_TYPEDEF, 0),
		   add(NULL, INFO(BTF_KIND_CONST, 0), add_int(2, 0)));
	add_tracepoint("btf_trace_ints", 3, sint, uint);
	add_tracepoint("btf_trace_small", 3, byte, boolean);
	add_tracepoint("btf_trace_wide", 3, ulong, add(NULL, INFO(BTF_KIND_PTR, 0), sint));
	add_tracepoint("btf_trace_enums", 3, choice, below);
	add_tracepoint("btf_trace_hidden", 3, word, record);
	add_tracepoint("btf_trace_one", 2, sint, 0);
	add_tracepoint("btf_trace_none", 1, 0, 0);
	add_tracepoint("other_one", 2, sint, 0);
	/* types that are typedefs of each other */
	add("circle", INFO(BTF_KIND_TYPEDEF, 0), id + 2);
	add("circle", INFO(BTF_KIND_TYPEDEF, 0), id);
	add_tracepoint("btf_trace_bad", 3, id, 100000);
	add_functions(sint, uint, boolean, record);
	return 0;
}

/* On the heap, as large as it is, so that the sanitizers watch its end. */
static char *section(size_t *size)
{
	struct btf_header h = {
		.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h),
		.type_len = n_types * sizeof(types[0]),
		.str_off = n_types * sizeof(types[0]), .str_len = n_names,
	};
	char *p;

	*size = sizeof(h) + h.type_len + h.str_len;
	p = malloc(*size);
	assert_non_null(p);
	memcpy(p, &h, sizeof(h));
	memcpy(p + sizeof(h), types, h.type_len);
	memcpy(p + sizeof(h) + h.type_len, names, h.str_len);
	return p;
}

static void expect(const char *tracepoint, uint8_t a, uint8_t b)
{
	uint8_t word[2] = { 1, 1 };
	size_t size;
	char *p = section(&size);

	btf_words(p, size, tracepoint, word);
	free(p);
	assert_int_equal(word[0], a);
	assert_int_equal(word[1], b);
}

static void test_types(void **state)
{
	(void)state;
	expect("ints", SIGNED_32, 32);
	expect("small", 8 | FT_WORD_SIGNED, 8);
	expect("wide", 0, 0);
	expect("enums", 32, SIGNED_32);
	expect("hidden", 16, 32);
	expect("one", SIGNED_32, 0);
	expect("none", 0, 0);
}

static void test_unknown(void **state)
{
	(void)state;
	expect("nothing", 0, 0);
	expect("int", 0, 0);
	expect("", 0, 0);
	expect("bad", 0, 0);
}

static void expect_function(const char *called, enum btf_answer answer, const char *arg,
			    uint8_t first, uint8_t result)
{
	struct ft_function function = { 0 };
	size_t size;
	char *p = section(&size);

	assert_int_equal(btf_function(p, size, called, &function), answer);
	free(p);
	assert_string_equal(function.arg, arg);
	assert_int_equal(function.word[0], first);
	assert_int_equal(function.word[1], result);
}

static void test_functions(void **state)
{
	(void)state;
	expect_function("read", BTF_KNOWN, "fd", 32, 64 | FT_WORD_SIGNED);
	expect_function("nothing", BTF_KNOWN, "arg0", FT_WORD_NONE, FT_WORD_NONE);
	expect_function("unnamed", BTF_KNOWN, "arg0", 0, 8);
	expect_function("negative", BTF_KNOWN, "of", SIGNED_32, SIGNED_32);
	expect_function("small_struct", BTF_KNOWN, "a", 32, 32);
	expect_function("confusing", BTF_KNOWN, "arg0", SIGNED_32, SIGNED_32);
	expect_function("other", BTF_NO_FUNCTION, "", 0, 0);
	expect_function("no_function", BTF_NO_FUNCTION, "", 0, 0);
	expect_function("int", BTF_NO_FUNCTION, "", 0, 0);
}

/* Six registers; a structure of up to 16 bytes has two. */
static void test_on_stack(void **state)
{
	(void)state;
	expect_function("six", BTF_KNOWN, "a", 64 | FT_WORD_SIGNED, FT_WORD_NONE);
	expect_function("seven", BTF_ON_STACK, "", 0, 0);
	expect_function("three_pairs", BTF_KNOWN, "a", 0, FT_WORD_NONE);
	expect_function("pairs_and_more", BTF_ON_STACK, "", 0, 0);
	expect_function("packed_struct", BTF_ON_STACK, "", 0, 0);
	expect_function("large_struct", BTF_ON_STACK, "", 0, 0);
	expect_function("large_result", BTF_ON_STACK, "", 0, 0);
	expect_function("variable", BTF_ON_STACK, "", 0, 0);
	expect_function("real", BTF_ON_STACK, "", 0, 0);
}

/* Whatever is in the file: nothing outside of it is read, and it ends. */
static void test_broken(void **state)
{
	struct ft_function function;
	uint8_t word[2];
	size_t size;
	char *p;

	(void)state;
	p = section(&size);
	for (size_t n = 0; n < size; n++) {
		char *shorter = malloc(n + !n);

		memcpy(shorter, p, n);
		btf_words(shorter, n, "ints", word);
		assert_int_equal(btf_function(shorter, n, "read", &function), BTF_MISSING);
		free(shorter);
		assert_int_equal(word[0], 0);
	}
	for (size_t at = 0; at < size; at++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			p[at] ^= 1 << bit;
			btf_words(p, size, "ints", word);
			btf_function(p, size, "read", &function);
			p[at] ^= 1 << bit;
		}
	}
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_types, begin),
		cmocka_unit_test_setup(test_unknown, begin),
		cmocka_unit_test_setup(test_functions, begin),
		cmocka_unit_test_setup(test_on_stack, begin),
		cmocka_unit_test_setup(test_broken, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
