// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From the addresses of a stack to functions. See frames.h. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/frames.h"
#include "symbols/helpers.h"
#include "symbols/programs.h"
#include "symbols/table.h"

uint64_t frames_address(const struct symbols *s, const struct stack *stack, uint32_t i)
{
	return stack->pid && s ? programs_tagged(s->programs, stack->pid, stack->addr[i]) :
				 stack->addr[i];
}

/* "name+0x1f [module]" without the offset. */
static void cut_offset(char *name)
{
	char *at = NULL, *next = name;

	while ((next = strstr(next, "+0x")))
		at = next++;
	if (at)
		memmove(at, at + 3 + strspn(at + 3, "0123456789abcdef"),
			strlen(at + 3 + strspn(at + 3, "0123456789abcdef")) + 1);
}

unsigned int frames_at(const struct symbols *s, const struct stack *stack, uint32_t i,
		       char name[FRAMES_INLINED][SYMBOLS_LEN])
{
	symbols_format(s, frames_address(s, stack, i), true, name[0], SYMBOLS_LEN);
	cut_offset(name[0]);
	return 1;
}

bool frames_is_helper(const struct symbols *s, uint64_t addr)
{
	char name[SYMBOLS_LEN];

	if (!symbols_find(s, addr, true, name, sizeof(name)))
		return false;
	cut_offset(name);
	/* a function of a module, or of a program's file */
	name[strcspn(name, "[")] = '\0';
	if (*name && name[strlen(name) - 1] == ' ')
		name[strlen(name) - 1] = '\0';
	return helpers_has(name);
}

uint32_t frames_first(const struct symbols *s, const struct stack *stack)
{
	uint32_t i = 0;

	while (i < stack->n && frames_is_helper(s, frames_address(s, stack, i)))
		i++;
	return i;
}

char *frames_path(const struct symbols *s, const struct stack *stack, bool helpers,
		  unsigned int functions)
{
	uint32_t i = helpers ? 0 : frames_first(s, stack);
	char name[FRAMES_INLINED][SYMBOLS_LEN], *path = mem_strdup("");
	unsigned int n = 0;

	/* helpers alone: better than nothing */
	if (i == stack->n)
		i = 0;
	for (; i < stack->n; i++) {
		unsigned int inlined = frames_at(s, stack, i, name);

		for (unsigned int k = 0; k < inlined; k++, n++) {
			char *longer = mem_format("%s%s%s", path, n ? " < " : "",
						  n < functions ? name[k] : "...");

			mem_free(path);
			path = longer;
			if (n == functions)
				return path;
		}
	}
	return path;
}
