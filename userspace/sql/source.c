// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A trace that rows come from. See source.h. */
#include "base/map.h"
#include "base/mem.h"
#include "base/message.h"
#include "sql/source.h"

const char *source_keep(struct source *s, char *text)
{
	if (s->n_kept == s->room) {
		s->room = 2 * s->room + 8;
		s->kept = mem_resize(s->kept, s->room, sizeof(*s->kept));
	}
	s->kept[s->n_kept++] = text;
	return text;
}

void source_forget(struct source *s)
{
	while (s->n_kept)
		free(s->kept[--s->n_kept]);
}

static const struct symbols *symbols_of(struct source *s)
{
	if (!s->symbols_read)
		s->symbols = symbols_open(s->trace->dir, s->options);
	s->symbols_read = true;
	return s->symbols;
}

static const struct names *names_of(struct source *s)
{
	if (!s->names_read)
		s->names = names_open(s->trace->dir);
	s->names_read = true;
	return s->names;
}

/* Return: 0, or -1 with a message */
static int bind_filter(struct source *s, const struct filter_options *o)
{
	bool named = o->n_names || o->without_recorder;

	return filter_bind(&s->filter, o, s->trace, named ? symbols_of(s) : NULL,
			   named ? names_of(s) : NULL);
}

struct source *source_open(const char *path, unsigned int number, unsigned int kinds,
			   const struct filter_options *filter,
			   const struct symbols_options *symbols)
{
	struct source *s = mem_zalloc(1, sizeof(*s));
	char *const dirs[] = { (char *)path, NULL };

	s->number = number;
	s->path = path;
	s->options = symbols;
	s->reader = mem_check(ft_reader_new());
	s->trace = &s->reader->trace;
	if (reader_open(s->reader, dirs, kinds)) {
		message_lines(ft_reader_error(s->reader));
	} else if (!bind_filter(s, filter)) {
		locks_find_kinds(s->kinds, &s->trace->meta);
		return s;
	}
	source_close(s);
	return NULL;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	source_forget(s);
	free(s->kept);
	for (size_t i = 0; i < SOURCE_NAMES; i++)
		free(s->name[i].name);
	filter_exit(&s->filter);
	class_index_free(s->classes);
	symbols_free(s->symbols);
	names_free(s->names);
	ft_reader_free(s->reader);
	free(s);
}

const char *source_name(struct source *s, uint64_t address, bool call)
{
	struct source_name *at = &s->name[(map_hash(address) + call) % SOURCE_NAMES];
	char name[SYMBOLS_LEN];

	if (at->known && at->address == address && at->call == call)
		return at->name;
	if (at->name)
		source_keep(s, at->name);
	*at = (struct source_name){ .address = address, .known = true, .call = call };
	if (symbols_find(symbols_of(s), address, call, name, sizeof(name)))
		at->name = mem_strdup(name);
	return at->name;
}

const char *source_class(struct source *s, uint64_t lock)
{
	const struct class_entry *class;

	if (!s->classes)
		s->classes = class_index_new(symbols_of(s));
	class = class_index_known(s->classes, lock);
	return class ? class->same : NULL;
}

const char *source_task(struct source *s, int32_t tid)
{
	return names_find(names_of(s), tid);
}

struct ft_record source_record(const struct ft_reader_item *item)
{
	return (struct ft_record){
		.ts = item->record.stamp, .id = (uint16_t)item->record.id,
		.tid = item->tid, .ctx = (uint8_t)item->context,
		.a = item->record.a, .b = item->record.b,
	};
}
