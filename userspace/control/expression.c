// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Expressions over the arguments of a tracepoint: see expression.h.
 *
 * What is read from left to right is either a value, or a place in memory of which nothing was
 * read yet: a pointer that is known, and an offset. A pointer in such a place is read when
 * something goes through it; what the place has in the end is read last.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/btf.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "control/expression.h"

/* Structures without a name in each other; nobody writes so many. */
#define INSIDE_MAX	32

struct walk {
	const struct types_tracepoint	*tracepoint;
	const struct btf		*btf;
	const char			*text;		/* without the NAME= */
	const char			*at;
	const char			*known;		/* so far its type is known */
	struct expression		*out;
	uint32_t			type;
	uint32_t			pointer;	/* the last one that it went through */
	bool				is_place;
	uint64_t			offset;		/* in bits, of the place */
	unsigned int			bits;		/* of a bit field; else 0 */
	char				*name;		/* the last one */
	char				*error;
};

/* --- messages ------------------------------------------------------------- */

static bool fail(struct walk *w, const char *fmt, ...)
{
	va_list ap;

	mem_free(w->error);
	va_start(ap, fmt);
	w->error = mem_vformat(fmt, ap);
	va_end(ap);
	return false;
}

/* "'rq->q' is a struct request *: ..." */
static bool fail_type(struct walk *w, const char *why)
{
	char *type = types_text(w->btf, w->type);

	fail(w, "'%.*s' is of the type '%s': %s", (int)(w->known - w->text), w->text, type, why);
	mem_free(type);
	return false;
}

/* All names of a structure, also of those inside that have no name. */
struct names {
	const char	**name;
	size_t		n;
};

static void add_name(struct names *names, const char *name)
{
	names->name = mem_resize(names->name, names->n + 1, sizeof(*names->name));
	names->name[names->n++] = name;
}

static const char *name_of(const struct walk *w, const struct btf_member *member)
{
	const char *name = btf__name_by_offset(w->btf, member->name_off);

	return name ? name : "";
}

static void list_members(const struct walk *w, const struct btf_type *type, unsigned int inside,
			 struct names *names)
{
	const struct btf_type *inner;

	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		const struct btf_member *member = &btf_members(type)[i];

		if (*name_of(w, member))
			add_name(names, name_of(w, member));
		else if (inside < INSIDE_MAX && types_resolve(w->btf, member->type, &inner) &&
			 btf_is_composite(inner))
			list_members(w, inner, inside + 1, names);
	}
}

static char *list_text(const struct names *names)
{
	char *text = mem_strdup(names->n ? names->name[0] : "nothing"), *more;

	for (size_t i = 1; i < names->n && i < 16; i++) {
		more = mem_format("%s, %s", text, names->name[i]);
		mem_free(text);
		text = more;
	}
	if (names->n <= 16)
		return text;
	more = mem_format("%s ...", text);
	mem_free(text);
	return more;
}

/* There is no @name among them. @what: "the tracepoint 'x' has no argument" */
static bool fail_name(struct walk *w, const char *what, const char *name,
		      const struct names *names)
{
	char hint[NEAREST_HINT], *all = list_text(names);

	nearest_hint(hint, name, names->name, names->n);
	if (*hint)
		fail(w, "%s '%s'%s", what, name, hint);
	else
		fail(w, "%s '%s'; it has: %s", what, name, all);
	mem_free(all);
	return false;
}

/* --- steps ---------------------------------------------------------------- */

/* Reads so many bytes at the place; 0: nothing, its address is the value. */
static bool read_place(struct walk *w, unsigned int size)
{
	struct ft_word *word = &w->out->word;
	uint64_t offset = w->offset / 8;

	if (word->loads == FT_WORD_LOADS)
		return fail(w, "it reads memory more than %d times", FT_WORD_LOADS);
	if (offset > UINT32_MAX)
		return fail(w, "an index is too large");
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
		return fail_type(w, "no pointer");
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
	struct names names = { 0 };

	list_members(w, type, 0, &names);
	fail_name(w, what, name, &names);
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
		return fail_type(w, is_pointer ? "a pointer: its members are behind ->" :
						 "it has no members that are known");
	w->type = w->pointer;
	return fail_type(w, is_pointer ? "a pointer to a pointer: X[0]->MEMBER" :
					 "it points to no members that are known");
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
		return fail_type(w, "of a structure in a register no member can be had");
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
		return fail_type(w, "neither an array nor a pointer");
	if (btf_is_array(type) && w->is_place) {
		array = btf_array(type);
		if (array->nelems && n >= array->nelems)
			return fail(w, "index %llu: the array has %u elements",
				    (unsigned long long)n, array->nelems);
		w->type = array->type;
	} else if (!btf_is_ptr(type)) {
		return fail_type(w, "neither an array nor a pointer");
	} else if (!follow(w)) {
		return false;
	}
	size = btf__resolve_size(w->btf, w->type);
	if (size <= 0) {
		w->type = btf_is_ptr(type) ? w->pointer : w->type;
		return fail_type(w, "the size of an element is not known");
	}
	if (n > UINT32_MAX / (uint64_t)size)
		return fail(w, "an index is too large");
	w->offset += 8 * n * (uint64_t)size;
	w->bits = 0;
	return true;
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
	return *w->at ? fail(w, "%s is missing in front of '%s'", what, w->at) :
			fail(w, "%s is missing at the end", what);
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
	struct names names = { 0 };
	char *what;

	if (!take_name(w))
		return false;
	for (unsigned int i = 0; i < t->n; i++) {
		add_name(&names, t->argument[i].name);
		if (strcmp(t->argument[i].name, w->name))
			continue;
		mem_free(names.name);
		w->type = t->argument[i].type;
		w->out->word.arg = (__u8)t->argument[i].arg;
		add_path(w, w->name);
		w->known = w->at;
		return w->out->word.arg || fail_type(w, "such an argument cannot be had");
	}
	what = mem_format("the tracepoint '%s' has no argument", t->name);
	fail_name(w, what, w->name, &names);
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

/* --- what it is in the end ---------------------------------------------------- */

/*
 * A number as it lies there, also in a packed structure; of a bit field the smallest piece that
 * has all of it, as memory is aligned.
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
	return fail_type(w, "it lies across two words");
}

static bool take_address(struct walk *w)
{
	if (!w->is_place || w->bits)
		return fail_type(w, "it has no address");
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
		return fail_type(w, type && btf_is_array(type) ? "choose an element: X[0]" :
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
		return fail(w, "'%s' is no name", w->text);
	snprintf(w->out->word.field, sizeof(w->out->word.field), "%s", w->name);
	return strlen(w->name) < sizeof(w->out->word.field) ||
	       fail(w, "the name '%s' is too long", w->name);
}

static bool take_all(struct walk *w)
{
	unsigned int stars = 0;
	bool address;

	if (!take_own_name(w))
		return false;
	skip_blanks(w);
	w->text = w->at;
	address = take_text(w, "&");
	while (!address && take_text(w, "*"))
		stars++;
	if (!take_argument(w))
		return false;
	while (take_step(w))
		w->known = w->at;
	if (w->error)
		return false;
	skip_blanks(w);
	if (*w->at)
		return fail(w, "'%s' cannot be understood", w->at);
	while (stars--) {
		if (!take_index(w, 0))
			return false;
	}
	if (!(address ? take_address(w) : take_value(w)))
		return false;
	if (w->out->is_named)
		return true;
	snprintf(w->out->word.field, sizeof(w->out->word.field), "%s", w->name);
	return strlen(w->name) < sizeof(w->out->word.field) ||
	       fail(w, "the name '%s' is too long: give it another one: NAME=%s", w->name,
		    w->text);
}

char *expression_resolve(const struct types_tracepoint *tracepoint, const char *text,
			 struct expression *out)
{
	struct walk w = {
		.tracepoint = tracepoint, .btf = tracepoint->btf, .text = text, .at = text,
		.out = out,
	};

	memset(out, 0, sizeof(*out));
	take_all(&w);
	mem_free(w.name);
	return w.error;
}

void expression_free(struct expression *expression)
{
	mem_free(expression->path);
}
