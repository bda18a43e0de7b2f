/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Expressions over the arguments of a tracepoint, as C has them:
 *
 *	ARGUMENT, X->MEMBER, X.MEMBER, X[NUMBER], *X, &X, (X), (TYPE)X, and NAME=X, which says
 *	what it is called
 */
#ifndef FT_CONTROL_EXPRESSION_H
#define FT_CONTROL_EXPRESSION_H

#include <stdbool.h>

#include <linux/feather_trace.h>

#include "control/typed/types.h"

/**
 * struct expression - one of them, resolved
 * @word:	where it comes from; called as its last name, or as it was said
 * @is_named:	that was said
 * @path:	all names in it, with underscores between them: for who needs another one; freed
 *		by expression_free()
 */
struct expression {
	struct ft_word	word;
	bool		is_named;
	char		*path;
};

/**
 * expression_resolve - what a word has to be for that
 * @tracepoint:	whose arguments they are
 * @text:	the expression
 * @out:	out: to be freed, also after an error
 *
 * Return: NULL; or what is wrong with it, for a message, freed by mem_free().
 */
char *expression_resolve(const struct types_tracepoint *tracepoint, const char *text,
			 struct expression *out);

void expression_free(struct expression *expression);

#endif /* FT_CONTROL_EXPRESSION_H */
