// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Expressions over the arguments of a tracepoint: userspace/control/typed/expression.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/feather_trace.h>

#include "base/mem.h"
#include "control/typed/expression.h"
#include "some_types.h"

static struct some_types t;
static struct btf *kernel;	/* whose types those of a module continue */
static struct types_tracepoint tracepoint;

/* Two arrays, one inside of a union without a name, and a pointer to the next one. */
static int add_node(void)
{
	struct btf *btf = t.btf;
	int four = btf__add_array(btf, t.uint, t.ushort, 4);
	int letters = btf__add_array(btf, t.uint, t.sbyte, 16);
	int handler = btf__add_ptr(btf, btf__add_func_proto(btf, 0));
	int hidden = btf__add_union(btf, NULL, 16);
	int next, node;

	btf__add_field(btf, "unused", t.slong, 0, 0);
	next = btf__add_ptr(btf, hidden + 2);
	node = btf__add_struct(btf, "node", 80);
	assert_int_equal(node, hidden + 2);
	btf__add_field(btf, "number", t.sint, 0, 0);
	btf__add_field(btf, "next", next, 64, 0);
	btf__add_field(btf, "inner", t.pair, 128, 0);
	btf__add_field(btf, "handler", handler, 256, 0);
	btf__add_field(btf, "four", four, 320, 0);
	btf__add_field(btf, "letters", letters, 384, 0);
	btf__add_field(btf, "", hidden, 512, 0);
	return node;
}

/* Bit fields, one of which is signed; and a structure inside of one without a name. */
static int add_flags(void)
{
	struct btf *btf = t.btf;
	int inner = btf__add_struct(btf, NULL, 8), flags;

	btf__add_field(btf, "high", t.uint, 32, 0);
	flags = btf__add_struct(btf, "flags", 33);
	btf__add_field(btf, "low", t.uint, 0, 3);
	btf__add_field(btf, "middle", t.sint, 5, 6);
	btf__add_field(btf, "wide", t.ulong, 20, 30);
	btf__add_field(btf, "", inner, 128, 0);
	/* packed */
	btf__add_field(btf, "apart", t.ulong, 200, 0);
	return flags;
}

/* As the kernel's, which libbpf reads: what is added to them later moves nothing in use. */
static void read_back(void)
{
	uint32_t size;
	const void *data = btf__raw_data(t.btf, &size);
	struct btf *btf = btf__new(data, size);

	assert_non_null(btf);
	btf__free(t.btf);
	t.btf = btf;
}

static void add_functions(int node, int flags)
{
	add_function(&t, "__traceiter_all", t.sint, "__data", t.pointer,
		     "node", btf__add_ptr(t.btf, node), "flags", btf__add_ptr(t.btf, flags),
		     "n", t.sint, "raw", btf__add_ptr(t.btf, 0), "by_value", t.pair,
		     "cell", btf__add_ptr(t.btf, btf__add_ptr(t.btf, t.uint)), NULL);
	btf__add_typedef(t.btf, "truth", t.boolean);
	add_function(&t, "__traceiter_user", t.sint, "__data", t.pointer, "kuid", t.small, NULL);
}

static int begin(void **state)
{
	int flags;

	(void)state;
	some_types_make(&t);
	flags = add_flags();
	add_functions(add_node(), flags);
	read_back();
	return !types_tracepoint(t.btf, "all", &tracepoint);
}

/* The same tracepoint of a module, with the kernel's types and its own. */
static int begin_module(void **state)
{
	int node, flags;

	(void)state;
	some_types_make(&t);
	flags = add_flags();
	node = add_node();
	read_back();
	kernel = t.btf;
	t.btf = btf__new_empty_split(kernel);
	add_functions(node, flags);
	btf__add_struct(t.btf, "own", 8);
	btf__add_field(t.btf, "mine", t.sint, 32, 0);
	return !types_tracepoint(t.btf, "all", &tracepoint);
}

static int end(void **state)
{
	(void)state;
	btf__free(t.btf);
	btf__free(kernel);
	kernel = NULL;
	return 0;
}

/* Of a value of all bits that were read. */
static void expect(const char *text, const char *name, enum ft_field_kind kind,
		   unsigned int bits, unsigned int shift, unsigned int size, unsigned int loads,
		   ...)
{
	struct expression e;
	char *error = expression_resolve(&tracepoint, text, &e);
	va_list ap;

	if (error)
		fail_msg("%s: %s", text, error);
	assert_string_equal(e.word.field, name);
	assert_int_equal(e.word.kind, kind);
	assert_int_equal(e.word.bits, bits);
	assert_int_equal(e.word.shift, shift);
	assert_int_equal(e.word.size, size);
	assert_int_equal(e.word.loads, loads);
	va_start(ap, loads);
	for (unsigned int i = 0; i < FT_WORD_LOADS; i++)
		assert_int_equal(e.word.offset[i], i < loads ? va_arg(ap, unsigned int) : 0);
	va_end(ap);
	expression_free(&e);
}

static void test_members(void **state)
{
	(void)state;
	expect("n", "n", FT_FIELD_SIGNED, 32, 0, 0, 0);
	expect("node", "node", FT_FIELD_HEX, 64, 0, 0, 0);
	expect("node->number", "number", FT_FIELD_SIGNED, 32, 0, 4, 1, 0);
	expect(" node -> inner . b ", "b", FT_FIELD_SIGNED, 64, 0, 8, 1, 24);
	expect("node->handler", "handler", FT_FIELD_CODE, 64, 0, 8, 1, 32);
	expect("node->next->next->inner.a", "a", FT_FIELD_SIGNED, 64, 0, 8, 3, 8, 8, 16);
	expect("node->unused", "unused", FT_FIELD_SIGNED, 64, 0, 8, 1, 64);
	expect("flags->high", "high", FT_FIELD_UNSIGNED, 32, 0, 4, 1, 20);
}

static void test_arrays(void **state)
{
	(void)state;
	expect("node->four[3]", "four_3", FT_FIELD_UNSIGNED, 16, 0, 2, 1, 46);
	expect("node[2].number", "number", FT_FIELD_SIGNED, 32, 0, 4, 1, 160);
	expect("node->next[0x1].letters[0]", "letters_0", FT_FIELD_SIGNED, 8, 0, 1, 2, 8, 128);
	expect("cell[1]", "cell_1", FT_FIELD_HEX, 64, 0, 8, 1, 8);
	expect("*cell", "cell", FT_FIELD_HEX, 64, 0, 8, 1, 0);
	expect("*node->four", "four", FT_FIELD_UNSIGNED, 16, 0, 2, 1, 40);
	expect("flags->apart", "apart", FT_FIELD_UNSIGNED, 64, 0, 8, 1, 25);
	expect("**cell", "cell", FT_FIELD_UNSIGNED, 32, 0, 4, 2, 0, 0);
	expect("cell[1][2]", "cell_1_2", FT_FIELD_UNSIGNED, 32, 0, 4, 2, 8, 8);
}

/* A structure that is passed as a number is one. */
static void test_small_structure(void **state)
{
	(void)state;
	assert_true(types_tracepoint(t.btf, "user", &tracepoint));
	expect("kuid", "kuid", FT_FIELD_UNSIGNED, 32, 0, 0, 0);
}

static void test_bit_fields(void **state)
{
	(void)state;
	expect("flags->low", "low", FT_FIELD_UNSIGNED, 3, 0, 1, 1, 0);
	expect("flags->middle", "middle", FT_FIELD_SIGNED, 6, 5, 2, 1, 0);
	expect("flags->wide", "wide", FT_FIELD_UNSIGNED, 30, 20, 8, 1, 0);
}

static void test_addresses(void **state)
{
	(void)state;
	expect("&node->inner", "inner", FT_FIELD_HEX, 64, 0, 0, 1, 16);
	expect("&node->next->four", "four", FT_FIELD_HEX, 64, 0, 0, 2, 8, 40);
	expect("&node->four[1]", "four_1", FT_FIELD_HEX, 64, 0, 0, 1, 42);
}

static void test_names(void **state)
{
	struct expression e;

	(void)state;
	expect("first=node->next", "first", FT_FIELD_HEX, 64, 0, 8, 1, 8);
	expect(" second = n", "second", FT_FIELD_SIGNED, 32, 0, 0, 0);
	assert_null(expression_resolve(&tracepoint, "node->next->four[2]", &e));
	assert_string_equal(e.path, "node_next_four_2");
	assert_int_equal(e.word.arg, 1);
	expression_free(&e);
	assert_null(expression_resolve(&tracepoint, "cell", &e));
	/* by_value has the fifth register and needs two: it is in memory */
	assert_int_equal(e.word.arg, 5);
	expression_free(&e);
}

/* Of parentheses and casts, also to types that are nowhere else; steps come first. */
static void test_casts(void **state)
{
	(void)state;
	expect("(n)", "n", FT_FIELD_SIGNED, 32, 0, 0, 0);
	expect("(*node).number", "number", FT_FIELD_SIGNED, 32, 0, 4, 1, 0);
	expect("(*(node)->next).inner.b", "b", FT_FIELD_SIGNED, 64, 0, 8, 2, 8, 24);
	expect("((struct node *)raw)->number", "number", FT_FIELD_SIGNED, 32, 0, 4, 1, 0);
	expect("*(int *)raw", "raw", FT_FIELD_SIGNED, 32, 0, 4, 1, 0);
	expect("((unsigned long *) raw)[2]", "raw_2", FT_FIELD_UNSIGNED, 64, 0, 8, 1, 16);
	expect("((struct node **)raw)[1]->inner.a", "a", FT_FIELD_SIGNED, 64, 0, 8, 2, 8, 16);
	expect("((const struct flags*)node->unused)->high", "high", FT_FIELD_UNSIGNED, 32, 0, 4,
	       2, 64, 20);
	expect("(struct flags *)node->next", "next", FT_FIELD_HEX, 64, 0, 8, 1, 8);
	expect("(u64)node->next", "next", FT_FIELD_UNSIGNED, 64, 0, 8, 1, 8);
	expect("(void *)node->unused", "unused", FT_FIELD_HEX, 64, 0, 8, 1, 64);
	expect("(u32)n", "n", FT_FIELD_UNSIGNED, 32, 0, 0, 0);
	expect("(signed char)n", "n", FT_FIELD_SIGNED, 8, 0, 0, 0);
	expect("(long long)(int)n", "n", FT_FIELD_SIGNED, 32, 0, 0, 0);
	expect("(u64)(unsigned)n", "n", FT_FIELD_UNSIGNED, 32, 0, 0, 0);
	expect("(u16)node->inner.b", "b", FT_FIELD_UNSIGNED, 16, 0, 2, 1, 24);
	expect("(s64)node->four[1]", "four_1", FT_FIELD_UNSIGNED, 16, 0, 2, 1, 42);
	expect("(u8)flags->wide", "wide", FT_FIELD_UNSIGNED, 8, 4, 2, 1, 2);
	expect("(int)flags->low", "low", FT_FIELD_UNSIGNED, 3, 0, 1, 1, 0);
	expect("(s8)flags->wide", "wide", FT_FIELD_SIGNED, 8, 4, 2, 1, 2);
	expect("c=(u8)(n)", "c", FT_FIELD_UNSIGNED, 8, 0, 0, 0);
	expect("&((struct node *)raw)->inner", "inner", FT_FIELD_HEX, 64, 0, 0, 1, 16);
}

static void test_casts_to_own_types(void **state)
{
	(void)state;
	expect("((struct own *)raw)->mine", "mine", FT_FIELD_SIGNED, 32, 0, 4, 1, 4);
}

/* What is said contains @says. */
static void expect_error(const char *text, const char *says)
{
	struct expression e;
	char *error = expression_resolve(&tracepoint, text, &e);

	if (!error || !strstr(error, says))
		fail_msg("'%s': %s, not: %s", text, error ? error : "no error", says);
	mem_free(error);
	expression_free(&e);
}

static void test_types_that_do_not_fit(void **state)
{
	(void)state;
	expect_error("other", "no argument 'other'; it has: node, flags, n, raw, by_value, cell");
	expect_error("nod", "did you mean 'node'?");
	expect_error("node->nex", "'struct node' has no member 'nex': did you mean 'next'?");
	expect_error("node->xyz", "it has: number, next, inner, handler, four, letters, unused");
	expect_error("node.number", "'node' is of the type 'struct node *': a pointer");
	expect_error("n->x", "'n' is of the type 'int': no pointer");
	expect_error("node->number.x", "'int': it has no known members");
	expect_error("raw->x", "'raw' is of the type 'void *': what it points to has no known members");
	expect_error("cell->x", "'cell' is of the type 'unsigned int **': a pointer to a pointer");
	expect_error("node->handler->x", "what it points to has no known members");
	expect_error("*node", "'struct node': choose one of its members");
	expect_error("node->inner", "'struct pair': choose one of its members");
	expect_error("node->four", "'u16[]': choose an element");
	expect_error("node->four[4]", "the array has 4 elements");
	expect_error("x = node->inner", "'node->inner' is of the type");
	expect_error("node->inner[0]", "neither an array nor a pointer");
	expect_error("raw[1]", "'raw' is of the type 'void *': the size of an element is not");
	expect_error("n[0]", "neither an array nor a pointer");
	expect_error("by_value", "cannot be had");
	expect_error("by_value.a", "cannot be had");
	expect_error("&n", "it has no address");
	expect_error("&flags->low", "it has no address");
	expect_error("node->next->next->next->next->number", "more than 4 times");
	expect_error("node[60000000].number", "an index is too large");
	expect_error("node[99999999999999999999].number", "an index is too large");
}

static void test_casts_that_do_not_fit(void **state)
{
	(void)state;
	expect_error("(u64)n", "'n' is of the type 'int': a signed number");
	expect_error("(u32)flags->middle", "'flags->middle' is of the type 'int': a signed number");
	expect_error("(struct node *)n", "'n' is of the type 'int': it has less than the 64 bits");
	expect_error("(struct node *)flags->wide", "less than the 64 bits");
	expect_error("(u32)node->inner", "'node->inner' is of the type 'struct pair': only a number");
	expect_error("(u64)node->four", "'node->four' is of the type 'u16[]': only a number");
	expect_error("(struct node)raw", "'raw' is of the type 'void *': it can be cast to");
	expect_error("(void)raw", "no type 'void'");
	expect_error("((struct nodde *)raw)->number", "no type 'struct nodde *' in");
	expect_error("(union node *)raw", "no type 'union node *' in");
	expect_error("(no_type_t)n", "no type 'no_type_t' in");
	expect_error("(bool)n", "no type 'bool' in");
	expect_error("(truth)n", "and not to bool");
	expect_error("((struct node *)raw)->numbr", "did you mean 'number'?");
	expect_error("((struct node *)raw)->inner", "'((struct node *)raw)->inner' is of the type");
	expect_error("((struct node *)raw).next",
		     "'((struct node *)raw)' is of the type 'struct node *': a pointer");
	expect_error("((struct node *)raw", "a ')' is missing at the end");
	expect_error("(n", "a ')' is missing at the end");
	expect_error("(n))", "')' cannot be understood");
	expect_error("()n", "a name is missing in front of ')n'");
	expect_error("(u32)", "a name is missing at the end");
	expect_error("(unsigned signed)n", "no argument 'unsigned'");
	expect_error("(long short)n", "no argument 'long'");
	expect_error("(&node->inner)", "a name is missing in front of '&");
	expect_error("((((((((((((((((((((((((((((((((((n))))))))))))))))))))))))))))))))))",
		     "more than 32");
}

static void test_what_cannot_be_read(void **state)
{
	(void)state;
	expect_error("", "a name is missing at the end");
	expect_error("  ", "a name is missing at the end");
	expect_error("7", "a name is missing in front of '7'");
	expect_error("node->", "a name is missing at the end");
	expect_error("node->next-", "'-' cannot be understood");
	expect_error("node + 1", "'+ 1' cannot be understood");
	expect_error("node->four[", "a number is missing at the end");
	expect_error("node->four[x]", "a number is missing in front of 'x]'");
	expect_error("node->four[-1]", "a number is missing in front of '-1]'");
	expect_error("node->four[1", "a ']' is missing at the end");
	expect_error("a.b=n", "is no name");
	expect_error("=n", "a name is missing in front of '=n'");
	expect_error("a_name_of_more_than_thirty_one_letters=n", "is too long");
	expect_error("n\xe4", "cannot be understood");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_members, begin, end),
		cmocka_unit_test_setup_teardown(test_arrays, begin, end),
		cmocka_unit_test_setup_teardown(test_small_structure, begin, end),
		cmocka_unit_test_setup_teardown(test_bit_fields, begin, end),
		cmocka_unit_test_setup_teardown(test_addresses, begin, end),
		cmocka_unit_test_setup_teardown(test_names, begin, end),
		cmocka_unit_test_setup_teardown(test_types_that_do_not_fit, begin, end),
		cmocka_unit_test_setup_teardown(test_casts, begin, end),
		cmocka_unit_test_setup_teardown(test_casts_that_do_not_fit, begin, end),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_read, begin, end),
		cmocka_unit_test_setup_teardown(test_casts, begin_module, end),
		cmocka_unit_test_setup_teardown(test_casts_to_own_types, begin_module, end),
		cmocka_unit_test_setup_teardown(test_casts_that_do_not_fit, begin_module, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
