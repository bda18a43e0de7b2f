// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Readers: opening a trace, its items, and what went wrong. See feather_trace/reader.h. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/mem.h"
#include "libfttrace/handle.h"

#define KINDS	(FT_READER_RECORDS | FT_READER_SECTIONS | FT_READER_WAITS | \
		 FT_READER_GAPS)

int reader_call(struct ft_reader *r, int (*f)(void *arg), void *arg)
{
	int ret;

	if (r->failed) {	/* as it was said then */
		r->error = r->failed == -ENOMEM ? "out of memory" : NULL;
		return r->failed;
	}
	ret = scope_call(&r->scope, f, arg);
	if (ret >= 0)
		return ret;
	r->error = NULL;
	if (ret == -ENOMEM) {	/* what was worked on is not whole any more */
		r->error = "out of memory";
		r->failed = ret;
	}
	return ret;
}

int reader_refuse(struct ft_reader *r, const char *why)
{
	r->error = why;
	return -EINVAL;
}

unsigned int ft_reader_version(void)
{
	return FT_READER_VERSION;
}

struct ft_reader *ft_reader_new(void)
{
	struct ft_reader *r = calloc(1, sizeof(*r));

	if (r)
		r->error = "";
	return r;
}

/* Its memory is the scope's, in whatever state a call was left without memory. */
void ft_reader_free(struct ft_reader *r)
{
	unsigned int i;

	if (!r)
		return;
	ahead_free(r->trace.ahead);
	for (i = 0; i < r->trace.n_streams; i++) {
		if (r->trace.streams[i].fd >= 0)
			close(r->trace.streams[i].fd);
	}
	unpacker_free(r->trace.unpacker);
	scope_free(&r->scope);
	free(r);
}

/* Opening. */

static enum ft_reader_style style_of(enum field_style style)
{
	switch (style) {
	case FIELD_HEX:
	case FIELD_CODE:
		return FT_READER_HEX;
	case FIELD_SIGNED:
	case FIELD_PRIO:
		return FT_READER_SIGNED;
	case FIELD_UNSIGNED:
	case FIELD_LABEL:
		break;
	}
	return FT_READER_UNSIGNED;
}

/* A word that several fields share has no name. */
static void copy_event(struct ft_reader_event *event, const struct event_type *type)
{
	unsigned int i;

	event->name = type->name;
	for (i = 0; i < type->fields; i++) {
		const struct event_field *field = &type->field[i];

		if (field->type.bits != FIELD_WORD)
			continue;
		event->word[field->from / FIELD_WORD] = field->name;
		event->style[field->from / FIELD_WORD] = style_of(field->type.style);
	}
}

static void copy_events(struct ft_reader *r, unsigned int class)
{
	const struct event_types *types = &r->trace.meta.events[class];
	uint32_t id;

	r->events[class] = mem_zalloc(types->n, sizeof(*r->events[class]));
	for (id = 0; id < types->n; id++) {
		if (types->at[id])
			copy_event(&r->events[class][id], types->at[id]);
	}
}

struct open_call {
	struct ft_reader	*r;
	char *const		*dirs;
};

static int open_trace(void *arg)
{
	struct open_call *call = arg;
	struct ft_reader *r = call->r;
	unsigned int class;

	if (trace_open(&r->trace, call->dirs))
		return r->scope.error ? -r->scope.error : -EINVAL;
	for (class = 0; class < METADATA_CLASSES; class++)
		copy_events(r, class);
	for (class = 0; class < METADATA_CLASSES; class++)
		fields_begin(r, class);
	return items_begin(r) ? -EINVAL : 0;
}

int reader_open(struct ft_reader *r, char *const *dirs, unsigned int kinds)
{
	struct open_call call = { r, dirs };
	int ret;

	if (kinds & ~KINDS)
		return reader_refuse(r, "items of an unknown kind are wanted");
	if (r->opened || r->failed)
		return reader_refuse(r, "this reader was opened before");
	r->kinds = kinds;
	ret = reader_call(r, open_trace, &call);
	if (!ret)
		r->opened = true;
	else if (!r->failed)
		r->failed = ret;
	return ret;
}

int ft_reader_open(struct ft_reader *r, const char *dir, unsigned int kinds)
{
	char *const dirs[] = { (char *)dir, NULL };

	return reader_open(r, dirs, kinds);
}

/* Items. */

/* At the end: what was damaged was said when it was found. */
static int end_of(struct ft_reader *r)
{
	if (trace_status(&r->trace) != FT_EXIT_ERROR)
		return 0;
	r->error = NULL;
	return -EBADMSG;
}

int ft_reader_next(struct ft_reader *r, const struct ft_reader_item **item)
{
	int ret;

	if (!r->opened && !r->failed)
		return reader_refuse(r, "no trace is open");
	if (r->at == r->n || r->failed) {
		ret = reader_call(r, items_fill, r);
		if (ret)
			return ret;
		if (!r->n)
			return end_of(r);
	}
	*item = &r->queue[r->at++].item;
	return 1;
}

/* What a reader can be asked. */

const char *ft_reader_error(const struct ft_reader *r)
{
	if (r->error)
		return r->error;
	return r->scope.text ? r->scope.text : "";
}

const char *ft_reader_notes(const struct ft_reader *r)
{
	return r->opened && r->scope.text ? r->scope.text : "";
}

uint64_t ft_reader_lost(const struct ft_reader *r)
{
	return trace_lost(&r->trace);
}

uint64_t ft_reader_start(const struct ft_reader *r)
{
	return r->trace.start;
}

uint64_t ft_reader_frequency(const struct ft_reader *r)
{
	return r->trace.meta.freq;
}

int ft_reader_wall(const struct ft_reader *r, uint64_t ticks, int64_t *seconds,
		   uint32_t *ns)
{
	if (!trace_has_wall(&r->trace))
		return -ENODATA;
	*seconds = trace_wall(&r->trace, ticks, ns);
	return 0;
}

const struct ft_reader_event *ft_reader_find_event(const struct ft_reader *r,
						   unsigned int stream_class,
						   uint32_t id)
{
	if (!r->opened || stream_class >= METADATA_CLASSES ||
	    !metadata_event(&r->trace.meta, stream_class, id))
		return NULL;
	return &r->events[stream_class][id];
}
