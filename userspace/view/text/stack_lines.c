// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Stacks as lines: see stack_lines.h. */
#include <inttypes.h>

#include "base/mem.h"
#include "symbols/inlined.h"
#include "symbols/programs.h"
#include "trace/stacks.h"
#include "view/text/stack_lines.h"

#define MARGIN		"                      "

struct stack_lines {
	const struct symbols	*symbols;
	struct inlined		*inlined;	/* or NULL, as @symbols */
	struct stacks		*stacks;
};

struct stack_lines *stack_lines_open(const struct parts *parts, const struct symbols *symbols)
{
	struct stacks *stacks = stacks_open_parts(parts);
	struct stack_lines *s;

	if (!stacks)
		return NULL;
	s = mem_zalloc(1, sizeof(*s));
	s->stacks = stacks;
	s->symbols = symbols;
	s->inlined = symbols ? inlined_open(symbols) : NULL;
	return s;
}

void stack_lines_close(struct stack_lines *s)
{
	if (!s)
		return;
	inlined_close(s->inlined);
	stacks_free(s->stacks);
	mem_free(s);
}

static void put_address(const struct stack_lines *s, uint64_t addr, FILE *to)
{
	const struct inlined_frame *frame;
	char symbol[SYMBOLS_LEN];
	size_t n;

	if (!s->symbols) {
		fprintf(to, MARGIN "0x%" PRIx64 "\n", addr);
		return;
	}
	frame = inlined_find(s->inlined, addr, &n);
	symbols_format(s->symbols, addr, true, symbol, sizeof(symbol));
	/* the symbol itself is the last of the functions */
	for (size_t i = 0; frame && i < n; i++)
		fprintf(to, MARGIN "%s  %s%s\n", i + 1 < n ? frame[i].function : symbol,
			frame[i].line, frame[i].inlined ? "  (inlined)" : "");
	if (!frame)
		fprintf(to, MARGIN "%s\n", symbol);
}

void stack_lines_put(const struct stack_lines *s, uint64_t a, uint64_t lock, FILE *to)
{
	const struct stack *stack = NULL;
	uint32_t pid = 0;

	if (s && programs_is_address(lock))
		pid = s->symbols ? symbols_pid(s->symbols, lock) : 0;
	if (s && (pid || !programs_is_address(lock)))
		stack = stacks_find(s->stacks, pid, STACKS_ID(a));
	for (uint32_t i = 0; stack && i < stack->n; i++)
		put_address(s, stack->addr[i], to);
}
