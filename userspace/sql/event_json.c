// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The fields of a record, as JSON, which databases take apart:
 * json_extract(fields, '$.next_prio').
 *
 * Each record has them, so they are put together without a stream of the C library, and names
 * of fields are made JSON once.
 */
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "sql/event_json.h"

/* What is the same in all records of an event. */
struct event_plan {
	unsigned int			n;
	struct {
		struct source_text		head;	/* {"name": */
		const struct ft_reader_field	*field;
	} part[METADATA_FIELDS];
};

/* Room for @n more. Return: where */
static inline char *room(struct source_text *t, size_t n)
{
	if (t->n + n > t->room) {
		t->room = 2 * (t->n + n);
		t->at = mem_resize(t->at, t->room, 1);
	}
	return t->at + t->n;
}

static void put(struct source_text *t, const char *text, size_t n)
{
	memcpy(room(t, n), text, n);
	t->n += n;
}

static void put_char(struct source_text *t, char c)
{
	*room(t, 1) = c;
	t->n++;
}

static void put_string(struct source_text *t, const char *text)
{
	char *escaped = NULL;
	size_t len;
	FILE *f = mem_check(open_memstream(&escaped, &len));

	json_string(f, text);
	if (fclose(f))
		mem_none();
	put(t, escaped, len);
	free(escaped);
}

static void put_plain(struct source_text *t, const char *text, size_t n)
{
	char *at = room(t, n + 2);

	at[0] = '"';
	memcpy(at + 1, text, n);
	at[n + 1] = '"';
	t->n += n + 2;
}

static void put_unsigned(struct source_text *t, uint64_t value)
{
	char digits[20], *at = digits + sizeof(digits);

	do {
		*--at = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put(t, at, (size_t)(digits + sizeof(digits) - at));
}

static void put_signed(struct source_text *t, int64_t value)
{
	if (value < 0)
		put_char(t, '-');
	put_unsigned(t, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void put_address(struct source_text *t, uint64_t address)
{
	char *from = room(t, SOURCE_ADDRESS + 2), *at = from;

	*at++ = '"';
	at = source_put_address(at, address);
	*at++ = '"';
	t->n += (size_t)(at - from);
}

static void put_code(struct source_text *t, struct source *s, uint64_t address)
{
	const struct source_known *known = source_known_site(s, address);

	if (!known->name)
		put_address(t, address);
	else if (known->is_plain)
		put_plain(t, known->name, known->name_n);
	else
		put_string(t, known->name);
}

static void put_field(struct source *s, const struct ft_reader_field *field, uint64_t value)
{
	struct source_text *t = &s->fields;
	const char *label;

	switch (field->style) {
	case FT_READER_FIELD_SIGNED:
	case FT_READER_FIELD_PRIO:
		put_signed(t, (int64_t)value);
		break;
	case FT_READER_FIELD_UNSIGNED:
		put_unsigned(t, value);
		break;
	case FT_READER_FIELD_LABEL:
		label = ft_reader_label(field, value);
		if (label)
			put_string(t, label);
		else
			put_unsigned(t, value);
		break;
	case FT_READER_FIELD_CODE:
		put_code(t, s, value);
		break;
	default:
		put_address(t, value);
	}
}

static struct event_plan *new_plan(struct source *s, const struct ft_reader_event *event)
{
	struct event_plan *plan = mem_zalloc(1, sizeof(*plan));
	const struct ft_reader_field *field;

	while (plan->n < METADATA_FIELDS && (field = ft_reader_field(s->reader, event, plan->n))) {
		struct source_text *head = &plan->part[plan->n].head;

		put_char(head, plan->n ? ',' : '{');
		put_string(head, field->name);
		put_char(head, ':');
		plan->part[plan->n++].field = field;
	}
	return plan;
}

static const struct event_plan *plan_of(struct source *s, const struct ft_reader_record *record)
{
	struct event_plan ***plans = &s->plans[record->stream_class];

	if (!*plans)
		*plans = mem_zalloc(FT_ID_MAX + 1, sizeof(**plans));
	if (!(*plans)[record->id])
		(*plans)[record->id] = new_plan(s, record->event);
	return (*plans)[record->id];
}

struct text event_json(struct source *s, const struct ft_reader_record *record)
{
	struct source_text *t = &s->fields;
	const struct event_plan *plan;

	if (!record->event)
		return (struct text){ 0 };
	plan = plan_of(s, record);
	t->n = 0;
	if (!plan->n)
		put_char(t, '{');
	for (unsigned int i = 0; i < plan->n; i++) {
		const struct ft_reader_field *field = plan->part[i].field;

		put(t, plan->part[i].head.at, plan->part[i].head.n);
		put_field(s, field, ft_reader_value(field, record->a, record->b));
	}
	put(t, "}", sizeof("}"));
	return (struct text){ t->at, t->n - 1 };
}

static void free_plan(struct event_plan *plan)
{
	for (unsigned int i = 0; plan && i < plan->n; i++)
		free(plan->part[i].head.at);
	free(plan);
}

void event_json_free(struct source *s)
{
	for (unsigned int class = 0; class < METADATA_CLASSES; class++) {
		for (size_t id = 0; s->plans[class] && id <= FT_ID_MAX; id++)
			free_plan(s->plans[class][id]);
		free(s->plans[class]);
	}
	free(s->fields.at);
}
