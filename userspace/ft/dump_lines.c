// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Records are copied for the crew, which makes lines of them. See dump_lines.h. */
#include "base/crew/line.h"
#include "base/crew/written.h"
#include "base/mem.h"
#include "ft/dump_lines.h"

/* Items in a block of text. */
#define LOT		1024

struct item {
	struct ft_record	rec;
	uint64_t		ts, lost;
	const struct event_type	*type;
	unsigned int		stream;
	bool			is_gap;
};

struct lot {
	struct record_lines	lines;		/* as they are before the first */
	struct written		text;
	unsigned int		n;
	struct item		item[LOT];
};

struct dump_lines {
	struct record_lines	*lines;
	struct line		*line;
	struct lot		*lot;		/* that is filled */
	int			error;
};

static void print(void *arg, void *block, unsigned int worker)
{
	struct lot *lot = block;
	FILE *f = written_begin(&lot->text);

	(void)arg;
	(void)worker;
	if (!f)
		return;
	lot->lines.out = f;
	for (unsigned int i = 0; i < lot->n; i++) {
		const struct item *item = &lot->item[i];

		if (item->is_gap)
			record_lines_gap(&lot->lines, item->ts, item->stream, item->lost);
		else
			record_lines_put(&lot->lines, item->ts, item->stream, item->type,
					 &item->rec);
	}
	written_end(&lot->text, f);
}

static void write_out(void *arg, void *block)
{
	struct dump_lines *d = arg;
	struct lot *lot = block;

	written_put(&lot->text, d->lines->out, &d->error);
	lot->n = 0;
}

struct dump_lines *dump_lines_new(struct record_lines *lines, struct crew *crew)
{
	struct dump_lines *d = mem_zalloc(1, sizeof(*d));
	const struct line_asked asked = {
		.size = sizeof(struct lot), .blocks = line_blocks(crew),
		.work = print, .empty = write_out, .arg = d,
	};

	d->lines = lines;
	d->line = line_new(crew, &asked);
	d->lot = line_block(d->line);
	return d;
}

int dump_lines_put(struct dump_lines *d, const struct stream *s)
{
	struct item *item;

	if (d->lot->n == LOT)
		d->lot = line_next(d->line);
	if (!d->lot->n)
		d->lot->lines = *d->lines;
	item = &d->lot->item[d->lot->n++];
	item->ts = s->ts;
	item->stream = s->cpu;
	item->is_gap = s->item == STREAM_GAP;
	if (item->is_gap) {
		item->lost = stream_lost(s);
		return d->error;
	}
	item->rec = *s->rec;
	item->type = stream_event(s->trace, s);
	d->lines->last = s->ts;
	d->lines->any = true;
	return d->error;
}

static void free_text(void *block)
{
	struct lot *lot = block;

	free(lot->text.text);
}

int dump_lines_end(struct dump_lines *d, int error)
{
	if (!d)
		return error;
	if (!error) {
		line_flush(d->line);
		error = d->error;
	}
	line_end(d->line, free_text);
	mem_free(d);
	return error;
}
