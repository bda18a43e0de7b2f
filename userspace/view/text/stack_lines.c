// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Stacks of programs as lines: see stack_lines.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/visible.h"
#include "symbols/inlined.h"
#include "symbols/programs.h"
#include "trace/session_file.h"
#include "view/text/stack_lines.h"

#define HEAD		"# feather-trace stacks 1 "
#define MARGIN		"                     "
#define DEPTH		256	/* of what a damaged file says, no more is printed */

struct stack_lines {
	const struct symbols	*symbols;
	struct inlined		*inlined;
	char			*text;
	struct map		by_id;	/* of programs: the addresses in @text */
};

/* "PID ID ADDRESS ..." Return: false: it is the kernel's, or not such a line. */
static bool read_line(struct stack_lines *s, char *line)
{
	char *end, *id_end;
	uint64_t pid = strtoull(line, &end, 10), id;

	if (end == line || *end != ' ' || !pid)
		return false;
	id = strtoull(end + 1, &id_end, 10);
	if (id_end == end + 1 || *id_end != ' ' || !id || id > UINT32_MAX)
		return false;
	map_put(&s->by_id, id, id_end + 1);
	return true;
}

struct stack_lines *stack_lines_open(const char *dir, const struct symbols *symbols)
{
	char *text = visible_file(dir, SESSION_STACKS), *rest = text, *line;
	struct stack_lines *s;

	if (!text || strncmp(text, HEAD, strlen(HEAD))) {
		mem_free(text);
		return NULL;
	}
	s = mem_zalloc(1, sizeof(*s));
	s->symbols = symbols;
	s->inlined = inlined_open(symbols);
	s->text = text;
	while ((line = strsep(&rest, "\n")))
		read_line(s, line);
	return s;
}

void stack_lines_close(struct stack_lines *s)
{
	if (!s)
		return;
	inlined_close(s->inlined);
	map_free(&s->by_id);
	mem_free(s->text);
	mem_free(s);
}

static void put_address(const struct stack_lines *s, uint64_t addr, FILE *to)
{
	char symbol[SYMBOLS_LEN];
	const struct inlined_frame *frame;
	size_t n;

	frame = inlined_find(s->inlined, addr, &n);
	symbols_format(s->symbols, addr, true, symbol, sizeof(symbol));
	/* the symbol itself is the last of the functions */
	for (size_t i = 0; frame && i < n; i++)
		fprintf(to, MARGIN "%s  %s%s\n", i + 1 < n ? frame[i].function : symbol,
			frame[i].line, frame[i].inlined ? "  (inlined)" : "");
	if (!frame)
		fprintf(to, MARGIN "%s\n", symbol);
}

void stack_lines_put(struct stack_lines *s, uint32_t id, uint64_t lock, FILE *to)
{
	const char *at = s && programs_is_address(lock) ? map_get(&s->by_id, id) : NULL;
	char *end;

	for (unsigned int i = 0; at && *at && i < DEPTH; i++) {
		uint64_t addr = strtoull(at, &end, 16);

		if (end == at)
			break;
		put_address(s, addr, to);
		at = end;
	}
}
