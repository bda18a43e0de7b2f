// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sections are copied for the crew, which writes them into memory. See export_rows.h. */
#include "base/crew/line.h"
#include "base/crew/written.h"
#include "base/mem.h"
#include "ft/export/rows.h"

/* Sections in a block of text. */
#define LOT		1024

struct row {
	struct section			section;
	const struct class_entry	*class;
};

struct lot {
	struct export	export;
	struct written	text;
	unsigned int	n;
	struct row	row[LOT];
};

struct export_rows {
	struct export	*export;
	struct line	*line;
	struct lot	*lot;		/* that is filled */
	int		error;
};

static void print(void *arg, void *block, unsigned int worker)
{
	struct lot *lot = block;
	FILE *f = written_begin(&lot->text);

	(void)arg;
	(void)worker;
	if (!f)
		return;
	lot->export.out = f;
	for (unsigned int i = 0; i < lot->n; i++) {
		lot->export.class = lot->row[i].class;
		lot->export.format->section(&lot->export, &lot->row[i].section);
	}
	written_end(&lot->text, f);
}

static void write_out(void *arg, void *block)
{
	struct export_rows *r = arg;
	struct lot *lot = block;

	written_put(&lot->text, r->export->out, &r->error);
	lot->n = 0;
}

struct export_rows *export_rows_new(struct export *x, struct crew *crew)
{
	struct export_rows *r = mem_zalloc(1, sizeof(*r));
	const struct line_asked asked = {
		.size = sizeof(struct lot), .blocks = line_blocks(crew),
		.work = print, .empty = write_out, .arg = r,
	};

	r->export = x;
	r->line = line_new(crew, &asked);
	r->lot = line_block(r->line);
	return r;
}

/* The index of classes is of this thread; an entry stays as it is. */
int export_rows_put(struct export_rows *r, const struct section *s)
{
	struct row *row;

	if (r->lot->n == LOT)
		r->lot = line_next(r->line);
	if (!r->lot->n)
		r->lot->export = *r->export;
	row = &r->lot->row[r->lot->n++];
	row->section = *s;
	row->class = class_index_known(r->export->classes, s->lock);
	return r->error;
}

static void free_text(void *block)
{
	struct lot *lot = block;

	free(lot->text.text);
}

int export_rows_end(struct export_rows *r, int error)
{
	if (!r)
		return error;
	if (!error) {
		line_flush(r->line);
		error = r->error;
	}
	line_end(r->line, free_text);
	mem_free(r);
	return error;
}
