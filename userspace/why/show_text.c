// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The answer for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "view/text/text.h"
#include "why/show.h"

#define NSEC	1000000000u
#define COLUMNS	100
#define DEEPEST	20	/* indentation of a chain */
#define INDENT	29	/* of causes in a summary */
#define WIDTH	(COLUMNS - INDENT - 9)	/* of what sleep was for */

/* To the nanosecond, so that parts add up. */
static void print_us(uint64_t ns, int width)
{
	printf("%*" PRIu64 ".%03u us", width, ns / 1000, (unsigned int)(ns % 1000));
}

static void print_ticks(const struct why *w, uint64_t from, uint64_t ticks, uint64_t length)
{
	char share[CELL];

	print_us(why_ns(w, from + ticks) - why_ns(w, from), 10);
	printf(" %7s  ", text_share(share, ticks, length));
}

static void print_parts(const struct why *w, const struct why_part *whole, uint64_t from,
			uint64_t length, int indent)
{
	unsigned int shown = 0, more;
	char words[WHY_WORDS];

	for (const struct why_part *part = whole->part; part; part = part->next) {
		if (shown++ == WHY_SHOWN && part->next) {
			print_ticks(w, from, why_rest(part, &more), length);
			printf("%*s%u smaller parts\n", indent, "", more);
			return;
		}
		print_ticks(w, from, part->ticks, length);
		printf("%*s%s", indent, "", why_part_words(w, part, words));
		if (part->times > 1)
			printf(" (%" PRIu64 " times)", part->times);
		putchar('\n');
		if (*why_holder_words(w, part, words))
			printf("%27s%*s%s\n", "", indent, "", words);
		print_parts(w, part, from, length, indent < DEEPEST ? indent + 2 : indent);
		from += part->ticks;
	}
}

static void print_item(const struct why *w, const struct why_item *item)
{
	uint64_t length = item->end - item->start;
	char words[WHY_WORDS], *stack;

	putchar('\n');
	print_us(why_ns(w, length), 10);
	printf("  %s: %s\n", why_kind_name(item->kind), why_item_words(w, item, words));
	printf("%19s%s\n", "", why_item_where(w, item, words));
	stack = why_stack_words(w, item);
	text_stack(19, stack);
	mem_free(stack);
	print_parts(w, &item->whole, 0, length, 0);
}

static report_ps span(const struct why *w, unsigned __int128 ticks)
{
	return ticks >> 87 ? ~(report_ps)0 : ticks * 1000 * NSEC / w->trace.meta.freq;
}

/* The greatest that is not in @used. */
static unsigned int next_cause(const struct why_row *row, uint32_t used)
{
	unsigned int most = WHY_CAUSES;

	for (unsigned int i = 0; i < WHY_CAUSES; i++) {
		if (!(used & 1u << i) && row->ticks[i] &&
		    (most == WHY_CAUSES || row->ticks[i] > row->ticks[most]))
			most = i;
	}
	return most;
}

static void print_causes(const struct why_row *row)
{
	int room = 0, len;
	uint32_t used = 0;
	unsigned int cause;
	char words[64];

	while ((cause = next_cause(row, used)) != WHY_CAUSES) {
		len = snprintf(words, sizeof(words), "%.1f %% %s",
			       100 * (double)row->ticks[cause] / (double)row->sum,
			       why_cause_words(cause));
		if (len + 2 > room) {
			printf("%s%*s%s", used ? ",\n" : "", INDENT, "", words);
			room = COLUMNS - INDENT;
		} else {
			printf(", %s", words);
		}
		room -= len + 2;
		used |= 1u << cause;
	}
	if (!used)
		printf("%*s%s", INDENT, "", "no time at all");
	putchar('\n');
}

/* In one line, or with the waker in a second one. */
static void print_detail(const char *words)
{
	const char *by = strlen(words) > WIDTH ? strstr(words, WHY_WOKEN_BY) : NULL;
	int len = by ? (int)(by - words) : WIDTH;

	printf("%.*s\n", len < WIDTH ? len : WIDTH, words);
	if (by)
		printf("%*s%.*s\n", COLUMNS - WIDTH + 2, "", WIDTH - 2,
		       by + strspn(WHY_WOKEN_BY, ", "));
}

/* What the sleep was for. */
static void print_details(const struct why *w, const struct why_row *row)
{
	const struct why_detail *detail = row->detail;
	char words[WHY_WORDS];

	for (unsigned int i = 0; detail && i < WHY_DETAILS_SHOWN; i++, detail = detail->next) {
		printf("%*s%5.1f %%  ", INDENT, "",
		       100 * (double)detail->ticks / (double)row->sum);
		print_detail(why_detail_words(w, detail, words));
	}
}

static void print_row(const struct why *w, const struct why_row *row, const char *what)
{
	char cell[CELL];

	printf("%9s", text_ps(cell, span(w, row->sum)));
	printf(" %8" PRIu64, row->count);
	printf(" %8s %s\n", text_ps(cell, span(w, row->max)), what);
	print_causes(row);
	print_details(w, row);
}

static void print_table(const struct why *w, enum why_kind kind)
{
	const struct why_table *table = &w->table[kind];
	char words[WHY_WORDS];

	printf("\n%s, by %s: all %s, longest total first\n\n",
	       kind == WHY_HOLD ? "Held" : "Waited", why_by_words(w->by),
	       kind == WHY_HOLD ? "sections" : "waits");
	printf("%9s %8s %8s\n", "total", "number", "longest");
	print_row(w, &table->all, "all");
	for (size_t i = 0; i < table->rows && i < w->top; i++)
		print_row(w, table->row[i], why_row_words(w, table->row[i], words));
	if (table->rows > w->top)
		printf("and %zu more (--top 0)\n", table->rows - w->top);
	if (table->memory.refused)
		printf("%" PRIu64 " are in \"all\" alone: there were too many rows\n",
		       table->memory.refused);
}

static void print_kind(const struct why *w, enum why_kind kind)
{
	if (!w->table[kind].all.count) {
		printf("\nNo %s is complete and selected.\n", kind == WHY_HOLD ? "section" : "wait");
		return;
	}
	if (w->items[kind])
		printf("\nThe longest %s, and what they were spent with\n",
		       kind == WHY_HOLD ? "sections" : "waits");
	for (size_t i = 0; i < w->items[kind]; i++)
		print_item(w, &w->item[kind][i]);
	print_table(w, kind);
}

void why_text(const struct why *w)
{
	const char *line;

	printf("trace %s\n", w->trace.title);
	if (w->holds)
		print_kind(w, WHY_HOLD);
	if (w->waits)
		print_kind(w, WHY_WAIT);
	putchar('\n');
	for (unsigned int i = 0; (line = why_missing(w, i)); i++) {
		if (*line)
			printf("This trace does not show %s.\n", line);
	}
	printf("Of %" PRIu64 " sections and %" PRIu64 " waits only one end is in the trace: they are "
	       "left out.\n", w->cut_sections, w->cut_waits);
	if (w->refused)
		printf("%" PRIu64 " more are left out: there were too many.\n", w->refused);
}
