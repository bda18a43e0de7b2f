// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * From the streams of a trace to items: records, gaps, and what the pairing of
 * acquisitions and releases finds out from them.
 */
#include "base/mem.h"
#include "libfttrace/handle.h"

/* At least this many at once, so that entering the scope costs little. */
#define BATCH	64

static struct ft_reader_item *add_item(struct ft_reader *r, enum ft_reader_kind kind,
				       uint32_t stream)
{
	bool program = stream >= TRACE_THREADS;
	struct ft_reader_item *item;

	if (r->n == r->room) {
		r->queue = mem_resize(r->queue, 2 * r->n + BATCH, sizeof(*r->queue));
		r->room = 2 * r->n + BATCH;
	}
	item = &r->queue[r->n++].item;
	*item = (struct ft_reader_item){
		.kind = kind,
		.cpu = program ? -1 : (int32_t)stream,
		.ring = program ? (int32_t)trace_stream_index(stream) : -1,
	};
	return item;
}

/* What comes out of the pairing. */

static void each_section(void *arg, const struct section *s)
{
	struct ft_reader_item *item;
	struct ft_reader *r = arg;

	if (!(r->kinds & FT_READER_SECTIONS))
		return;
	item = add_item(r, FT_READER_SECTIONS, s->cpu);
	item->context = s->ctx;
	item->tid = s->tid;
	item->time = s->end;
	item->section = (struct ft_reader_section){
		.start = s->start,
		.end = s->end,
		.length = s->end - s->start,
		.lock = s->lock,
		.site = s->site,
		.family = locks_name(s->family),
		.depth_spinning = s->depth[LOCKS_SPINNING],
		.depth_sleeping = s->depth[LOCKS_SLEEPING],
		.depth_both = s->depth[LOCKS_BOTH],
		.depth_program = s->depth[LOCKS_PROGRAM],
		.track = section_is_late(s) ? 0 : section_track(s),
		.flags = (locks_is_spinning(s->family) ? FT_READER_SPINNING : 0) |
			 (locks_is_program(s->family) ? FT_READER_PROGRAM : 0) |
			 (section_is_late(s) ? FT_READER_LATE : 0),
	};
	r->queue[r->n - 1].section = *s;
}

static void each_wait(void *arg, const struct wait *w)
{
	struct ft_reader *r = arg;
	struct ft_reader_item *item = add_item(r, FT_READER_WAITS, w->cpu);

	item->context = w->ctx;
	item->tid = w->tid;
	item->time = w->end;
	item->wait = (struct ft_reader_wait){
		.begin = w->begin,
		.end = w->end,
		.length = w->end - w->begin,
		.lock = w->lock,
		.site = w->site,
		.holder = w->holder,
		.family = locks_name(w->family),
		.holder_family = w->holder ? locks_name(w->holder_family) : NULL,
	};
	r->queue[r->n - 1].wait = *w;
}

static void each_begin(void *arg, struct section *section)
{
	struct ft_reader *r = arg;

	if (r->waits)
		waits_acquired(r->waits, section);
}

static void add_record(struct ft_reader *r, const struct stream *s)
{
	struct ft_reader_item *item = add_item(r, FT_READER_RECORDS, s->cpu);
	const struct ft_record *rec = s->rec;

	item->context = rec->ctx;
	item->tid = rec->tid;
	item->time = s->ts;
	item->record = (struct ft_reader_record){
		.stamp = rec->ts,
		.a = rec->a,
		.b = rec->b,
		.event = ft_reader_find_event(r, s->class, rec->id),
		.id = rec->id,
		.stream_class = s->class,
	};
}

static void add_gap(struct ft_reader *r, const struct stream *s)
{
	struct ft_reader_item *item = add_item(r, FT_READER_GAPS, s->cpu);

	/* before its first record, a stream has no time yet */
	item->time = s->ts > r->trace.start ? s->ts : r->trace.start;
	item->gap.lost = stream_lost(s);
}

/* From streams. */

static void feed(struct ft_reader *r, const struct stream *s)
{
	unsigned int kind;

	if (s->item != STREAM_RECORD) {
		if (r->waits)
			waits_gap(r->waits, s, locks_in_gap(r->locks, s));
		locks_feed(r->locks, s);
		return;
	}
	kind = locks_kinds(r->locks)[s->class][s->rec->id];
	if (kind < LOCKS_KIND_OTHER)
		locks_record(r->locks, s, kind);
	else if (kind == LOCKS_KIND_WAIT_BEGIN && r->waits)
		waits_begin(r->waits, s);
	else if (kind == LOCKS_KIND_WAIT_END && r->waits)
		waits_end(r->waits, s);
}

static void take(struct ft_reader *r, const struct stream *s)
{
	if (s->item == STREAM_RECORD && r->kinds & FT_READER_RECORDS)
		add_record(r, s);
	if (s->item == STREAM_GAP && r->kinds & FT_READER_GAPS)
		add_gap(r, s);
	if (r->locks)
		feed(r, s);
}

static void finish(struct ft_reader *r)
{
	r->ended = true;
	reading_end(&r->reading);
	if (r->locks)
		locks_finish(r->locks);
	if (r->waits)
		waits_finish(r->waits);
}

int items_fill(void *reader)
{
	struct ft_reader *r = reader;
	struct stream *s;

	r->at = r->n = 0;
	while (!r->ended && r->n < BATCH) {
		if (reading_next(&r->reading, &s))
			take(r, s);
		else
			finish(r);
	}
	return 0;
}

int items_begin(struct ft_reader *r)
{
	static const struct locks_watch watch = { .begin = each_begin };

	if (r->kinds & (FT_READER_SECTIONS | FT_READER_WAITS)) {
		r->locks = locks_new(&r->trace, each_section, r);
		locks_watch(r->locks, &watch);
	}
	if (r->kinds & FT_READER_WAITS)
		r->waits = waits_new(r->locks, each_wait, r);
	return reading_begin(&r->reading, &r->trace, r->locks, NULL);
}
