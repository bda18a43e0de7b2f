// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for people: locks that can wait for each other for ever. */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/order_cycles.h"
#include "base/mem.h"
#include "symbols/frames.h"
#include "symbols/tasks.h"
#include "view/long_section.h"
#include "view/text/text.h"

static void print_task(const struct report *r, int32_t tid, uint8_t ctx)
{
	const char *name = names_find(r->names, tid);

	if (ctx)
		printf("%s", report_context_name(report_context(ctx)));
	else if (name)
		printf("%s (%" PRId32 ")", name, tid);
	else
		printf("task %" PRId32, tid);
}

static void print_stack(const struct report *r, int indent, uint32_t number)
{
	char *path;

	if (!number)
		return;
	path = frames_path(r->symbols, stacks_at(r->stacks, number), true, LONG_SHOWN);
	text_stack(indent, path);
	mem_free(path);
}

static void print_edge(const struct report *r, const struct order_edge *e, uint64_t count)
{
	struct order_edge_stacks stack = order_stacks_of(r->order_stacks, e);
	char symbol[SYMBOLS_LEN];

	printf("%10" PRIu64 "  %s (%s)\n", count, text_site(r, e->outer_site, symbol),
	       r->family[e->outer_family].title);
	print_stack(r, 14, stack.outer);
	printf("%18s%s (%s), first at %.6f s by ", "then  ",
	       text_site(r, e->inner_site, symbol), r->family[e->inner_family].title,
	       text_seconds(r, e->when));
	print_task(r, e->tid, e->ctx);
	putchar('\n');
	print_stack(r, 20, stack.inner);
}

static const char *node(const struct report *r, uint32_t number, char *buf)
{
	return order_node_name(r->symbols, &r->cycles->graph.node[number], buf);
}

static const char *seen_text(enum order_seen seen)
{
	static const char *const words[ORDER_SEEN] = {
		"observed: the same locks, by several tasks",
		"the same locks, but by one task alone",
		"possible: not all locks of these classes were searched",
		"possible: other locks of these classes",
	};

	return words[seen];
}

static void print_cycle(const struct report *r, const struct order_cycle *c)
{
	char name[SYMBOLS_LEN];
	unsigned int i;

	printf("cycle of %u, %s", c->n, seen_text(c->seen));
	if (c->cycles > 1)
		printf("; and %" PRIu64 " more at these places", c->cycles - 1);
	putchar('\n');
	if (c->writers)
		printf("        in it, readers wait for readers only while a writer waits\n");
	for (i = 0; i < c->n; i++) {
		printf("    %s, then %s\n", node(r, c->link[i]->from, name),
		       i + 1 == c->n ? "the first" : "the next");
		print_edge(r, c->edge[i], c->count[i]);
	}
}

static void text_nested(const struct report *r)
{
	const struct order_cycles *c = r->cycles;
	char name[SYMBOLS_LEN];
	size_t i;

	if (!c->n_nested)
		return;
	text_title(r, "Classes nested within themselves");
	for (i = 0; i < c->n_nested && i < r->top; i++) {
		const struct order_nested *n = &c->nested[i];

		printf("%s: %" PRIu64 " times, %zu pairs of locks; ",
		       node(r, n->link->from, name), n->link->count, n->link->n);
		if (!n->inverted)
			printf("none in both orders\n");
		else
			printf("%" PRIu64 " in both orders%s\n", n->inverted,
			       n->seen == ORDER_ONE_TASK ? ", each by one task alone" : "");
		print_edge(r, n->edge, n->edge->count);
		if (n->back)
			print_edge(r, n->back, n->back->count);
	}
	if (c->n_nested > r->top)
		printf("and %zu more (--top 0)\n", c->n_nested - r->top);
}

void text_cycles(const struct report *r)
{
	const struct order_cycles *c = r->cycles;
	size_t i;

	if (c->n)
		text_title(r, "WARNING: cycles in the lock order");
	for (i = 0; i < c->n && i < r->top; i++)
		print_cycle(r, &c->cycle[i]);
	if (c->n > r->top)
		printf("and %zu more (--top 0)\n", c->n - r->top);
	if (c->n)
		printf("as many tasks, each in another of its lines, can wait for each other for ever\n");
	if (c->cut)
		printf("the search for cycles was stopped: there may be more\n");
	if (c->cut_locks)
		printf("not all cycles were searched for the same locks\n");
	if (order_tried(r->order))
		printf("%" PRIu64 " nested acquisitions by trylock wait for nobody and are left out\n",
		       order_tried(r->order));
	else if ((c->n || c->n_nested) && !irq_uses_knows_calls(r->irq_uses))
		printf("the trace does not tell trylocks, which cannot deadlock, from others\n");
	text_nested(r);
}

/* --- interrupts ----------------------------------------------------------------------- */

static void print_use(const struct report *r, const struct irq_use *u, const char *what,
		      uint64_t count)
{
	char symbol[SYMBOLS_LEN];

	printf("%10" PRIu64 "  %s: %s (%s), first at %.6f s by ", count, what,
	       text_site(r, u->site, symbol), r->family[u->family].title,
	       text_seconds(r, u->when));
	print_task(r, u->tid, u->ctx);
	putchar('\n');
}

static void print_unsafe(const struct report *r, const struct irq_unsafe *u)
{
	const struct order_node class = { .class = u->class, .lock = u->inside->key.a };
	char name[SYMBOLS_LEN], what[48];

	printf("%s: %s", order_node_name(r->symbols, &class, name),
	       u->certain ? "certain: an interrupt came while it was held" :
			    "possible: by a function that leaves them on");
	printf("%s\n", u->same ? "" : ", of another lock of the class");
	snprintf(what, sizeof(what), "in %s", irq_kind_name(u->kind));
	print_use(r, u->inside, what, u->inside_count);
	snprintf(what, sizeof(what), "with %ss on", irq_kind_name(u->kind));
	print_use(r, u->on, what, u->certain ? u->came : u->on_count);
}

void text_irq_unsafe(const struct report *r)
{
	const struct irq_unsafe *u;
	size_t n, i;

	u = irq_uses_unsafe(r->irq_uses, &n);
	if (!n)
		return;
	/* the worst is the first */
	if (u->certain)
		text_title(r, "WARNING: locks that interrupts take, and others with interrupts on");
	else
		text_title(r, "Locks that interrupts take, and others perhaps with interrupts on");
	for (i = 0; i < n && i < r->top; i++)
		print_unsafe(r, &u[i]);
	if (n > r->top)
		printf("and %zu more (--top 0)\n", n - r->top);
	printf("an interrupt on the CPU that has the lock waits for ever; what is possible may "
	       "be\nunder local_irq_disable() or local_bh_disable(), which no record shows\n");
}
