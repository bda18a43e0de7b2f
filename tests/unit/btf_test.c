// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The types of a tracepoint's arguments: userspace/control/btf.h. */
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

static uint32_t types[256], n_types, id;
static char names[256];
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
	expect("hidden", 16, 0);
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

/* Whatever is in the file: nothing outside of it is read, and it ends. */
static void test_broken(void **state)
{
	uint8_t word[2];
	size_t size;
	char *p;

	(void)state;
	p = section(&size);
	for (size_t n = 0; n < size; n++) {
		char *shorter = malloc(n + !n);

		memcpy(shorter, p, n);
		btf_words(shorter, n, "ints", word);
		free(shorter);
		assert_int_equal(word[0], 0);
	}
	for (size_t at = 0; at < size; at++) {
		for (unsigned int bit = 0; bit < 8; bit++) {
			p[at] ^= 1 << bit;
			btf_words(p, size, "ints", word);
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
		cmocka_unit_test_setup(test_broken, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
