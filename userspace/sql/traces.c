// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Traces, one after the other. See traces.h. */
#include <err.h>
#include <errno.h>

#include "base/end_signals.h"
#include "base/exit_status.h"
#include "base/message.h"
#include "sql/traces.h"
#include "trace/progress.h"

static struct source *open_next(const struct traces *t, unsigned int number)
{
	char *const one[] = { t->paths[number], NULL };

	return source_open(t->parts ? t->paths : one, number + 1, t->kinds, t->asked);
}

static bool are_more(const struct traces *t)
{
	return t->parts ? !t->number : !!t->paths[t->number];
}

/* An error counts more than lost records. */
static void add_status(struct traces *t, int status)
{
	if (t->status != FT_EXIT_ERROR && status != FT_EXIT_OK)
		t->status = status;
}

/* Return: -1 */
static int fail(struct traces *t)
{
	t->status = FT_EXIT_ERROR;
	traces_end(t);
	return -1;
}

static int stop(struct traces *t)
{
	if (t->source && t->source->reader->reading.shown)
		progress_end();
	warnx("ended by a signal");
	return fail(t);
}

/* Return: 0, or -1: nothing more is read of any trace */
static int finish(struct traces *t)
{
	struct source *s = t->source;

	message_lines(ft_reader_notes(s->reader));
	if (t->ret < 0 && t->ret != -EBADMSG) {		/* that is among the notes */
		message_lines(ft_reader_error(s->reader));
		return fail(t);
	}
	add_status(t, t->ret < 0 ? FT_EXIT_ERROR : trace_status(s->trace));
	traces_end(t);
	return 0;
}

static int begin(struct traces *t)
{
	t->source = open_next(t, t->number);
	if (!t->source)
		return fail(t);
	t->number++;
	t->ended = false;
	reading_progress(&t->source->reader->reading, t->out);
	return 0;
}

int traces_next(struct traces *t, struct row *row)
{
	if (t->source && t->ended && finish(t))
		return -1;
	if (end_signals_came())
		return stop(t);
	if (!t->source) {
		if (!are_more(t))
			return 0;
		if (begin(t))
			return -1;
	}
	row->source = t->source;
	t->ret = ft_reader_next(t->source->reader, &row->item);
	if (t->ret <= 0) {
		row->item = NULL;
		t->ended = true;
	}
	return 1;
}

void traces_end(struct traces *t)
{
	source_close(t->source);
	t->source = NULL;
}

int traces_check(const struct traces *t)
{
	struct filter_options filter = *t->asked->filter;
	const struct source_asked asked = { .filter = &filter, .symbols = t->asked->symbols };
	struct traces plain = *t;

	/* else --site would read each of them to its end */
	filter.no_fold = true;
	plain.asked = &asked;
	for (unsigned int i = 0; t->paths[i]; i++) {
		struct source *s = open_next(&plain, i);

		if (!s)
			return -1;
		source_close(s);
	}
	return 0;
}
