// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A long section in words. See long_section.h. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "symbols/frames.h"
#include "symbols/lines.h"
#include "symbols/tasks.h"
#include "view/long_section.h"

static uint64_t held_inside(const struct section *outer, const struct section *s)
{
	/* one without an end goes on at least to the end of the outer one */
	return (s->end ? s->end : outer->end) - s->start;
}

/* The length from which on sections inside are shown. */
static uint64_t shown_from(const struct long_section *l)
{
	uint64_t longest[LONG_SHOWN] = { 0 };
	unsigned int i, at;

	for (i = 0; i < l->n_inside; i++) {
		uint64_t held = held_inside(&l->section, &l->inside[i]);

		for (at = LONG_SHOWN; at > 0 && held > longest[at - 1]; at--) {
			if (at < LONG_SHOWN)
				longest[at] = longest[at - 1];
			longest[at - 1] = held;
		}
	}
	return longest[LONG_SHOWN - 1];
}

static struct long_inside describe(const struct report *r, const struct section *outer,
				   const struct section *s)
{
	int level = (int)section_level(s) - (int)section_level(outer) - 1;

	/* an interrupt, or what is internal, counts depth by itself */
	if (level < 0 || s->flags & SECTION_INTERNAL)
		level = 0;
	return (struct long_inside){
		.since = s->start - outer->start,
		.held = held_inside(outer, s),
		.goes_on = !s->end,
		.level = (unsigned int)level,
		.family = r->family[s->family].title,
		.context = s->ctx == outer->ctx ? NULL :
			   report_context_name(report_context(s->ctx)),
		.site = s->site,
	};
}

static void choose_inside(struct long_shown *shown, const struct report *r,
			  const struct long_section *l)
{
	uint64_t from = shown_from(l);
	unsigned int i;

	shown->n_inside = 0;
	for (i = 0; i < l->n_inside && shown->n_inside < LONG_SHOWN; i++) {
		if (held_inside(&l->section, &l->inside[i]) >= from)
			shown->inside[shown->n_inside++] =
				describe(r, &l->section, &l->inside[i]);
	}
}

static void say_left_out(struct long_shown *shown, const struct long_section *l)
{
	int len = 0;

	shown->left_out[0] = '\0';
	if (l->n_inside > shown->n_inside)
		len = snprintf(shown->left_out, sizeof(shown->left_out),
			       "%u shorter ones are not shown", l->n_inside - shown->n_inside);
	if (l->ended > l->n_inside)
		snprintf(shown->left_out + len, sizeof(shown->left_out) - (size_t)len,
			 "%s%" PRIu32 " ended inside it; those before the latest %u are not known",
			 len ? "; " : "", l->ended, LOCKS_INSIDE);
}

void long_show(struct long_shown *shown, const struct report *r,
	       const struct long_section *l)
{
	const struct section *s = &l->section;
	const char *name = names_find(r->names, s->tid);
	char symbol[SYMBOLS_LEN], title[TRACE_NAME_LEN];

	shown->held = s->end - s->start;
	shown->line = lines_find(r->lines, s->site);
	snprintf(shown->what, sizeof(shown->what), "%s at %s",
		 r->family[s->family].title,
		 symbols_format(r->symbols, s->site, true, symbol, sizeof(symbol)));
	snprintf(shown->where, sizeof(shown->where),
		 "at %.9f s, %s, %s %" PRId32 "%s%s, lock %s",
		 (double)(s->start - r->trace.start) / (double)r->trace.meta.freq,
		 trace_stream_title(title, s->cpu),
		 report_context_name(report_context(s->ctx)), s->tid,
		 name ? " " : "", name ? name : "",
		 symbols_format(r->symbols, s->lock, false, symbol, sizeof(symbol)));
	shown->stack = l->stack ? frames_path(r->symbols, stacks_at(r->stacks, l->stack), true,
					      LONG_SHOWN) : NULL;
	choose_inside(shown, r, l);
	say_left_out(shown, l);
}

void long_end(struct long_shown *shown)
{
	mem_free(shown->stack);
}
