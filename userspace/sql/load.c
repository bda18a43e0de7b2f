// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From traces into a database: one pass over each trace, one transaction for all. */
#include <err.h>
#include <errno.h>
#include <stdio.h>

#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/message.h"
#include "sql/load.h"
#include "trace/progress.h"

/* The reader's items that are wanted. */
static unsigned int kinds_of(const struct database *d)
{
	unsigned int kinds = 0;

	for (unsigned int i = 0; i < RELATIONS; i++) {
		if (d->used[i])
			kinds |= relations[i]->kind;
	}
	return kinds;
}

/* A row of each relation of this kind. Return: 0, or -1 with a message */
static int add(struct database *d, struct source *s, const struct ft_reader_item *item)
{
	struct row row = { .source = s, .item = item };

	for (unsigned int i = 0; i < RELATIONS; i++) {
		const struct relation *r = relations[i];

		if (!d->used[i] || r->kind != (item ? item->kind : 0))
			continue;
		if ((!r->selects || r->selects(&row)) && database_add(d, i, &row))
			return -1;
	}
	return 0;
}

/* What is there of the trace is in the database; *@failed: not all. Return: the exit status */
static int read_items(struct database *d, struct source *s, bool *failed)
{
	const struct ft_reader_item *item;
	int ret;

	reading_progress(&s->reader->reading, NULL);
	while ((ret = ft_reader_next(s->reader, &item)) > 0 && !*failed)
		*failed = end_signals_came() || add(d, s, item);
	if (*failed) {
		if (s->reader->reading.shown)
			progress_end();
		if (end_signals_came())
			warnx("ended by a signal: no database is left");
		return FT_EXIT_ERROR;
	}
	*failed = add(d, s, NULL);
	message_lines(ft_reader_notes(s->reader));
	if (ret < 0 && ret != -EBADMSG) {	/* that is among the notes */
		message_lines(ft_reader_error(s->reader));
		*failed = true;
	}
	return ret < 0 || *failed ? FT_EXIT_ERROR : trace_status(s->trace);
}

static int load(struct database *d, char *const *paths, const struct filter_options *filter,
		const struct symbols_options *symbols, bool *failed)
{
	int status = FT_EXIT_OK;

	for (unsigned int i = 0; paths[i] && !*failed; i++) {
		struct source *s = source_open(paths[i], i + 1, kinds_of(d), filter, symbols);
		int ret = s ? read_items(d, s, failed) : FT_EXIT_ERROR;

		*failed |= !s;
		source_close(s);
		/* an error counts more than lost records */
		if (status != FT_EXIT_ERROR && ret != FT_EXIT_OK)
			status = ret;
	}
	return status;
}

int load_traces(struct database *d, char *const *paths, const struct filter_options *filter,
		const struct symbols_options *symbols, bool *failed)
{
	int status;

	*failed = database_begin(d) != 0;
	if (*failed)
		return FT_EXIT_ERROR;
	trace_allow_files(UINT16_MAX);
	status = load(d, paths, filter, symbols, failed);
	if (*failed)
		return FT_EXIT_ERROR;
	*failed = database_end(d) != 0;
	return *failed ? FT_EXIT_ERROR : status;
}
