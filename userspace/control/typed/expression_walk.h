/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Reading an expression: the position, and what is wrong. Only expression.c includes this. */
#ifndef FT_CONTROL_EXPRESSION_WALK_H
#define FT_CONTROL_EXPRESSION_WALK_H

#include "control/typed/expression.h"

struct walk {
	const struct types_tracepoint	*tracepoint;
	const struct btf		*btf;
	struct btf			*flat;		/* of a module, the same as one; or NULL */
	struct btf			*casts;		/* the same, and more; or NULL */
	const char			*text;		/* without the NAME= */
	const char			*from;		/* where the current part begins */
	const char			*at;
	unsigned int			nested;
	const char			*known;		/* up to here its type is known */
	struct expression		*out;
	uint32_t			type;
	uint32_t			pointer;	/* the last one that it went through */
	bool				is_place;
	uint64_t			offset;		/* in bits, of the place */
	unsigned int			bits;		/* of a bit field; else 0 */
	char				*name;		/* the last one */
	char				*error;
};

/** walk_fail - say what is wrong. Return: false */
bool walk_fail(struct walk *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** walk_fail_type - the same, with the type: "'rq->q' is of the type 'struct request *': ..." */
bool walk_fail_type(struct walk *w, const char *why);

/** struct walk_names - names from which one could be chosen */
struct walk_names {
	const char	**name;
	size_t		n;
};

void walk_name(struct walk_names *names, const char *name);

/** walk_fail_name - there is no @name among them; @what: "the tracepoint 'x' has no argument" */
bool walk_fail_name(struct walk *w, const char *what, const char *name,
		    const struct walk_names *names);

#endif /* FT_CONTROL_EXPRESSION_WALK_H */
