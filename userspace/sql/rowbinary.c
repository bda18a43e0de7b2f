// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* RowBinary. See rowbinary.h. */
#include <endian.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/uuid.h"
#include "sql/event_json.h"
#include "sql/rowbinary.h"

/* Written at once. */
#define BUFFER		(256u << 10)
/* The longest number is a UUID; a byte more says whether it is NULL. */
#define NUMBER		17u
/* The longest length of a text, in groups of 7 bits. */
#define LENGTH		10u

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "numbers are written as they are");

const char *const rowbinary_origin[ROWBINARY_ORIGIN] = { "host", "boot_id", "kernel_release" };

/*
 * Each function writes at @p, and returns where the next value goes. There is always room
 * there for all numbers of a row.
 */
#define ROOM	(NUMBER * RELATION_COLUMNS)

/* Make room for @n more. */
static unsigned char *make_room(struct rowbinary *w, unsigned char *p, size_t n)
{
	size_t have = (size_t)(p - w->at);

	if (w->f) {
		fwrite_unlocked(w->at, 1, have, w->f);
		have = 0;
	}
	if (w->room - have < n + ROOM) {
		w->room = have + n + ROOM;
		w->at = mem_resize(w->at, w->room, 1);
	}
	w->end = w->at + w->room - ROOM;
	return w->at + have;
}

static inline unsigned char *reserve(struct rowbinary *w, unsigned char *p, size_t n)
{
	/* numbers may have come beyond the end */
	return __builtin_expect(w->end - p < (ptrdiff_t)n, 0) ? make_room(w, p, n) : p;
}

static inline unsigned char *put_byte(unsigned char *p, uint8_t value)
{
	*p = value;
	return p + 1;
}

static inline unsigned char *put_u64(unsigned char *p, uint64_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

static inline unsigned char *put_i32(unsigned char *p, int32_t value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

static inline unsigned char *put_real(unsigned char *p, double value)
{
	memcpy(p, &value, sizeof(value));
	return p + sizeof(value);
}

/* Two numbers of 64 bits; the first half comes first. */
static unsigned char *put_uuid(unsigned char *p, const uint8_t uuid[16])
{
	for (unsigned int i = 0; i < 16; i++)
		p[i] = uuid[i ^ 7];
	return p + 16;
}

/* A number that is missing and cannot be NULL does not occur. */
static inline unsigned char *put_nothing(unsigned char *p, const struct column *c)
{
	return put_byte(p, rowbinary_may_be_null(c));
}

static inline unsigned char *put_text(struct rowbinary *w, unsigned char *p, struct text text)
{
	size_t rest = text.n;

	p = reserve(w, p, text.n + LENGTH);
	for (; rest >= 0x80; rest >>= 7)
		p = put_byte(p, (uint8_t)(rest | 0x80));
	p = put_byte(p, (uint8_t)rest);
	if (text.n)
		memcpy(p, text.at, text.n);
	return p + text.n;
}

static inline unsigned char *put_string(struct rowbinary *w, unsigned char *p,
					const char *string)
{
	return put_text(w, p, (struct text){ string, string ? strlen(string) : 0 });
}

static unsigned char *put_value_uuid(unsigned char *p, const struct column *c, const char *text)
{
	uint8_t uuid[16];

	if (!uuid_parse(uuid, text))
		return put_nothing(p, c);
	return put_uuid(put_byte(p, 0), uuid);
}

/* What a function says. */
static unsigned char *put_value(struct rowbinary *w, unsigned char *p, const struct column *c,
				struct value v)
{
	if (rowbinary_is_text(c->type))
		return put_string(w, p, v.kind == VALUE_TEXT ? v.text : NULL);
	if (v.kind == VALUE_NONE)
		return put_nothing(p, c);
	if (c->type == TYPE_UUID)
		return put_value_uuid(p, c, v.text);
	p = put_byte(p, 0);
	return c->type == TYPE_NUMBER ? put_i32(p, (int32_t)v.integer) :
					put_u64(p, (uint64_t)v.integer);
}

static unsigned char *put_clock(unsigned char *p, const struct column *c, const struct source *s,
				uint64_t ticks)
{
	int64_t ns;

	if (!source_wall(s, ticks, &ns))
		return put_nothing(p, c);
	return put_u64(put_byte(p, 0), (uint64_t)ns);
}

static inline unsigned char *put_index(unsigned char *p, int32_t index)
{
	p = put_byte(p, index < 0);
	return index < 0 ? p : put_i32(p, index);
}

/* In each loop over columns: a call for each would cost more than most values. */
static inline __attribute__((always_inline))
unsigned char *put(struct rowbinary *w, unsigned char *p, const struct column *c,
		   const struct row *row)
{
	struct source *s = row->source;

	if (column_missing(c, row))
		return put_nothing(p, c);
	if (c->needs && !rowbinary_is_text(c->type))
		p = put_byte(p, 0);
	switch (c->from) {
	case FROM_GET:
		/* a date that a function says is that of the whole trace */
		return c->type == TYPE_TIME ? put_clock(p, c, s, s->trace->start) :
					      put_value(w, p, c, c->get(row));
	case FROM_TRACE:
		break;
	case FROM_TICKS:
		return put_u64(p, source_ns(s, column_u64(c, row)));
	case FROM_CLOCK:
		return put_clock(p, c, s, column_u64(c, row));
	case FROM_LENGTH:
		return put_real(p, source_length(s, column_u64(c, row)));
	case FROM_TEXT:
		return put_string(w, p, column_string(c, row));
	case FROM_INDEX:
		return put_index(p, column_i32(c, row));
	case FROM_COUNT:
	case FROM_TID:
		return put_i32(p, column_i32(c, row));
	case FROM_TASK:
		return put_string(w, p, source_task(s, column_i32(c, row)));
	case FROM_CONTEXT:
		return put_string(w, p, context_text((uint32_t)column_i32(c, row)));
	case FROM_WORD:
	case FROM_ADDRESS:
		return put_u64(p, column_u64(c, row));
	case FROM_DATA:
		return put_text(w, p, source_name(s, column_u64(c, row), false));
	case FROM_CODE:
		return put_text(w, p, source_name(s, column_u64(c, row), true));
	case FROM_CLASS:
		return put_text(w, p, source_class(s, column_u64(c, row)));
	case FROM_JSON:
		return put_text(w, p, event_json(s, &row->item->record));
	}
	return p;
}

/* How all rows of a trace begin. */
static void find_origin(struct rowbinary *w, const struct row *row)
{
	static const uint8_t none[16];
	const struct metadata *m = &row->source->trace->meta;
	struct rowbinary to = { .f = NULL };
	unsigned char *p = make_room(&to, NULL, ROOM);

	p = put_uuid(p, m->has_uuid ? m->uuid : none);
	for (unsigned int i = 0; w->relation->kind && i < ROWBINARY_ORIGIN; i++)
		p = put(&to, p,
			&sql_trace.columns[relation_column(&sql_trace, rowbinary_origin[i])], row);
	free(w->origin);
	w->origin = to.at;
	w->origin_n = (size_t)(p - to.at);
	w->source = row->source;
}

void rowbinary_open(struct rowbinary *w, const struct relation *relation, FILE *f)
{
	*w = (struct rowbinary){ .relation = relation, .f = f };
	w->at = w->now = mem_resize(NULL, BUFFER, 1);
	w->room = BUFFER;
	w->end = w->at + BUFFER - ROOM;
}

void rowbinary_put(struct rowbinary *w, struct row *row)
{
	const struct column *c = w->relation->columns + 1, *end = c + w->relation->n - 1;
	unsigned char *p;

	row->text = w->text;
	if (__builtin_expect(w->source != row->source, 0))
		find_origin(w, row);
	p = reserve(w, w->now, w->origin_n);
	memcpy(p, w->origin, w->origin_n);
	p += w->origin_n;
	for (; c < end; c++)
		p = put(w, p, c, row);
	w->now = p;
	source_forget(row->source);
}

void rowbinary_close(struct rowbinary *w)
{
	make_room(w, w->now, 0);
	free(w->at);
	free(w->origin);
}
