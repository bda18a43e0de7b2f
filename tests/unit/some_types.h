/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Type information (BTF) for tests, made with libbpf. */
#ifndef SOME_TYPES_H
#define SOME_TYPES_H

#include <stdarg.h>
#include <string.h>

#include <bpf/btf.h>
#include <linux/btf.h>

/* Types of which the tests make others. */
struct some_types {
	struct btf	*btf;
	int		sint;
	int		uint;
	int		slong;
	int		ulong;
	int		sbyte;
	int		boolean;
	int		ushort;
	int		pointer;	/* int * */
	int		small;		/* a structure of 4 bytes */
	int		pair;		/* of two longs */
	int		large;		/* of 24 bytes */
};

/* An argument: NAME, TYPE; ends with NULL. */
static inline void add_function(struct some_types *t, const char *name, int result, ...)
{
	int proto = btf__add_func_proto(t->btf, result);
	const char *argument;
	va_list ap;

	va_start(ap, result);
	while ((argument = va_arg(ap, const char *)))
		btf__add_func_param(t->btf, argument, va_arg(ap, int));
	va_end(ap);
	btf__add_func(t->btf, name, BTF_FUNC_STATIC, proto);
}

static inline int add_two(struct some_types *t, const char *name, unsigned int size, int a, int b,
			  unsigned int second)
{
	int id = btf__add_struct(t->btf, name, size);

	btf__add_field(t->btf, "a", a, 0, 0);
	btf__add_field(t->btf, "b", b, second, 0);
	return id;
}

static inline void some_types_make(struct some_types *t)
{
	struct btf *btf = btf__new_empty();

	t->btf = btf;
	t->sint = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	t->uint = btf__add_int(btf, "unsigned int", 4, 0);
	t->slong = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	t->ulong = btf__add_int(btf, "unsigned long", 8, 0);
	t->sbyte = btf__add_int(btf, "signed char", 1, BTF_INT_SIGNED);
	t->boolean = btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL);
	t->ushort = btf__add_typedef(btf, "u16", btf__add_const(btf,
				     btf__add_int(btf, "short unsigned int", 2, 0)));
	t->pointer = btf__add_ptr(btf, t->sint);
	t->small = btf__add_struct(btf, "small", 4);
	btf__add_field(btf, "val", t->sint, 0, 0);
	t->pair = add_two(t, "pair", 16, t->slong, t->slong, 64);
	t->large = add_two(t, "large", 24, t->slong, t->slong, 64);
}

#endif /* SOME_TYPES_H */
