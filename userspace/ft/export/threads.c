// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft export: what threads and CPUs do. See export_threads.h. */
#include <errno.h>

#include "base/mem.h"
#include "base/message.h"
#include "ft/export/threads.h"
#include "libfttrace/handle.h"

struct selected {
	struct export		*x;
	const struct filter	*filter;
	uint64_t		latest;		/* record of a CPU */
};

static void thread(void *arg, const struct thread_span *span)
{
	struct selected *s = arg;

	if (filter_thread(s->filter, span->start, span->cpu, span->tid))
		s->x->format->threads->thread(s->x, span);
}

static void cpu(void *arg, const struct thread_span *span)
{
	struct selected *s = arg;

	if (filter_thread(s->filter, span->start, span->cpu, span->tid))
		s->x->format->threads->cpu(s->x, span);
}

static void interrupt(void *arg, const struct interrupt_span *span)
{
	struct selected *s = arg;

	if (filter_interrupt(s->filter, span->start, span->cpu))
		s->x->format->threads->interrupt(s->x, span);
}

static void call(void *arg, const struct call_span *span)
{
	struct selected *s = arg;

	if (filter_thread(s->filter, span->start, span->cpu, span->tid))
		s->x->format->threads->call(s->x, span);
}

static void wakeup(void *arg, const struct thread_wakeup *w)
{
	struct selected *s = arg;

	if (filter_thread(s->filter, w->time, w->cpu, w->woken))
		s->x->format->threads->wakeup(s->x, w);
}

static void take(struct threads *threads, struct selected *s, const struct ft_reader_item *item)
{
	struct ft_record rec = {
		.id = (uint16_t)item->record.id, .tid = item->tid,
		.ctx = (uint8_t)item->context,
		.a = item->record.a, .b = item->record.b,
	};

	if (item->ring >= 0)
		return;
	if (item->kind == FT_READER_GAPS) {
		threads_gap(threads, item->time, (uint32_t)item->cpu);
	} else if (!item->record.stream_class) {
		s->latest = item->time;
		threads_record(threads, item->time, (uint32_t)item->cpu, &rec);
	}
}

int export_threads(struct export *x, char *const *dirs, const struct filter *filter)
{
	static const struct threads_told told = {
		.thread = thread, .cpu = cpu, .interrupt = interrupt, .call = call,
		.wakeup = wakeup,
	};
	struct selected selected = { .x = x, .filter = filter };
	struct ft_reader *r = mem_check(ft_reader_new());
	int ret = reader_open(r, dirs, FT_READER_RECORDS | FT_READER_GAPS);
	const struct ft_reader_item *item;
	struct threads threads;

	threads_begin(&threads, &x->trace->meta, &told, &selected);
	if (!ret)
		reading_progress(&r->reading, x->out);
	while (!ret && !ferror(x->out) && (ret = ft_reader_next(r, &item)) > 0) {
		take(&threads, &selected, item);
		ret = 0;
	}
	threads_end(&threads, selected.latest);
	if (ret < 0 && ret != -EBADMSG)
		message_lines(ft_reader_error(r));
	ft_reader_free(r);
	return ret;
}
