// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The types of tracepoints' and functions' arguments: userspace/control/typed/types.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/feather_trace.h>

#include "base/mem.h"
#include "control/typed/kernel_tracepoint.h"
#include "control/typed/types.h"
#include "some_types.h"

#define SIGNED_32	(32 | FT_WORD_SIGNED)
#define SIGNED_64	(64 | FT_WORD_SIGNED)

static struct some_types t;

static void add_functions(void)
{
	int packed = add_two(&t, "packed", 12, t.uint, t.slong, 32);

	add_function(&t, "read", t.slong, "fd", t.uint, "buf", t.pointer, NULL);
	add_function(&t, "nothing", 0, NULL);
	add_function(&t, "unnamed", t.boolean, "", t.pointer, NULL);
	add_function(&t, "negative", t.sint, "of", t.sint, NULL);
	add_function(&t, "six", 0, "a", t.slong, "b", t.slong, "c", t.slong, "d", t.slong,
		     "e", t.slong, "f", t.pointer, NULL);
	add_function(&t, "seven", 0, "a", t.slong, "b", t.slong, "c", t.slong, "d", t.slong,
		     "e", t.slong, "f", t.pointer, "g", t.slong, NULL);
	add_function(&t, "three_pairs", 0, "a", t.pair, "b", t.pair, "c", t.pair, NULL);
	add_function(&t, "pairs_and_more", 0, "a", t.pair, "b", t.pair, "c", t.pair,
		     "d", t.sint, NULL);
	add_function(&t, "small_struct", t.small, "a", t.small, NULL);
	add_function(&t, "packed_struct", 0, "a", packed, NULL);
	add_function(&t, "confusing", t.sint, "result", t.sint, NULL);
	add_function(&t, "large_struct", 0, "a", t.sint, "b", t.large, NULL);
	add_function(&t, "large_result", t.large, "a", t.sint, NULL);
	add_function(&t, "variable", t.sint, "format", t.pointer, "", 0, NULL);
	add_function(&t, "real", 0, "a", btf__add_float(t.btf, "double", 8), NULL);
}

static void add_tracepoints(void)
{
	int choice = btf__add_enum(t.btf, "choice", 4), bytes, inner, state;

	btf__add_enum_value(t.btf, "SEVEN", 7);
	add_function(&t, "__traceiter_ints", t.sint, "__data", t.pointer, "a", t.sint,
		     "b", t.uint, "c", t.ulong, NULL);
	add_function(&t, "__traceiter_small", t.sint, "__data", t.pointer, "byte", t.sbyte,
		     "is", t.boolean, NULL);
	add_function(&t, "__traceiter_hidden", t.sint, "__data", t.pointer, "word", t.ushort,
		     "record", t.small, NULL);
	add_function(&t, "__traceiter_enum", t.sint, "__data", t.pointer, "choice", choice, NULL);
	add_function(&t, "__traceiter_later", t.sint, "__data", t.pointer, "p", t.pointer,
		     "n", t.ulong, "q", t.pointer, "m", t.sint, NULL);
	add_function(&t, "__traceiter_pointers", t.sint, "__data", t.pointer, "p", t.pointer,
		     "q", t.pointer, "r", t.pointer, NULL);
	add_function(&t, "__traceiter_one", t.sint, "__data", t.pointer, "p", t.pointer,
		     "n", t.sint, "", t.pointer, NULL);
	add_function(&t, "__traceiter_none", t.sint, "__data", t.pointer, NULL);
	add_function(&t, "__traceiter_unnamed", t.sint, "__data", t.pointer, "", t.sint, NULL);
	add_function(&t, "__traceiter_stack", t.sint, "__data", t.pointer, "a", t.pointer,
		     "b", t.pair, "c", t.pointer, "d", t.pointer, "e", t.sint, "f", t.sint, NULL);
	bytes = btf__add_array(t.btf, t.uint, t.sbyte, 4);
	inner = btf__add_struct(t.btf, NULL, 4);
	btf__add_field(t.btf, "bytes", bytes, 0, 0);
	state = btf__add_union(t.btf, "state", 4);
	btf__add_field(t.btf, "value", t.uint, 0, 0);
	btf__add_field(t.btf, "", inner, 0, 0);
	add_function(&t, "__traceiter_union", t.sint, "__data", t.pointer, "a", t.pointer,
		     "b", state, "c", state, "d", t.pointer, NULL);
	add_function(&t, "__traceiter_unknown", t.sint, "__data", t.pointer, "a", t.sint,
		     "b", btf__add_float(t.btf, "double", 8), "c", t.sint, NULL);
	add_function(&t, "__traceiter_memory", t.sint, "__data", t.pointer, "a", t.large,
		     "b", t.pair, "c", t.pair, "d", t.sint, "e", t.sint, NULL);
}

static int begin(void **state)
{
	(void)state;
	some_types_make(&t);
	add_functions();
	add_tracepoints();
	return 0;
}

static int end(void **state)
{
	(void)state;
	btf__free(t.btf);
	return 0;
}

/* --- tracepoints ---------------------------------------------------------- */

static void expect_word(const struct ft_word *word, const char *name, unsigned int arg,
			unsigned int bits, enum ft_field_kind kind)
{
	assert_string_equal(word->field, name);
	assert_int_equal(word->arg, arg);
	assert_int_equal(word->bits, bits);
	assert_int_equal(word->kind, kind);
	assert_int_equal(word->loads, 0);
}

static void choose(const char *tracepoint, struct ft_word word[2])
{
	struct types_tracepoint types;

	assert_true(types_tracepoint(t.btf, tracepoint, &types));
	kernel_tracepoint_words(&types, word);
}

static void test_words(void **state)
{
	struct ft_word word[2];

	(void)state;
	choose("ints", word);
	expect_word(&word[0], "a", 1, 32, FT_FIELD_SIGNED);
	expect_word(&word[1], "b", 2, 32, FT_FIELD_UNSIGNED);
	choose("small", word);
	expect_word(&word[0], "byte", 1, 8, FT_FIELD_SIGNED);
	expect_word(&word[1], "is", 2, 8, FT_FIELD_UNSIGNED);
	choose("hidden", word);
	expect_word(&word[0], "word", 1, 16, FT_FIELD_UNSIGNED);
	expect_word(&word[1], "record", 2, 32, FT_FIELD_UNSIGNED);
	choose("enum", word);
	expect_word(&word[0], "choice", 1, 32, FT_FIELD_UNSIGNED);
	expect_word(&word[1], "", FT_WORD_NONE, 0, 0);
}

/* Numbers come first; pointers fill what is left, in the order of the arguments. */
static void test_numbers_first(void **state)
{
	struct ft_word word[2];

	(void)state;
	choose("later", word);
	expect_word(&word[0], "n", 2, 64, FT_FIELD_UNSIGNED);
	expect_word(&word[1], "m", 4, 32, FT_FIELD_SIGNED);
	choose("one", word);
	expect_word(&word[0], "p", 1, 64, FT_FIELD_HEX);
	expect_word(&word[1], "n", 2, 32, FT_FIELD_SIGNED);
	choose("pointers", word);
	expect_word(&word[0], "p", 1, 64, FT_FIELD_HEX);
	expect_word(&word[1], "q", 2, 64, FT_FIELD_HEX);
	choose("none", word);
	expect_word(&word[0], "", FT_WORD_NONE, 0, 0);
	expect_word(&word[1], "", FT_WORD_NONE, 0, 0);
	choose("unnamed", word);
	expect_word(&word[0], "arg0", 1, 32, FT_FIELD_SIGNED);
}

/* Five registers are left to arguments; a structure may have two of them. */
static void test_places(void **state)
{
	struct types_tracepoint types;

	(void)state;
	assert_true(types_tracepoint(t.btf, "stack", &types));
	assert_int_equal(types.n, 6);
	assert_int_equal(types.argument[0].arg, 1);
	assert_int_equal(types.argument[1].arg, 0);
	assert_int_equal(types.argument[2].arg, 4);
	assert_int_equal(types.argument[3].arg, 5);
	assert_int_equal(types.argument[4].arg, 6);
	assert_int_equal(types.argument[5].arg, 7);
	assert_true(types_tracepoint(t.btf, "union", &types));
	assert_int_equal(types.argument[1].arg, 2);
	assert_int_equal(types.argument[3].arg, 4);
	/* behind one that may be anywhere: nowhere */
	assert_true(types_tracepoint(t.btf, "unknown", &types));
	assert_int_equal(types.argument[0].arg, 1);
	assert_int_equal(types.argument[2].arg, 0);
	assert_true(types_tracepoint(t.btf, "memory", &types));
	assert_int_equal(types.argument[0].arg, 0);
	assert_int_equal(types.argument[3].arg, 5);
	assert_int_equal(types.argument[4].arg, 0);
}

static void test_unknown(void **state)
{
	struct types_tracepoint types;

	(void)state;
	assert_false(types_tracepoint(t.btf, "other", &types));
	assert_false(types_tracepoint(t.btf, "", &types));
	assert_false(types_tracepoint(t.btf, "read", &types));
}

/* --- functions -------------------------------------------------------------- */

static void expect_function(const char *called, enum types_answer answer, const char *arg,
			    uint8_t first, uint8_t result)
{
	struct ft_function function = { 0 };

	assert_int_equal(types_function(t.btf, called, &function), answer);
	assert_string_equal(function.arg, arg);
	assert_int_equal(function.word[0], first);
	assert_int_equal(function.word[1], result);
}

static void test_functions(void **state)
{
	struct ft_function function = { 0 };

	(void)state;
	expect_function("read", TYPES_KNOWN, "fd", 32, SIGNED_64);
	expect_function("nothing", TYPES_KNOWN, "arg0", FT_WORD_NONE, FT_WORD_NONE);
	expect_function("unnamed", TYPES_KNOWN, "arg0", 0, 8);
	expect_function("negative", TYPES_KNOWN, "of", SIGNED_32, SIGNED_32);
	expect_function("small_struct", TYPES_KNOWN, "a", 32, 32);
	expect_function("confusing", TYPES_KNOWN, "arg0", SIGNED_32, SIGNED_32);
	expect_function("other", TYPES_NO_FUNCTION, "", 0, 0);
	expect_function("int", TYPES_NO_FUNCTION, "", 0, 0);
	assert_int_equal(types_function(NULL, "read", &function), TYPES_MISSING);
}

/* Six registers; a structure of up to 16 bytes has two. */
/* A module has one of the same name as the kernel: each has its own types, or none. */
static void test_of_module(void **state)
{
	struct ft_function function = { 0 };
	struct some_types more = t;

	(void)state;
	add_function(&t, "twin", t.sint, "wide", t.slong, NULL);
	add_function(&t, "only", t.sint, "wide", t.slong, NULL);
	more.btf = btf__new_empty_split(t.btf);
	assert_non_null(more.btf);
	add_function(&more, "twin", t.sint, "narrow", t.sint, NULL);
	assert_int_equal(types_function(more.btf, "twin", &function), TYPES_KNOWN);
	assert_string_equal(function.arg, "narrow");
	assert_int_equal(function.word[0], 32 | FT_WORD_SIGNED);
	assert_int_equal(types_function(t.btf, "twin", &function), TYPES_KNOWN);
	assert_string_equal(function.arg, "wide");
	assert_int_equal(types_function(more.btf, "only", &function), TYPES_NO_FUNCTION);
	btf__free(more.btf);
}

static void test_on_stack(void **state)
{
	(void)state;
	expect_function("six", TYPES_KNOWN, "a", SIGNED_64, FT_WORD_NONE);
	expect_function("seven", TYPES_ON_STACK, "", 0, 0);
	expect_function("three_pairs", TYPES_KNOWN, "a", 0, FT_WORD_NONE);
	expect_function("pairs_and_more", TYPES_ON_STACK, "", 0, 0);
	expect_function("packed_struct", TYPES_ON_STACK, "", 0, 0);
	expect_function("large_struct", TYPES_ON_STACK, "", 0, 0);
	expect_function("large_result", TYPES_ON_STACK, "", 0, 0);
	expect_function("variable", TYPES_ON_STACK, "", 0, 0);
	expect_function("real", TYPES_ON_STACK, "", 0, 0);
}

/* --- names of types ------------------------------------------------------------ */

static void expect_text(int type, const char *text)
{
	char *is = types_text(t.btf, (uint32_t)type);

	assert_string_equal(is, text);
	mem_free(is);
}

static void test_text(void **state)
{
	int small = btf__add_ptr(t.btf, btf__add_const(t.btf, t.small));
	int proto = btf__add_func_proto(t.btf, 0);

	(void)state;
	expect_text(0, "void");
	expect_text(t.uint, "unsigned int");
	expect_text(t.ushort, "u16");
	expect_text(small, "struct small *");
	expect_text(btf__add_ptr(t.btf, small), "struct small **");
	expect_text(btf__add_ptr(t.btf, proto), "a pointer to a function");
	expect_text(btf__add_array(t.btf, t.uint, t.sbyte, 16), "signed char[]");
	expect_text(btf__add_union(t.btf, NULL, 8), "union {...}");
	expect_text(100000, "void");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_words, begin, end),
		cmocka_unit_test_setup_teardown(test_numbers_first, begin, end),
		cmocka_unit_test_setup_teardown(test_places, begin, end),
		cmocka_unit_test_setup_teardown(test_unknown, begin, end),
		cmocka_unit_test_setup_teardown(test_functions, begin, end),
		cmocka_unit_test_setup_teardown(test_of_module, begin, end),
		cmocka_unit_test_setup_teardown(test_on_stack, begin, end),
		cmocka_unit_test_setup_teardown(test_text, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
