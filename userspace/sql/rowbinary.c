// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* RowBinary. See rowbinary.h. */
#include <endian.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/uuid.h"
#include "sql/rowbinary.h"

/* Written at once. */
#define BUFFER		(256u << 10)
/* The longest number is a UUID; a byte more says whether it is NULL. */
#define NUMBER		17u
/* The longest length of a text, in groups of 7 bits. */
#define LENGTH		10u

_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "numbers are written as they are");

const char *const rowbinary_origin[ROWBINARY_ORIGIN] = { "host", "boot_id", "kernel_release" };

static void flush(struct rowbinary *w)
{
	fwrite_unlocked(w->at, 1, w->n, w->f);
	w->n = 0;
}

static void reserve(struct rowbinary *w, size_t n)
{
	if (__builtin_expect(n <= w->room - w->n, 1))
		return;
	if (w->f)
		flush(w);
	if (n > w->room - w->n) {
		w->room = w->n + n;
		w->at = mem_resize(w->at, w->room, 1);
	}
}

/* There is room for these: see rowbinary_put(). */

static inline void put_byte(struct rowbinary *w, uint8_t value)
{
	w->at[w->n++] = value;
}

static inline void put_u64(struct rowbinary *w, uint64_t value)
{
	memcpy(w->at + w->n, &value, sizeof(value));
	w->n += sizeof(value);
}

static inline void put_i32(struct rowbinary *w, int32_t value)
{
	memcpy(w->at + w->n, &value, sizeof(value));
	w->n += sizeof(value);
}

static inline void put_real(struct rowbinary *w, double value)
{
	memcpy(w->at + w->n, &value, sizeof(value));
	w->n += sizeof(value);
}

/* Two numbers of 64 bits; the first half comes first. */
static void put_uuid(struct rowbinary *w, const uint8_t uuid[16])
{
	for (unsigned int i = 0; i < 16; i++)
		w->at[w->n + i] = uuid[i ^ 7];
	w->n += 16;
}

/* A number of this type that is missing and cannot be NULL does not occur. */
static void put_nothing(struct rowbinary *w, const struct column *c)
{
	put_byte(w, rowbinary_may_be_null(c));
}

static inline void put_bytes(struct rowbinary *w, const void *text, size_t n)
{
	size_t rest = n;

	/* behind it, there is room again for all numbers of a row */
	reserve(w, n + LENGTH + NUMBER * RELATION_COLUMNS);
	for (; rest >= 0x80; rest >>= 7)
		put_byte(w, (uint8_t)(rest | 0x80));
	put_byte(w, (uint8_t)rest);
	memcpy(w->at + w->n, text, n);
	w->n += n;
}

static void put_text(struct rowbinary *w, const char *text)
{
	put_bytes(w, text, text ? strlen(text) : 0);
}

static inline void put_known(struct rowbinary *w, struct text text)
{
	put_bytes(w, text.at, text.n);
}

static void put_value_uuid(struct rowbinary *w, const struct column *c, const char *text)
{
	uint8_t uuid[16];

	if (!uuid_parse(uuid, text)) {
		put_nothing(w, c);
		return;
	}
	put_byte(w, 0);
	put_uuid(w, uuid);
}

/* What a function says. */
static void put_value(struct rowbinary *w, const struct column *c, const struct value *v)
{
	if (rowbinary_is_text(c->type)) {
		put_text(w, v->kind == VALUE_TEXT ? v->text : NULL);
		return;
	}
	if (v->kind == VALUE_NONE) {
		put_nothing(w, c);
		return;
	}
	if (c->type == TYPE_UUID) {
		put_value_uuid(w, c, v->text);
		return;
	}
	put_byte(w, 0);
	if (c->type == TYPE_NUMBER)
		put_i32(w, (int32_t)v->integer);
	else
		put_u64(w, (uint64_t)v->integer);
}

static void put_clock(struct rowbinary *w, const struct column *c, const struct source *s,
		      uint64_t ticks)
{
	int64_t ns;

	if (!source_wall(s, ticks, &ns)) {
		put_nothing(w, c);
		return;
	}
	put_byte(w, 0);
	put_u64(w, (uint64_t)ns);
}

static void put_get(struct rowbinary *w, const struct column *c, const struct row *row)
{
	char text[ROW_TEXT];
	struct row of = *row;
	struct value v;
	int64_t ns;

	if (c->type == TYPE_TIME) {	/* only a trace has one that a function says */
		v = source_wall(row->source, row->source->trace->start, &ns) ?
		    value_integer(ns) : value_none();
	} else {
		of.text = text;
		v = c->get(&of);
	}
	put_value(w, c, &v);
}

static inline void put(struct rowbinary *w, const struct column *c, const struct row *row)
{
	struct source *s = row->source;

	if (column_missing(c, row)) {
		put_nothing(w, c);
		return;
	}
	if (c->needs && !rowbinary_is_text(c->type))
		put_byte(w, 0);
	switch (c->from) {
	case FROM_GET:
		put_get(w, c, row);
		break;
	case FROM_TRACE:
		break;
	case FROM_TICKS:
		put_u64(w, source_ns(s, column_u64(c, row)));
		break;
	case FROM_CLOCK:
		put_clock(w, c, s, column_u64(c, row));
		break;
	case FROM_LENGTH:
		put_real(w, source_length(s, column_u64(c, row)));
		break;
	case FROM_TEXT:
		put_text(w, column_string(c, row));
		break;
	case FROM_INDEX:
		put_byte(w, column_i32(c, row) < 0);
		if (column_i32(c, row) >= 0)
			put_i32(w, column_i32(c, row));
		break;
	case FROM_COUNT:
	case FROM_TID:
		put_i32(w, column_i32(c, row));
		break;
	case FROM_TASK:
		put_text(w, source_task(s, column_i32(c, row)));
		break;
	case FROM_CONTEXT:
		put_text(w, context_text((uint32_t)column_i32(c, row)));
		break;
	case FROM_WORD:
	case FROM_ADDRESS:
		put_u64(w, column_u64(c, row));
		break;
	case FROM_DATA:
		put_known(w, source_name(s, column_u64(c, row), false));
		break;
	case FROM_CODE:
		put_known(w, source_name(s, column_u64(c, row), true));
		break;
	case FROM_CLASS:
		put_known(w, source_class(s, column_u64(c, row)));
		break;
	}
}

/* How all rows of a trace begin. */
static void find_origin(struct rowbinary *w, const struct row *row)
{
	static const uint8_t none[16];
	const struct metadata *m = &row->source->trace->meta;
	struct rowbinary to = { .source = row->source };

	reserve(&to, NUMBER * RELATION_COLUMNS);
	put_uuid(&to, m->has_uuid ? m->uuid : none);
	for (unsigned int i = 0; w->relation->kind && i < ROWBINARY_ORIGIN; i++)
		put(&to, &sql_trace.columns[relation_column(&sql_trace, rowbinary_origin[i])],
		    row);
	free(w->origin);
	w->origin = to.at;
	w->origin_n = to.n;
	w->source = row->source;
}

void rowbinary_open(struct rowbinary *w, const struct relation *relation, FILE *f)
{
	*w = (struct rowbinary){ .relation = relation, .f = f };
	w->at = mem_resize(NULL, BUFFER, 1);
	w->room = BUFFER;
}

void rowbinary_put(struct rowbinary *w, struct row *row)
{
	const struct column *c = w->relation->columns + 1, *end = c + w->relation->n - 1;

	if (__builtin_expect(w->source != row->source, 0))
		find_origin(w, row);
	reserve(w, w->origin_n + NUMBER * RELATION_COLUMNS);
	memcpy(w->at + w->n, w->origin, w->origin_n);
	w->n += w->origin_n;
	for (; c < end; c++)
		put(w, c, row);
	source_forget(row->source);
}

void rowbinary_close(struct rowbinary *w)
{
	flush(w);
	free(w->at);
	free(w->origin);
}
