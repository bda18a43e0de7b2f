// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Metadata for a trace that has none, from what is known: packets give the uuid
 * and the frequency of the clock, the ABI the layout and the ids of marks and
 * locks. Names of other events, the wall clock and the circumstances are taken
 * from what could be read of the old metadata.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include <feather_trace/tsdl.h>

#include "fix.h"
#include "locks.h"
#include "util.h"

static const char head[] =
	"/* CTF 1.8 */\n"
	"/* made by ft fix: the metadata of this trace was lost or damaged */\n"
	"\n"
	FT_TSDL_TYPES
	"typealias integer { size = 64; align = 64; signed = true; } := int64_t;\n";

static bool is_lock(uint32_t id)
{
	unsigned int family;

	return locks_of_id(id, &family);
}

/* Is it in the metadata though nothing says so? Not those of programs. */
static bool is_kernel_lock(uint32_t id)
{
	unsigned int family;

	return locks_of_id(id, &family) && !locks_families[family].pthread;
}

bool fix_event_known(const struct fix *fix, uint32_t id)
{
	if (metadata_event(&fix->meta, id) || id == FT_ID_MARK || is_lock(id))
		return true;
	return id >= FT_ID_DYNAMIC &&
	       (fix->counting || fix->seen[id] > fix->meta_whole);
}

static void put_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(isprint((unsigned char)*s) ? *s : '?', f);
	}
	fputc('"', f);
}

/* Names that are written without quotes. */
static bool is_identifier(const char *s)
{
	const char *p = s;

	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return p > s && !*p && !isdigit((unsigned char)*s);
}

static void put_env(const struct fix *fix, FILE *f)
{
	const struct metadata *m = &fix->meta;
	size_t i;

	fputs("\nenv {\n", f);
	for (i = 0; i < m->n_env; i++) {
		if (!is_identifier(m->env[i].key) ||
		    strcmp(metadata_env(m, m->env[i].key), m->env[i].value))
			continue;
		fprintf(f, "\t%s = ", m->env[i].key);
		put_string(f, m->env[i].value);
		fputs(";\n", f);
	}
	if (!metadata_env(m, "tracer_name"))
		fputs("\ttracer_name = \"feather-trace\";\n", f);
	fputs("};\n", f);
}

static void put_clock(const struct fix *fix, FILE *f)
{
	const struct metadata *m = &fix->meta;

	fputs("\nclock {\n\tname = \"monotonic\";\n\tdescription = ", f);
	put_string(f, m->clock ? m->clock : "unknown");
	fprintf(f, ";\n\tfreq = %" PRIu64 ";\n\toffset_s = %" PRId64
		";\n\toffset = %" PRId64 ";\n};\n", fix->freq, m->offset_s,
		m->offset);
}

static void put_event(FILE *f, uint32_t id, const struct event_type *old,
		      const char *name, const char *const field[METADATA_FIELDS])
{
	static const char *const types[] = {
		[FIELD_HEX] = "word_t",
		[FIELD_UNSIGNED] = "uint64_t",
		[FIELD_SIGNED] = "int64_t",
	};
	unsigned int i;

	fprintf(f, "\nevent {\n\tid = %u; name = ", id);
	put_string(f, old ? old->name : name);
	fputs("; stream_id = 0;\n\tfields := struct {", f);
	for (i = 0; i < METADATA_FIELDS; i++) {
		const char *own = old ? old->field[i] : NULL;

		fprintf(f, " %s _%s;", types[old ? old->style[i] : FIELD_HEX],
			own && is_identifier(own) ? own : field[i]);
	}
	fputs(" };\n};\n", f);
}

void fix_meta_write(const struct fix *fix, FILE *f)
{
	static const char *const words[METADATA_FIELDS] = { "a", "b" };
	static const char *const of_lock[METADATA_FIELDS] = { "lock", "caller" };
	char uuid[UUID_LEN], name[48];
	unsigned int family = 0;
	uint32_t id;

	uuid_format(uuid, fix->uuid);
	fputs(head, f);
	fprintf(f, FT_TSDL_TRACE("%s"), uuid);
	put_env(fix, f);
	put_clock(fix, f);
	fprintf(f, FT_TSDL_STAMP FT_TSDL_STREAM("0", FT_TSDL_CPU, "%s"), fix->has_gap ? "_gap" : "_lap");
	for (id = 1; id <= FT_ID_MAX; id++) {
		const struct event_type *old = metadata_event(&fix->meta, id);

		if (locks_of_id(id, &family) &&
		    (is_kernel_lock(id) || old || fix->seen[id]))
			snprintf(name, sizeof(name), "%s_%s",
				 locks_name(family), id % 2 ? "release" : "acquire");
		else if (id == FT_ID_MARK)
			strcpy(name, "mark");
		else if (old || (fix->seen[id] && fix_event_known(fix, id)))
			snprintf(name, sizeof(name), "unknown_%u", id);
		else
			continue;
		put_event(f, id, old, name, is_lock(id) ? of_lock : words);
	}
}
