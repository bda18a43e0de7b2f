// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A trace that rows come from. See source.h. */
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/message.h"
#include "sql/event_json.h"
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

void source_free_kept(struct source *s)
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

/* Pairing acquisitions with releases needs all records. */
static void choose_time(struct source *s, const struct filter_options *o)
{
	if (!s->reader->locks && (o->has_from || o->has_to))
		trace_only(&s->reader->trace, s->filter.first, s->filter.end);
}

static void begin_crew(struct source *s, const struct jobs *jobs)
{
	s->crew = jobs ? jobs_crew(jobs, s->trace->size) : NULL;
	trace_read_ahead(&s->reader->trace, s->crew);
}

struct source *source_open(char *const *dirs, unsigned int number, unsigned int kinds,
			   const struct source_asked *asked)
{
	struct source *s = mem_zalloc(1, sizeof(*s));

	s->number = number;
	s->path = dirs[0];
	s->options = asked->symbols;
	s->reader = mem_check(ft_reader_new());
	s->trace = &s->reader->trace;
	if (reader_open(s->reader, dirs, kinds)) {
		message_lines(ft_reader_error(s->reader));
	} else if (!bind_filter(s, asked->filter)) {
		choose_time(s, asked->filter);
		locks_find_kinds(s->kinds, &s->trace->meta);
		begin_crew(s, asked->jobs);
		return s;
	}
	source_close(s);
	return NULL;
}

static void free_known(struct source_known *all, size_t n)
{
	for (size_t i = 0; all && i < n; i++)
		free(all[i].name);
	free(all);
}

void source_close(struct source *s)
{
	if (!s)
		return;
	source_forget(s);
	free(s->kept);
	free_known(s->locks, SOURCE_LOCKS);
	free_known(s->sites, SOURCE_SITES);
	event_json_free(s);
	filter_exit(&s->filter);
	class_index_free(s->classes);
	symbols_free(s->symbols);
	names_free(s->names);
	ft_reader_free(s->reader);
	crew_free(s->crew);
	free(s);
}

/* The facts about @address, or a place for them. */
static struct source_known *known(struct source *s, struct source_known *all, uint64_t n,
				  uint64_t address)
{
	struct source_known *at = &all[map_hash(address) % n];

	if (__builtin_expect(at->address == address, 1))
		return at;
	if (at->name)
		source_keep(s, at->name);
	*at = (struct source_known){ .address = address };
	return at;
}

static struct source_known *known_lock(struct source *s, uint64_t lock)
{
	if (!s->locks)
		s->locks = mem_zalloc(SOURCE_LOCKS, sizeof(*s->locks));
	return known(s, s->locks, SOURCE_LOCKS, lock);
}

static struct source_known *known_site(struct source *s, uint64_t site)
{
	if (!s->sites)
		s->sites = mem_zalloc(SOURCE_SITES, sizeof(*s->sites));
	return known(s, s->sites, SOURCE_SITES, site);
}

static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\')
			return false;
	}
	return true;
}

static __attribute__((noinline)) void find_name(struct source *s, struct source_known *at,
						bool call)
{
	char name[SYMBOLS_LEN];

	if (symbols_find(symbols_of(s), at->address, call, name, sizeof(name))) {
		at->name = mem_strdup(name);
		at->name_n = (uint32_t)strlen(name);
		at->is_plain = is_plain(name);
	}
	at->has_name = true;
}

const struct source_known *source_known_site(struct source *s, uint64_t site)
{
	struct source_known *at = known_site(s, site);

	if (!at->has_name)
		find_name(s, at, true);
	return at;
}

struct text source_name(struct source *s, uint64_t address, bool call)
{
	struct source_known *at = call ? known_site(s, address) : known_lock(s, address);

	if (!at->has_name)
		find_name(s, at, call);
	return (struct text){ at->name, at->name_n };
}

struct text source_class(struct source *s, uint64_t lock)
{
	struct source_known *at = known_lock(s, lock);
	const struct class_entry *class;

	if (at->has_class)
		return (struct text){ at->class, at->class_n };
	if (!s->classes)
		s->classes = class_index_new(symbols_of(s));
	class = class_index_known(s->classes, lock);
	if (class) {
		at->class = class->same;
		at->class_n = (uint32_t)strlen(class->same);
	}
	at->has_class = true;
	return (struct text){ at->class, at->class_n };
}

const char *source_task(struct source *s, int32_t tid)
{
	return names_find(names_of(s), tid);
}

/* In two steps, as the product of the whole has more than 64 bits. */
static uint64_t scale(uint64_t ticks, uint64_t hz, uint64_t unit)
{
	uint64_t whole = ticks / hz, rest = ticks % hz;
	unsigned __int128 value = (unsigned __int128)whole * unit;

	if (hz <= UINT64_MAX / unit)
		value += rest * unit / hz;
	else
		value += (unsigned __int128)rest * unit / hz;
	return value > INT64_MAX ? INT64_MAX : (uint64_t)value;
}

/* The greatest number that a database has is far beyond any trace: it takes 292 years. */
uint64_t source_ns(const struct source *s, uint64_t ticks)
{
	return scale(ticks - s->trace->start, s->trace->meta.freq, 1000000000u);
}

/* As the CSV of ft export has it. */
double source_length(const struct source *s, uint64_t ticks)
{
	const uint64_t ps = 1000000000000ull, hz = s->trace->meta.freq;

	if (ticks <= UINT64_MAX / ps)
		return (double)(ticks * ps / hz) / 1000;
	return (double)((unsigned __int128)ticks * ps / hz) / 1000;
}

bool source_wall(const struct source *s, uint64_t ticks, int64_t *ns)
{
	const struct metadata *m = &s->trace->meta;
	uint64_t clock;

	if (!trace_has_wall(s->trace))
		return false;
	if (__builtin_add_overflow(ticks, m->offset, &clock) || m->offset_s < 0 ||
	    m->offset_s > INT64_MAX / 1000000000) {	/* as no recorder writes it */
		uint32_t rest;
		int64_t seconds = trace_wall(s->trace, ticks, &rest);

		return !__builtin_mul_overflow(seconds, 1000000000, ns) &&
		       !__builtin_add_overflow(*ns, rest, ns);
	}
	clock = scale(clock, m->freq, 1000000000u);
	return clock < INT64_MAX &&
	       !__builtin_add_overflow(m->offset_s * 1000000000, (int64_t)clock, ns);
}

/* Eight digits, the first in the lowest byte, from 32 bits: all at once. */
static uint64_t hex_digits(uint32_t value)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t v = value, letters;

	v = (v | v << 16) & 0x0000ffff0000ffffu;
	v = (v | v << 8) & 0x00ff00ff00ff00ffu;
	v = (v | v << 4) & 0x0f0f0f0f0f0f0f0fu;
	letters = ((v + 6 * ones) >> 4) & ones;
	return __builtin_bswap64(v + '0' * ones + letters * ('a' - '0' - 10));
}

char *source_put_address(char *at, uint64_t address)
{
	unsigned int digits = address ? 16 - (unsigned int)__builtin_clzll(address) / 4 : 1;
	/* as many bytes again, so that the number of bytes copied is constant */
	uint64_t words[4] = {
		hex_digits((uint32_t)(address >> 32)), hex_digits((uint32_t)address),
	};

	memcpy(at, "0x", 2);
	memcpy(at + 2, (const char *)words + 16 - digits, 16);
	return at + 2 + digits;
}

const char *source_address(char text[SOURCE_ADDRESS], uint64_t address)
{
	*source_put_address(text, address) = '\0';
	return text;
}

struct ft_record source_record(const struct ft_reader_item *item)
{
	return (struct ft_record){
		.ts = item->record.stamp, .id = (uint16_t)item->record.id,
		.tid = item->tid, .ctx = (uint8_t)item->context,
		.a = item->record.a, .b = item->record.b,
	};
}
