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

#include "base/array.h"
#include "base/uuid.h"
#include "trace/families.h"
#include "trace/repair.h"

static const char head[] =
	"/* CTF 1.8 */\n"
	"/* made by ft fix: the metadata of this trace was lost or damaged */\n"
	"\n"
	FT_TSDL_TYPES
	"typealias integer { size = 64; align = 64; signed = true; } := int64_t;\n";

/* Events of fixed ids that are not of locks. */
static const struct {
	const char	*name, *field[METADATA_FIELDS];
} fixed[] = {
	[FT_ID_MARK] = { "mark", { "a", "b" } },
	[FT_ID_CONTENTION_BEGIN] = { "contention_begin", { "lock", "flags" } },
	[FT_ID_CONTENTION_END] = { "contention_end", { "lock", "result" } },
};

static bool is_fixed(uint32_t id)
{
	return id && id < ARRAY_SIZE(fixed);
}

/*
 * Is it in the metadata though nothing says so? What any kernel has is in that of
 * CPUs; what programs have, nowhere.
 */
static bool is_always_there(unsigned int class, uint32_t id)
{
	unsigned int family;

	if (class)
		return false;
	return id == FT_ID_MARK ||
	       (locks_of_id(id, &family) && !locks_families[family].pthread);
}

bool fix_event_known(const struct fix *fix, unsigned int class, uint32_t id)
{
	unsigned int family;

	if (metadata_event(&fix->meta, class, id) || id == FT_ID_MARK ||
	    locks_of_id(id, &family))
		return true;
	return (id >= FT_ID_DYNAMIC || is_fixed(id)) &&
	       (fix->counting || fix->seen[class][id] > fix->meta_whole);
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

/* What the ABI says of an event: its name, and those of its words. */
static const char *const *describe(uint32_t id, char *name, size_t len)
{
	static const char *const words[METADATA_FIELDS] = { "a", "b" };
	static const char *const of_lock[METADATA_FIELDS] = { "lock", "caller" };
	unsigned int family;

	if (locks_of_id(id, &family)) {
		snprintf(name, len, "%s_%s", locks_name(family),
			 id % 2 ? "release" : "acquire");
		return of_lock;
	}
	if (is_fixed(id)) {
		snprintf(name, len, "%s", fixed[id].name);
		return fixed[id].field;
	}
	snprintf(name, len, "unknown_%u", id);
	return words;
}

/* @old: what the metadata says, or NULL */
static void put_event(FILE *f, unsigned int class, uint32_t id,
		      const struct event_type *old)
{
	static const char *const types[] = {
		[FIELD_HEX] = "word_t",
		[FIELD_UNSIGNED] = "uint64_t",
		[FIELD_SIGNED] = "int64_t",
	};
	char name[48];
	const char *const *field = describe(id, name, sizeof(name));
	unsigned int i;

	fprintf(f, "\nevent {\n\tid = %u; name = ", id);
	put_string(f, old ? old->name : name);
	fprintf(f, "; stream_id = %u;\n\tfields := struct {", class);
	for (i = 0; i < METADATA_FIELDS; i++) {
		const char *own = old ? old->field[i] : NULL;

		fprintf(f, " %s _%s;", types[old ? old->style[i] : FIELD_HEX],
			own && is_identifier(own) ? own : field[i]);
	}
	fputs(" };\n};\n", f);
}

static void put_class(const struct fix *fix, FILE *f, unsigned int class)
{
	uint32_t id;

	fprintf(f, FT_TSDL_STREAM("%u", "%s", "%s"), class,
		class ? FT_TSDL_THREAD : FT_TSDL_CPU,
		fix->has_gap ? "_gap" : "_lap");
	for (id = 1; id <= FT_ID_MAX; id++) {
		const struct event_type *old = metadata_event(&fix->meta, class, id);

		if (old || is_always_there(class, id) ||
		    (fix->seen[class][id] && fix_event_known(fix, class, id)))
			put_event(f, class, id, old);
	}
}

void fix_meta_write(const struct fix *fix, FILE *f)
{
	char uuid[UUID_LEN];

	uuid_format(uuid, fix->uuid);
	fputs(head, f);
	fprintf(f, FT_TSDL_TRACE("%s"), uuid);
	put_env(fix, f);
	put_clock(fix, f);
	fputs(FT_TSDL_STAMP, f);
	put_class(fix, f, 0);
	if (fix->of_threads)
		put_class(fix, f, 1);
}
