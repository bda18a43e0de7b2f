// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From the addresses of a stack to functions. See frames.h. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "symbols/frames.h"
#include "symbols/helpers.h"
#include "symbols/inlined.h"
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

static const struct inlined_frame *inlined_at(const struct symbols *s, uint64_t addr, size_t *n)
{
	if (!s || !programs_is_address(addr))
		return NULL;
	if (!s->inlined->known) {
		s->inlined->known = inlined_open(s);
		s->inlined->close = inlined_close;
	}
	return inlined_find(s->inlined->known, addr, n);
}

/* If there are too many, the outermost ones are left out, except the function itself. */
unsigned int frames_at(const struct symbols *s, const struct stack *stack, uint32_t i,
		       char name[FRAMES_INLINED][SYMBOLS_LEN])
{
	const uint64_t addr = frames_address(s, stack, i);
	char symbol[SYMBOLS_LEN];
	size_t n = 0;
	const struct inlined_frame *frame = inlined_at(s, addr, &n);
	unsigned int inlined = frame ? (n < FRAMES_INLINED ? n : FRAMES_INLINED) - 1 : 0;
	const char *file;

	symbols_format(s, addr, true, symbol, sizeof(symbol));
	cut_offset(symbol);
	file = strstr(symbol, " [");
	for (unsigned int k = 0; k < inlined; k++)
		snprintf(name[k], SYMBOLS_LEN, "%s%s", frame[k].function, file ? file : "");
	memcpy(name[inlined], symbol, sizeof(symbol));
	return inlined + 1;
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
