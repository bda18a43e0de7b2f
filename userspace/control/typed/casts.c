// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Types in casts. See casts.h. */
#include <ctype.h>
#include <string.h>

#include <linux/btf.h>

#include "base/array.h"
#include "base/mem.h"
#include "control/typed/casts.h"

/* The words of a number of C, in any order. */
struct words {
	unsigned int	is_signed, is_unsigned, is_char, is_short, is_int, longs, others;
};

static const char *skip(const char *at)
{
	while (isblank((unsigned char)*at))
		at++;
	return at;
}

static size_t word_len(const char *at)
{
	size_t n = 0;

	while (isascii(at[n]) && (isalnum((unsigned char)at[n]) || at[n] == '_'))
		n++;
	return isdigit((unsigned char)*at) ? 0 : n;
}

static bool is_word(const char *at, size_t n, const char *word)
{
	return strlen(word) == n && !strncmp(at, word, n);
}

/* Return: false: it is no word of C's numbers. */
static bool take_number_word(struct words *w, const char *at, size_t n)
{
	const struct { const char *word; unsigned int *count; } all[] = {
		{ "signed", &w->is_signed }, { "unsigned", &w->is_unsigned },
		{ "char", &w->is_char }, { "short", &w->is_short }, { "int", &w->is_int },
		{ "long", &w->longs },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (!is_word(at, n, all[i].word))
			continue;
		++*all[i].count;
		return true;
	}
	return false;
}

/* A number of C by its words, of 64-bit systems; NULL: they are none. */
static const char *number_name(const struct words *w)
{
	static const char *const names[][2] = {
		{ "s8", "u8" }, { "s16", "u16" }, { "s32", "u32" }, { "s64", "u64" },
	};
	unsigned int size = w->is_char ? 0 : w->is_short ? 1 : w->longs ? 3 : 2;

	if (w->is_signed + w->is_unsigned > 1 || w->is_int > 1 || w->longs > 2 ||
	    w->is_char + w->is_short + !!w->longs > 1 || (w->is_char && w->is_int))
		return NULL;
	return names[size][w->is_unsigned];
}

static unsigned int keyword(const char *at, size_t n)
{
	return is_word(at, n, "struct") ? BTF_KIND_STRUCT : is_word(at, n, "union") ?
	       BTF_KIND_UNION : is_word(at, n, "enum") ? BTF_KIND_ENUM : 0;
}

/* Return: behind it, or NULL. */
static const char *take_words(const char *at, struct casts_type *out)
{
	struct words words = { 0 };
	bool any = false;
	size_t n;

	for (; (n = word_len(at)); at = skip(at + n)) {
		if (is_word(at, n, "const") || is_word(at, n, "volatile"))
			continue;
		if (!out->name && !out->keyword && take_number_word(&words, at, n)) {
			any = true;
			continue;
		}
		if (out->name || any)
			return NULL;
		if (!out->keyword && keyword(at, n))
			out->keyword = keyword(at, n);
		else
			out->name = mem_format("%.*s", (int)n, at);
	}
	if (any && number_name(&words))
		out->name = mem_strdup(number_name(&words));
	return out->name ? at : NULL;
}

bool casts_parse(const char **at, struct casts_type *out)
{
	const char *end;

	*out = (struct casts_type){ .text = skip(*at) };
	end = take_words(out->text, out);
	for (; end && *end == '*'; end = skip(end + 1))
		out->stars++;
	if (!end || *end != ')') {
		mem_free(out->name);
		return false;
	}
	out->len = (size_t)(end - out->text);
	while (isblank((unsigned char)out->text[out->len - 1]))
		out->len--;
	*at = end + 1;
	return true;
}

/* C's own numbers may have any name in BTF, so they are added. */
static int find_number(struct btf *btf, const char *name)
{
	static const char *const sizes[] = { "8", "16", "32", "64" };

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		if ((*name == 's' || *name == 'u') && !strcmp(name + 1, sizes[i]))
			return btf__add_int(btf, name, 1u << i,
					    *name == 's' ? BTF_INT_SIGNED : 0);
	}
	return 0;
}

/* Return: -1 for "void", which has the number 0. */
static int find_named(struct btf *btf, const struct casts_type *type)
{
	int id;

	if (type->keyword) {
		id = btf__find_by_name_kind(btf, type->name, type->keyword);
		if (id <= 0 && type->keyword == BTF_KIND_ENUM)
			id = btf__find_by_name_kind(btf, type->name, BTF_KIND_ENUM64);
		return id;
	}
	if (!strcmp(type->name, "void"))
		return -1;
	id = find_number(btf, type->name);
	return id ? id : btf__find_by_name_kind(btf, type->name, BTF_KIND_TYPEDEF);
}

uint32_t casts_find(struct btf *btf, const struct casts_type *type)
{
	int id = find_named(btf, type);

	if (id == -1 && type->stars)
		id = 0;
	else if (id <= 0)
		return 0;
	for (unsigned int i = 0; i < type->stars; i++) {
		id = btf__add_ptr(btf, id);
		if (id <= 0)
			return 0;
	}
	return (uint32_t)id;
}
