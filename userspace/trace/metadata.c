// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reading the metadata text: a parser that knows the statements it needs and
 * steps over all others.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "trace/metadata.h"
#include "trace/tsdl.h"

#define MAX_ID		65535

/* How packetized metadata begins: 0x75d11d57 in either byte order. */
static const char packetized[2][4] = { "\x57\x1d\xd1\x75", "\x75\xd1\x1d\x57" };

struct parser {
	struct tsdl		in;
	struct metadata		*m;
};

/* Values. */

static int get_int(const struct parser *p, int64_t *value)
{
	char *end;

	errno = 0;
	if (p->in.text[0] == '-')
		*value = strtoll(p->in.text, &end, 0);
	else
		*value = (int64_t)strtoull(p->in.text, &end, 0);
	if (p->in.token != TSDL_WORD || end == p->in.text || *end || errno)
		return tsdl_fail(&p->in, "expected a number");
	return 0;
}

static int get_uuid(struct parser *p)
{
	const char *s = p->in.text;
	unsigned int i;

	for (i = 0; i < sizeof(p->m->uuid); i++) {
		unsigned int byte;

		s += *s == '-';
		if (!isxdigit((unsigned char)s[0]) ||
		    !isxdigit((unsigned char)s[1]) ||
		    sscanf(s, "%2x", &byte) != 1)
			return tsdl_fail(&p->in, "bad uuid");
		p->m->uuid[i] = (uint8_t)byte;
		s += 2;
	}
	if (*s)
		return tsdl_fail(&p->in, "bad uuid");
	p->m->has_uuid = true;
	return 0;
}

/* Blocks: "key = value;", the value being the current word. */

typedef int (*value_fn)(struct parser *p, const char *key, void *arg);
typedef int (*field_fn)(struct parser *p, const struct field_type *type, void *arg);

static int parse_type(struct parser *p, struct field_type *type);

/* struct { type name; type name; } */
static int parse_struct(struct parser *p, field_fn field, void *arg)
{
	struct tsdl *in = &p->in;
	struct field_type type;

	if (!tsdl_at_word(in, "struct"))
		return tsdl_fail(in, "expected struct");
	tsdl_next(in);
	if (tsdl_expect(in, '{'))
		return -1;
	while (!tsdl_at(in, '}')) {
		if (parse_type(p, &type))
			return -1;
		if (in->token != TSDL_WORD)
			return tsdl_fail(in, "expected the name of a field");
		if (field(p, &type, arg))
			return -1;
		tsdl_next(in);
		if (tsdl_expect(in, ';'))
			return -1;
	}
	tsdl_next(in);
	return 0;
}

/**
 * parse_block - the statements between '{' and '}'
 * @value: called for "key = value;", with the value as current word
 * @structure: of the "structure := struct { type name; ... };" that matters,
 *	or NULL for none
 * @field: called for each field of it, with its name as current word
 */
static int parse_block(struct parser *p, value_fn value, const char *structure,
		       field_fn field, void *arg)
{
	struct tsdl *in = &p->in;
	char key[sizeof(in->text)];

	if (tsdl_expect(in, '{'))
		return -1;
	while (!tsdl_at(in, '}')) {
		if (in->token != TSDL_WORD)
			return tsdl_fail(in, "expected a name");
		memcpy(key, in->text, sizeof(key));
		tsdl_next(in);
		if (tsdl_at(in, '=')) {
			tsdl_next(in);
			if (value(p, key, arg))
				return -1;
			tsdl_next(in);
			if (tsdl_expect(in, ';'))
				return -1;
		} else if (structure && tsdl_at(in, ':') &&
			   !strcmp(key, structure)) {
			tsdl_next(in);
			if (parse_struct(p, field, arg) || tsdl_expect(in, ';'))
				return -1;
		} else if (tsdl_skip(in)) {
			return -1;
		}
	}
	tsdl_next(in);
	return 0;
}

static int trace_value(struct parser *p, const char *key, void *arg)
{
	int64_t n;

	(void)arg;
	if (!strcmp(key, "uuid"))
		return get_uuid(p);
	if (!strcmp(key, "byte_order") && strcmp(p->in.text, "le"))
		return tsdl_fail(&p->in, "only traces with byte_order le can be read");
	if (!strcmp(key, "major"))
		return get_int(p, &n) ? -1 :
		       n == 1 ? 0 : tsdl_fail(&p->in, "only CTF 1 can be read");
	return 0;
}

static int env_value(struct parser *p, const char *key, void *arg)
{
	struct metadata *m = p->m;

	(void)arg;
	m->env = mem_resize(m->env, m->n_env + 1, sizeof(*m->env));
	m->env[m->n_env].key = mem_strdup(key);
	m->env[m->n_env++].value = mem_strdup(p->in.text);
	return 0;
}

static int clock_value(struct parser *p, const char *key, void *arg)
{
	struct metadata *m = p->m;

	(void)arg;
	if (!strcmp(key, "freq")) {
		int64_t freq;

		if (get_int(p, &freq))
			return -1;
		if (freq <= 0)
			return tsdl_fail(&p->in, "bad clock frequency");
		m->freq = (uint64_t)freq;
		return 0;
	}
	if (!strcmp(key, "offset_s"))
		return get_int(p, &m->offset_s);
	if (!strcmp(key, "offset"))
		return get_int(p, &m->offset);
	if (!strcmp(key, "description") || (!strcmp(key, "name") && !m->clock)) {
		mem_free(m->clock);
		m->clock = mem_strdup(p->in.text);
	}
	return 0;
}

/* Types. */

static int integer_value(struct parser *p, const char *key, void *arg)
{
	struct field_type *type = arg;
	int64_t bits;

	if (!strcmp(key, "signed") && type->style != FIELD_HEX &&
	    (tsdl_at_word(&p->in, "true") || tsdl_at_word(&p->in, "1")))
		type->style = FIELD_SIGNED;
	if (!strcmp(key, "base") &&
	    (tsdl_at_word(&p->in, "16") || tsdl_at_word(&p->in, "hex") ||
	     tsdl_at_word(&p->in, "x")))
		type->style = FIELD_HEX;
	if (!strcmp(key, "size") || !strcmp(key, "align")) {
		if (get_int(p, &bits))
			return -1;
		if (bits < 1 || bits > FIELD_WORD)
			return tsdl_fail(&p->in, "an integer has 1 to 64 bits");
		*(*key == 's' ? &type->bits : &type->align) = (unsigned int)bits;
	}
	return 0;
}

/* "NAME" = VALUE, or the next value; of a range, the first */
static int parse_label(struct parser *p, struct field_type *type)
{
	struct tsdl *in = &p->in;
	uint64_t next = type->labels ? type->label[type->labels - 1].value + 1 : 0;
	int64_t value;
	char *name;

	if (in->token != TSDL_STRING && in->token != TSDL_WORD)
		return tsdl_fail(in, "expected the name of a value");
	name = mem_strdup(in->text);
	type->label = mem_resize(type->label, type->labels + 1, sizeof(*type->label));
	type->label[type->labels].name = name;
	type->label[type->labels++].value = next;
	tsdl_next(in);
	if (!tsdl_at(in, '='))
		return 0;
	tsdl_next(in);
	if (get_int(p, &value))
		return -1;
	type->label[type->labels - 1].value = (uint64_t)value;
	tsdl_next(in);
	if (!tsdl_at_word(in, "..."))
		return 0;
	tsdl_next(in);
	if (get_int(p, &value))
		return -1;
	tsdl_next(in);
	return 0;
}

/* enum : TYPE { labels }: the metadata keeps the labels, under this name. */
static int parse_enum(struct parser *p, const char *name, struct field_type *type)
{
	struct tsdl *in = &p->in;
	struct field_alias *alias;
	size_t at = p->m->n_alias;
	int ret = 0;

	tsdl_next(in);
	if (in->token == TSDL_WORD)	/* its own name, which nothing of ours refers to */
		tsdl_next(in);
	if (tsdl_expect(in, ':'))
		return -1;
	if (tsdl_at_word(in, "enum"))
		return tsdl_fail(in, "an enumeration is of integers");
	if (parse_type(p, type) || tsdl_expect(in, '{'))
		return -1;
	p->m->alias = mem_resize(p->m->alias, at + 1, sizeof(*p->m->alias));
	p->m->alias[at] = (struct field_alias){
		.name = mem_strdup(name),
		.type = { .style = FIELD_LABEL, .bits = type->bits, .align = type->align },
	};
	p->m->n_alias++;
	alias = &p->m->alias[at];
	while (!ret && !tsdl_at(in, '}')) {
		ret = parse_label(p, &alias->type);
		if (!ret && !tsdl_at(in, '}'))
			ret = tsdl_expect(in, ',');
	}
	*type = alias->type;
	if (!ret)
		tsdl_next(in);
	return ret;
}

static int parse_type(struct parser *p, struct field_type *type)
{
	size_t i;

	*type = (struct field_type){ .style = FIELD_HEX, .bits = FIELD_WORD, .align = 1 };
	if (tsdl_at_word(&p->in, "integer")) {
		type->style = FIELD_UNSIGNED;
		tsdl_next(&p->in);
		return parse_block(p, integer_value, NULL, NULL, type);
	}
	if (tsdl_at_word(&p->in, "enum"))
		return parse_enum(p, "", type);
	if (p->in.token != TSDL_WORD)
		return tsdl_fail(&p->in, "expected a type");
	for (i = 0; i < p->m->n_alias; i++) {
		if (!strcmp(p->m->alias[i].name, p->in.text))
			*type = p->m->alias[i].type;
	}
	tsdl_next(&p->in);
	return 0;
}

/* Some types say by their names what a number means: see feather_trace/tsdl.h. */
static enum field_style style_of(const char *name, enum field_style style)
{
	return !strcmp(name, "code_t") ? FIELD_CODE : !strcmp(name, "prio_t") ? FIELD_PRIO : style;
}

/* typealias integer { ... } := name; or enum; others are of no use here. */
static int parse_alias(struct parser *p)
{
	struct metadata *m = p->m;
	struct field_type type;
	size_t enums = m->n_alias;

	if (!tsdl_at_word(&p->in, "integer") && !tsdl_at_word(&p->in, "enum"))
		return tsdl_skip(&p->in);
	if (parse_type(p, &type) || tsdl_expect(&p->in, ':'))
		return -1;
	if (p->in.token != TSDL_WORD)
		return tsdl_fail(&p->in, "expected a name");
	if (m->n_alias == enums) {
		m->alias = mem_resize(m->alias, m->n_alias + 1, sizeof(*m->alias));
		m->alias[m->n_alias++] = (struct field_alias){ .type = type };
	} else {
		mem_free(m->alias[enums].name);
	}
	m->alias[enums].name = mem_strdup(p->in.text);
	m->alias[enums].type.style = style_of(p->in.text, m->alias[enums].type.style);
	return tsdl_skip(&p->in);
}

/* Events. */

struct event_parse {
	struct event_type	*type;
	int64_t			id;
	int64_t			class;
};

static int get_class(struct parser *p, int64_t *class)
{
	if (get_int(p, class))
		return -1;
	return *class >= 0 && *class < METADATA_CLASSES ? 0 :
	       tsdl_fail(&p->in, "ft writes no streams of this id");
}

static int event_value(struct parser *p, const char *key, void *arg)
{
	struct event_parse *e = arg;

	if (!strcmp(key, "id")) {
		if (get_int(p, &e->id))
			return -1;
		return e->id >= 0 && e->id <= MAX_ID ? 0 : tsdl_fail(&p->in, "bad id");
	}
	if (!strcmp(key, "stream_id"))
		return get_class(p, &e->class);
	if (!strcmp(key, "name")) {
		mem_free(e->type->name);
		e->type->name = mem_strdup(p->in.text);
	}
	return 0;
}

static int event_field(struct parser *p, const struct field_type *type, void *arg)
{
	struct event_type *e = ((struct event_parse *)arg)->type;
	const char *name = p->in.text;
	unsigned int left = FIELD_WORD - e->bits % FIELD_WORD;

	if (e->bits + type->bits > 2 * FIELD_WORD || e->fields == METADATA_FIELDS)
		return tsdl_fail(&p->in, "an event of this tool has two words");
	if (type->bits > left || e->bits % type->align)
		return tsdl_fail(&p->in, "a field of this tool is in one word, without a gap before it");
	/* CTF: one leading underscore does not belong to the name */
	name += *name == '_';
	e->field[e->fields++] = (struct event_field){
		/* FT_TSDL_UNUSED */
		.name = strncmp(name, "ft_unused_", 10) ? mem_strdup(name) : NULL,
		.from = e->bits, .type = *type,
	};
	e->bits += type->bits;
	return 0;
}

static void event_free(struct event_type *type)
{
	unsigned int i;

	if (!type)
		return;
	for (i = 0; i < type->fields; i++)
		mem_free(type->field[i].name);
	mem_free(type->name);
	mem_free(type);
}

static struct event_type **event_place(struct event_types *types, uint32_t id)
{
	if (id >= types->n) {
		types->at = mem_resize(types->at, id + 1, sizeof(*types->at));
		memset(types->at + types->n, 0,
		       (id + 1 - types->n) * sizeof(*types->at));
		types->n = id + 1;
	}
	return &types->at[id];
}

static int parse_event(struct parser *p)
{
	struct event_parse e = { .id = -1 };
	struct event_type **place;

	e.type = mem_zalloc(1, sizeof(*e.type));
	if (parse_block(p, event_value, "fields", event_field, &e))
		goto err_free_type;
	if (e.id < 0 || !e.type->name) {
		tsdl_fail(&p->in, "an event needs an id and a name, before this");
		goto err_free_type;
	}
	place = event_place(&p->m->events[e.class], (uint32_t)e.id);
	if (*place) {
		tsdl_fail(&p->in, "the id of the event before this is taken");
		goto err_free_type;
	}
	*place = e.type;
	return tsdl_expect(&p->in, ';');

err_free_type:
	event_free(e.type);
	return -1;
}

static int stream_value(struct parser *p, const char *key, void *arg)
{
	return strcmp(key, "id") ? 0 : get_class(p, arg);
}

static int stream_field(struct parser *p, const struct field_type *type, void *arg)
{
	(void)type;
	(void)arg;
	if (tsdl_at_word(&p->in, "_gap") || tsdl_at_word(&p->in, "gap"))
		p->m->has_gap = true;
	return 0;
}

static int parse_top(struct parser *p)
{
	value_fn value = tsdl_at_word(&p->in, "trace") ? trace_value :
			 tsdl_at_word(&p->in, "env") ? env_value :
			 tsdl_at_word(&p->in, "clock") ? clock_value :
			 tsdl_at_word(&p->in, "stream") ? stream_value : NULL;
	int64_t class = 0;

	if (tsdl_at_word(&p->in, "typealias")) {
		tsdl_next(&p->in);
		return parse_alias(p);
	}
	if (tsdl_at_word(&p->in, "event")) {
		tsdl_next(&p->in);
		return parse_event(p);
	}
	if (!value)
		return tsdl_skip(&p->in);
	tsdl_next(&p->in);
	if (parse_block(p, value, "event.context", stream_field, &class))
		return -1;
	if (value == stream_value)
		p->m->has_stream[class] = true;
	return tsdl_expect(&p->in, ';');
}

int metadata_parse(struct metadata *m, const char *text, size_t len, const char *path)
{
	struct parser p = {
		.in = { .path = path, .pos = text, .end = text + len, .line = 1 },
		.m = m,
	};
	int ret = 0;

	*m = (struct metadata){ 0 };
	if (len >= 4 && (!memcmp(text, packetized[0], 4) ||
			 !memcmp(text, packetized[1], 4))) {
		warnx("%s: packetized metadata is not read, only text", path);
		return -1;
	}
	tsdl_next(&p.in);
	while (!ret && p.in.token != TSDL_END)
		ret = parse_top(&p);
	if (!ret && !m->freq) {
		warnx("%s: there is no clock with a freq in it", path);
		ret = -1;
	}
	if (!ret && !metadata_any_stream(m)) {
		warnx("%s: there is no stream in it", path);
		ret = -1;
	}
	if (ret)
		metadata_free(m);
	return ret;
}

int metadata_load(struct metadata *m, const char *path)
{
	ssize_t len;
	char *text;
	int ret;

	*m = (struct metadata){ 0 };
	len = read_path(path, &text);
	if (len < 0) {
		errno = (int)-len;
		warn("cannot read %s", path);
		return -1;
	}
	ret = metadata_parse(m, text, (size_t)len, path);
	mem_free(text);
	return ret;
}

const struct event_field *event_type_field(const struct event_type *type, const char *name)
{
	for (unsigned int i = 0; i < type->fields; i++) {
		if (type->field[i].name && !strcmp(type->field[i].name, name))
			return &type->field[i];
	}
	return NULL;
}

const char *metadata_env(const struct metadata *m, const char *key)
{
	size_t i;

	for (i = 0; i < m->n_env; i++) {
		if (!strcmp(m->env[i].key, key))
			return m->env[i].value;
	}
	return NULL;
}

uint64_t metadata_unread(const struct metadata *m, const struct event_type *type)
{
	char *key = mem_format("unread_%s", type->name);
	const char *value = metadata_env(m, key);
	uint64_t count;

	mem_free(key);
	return value && !parse_u64(value, &count) ? count : 0;
}

bool metadata_is_ours(const struct metadata *m)
{
	const char *name = metadata_env(m, "tracer_name");

	return !name || !strncmp(name, "ft", 2) || !strncmp(name, "feather", 7);
}

static void alias_free(struct field_alias *alias)
{
	while (alias->type.labels)
		mem_free(alias->type.label[--alias->type.labels].name);
	mem_free(alias->type.label);
	mem_free(alias->name);
}

void metadata_free(struct metadata *m)
{
	unsigned int class;
	uint32_t i;

	for (class = 0; class < METADATA_CLASSES; class++) {
		for (i = 0; i < m->events[class].n; i++)
			event_free(m->events[class].at[i]);
		mem_free(m->events[class].at);
	}
	while (m->n_env) {
		mem_free(m->env[--m->n_env].key);
		mem_free(m->env[m->n_env].value);
	}
	while (m->n_alias)
		alias_free(&m->alias[--m->n_alias]);
	mem_free(m->alias);
	mem_free(m->env);
	mem_free(m->clock);
	*m = (struct metadata){ 0 };
}
