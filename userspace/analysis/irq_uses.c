// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* In which contexts locks are taken, and with which interrupts on: see irq_uses.h. */
#include "analysis/irq_uses.h"
#include "analysis/order_return.h"
#include "analysis/report.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "symbols/lock_calls.h"

/* Tags of uses, beside report_context(). */
#define TAG_CONTEXT	0x03u
#define TAG_WAITS	0x04u	/* whoever has the lock makes it wait */
#define TAG_ON		0x08u	/* interrupts can come: << IRQ_HARD, << IRQ_SOFT */
#define TAG_READER	0x20u
#define TAG_CAME	0x40u	/* and one came */

struct irq_uses {
	const struct symbols	*symbols;
	const struct lock_calls	*calls;
	struct pairs		uses;
	struct map		looked;		/* by call site: acquisitions by tasks */
	struct arena		memory;		/* of these */
	struct irq_unsafe	*unsafe;
	size_t			n, room;
};

/* The uses of a lock, or of all locks of a class; by kind, and whether by a reader. */
struct known {
	const struct irq_use	*inside[IRQ_KINDS][2], *on[IRQ_KINDS][2];
	uint64_t		inside_count[IRQ_KINDS], on_count[IRQ_KINDS], came[IRQ_KINDS];
};

/* A use with the class of its lock, while they are sorted. */
struct classed {
	const struct lock_class_known	*class;
	const struct irq_use		*use;
};

struct irq_uses *irq_uses_new(const struct symbols *symbols)
{
	struct irq_uses *u = mem_zalloc(1, sizeof(*u));

	u->symbols = symbols;
	u->calls = symbols_lock_calls(symbols);
	u->uses.size = sizeof(struct irq_use);
	u->uses.max = IRQ_USES_MAX;
	return u;
}

void irq_uses_free(struct irq_uses *u)
{
	if (!u)
		return;
	pairs_free(&u->uses);
	map_free(&u->looked);
	arena_free(&u->memory);
	mem_free(u->unsafe);
	mem_free(u);
}

static void count(struct irq_uses *u, const struct section *s, uint32_t tag, uint64_t when)
{
	struct irq_use *use;

	tag |= report_context(s->ctx);
	if (locks_families[s->family].reader)
		tag |= TAG_READER;
	use = pairs_get(&u->uses, s->lock, 0, tag);
	if (!use)
		return;
	if (!use->count++) {
		use->when = when;
		use->site = s->site;
		use->tid = s->tid;
		use->cpu = s->cpu;
		use->family = s->family;
		use->ctx = s->ctx;
	}
}

/* A softirq runs with interrupts on, so it shows that both are on. */
static void came(struct irq_uses *u, const struct section *s, const struct section *outer)
{
	bool soft = report_context(s->ctx) == CONTEXT_SOFTIRQ;

	count(u, outer, TAG_CAME | TAG_ON << IRQ_HARD | (soft ? TAG_ON << IRQ_SOFT : 0), s->start);
}

/* What is off for sure; @known: and whether the rest may be on. */
static unsigned int turned_off(const struct irq_uses *u, const struct section *s,
			       const struct section *const *outer, unsigned int n, bool *known)
{
	unsigned int flags = lock_calls_at(u->calls, s->site), of;

	*known = flags & LOCK_CALL_KNOWN;
	for (unsigned int i = 0; i < n && *known; i++) {
		if (!locks_is_spinning(outer[i]->family) ||
		    report_context(outer[i]->ctx) != report_context(s->ctx))
			continue;
		of = lock_calls_at(u->calls, outer[i]->site);
		flags |= of & (LOCK_CALL_IRQS_OFF | LOCK_CALL_SOFTIRQS_OFF);
		*known = of & LOCK_CALL_KNOWN;
	}
	return flags;
}

/* A table of all locks is in no cache; call sites are few. */
static bool is_looked_at(struct irq_uses *u, uint64_t site)
{
	uint32_t *n = map_get(&u->looked, site);

	if (!n) {
		n = arena_zalloc(&u->memory, sizeof(*n));
		map_put(&u->looked, site, n);
	}
	return (*n)++ < IRQ_USES_FIRST || !(*n % IRQ_USES_EACH);
}

void irq_uses_begin(struct irq_uses *u, const struct section *s,
		    const struct section *const *outer, unsigned int n)
{
	enum report_context context = report_context(s->ctx);
	unsigned int off;
	uint32_t tag = 0;
	bool known;

	if (context == CONTEXT_NMI)
		return;
	for (unsigned int i = 0; context != CONTEXT_TASK && i < n; i++) {
		if (locks_is_spinning(outer[i]->family) &&
		    report_context(outer[i]->ctx) < context &&
		    !(outer[i]->flags & SECTION_SKIP))
			came(u, s, outer[i]);
	}
	if (s->flags & SECTION_SKIP || !locks_is_spinning(s->family) ||
	    (context == CONTEXT_TASK && (!u->calls || !is_looked_at(u, s->site))))
		return;
	off = turned_off(u, s, outer, n, &known);
	if (context != CONTEXT_TASK && !(off & LOCK_CALL_TRIES))
		tag |= TAG_WAITS;
	if (context != CONTEXT_HARDIRQ && known && !(off & LOCK_CALL_IRQS_OFF)) {
		tag |= TAG_ON << IRQ_HARD;
		if (context == CONTEXT_TASK && !(off & LOCK_CALL_SOFTIRQS_OFF))
			tag |= TAG_ON << IRQ_SOFT;
	}
	if (tag)
		count(u, s, tag, s->start);
}

/* --- what is unsafe ------------------------------------------------------------------ */

static const struct irq_use *better(const struct irq_use *x, const struct irq_use *y)
{
	if (!x || !y)
		return x ? x : y;
	if ((x->key.tag ^ y->key.tag) & TAG_CAME)
		return x->key.tag & TAG_CAME ? x : y;
	return y->count > x->count ? y : x;
}

static void add_use(struct known *k, const struct irq_use *use)
{
	static const enum report_context contexts[IRQ_KINDS] = { CONTEXT_HARDIRQ, CONTEXT_SOFTIRQ };
	unsigned int reader = !!(use->key.tag & TAG_READER), kind;

	for (kind = 0; kind < IRQ_KINDS; kind++) {
		if (use->key.tag & TAG_WAITS &&
		    (use->key.tag & TAG_CONTEXT) == contexts[kind]) {
			k->inside[kind][reader] = better(k->inside[kind][reader], use);
			k->inside_count[kind] += use->count;
		}
		if (!(use->key.tag & TAG_ON << kind))
			continue;
		k->on[kind][reader] = better(k->on[kind][reader], use);
		*(use->key.tag & TAG_CAME ? &k->came[kind] : &k->on_count[kind]) += use->count;
	}
}

/* Readers of interrupts do not wait for readers. Return: is there anything to say? */
static bool judge(const struct known *k, enum irq_kind kind, struct irq_unsafe *out)
{
	bool any = false;

	for (unsigned int i = 0; i < 3; i++) {
		const struct irq_use *inside = k->inside[kind][i == 1];
		const struct irq_use *on = k->on[kind][i == 2];

		if (!inside || !on || (any && better(out->on, on) == out->on))
			continue;
		any = true;
		out->inside = inside;
		out->on = on;
	}
	if (any)
		out->certain = out->on->key.tag & TAG_CAME;
	return any;
}

static void add_unsafe(struct irq_uses *u, const struct irq_unsafe *found)
{
	if (u->n == u->room) {
		u->room = u->room ? 2 * u->room : 64;
		u->unsafe = mem_resize(u->unsafe, u->room, sizeof(*u->unsafe));
	}
	u->unsafe[u->n++] = *found;
}

/* All uses of a class, or of a lock without one, by lock. */
static void judge_class(struct irq_uses *u, const struct classed *c, size_t n)
{
	struct irq_unsafe found[IRQ_KINDS] = { { .kind = IRQ_HARD }, { .kind = IRQ_SOFT } };
	struct known all = { 0 };
	unsigned int kind;
	size_t i, k;

	for (i = 0; i < n; i = k) {
		struct known one = { 0 };

		for (k = i; k < n && c[k].use->key.a == c[i].use->key.a; k++) {
			add_use(&one, c[k].use);
			add_use(&all, c[k].use);
		}
		for (kind = 0; kind < IRQ_KINDS; kind++) {
			struct irq_unsafe same = { 0 };

			if (!judge(&one, kind, &same))
				continue;
			if (!found[kind].locks++ || (same.certain && !found[kind].certain)) {
				found[kind].inside = same.inside;
				found[kind].on = same.on;
				found[kind].certain = same.certain;
			}
			found[kind].same = true;
		}
	}
	for (kind = 0; kind < IRQ_KINDS; kind++) {
		struct irq_unsafe *f = &found[kind], whole = { 0 };

		if (!judge(&all, kind, &whole))
			continue;
		if (!f->same || (whole.certain && !f->certain)) {
			f->inside = whole.inside;
			f->on = whole.on;
			f->certain = whole.certain;
			f->same = whole.inside->key.a == whole.on->key.a;
		}
		f->class = c->class;
		f->lock = c->use->key.a;
		f->inside_count = all.inside_count[kind];
		f->on_count = all.on_count[kind];
		f->came = all.came[kind];
		add_unsafe(u, f);
	}
}

static int compare_classed(const void *a, const void *b)
{
	const struct classed *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->use->key.a != y->use->key.a)
		return x->use->key.a < y->use->key.a ? -1 : 1;
	return (x->use->key.tag > y->use->key.tag) - (x->use->key.tag < y->use->key.tag);
}

static int compare_unsafe(const void *a, const void *b)
{
	const struct irq_unsafe *x = a, *y = b;

	if (x->certain != y->certain)
		return x->certain ? -1 : 1;
	if (x->same != y->same)
		return x->same ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->inside_count != y->inside_count)
		return x->inside_count > y->inside_count ? -1 : 1;
	return (x->lock > y->lock) - (x->lock < y->lock);
}

void irq_uses_finish(struct irq_uses *u)
{
	struct irq_use **uses = (struct irq_use **)pairs_list(&u->uses);
	struct classed *c = mem_zalloc(u->uses.used + 1, sizeof(*c));
	size_t n = u->uses.used, i, k;

	for (i = 0; i < n; i++)
		c[i] = (struct classed){ order_class_of(symbols_locks(u->symbols),
							uses[i]->key.a), uses[i] };
	mem_free(uses);
	if (n)
		qsort(c, n, sizeof(*c), compare_classed);
	for (i = 0; i < n; i = k) {
		for (k = i; k < n && c[k].class == c[i].class; k++) {
			if (!c[i].class && c[k].use->key.a != c[i].use->key.a)
				break;
		}
		judge_class(u, c + i, k - i);
	}
	mem_free(c);
	if (u->n)
		qsort(u->unsafe, u->n, sizeof(*u->unsafe), compare_unsafe);
}

const struct irq_unsafe *irq_uses_unsafe(const struct irq_uses *u, size_t *n)
{
	*n = u->n;
	return u->unsafe;
}

uint64_t irq_uses_refused(const struct irq_uses *u)
{
	return u->uses.refused;
}

bool irq_uses_knows_calls(const struct irq_uses *u)
{
	return u->calls;
}

const char *irq_kind_name(enum irq_kind kind)
{
	return kind == IRQ_HARD ? "hardirq" : "softirq";
}
