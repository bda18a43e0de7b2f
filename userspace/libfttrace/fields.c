// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Fields of events, as a program sees them. See feather_trace/reader.h. */
#include "base/mem.h"
#include "libfttrace/handle.h"

/* What a program has is the first member. */
struct reader_field {
	struct ft_reader_field		shown;
	const struct event_field	*field;
};

static enum ft_reader_field_style style_of(enum field_style style)
{
	switch (style) {
	case FIELD_HEX:
		break;
	case FIELD_UNSIGNED:
		return FT_READER_FIELD_UNSIGNED;
	case FIELD_SIGNED:
		return FT_READER_FIELD_SIGNED;
	case FIELD_CODE:
		return FT_READER_FIELD_CODE;
	case FIELD_PRIO:
		return FT_READER_FIELD_PRIO;
	case FIELD_LABEL:
		return FT_READER_FIELD_LABEL;
	}
	return FT_READER_FIELD_HEX;
}

/* Those without a name are unused bits. One more, without a name, is behind the last. */
static struct reader_field *fields_of(const struct event_type *type)
{
	struct reader_field *fields = mem_zalloc(type->fields + 1, sizeof(*fields));
	struct reader_field *to = fields;

	for (unsigned int i = 0; i < type->fields; i++) {
		const struct event_field *field = &type->field[i];

		if (field->name)
			*to++ = (struct reader_field){
				{ field->name, style_of(field->type.style), field->type.bits },
				field,
			};
	}
	return fields;
}

void fields_begin(struct ft_reader *r, unsigned int class)
{
	const struct event_types *types = &r->trace.meta.events[class];

	r->fields[class] = mem_zalloc(types->n, sizeof(*r->fields[class]));
	for (uint32_t id = 0; id < types->n; id++) {
		if (types->at[id])
			r->fields[class][id] = fields_of(types->at[id]);
	}
}

/* Return: the fields of an event of this reader, or NULL */
static const struct reader_field *find(const struct ft_reader *r,
				       const struct ft_reader_event *event)
{
	for (unsigned int class = 0; class < METADATA_CLASSES; class++) {
		const struct ft_reader_event *first = r->events[class];

		if (first && event >= first && event < first + r->trace.meta.events[class].n)
			return r->fields[class][event - first];
	}
	return NULL;
}

const struct ft_reader_field *ft_reader_field(const struct ft_reader *r,
					      const struct ft_reader_event *event,
					      unsigned int i)
{
	const struct reader_field *fields = r->opened ? find(r, event) : NULL;

	if (!fields || i >= METADATA_FIELDS)
		return NULL;
	while (fields->field && i--)
		fields++;
	return fields->field ? &fields->shown : NULL;
}

uint64_t ft_reader_value(const struct ft_reader_field *field, uint64_t a, uint64_t b)
{
	return event_field_value(((const struct reader_field *)field)->field, a, b);
}

const char *ft_reader_label(const struct ft_reader_field *field, uint64_t value)
{
	return field_label(&((const struct reader_field *)field)->field->type, value);
}
