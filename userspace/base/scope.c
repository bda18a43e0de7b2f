// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Calls that end without memory, and what they took. See scope.h. */
#include <errno.h>

#include "base/mem.h"
#include "base/scope.h"

__thread struct scope *scope_now;

int scope_call(struct scope *s, int (*f)(void *arg), void *arg)
{
	int ret;

	scope_now = s;
	ret = _setjmp(s->no_memory) ? -ENOMEM : f(arg);
	scope_now = NULL;
	return ret;
}

void scope_say(struct scope *s, const char *text, const char *why, int error)
{
	char *old = s->text;

	if (!s->error)
		s->error = error;
	s->text = mem_format("%s%s%s%s%s", old ? old : "", old ? "\n" : "", text,
			     *why ? ": " : "", why);
	mem_free(old);
}

void scope_free(struct scope *s)
{
	struct scope_block *block;

	while ((block = s->blocks)) {
		s->blocks = block->next;
		free(block);
	}
	*s = (struct scope){ 0 };
}
