// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The parser of metadata. */
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "trace/metadata.h"

static void read_fields(const struct event_type *type)
{
	unsigned int i;

	for (i = 0; i < type->fields; i++) {
		const struct event_field *field = &type->field[i];
		uint64_t value = event_field_value(field, 0x0123456789abcdef, ~0ull);

		if (field_label(&field->type, value) && field->type.style != FIELD_LABEL)
			abort();
	}
}

/* On the heap without a terminator: a step beyond the end is seen. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1);
	struct metadata m;
	unsigned int class;
	uint32_t id;

	if (size)
		memcpy(text, data, size);
	if (!metadata_parse(&m, text, size, "metadata")) {
		metadata_env(&m, "tracer_name");
		for (class = 0; class < METADATA_CLASSES; class++) {
			for (id = 0; id < m.events[class].n; id++) {
				if (!m.events[class].at[id])
					continue;
				if (!m.events[class].at[id]->name)
					abort();
				read_fields(m.events[class].at[id]);
			}
		}
		if (!m.freq)
			abort();
		metadata_free(&m);
	}
	free(text);
	return 0;
}
