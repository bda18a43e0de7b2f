// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Expressions over the arguments of a tracepoint: see expression.h.
 *
 * What is read from left to right is either a value, or a place in memory of which nothing was
 * read yet: a pointer that is known, and an offset. A pointer in such a place is read when
 * something goes through it; what the place has in the end is read last.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/btf.h>

#include "base/mem.h"
#include "control/typed/casts.h"
#include "control/typed/expression_walk.h"

/* Nested structures without a name; nobody writes that many. */
#define INSIDE_MAX	32

/* Parentheses and casts in each other. */
#define NESTED_MAX	32

/* --- steps ---------------------------------------------------------------- */

static const char *name_of(const struct walk *w, const struct btf_member *member)
{
	const char *name = btf__name_by_offset(w->btf, member->name_off);

	return name ? name : "";
}

/* All names of a structure, also of those inside that have no name. */
static void list_members(const struct walk *w, const struct btf_type *type, unsigned int inside,
			 struct walk_names *names)
{
	const struct btf_type *inner;

	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];

		if (*name_of(w, member))
			walk_name(names, name_of(w, member));
		else if (inside < INSIDE_MAX && types_resolve(w->btf, member->type, &inner) &&
			 btf_is_composite(inner))
			list_members(w, inner, inside + 1, names);
	}
}

/* Reads @size bytes at the place; 0: nothing, its address is the value. */
static bool read_place(struct walk *w, unsigned int size)
{
	struct ft_word *word = &w->out->word;
	uint64_t offset = w->offset / 8;

	if (word->loads == FT_WORD_LOADS)
		return walk_fail(w, "it reads memory more than %d times", FT_WORD_LOADS);
	if (offset > UINT32_MAX)
		return walk_fail(w, "an index is too large");
	word->offset[word->loads++] = (uint32_t)offset;
	word->size = (__u8)size;
	w->is_place = false;
	w->offset = 0;
	return true;
}

/* Goes through a pointer: what it points to is a place. */
static bool follow(struct walk *w)
{
	const struct btf_type *type;

	if (!types_resolve(w->btf, w->type, &type) || !btf_is_ptr(type))
		return walk_fail_type(w, "no pointer");
	w->pointer = w->type;
	if (w->is_place && !read_place(w, sizeof(uint64_t)))
		return false;
	w->type = type->type;
	w->is_place = true;
	return true;
}

/* Return: the member, and where it begins, in bits; NULL. */
static const struct btf_member *find_member(const struct walk *w, const struct btf_type *type,
					    const char *name, unsigned int inside,
					    uint64_t *offset, unsigned int *bits)
{
	const struct btf_member *found;
	const struct btf_type *inner;

	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];

		*offset = btf_member_bit_offset(type, i);
		*bits = btf_member_bitfield_size(type, i);
		if (!strcmp(name_of(w, member), name))
			return member;
		if (*name_of(w, member) || inside == INSIDE_MAX ||
		    !types_resolve(w->btf, member->type, &inner) || !btf_is_composite(inner))
			continue;
		found = find_member(w, inner, name, inside + 1, offset, bits);
		if (found) {
			*offset += btf_member_bit_offset(type, i);
			return found;
		}
	}
	return NULL;
}

static bool fail_member(struct walk *w, const struct btf_type *type, const char *name)
{
	char *text = types_text(w->btf, w->type);
	char *what = mem_format("'%s' has no member", text);
	struct walk_names names = { 0 };

	list_members(w, type, 0, &names);
	walk_fail_name(w, what, name, &names);
	mem_free(names.name);
	mem_free(what);
	mem_free(text);
	return false;
}

/* @is_behind: a pointer that was just gone through. */
static bool fail_no_members(struct walk *w, const struct btf_type *type, bool is_behind)
{
	bool is_pointer = type && btf_is_ptr(type);

	if (!is_behind)
		return walk_fail_type(w, is_pointer ? "a pointer: its members are behind ->" :
						      "it has no known members");
	w->type = w->pointer;
	return walk_fail_type(w, is_pointer ? "a pointer to a pointer: X[0]->MEMBER" :
					      "what it points to has no known members");
}

static bool take_member(struct walk *w, const char *name, bool is_behind)
{
	const struct btf_member *member;
	const struct btf_type *type;
	unsigned int bits;
	uint64_t offset;

	if (!types_resolve(w->btf, w->type, &type) || !btf_is_composite(type))
		return fail_no_members(w, type, is_behind);
	if (!w->is_place)
		return walk_fail_type(w, "a member of a structure in a register cannot be read");
	member = find_member(w, type, name, 0, &offset, &bits);
	if (!member)
		return fail_member(w, type, name);
	w->offset += offset;
	w->bits = bits;
	w->type = member->type;
	return true;
}

static bool take_index(struct walk *w, uint64_t n)
{
	const struct btf_type *type;
	const struct btf_array *array;
	int64_t size;

	if (!types_resolve(w->btf, w->type, &type))
		return walk_fail_type(w, "neither an array nor a pointer");
	if (btf_is_array(type) && w->is_place) {
		array = btf_array(type);
		if (array->nelems && n >= array->nelems)
			return walk_fail(w, "index %llu: the array has %u elements",
					 (unsigned long long)n, array->nelems);
		w->type = array->type;
	} else if (!btf_is_ptr(type)) {
		return walk_fail_type(w, "neither an array nor a pointer");
	} else if (!follow(w)) {
		return false;
	}
	size = btf__resolve_size(w->btf, w->type);
	if (size <= 0) {
		w->type = btf_is_ptr(type) ? w->pointer : w->type;
		return walk_fail_type(w, "the size of an element is not known");
	}
	if (n > UINT32_MAX / (uint64_t)size)
		return walk_fail(w, "an index is too large");
	w->offset += 8 * n * (uint64_t)size;
	w->bits = 0;
	return true;
}

/* --- casts ------------------------------------------------------------------ */

/* From now on, the types that casts make continue the others. */
static bool add_casts(struct walk *w)
{
	if (btf__base_btf(w->btf)) {
		w->flat = types_flat(w->btf);
		if (!w->flat)
			return false;
		w->btf = w->flat;
	}
	w->casts = btf__new_empty_split((struct btf *)w->btf);
	if (w->casts)
		w->btf = w->casts;
	return w->casts;
}

/* @id: its number among BTF's types and those that were added. */
static bool find_cast(struct walk *w, const struct casts_type *cast, uint32_t *id)
{
	if (!w->casts && !add_casts(w))
		return walk_fail(w, "no memory for a type");
	*id = casts_find(w->casts, cast);
	return *id || walk_fail(w, "there is no type '%.*s' in the kernel's type information (BTF)",
				(int)cast->len, cast->text);
}

/* A cast to a narrower type keeps the lower bits; one to a wider type changes nothing. */
static bool cast_number(struct walk *w, uint32_t id, const struct types_number *from,
			const struct types_number *to)
{
	unsigned int bits = w->bits ? w->bits : from->bits;

	if (to->bits > bits && from->kind == FT_FIELD_SIGNED && to->kind != FT_FIELD_SIGNED)
		return walk_fail_type(w, "a signed number does not fit a larger unsigned type: cast "
					 "it to one of its own size first, as (u64)(u32)X");
	if (to->bits > bits)
		return true;
	if (w->bits && to->bits < w->bits)
		w->bits = to->bits;
	w->type = id;
	return true;
}

static bool cast_to(struct walk *w, const struct casts_type *cast)
{
	struct types_number from, to;
	const struct btf_type *type;
	uint32_t id = 0;

	if (!(w->is_place ? types_is_number : types_is_small)(w->btf, w->type, &from))
		return walk_fail_type(w, "only a number or a pointer can be cast");
	if (!find_cast(w, cast, &id))
		return false;
	if (!types_is_number(w->btf, id, &to) || !types_resolve(w->btf, id, &type) ||
	    (btf_is_int(type) && btf_int_encoding(type) & BTF_INT_BOOL))
		return walk_fail_type(w, "it can be cast to a number or a pointer, and not to "
					 "bool");
	if (btf_is_ptr(type) && (from.bits != 64 || w->bits))
		return walk_fail_type(w, "it has less than the 64 bits of a pointer");
	return cast_number(w, id, &from, &to);
}

/* --- reading the text ------------------------------------------------------- */

static void skip_blanks(struct walk *w)
{
	while (isblank((unsigned char)*w->at))
		w->at++;
}

static bool take_text(struct walk *w, const char *what)
{
	skip_blanks(w);
	if (strncmp(w->at, what, strlen(what)))
		return false;
	w->at += strlen(what);
	return true;
}

static bool fail_missing(struct walk *w, const char *what)
{
	return *w->at ? walk_fail(w, "%s is missing in front of '%s'", what, w->at) :
			walk_fail(w, "%s is missing at the end", what);
}

/* Adds to the path. */
static void add_path(struct walk *w, const char *name)
{
	char *path = w->out->path;

	w->out->path = path ? mem_format("%s_%s", path, name) : mem_strdup(name);
	mem_free(path);
}

static bool is_letter(char c)
{
	return isascii(c) && (isalnum((unsigned char)c) || c == '_');
}

/* Reads a name into @w->name. */
static bool take_name(struct walk *w)
{
	const char *from;

	skip_blanks(w);
	from = w->at;
	while (is_letter(*w->at))
		w->at++;
	mem_free(w->name);
	w->name = mem_format("%.*s", (int)(w->at - from), from);
	if (*w->name && !isdigit((unsigned char)*w->name))
		return true;
	w->at = from;
	return fail_missing(w, "a name");
}

static bool take_argument(struct walk *w)
{
	const struct types_tracepoint *t = w->tracepoint;
	struct walk_names names = { 0 };
	char *what;

	if (!take_name(w))
		return false;
	for (unsigned int i = 0; i < t->n; i++) {
		walk_name(&names, t->argument[i].name);
		if (strcmp(t->argument[i].name, w->name))
			continue;
		mem_free(names.name);
		w->type = t->argument[i].type;
		w->out->word.arg = (__u8)t->argument[i].arg;
		add_path(w, w->name);
		w->known = w->at;
		return w->out->word.arg || walk_fail_type(w, "such an argument cannot be had");
	}
	what = mem_format("the tracepoint '%s' has no argument", t->name);
	walk_fail_name(w, what, w->name, &names);
	mem_free(what);
	mem_free(names.name);
	return false;
}

static bool take_number(struct walk *w, uint64_t *n)
{
	char *end;

	skip_blanks(w);
	if (!isdigit((unsigned char)*w->at))
		return fail_missing(w, "a number");
	*n = strtoull(w->at, &end, 0);
	w->at = end;
	return true;
}

static bool take_element(struct walk *w)
{
	char *name, digits[24];
	uint64_t n = 0;

	if (!take_number(w, &n) || !take_index(w, n))
		return false;
	if (!take_text(w, "]"))
		return fail_missing(w, "a ']'");
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	add_path(w, digits);
	name = mem_format("%s_%s", w->name, digits);
	mem_free(w->name);
	w->name = name;
	return true;
}

/* Return: whether there was another one; else the end, or an error. */
static bool take_step(struct walk *w)
{
	bool is_behind = false;

	if (take_text(w, "[")) {
		return take_element(w);
	} else if (take_text(w, "->")) {
		is_behind = true;
		if (!follow(w))
			return false;
	} else if (!take_text(w, ".")) {
		return false;
	}
	if (!take_name(w) || !take_member(w, w->name, is_behind))
		return false;
	add_path(w, w->name);
	return true;
}

/* --- the value ---------------------------------------------------------------- */

/*
 * Reads a number where it lies, also in a packed structure; for a bit field, the smallest
 * aligned piece that holds all of it.
 */
static bool read_bits(struct walk *w, unsigned int bits)
{
	uint64_t from = w->offset, start;

	for (unsigned int size = 1; size <= 8; size *= 2) {
		start = w->bits ? from / (8 * size) * (8 * size) : from;
		if (from + bits > start + 8 * size)
			continue;
		w->offset = start;
		w->out->word.shift = (__u8)(from - start);
		return read_place(w, size);
	}
	return walk_fail_type(w, "it lies across two words");
}

static bool take_address(struct walk *w)
{
	if (!w->is_place || w->bits)
		return walk_fail_type(w, "it has no address");
	w->out->word.bits = 64;
	w->out->word.kind = FT_FIELD_HEX;
	return read_place(w, 0);
}

static bool take_value(struct walk *w)
{
	const struct btf_type *type;
	struct types_number number;

	if (!(w->is_place ? types_is_number : types_is_small)(w->btf, w->type, &number)) {
		types_resolve(w->btf, w->type, &type);
		return walk_fail_type(w, type && btf_is_array(type) ? "choose an element: X[0]" :
				      type && btf_is_composite(type) ?
				      "choose one of its members" : "no number");
	}
	w->out->word.bits = (__u8)(w->bits ? w->bits : number.bits);
	w->out->word.kind = number.kind;
	return !w->is_place || read_bits(w, w->out->word.bits);
}

/* NAME=, which no expression has elsewhere. Return: false after an error. */
static bool take_own_name(struct walk *w)
{
	w->out->is_named = strchr(w->at, '=');
	if (!w->out->is_named)
		return true;
	if (!take_name(w))
		return false;
	if (!take_text(w, "="))
		return walk_fail(w, "'%s' is no name", w->text);
	snprintf(w->out->word.field, sizeof(w->out->word.field), "%s", w->name);
	return strlen(w->name) < sizeof(w->out->word.field) ||
	       walk_fail(w, "the name '%s' is too long", w->name);
}

static bool take_prefixed(struct walk *w);

/* (X), behind its '(' */
static bool take_inner(struct walk *w)
{
	if (!take_prefixed(w))
		return false;
	if (!take_text(w, ")"))
		return fail_missing(w, "a ')'");
	w->known = w->at;
	return true;
}

/* An operand, with the steps behind it. */
static bool take_steps(struct walk *w)
{
	const char *from;

	skip_blanks(w);
	from = w->at;
	w->from = from;
	if (!(take_text(w, "(") ? take_inner(w) : take_argument(w)))
		return false;
	w->from = from;
	while (take_step(w))
		w->known = w->at;
	return !w->error;
}

/* An argument may have the name of a type. */
static bool is_argument(const struct walk *w, const char *name)
{
	for (unsigned int i = 0; i < w->tracepoint->n; i++) {
		if (!strcmp(w->tracepoint->argument[i].name, name))
			return true;
	}
	return false;
}

/* Return: is it a cast? Then it is to be freed. */
static bool take_cast(struct walk *w, struct casts_type *cast)
{
	const char *at;

	skip_blanks(w);
	at = w->at + 1;
	if (*w->at != '(' || !casts_parse(&at, cast))
		return false;
	if (!cast->keyword && !cast->stars && is_argument(w, cast->name)) {
		mem_free(cast->name);
		return false;
	}
	w->at = at;
	return true;
}

static bool take_prefixed_once(struct walk *w)
{
	struct casts_type cast;
	bool ok;

	if (take_text(w, "*"))
		return take_prefixed(w) && take_index(w, 0);
	if (!take_cast(w, &cast))
		return take_steps(w);
	ok = take_prefixed(w) && cast_to(w, &cast);
	mem_free(cast.name);
	return ok;
}

/* *X, (TYPE)X, and an operand with its steps, which bind tighter. */
static bool take_prefixed(struct walk *w)
{
	bool ok;

	if (w->nested == NESTED_MAX)
		return walk_fail(w, "there are more than %d parentheses, casts and stars in each "
				    "other", NESTED_MAX);
	w->nested++;
	ok = take_prefixed_once(w);
	w->nested--;
	return ok;
}

static bool take_all(struct walk *w)
{
	bool address;

	if (!take_own_name(w))
		return false;
	skip_blanks(w);
	w->text = w->at;
	address = take_text(w, "&");
	if (!(address ? take_steps(w) : take_prefixed(w)))
		return false;
	skip_blanks(w);
	if (*w->at)
		return walk_fail(w, "'%s' cannot be understood", w->at);
	w->from = w->text;
	if (!(address ? take_address(w) : take_value(w)))
		return false;
	if (w->out->is_named)
		return true;
	snprintf(w->out->word.field, sizeof(w->out->word.field), "%s", w->name);
	return strlen(w->name) < sizeof(w->out->word.field) ||
	       walk_fail(w, "the name '%s' is too long: give it another one: NAME=%s", w->name,
			 w->text);
}

char *expression_resolve(const struct types_tracepoint *tracepoint, const char *text,
			 struct expression *out)
{
	struct walk w = {
		.tracepoint = tracepoint, .btf = tracepoint->btf, .text = text, .at = text,
		.out = out, .from = text,
	};

	memset(out, 0, sizeof(*out));
	take_all(&w);
	mem_free(w.name);
	btf__free(w.casts);
	btf__free(w.flat);
	return w.error;
}

void expression_free(struct expression *expression)
{
	mem_free(expression->path);
}
