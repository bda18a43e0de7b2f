// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The types of arguments: of tracepoints and of functions.
 *
 * BTF is a header, types one behind the other, and their names. A type's number is its
 * position, from 1 on. The kernel has "typedef void (*btf_trace_NAME)(void *, ...)" for
 * each tracepoint, whose first argument is the probe's own.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/btf.h>
#include <linux/feather_trace.h>

#include "base/file.h"
#include "base/mem.h"
#include "control/btf.h"

#define KERNEL_BTF	"/sys/kernel/btf/vmlinux"
#define PREFIX		"btf_trace_"

/* Typedefs and qualifiers of one type; nobody writes so many. */
#define CHAIN_MAX	64

/* For arguments: rdi, rsi, rdx, rcx, r8, r9. */
#define REGISTERS	6

struct btf {
	const char	*types;
	size_t		types_size;
	const char	*names;
	size_t		names_size;
	uint32_t	*at;	/* offset of each type; [0] is void */
	uint32_t	n;
};

/* Bytes behind struct btf_type; SIZE_MAX: a kind that is not known. */
static size_t more_bytes(const struct btf_type *type)
{
	size_t n = BTF_INFO_VLEN(type->info);

	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
	case BTF_KIND_FWD:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_FUNC:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	default:
		return SIZE_MAX;
	}
}

static bool read_header(struct btf *btf, const char *data, size_t size)
{
	struct btf_header h;

	if (size < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	if (h.magic != BTF_MAGIC || h.hdr_len > size || h.type_off > size - h.hdr_len ||
	    h.type_len > size - h.hdr_len - h.type_off || h.str_off > size - h.hdr_len ||
	    h.str_len > size - h.hdr_len - h.str_off || !h.str_len)
		return false;
	btf->types = data + h.hdr_len + h.type_off;
	btf->types_size = h.type_len;
	btf->names = data + h.hdr_len + h.str_off;
	btf->names_size = h.str_len;
	/* each name ends in the section */
	return !btf->names[h.str_len - 1];
}

/* The type at an offset; the caller knows that there is one. */
static struct btf_type type_at(const struct btf *btf, uint32_t offset)
{
	struct btf_type type;

	memcpy(&type, btf->types + offset, sizeof(type));
	return type;
}

static bool list_types(struct btf *btf)
{
	size_t offset = 0, more;
	struct btf_type type;

	btf->at = calloc(btf->types_size / sizeof(type) + 1, sizeof(*btf->at));
	if (!btf->at)
		return false;
	for (btf->n = 1; btf->types_size - offset >= sizeof(type); btf->n++) {
		type = type_at(btf, offset);
		btf->at[btf->n] = offset;
		offset += sizeof(type);
		more = more_bytes(&type);
		if (more > btf->types_size - offset)
			return false;
		offset += more;
	}
	return true;
}

/* Return: whether there is such a type. */
static bool get_type(const struct btf *btf, uint32_t id, struct btf_type *type)
{
	if (!id || id >= btf->n)
		return false;
	*type = type_at(btf, btf->at[id]);
	return true;
}

/* "": it has none. */
static const char *name_at(const struct btf *btf, uint32_t offset)
{
	return offset < btf->names_size ? btf->names + offset : "";
}

/* A type of this kind by its name, which begins with @prefix; 0: there is none. */
static uint32_t find_type(const struct btf *btf, unsigned int kind, const char *prefix,
			  const char *name)
{
	size_t n = strlen(prefix);

	for (uint32_t id = 1; id < btf->n; id++) {
		struct btf_type type = type_at(btf, btf->at[id]);
		const char *called = name_at(btf, type.name_off);

		if (BTF_INFO_KIND(type.info) == kind && !strncmp(called, prefix, n) &&
		    !strcmp(called + n, name))
			return id;
	}
	return 0;
}

/* What is behind typedefs and qualifiers. Return: its number; 0: void, or there is none. */
static uint32_t resolve(const struct btf *btf, uint32_t id, struct btf_type *type)
{
	for (unsigned int i = 0; i < CHAIN_MAX && get_type(btf, id, type); i++) {
		switch (BTF_INFO_KIND(type->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = type->type;
			break;
		default:
			return id;
		}
	}
	return 0;
}

/* As in struct ft_function; 0: a pointer, or no number. */
static uint8_t number_of(const struct btf *btf, uint32_t id)
{
	struct btf_type type;
	bool is_signed;
	uint32_t how;

	id = resolve(btf, id, &type);
	if (!id)
		return 0;
	switch (BTF_INFO_KIND(type.info)) {
	case BTF_KIND_INT:
		memcpy(&how, btf->types + btf->at[id] + sizeof(type), sizeof(how));
		is_signed = BTF_INT_ENCODING(how) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		is_signed = BTF_INFO_KFLAG(type.info);
		break;
	case BTF_KIND_STRUCT:	/* by value: kuid_t, say */
	case BTF_KIND_UNION:
		return type.size == 1 || type.size == 2 || type.size == 4 ? type.size * 8 : 0;
	default:
		return 0;
	}
	if (type.size != 1 && type.size != 2 && type.size != 4 && type.size != 8)
		return 0;
	return type.size * 8 | (is_signed ? FT_WORD_SIGNED : 0);
}

/* As in struct ft_tracepoint. */
static uint8_t word_of(const struct btf *btf, uint32_t id)
{
	uint8_t word = number_of(btf, id);

	return (word & FT_WORD_BITS) == 64 ? 0 : word;
}

static size_t size_of(const struct btf *btf, uint32_t id)
{
	struct btf_type type;

	if (!resolve(btf, id, &type))
		return 0;
	switch (BTF_INFO_KIND(type.info)) {
	case BTF_KIND_PTR:
		return sizeof(uint64_t);
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return type.size;
	default:
		return 0;	/* of what a structure may have in registers, not known */
	}
}

/* A packed structure is passed in memory; bit fields and structures inside: nobody looks. */
static bool is_plain(const struct btf *btf, uint32_t id, const struct btf_type *type)
{
	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		struct btf_member member;
		size_t size;

		memcpy(&member, btf->types + btf->at[id] + sizeof(*type) + i * sizeof(member),
		       sizeof(member));
		size = size_of(btf, member.type);
		if (!size || BTF_INFO_KFLAG(type->info) || member.offset % (8 * size))
			return false;
	}
	return BTF_INFO_VLEN(type->info);
}

static struct btf_param param_at(const struct btf *btf, uint32_t proto, unsigned int i)
{
	struct btf_param param;

	memcpy(&param, btf->types + btf->at[proto] + sizeof(struct btf_type) + i * sizeof(param),
	       sizeof(param));
	return param;
}

/* The arguments behind the probe's own. */
static void read_arguments(const struct btf *btf, uint32_t id, uint8_t word[2])
{
	struct btf_type type;

	id = resolve(btf, id, &type);
	if (!id || BTF_INFO_KIND(type.info) != BTF_KIND_PTR)
		return;
	id = resolve(btf, type.type, &type);
	if (!id || BTF_INFO_KIND(type.info) != BTF_KIND_FUNC_PROTO)
		return;
	for (unsigned int i = 1; i < BTF_INFO_VLEN(type.info) && i <= 2; i++)
		word[i - 1] = word_of(btf, param_at(btf, id, i).type);
}

/*
 * How many registers of the calling convention (System V, x86-64) a type takes as an argument
 * or a result; 0: it lies on the stack, or is not known. Two fields may share one, which
 * makes no argument more.
 */
static unsigned int registers_of(const struct btf *btf, uint32_t id)
{
	struct btf_type type;

	id = resolve(btf, id, &type);
	if (!id)
		return 0;
	switch (BTF_INFO_KIND(type.info)) {
	case BTF_KIND_PTR:
		return 1;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return !type.size || type.size > 16 ? 0 : (type.size + 7) / 8;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (!is_plain(btf, id, &type))
			return 0;
		return !type.size || type.size > 16 ? 0 : (type.size + 7) / 8;
	default:
		return 0;
	}
}

/* Behind a variable argument list, BTF has an argument without a type. */
static bool is_in_registers(const struct btf *btf, uint32_t proto, const struct btf_type *type)
{
	unsigned int sum = 0, more;

	if (type->type && !registers_of(btf, type->type))
		return false;
	for (unsigned int i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		more = registers_of(btf, param_at(btf, proto, i).type);
		sum += more;
		if (!more || sum > REGISTERS)
			return false;
	}
	return true;
}

/* The events have fields of the other two names. */
static bool is_free_name(const char *name)
{
	return *name && strcmp(name, "caller") && strcmp(name, "result");
}

static enum btf_answer read_function(const struct btf *btf, const char *name,
				     struct ft_function *out)
{
	struct btf_param first;
	struct btf_type type;
	uint32_t id;

	if (!get_type(btf, find_type(btf, BTF_KIND_FUNC, "", name), &type))
		return BTF_NO_FUNCTION;
	id = type.type;
	if (!get_type(btf, id, &type) || BTF_INFO_KIND(type.info) != BTF_KIND_FUNC_PROTO)
		return BTF_NO_FUNCTION;
	if (!is_in_registers(btf, id, &type))
		return BTF_ON_STACK;
	out->word[1] = type.type ? number_of(btf, type.type) : FT_WORD_NONE;
	out->word[0] = FT_WORD_NONE;
	strcpy(out->arg, "arg0");
	if (!BTF_INFO_VLEN(type.info))
		return BTF_KNOWN;
	first = param_at(btf, id, 0);
	out->word[0] = number_of(btf, first.type);
	if (is_free_name(name_at(btf, first.name_off)))
		snprintf(out->arg, sizeof(out->arg), "%s", name_at(btf, first.name_off));
	return BTF_KNOWN;
}

enum btf_answer btf_function(const void *data, size_t size, const char *name,
			     struct ft_function *out)
{
	enum btf_answer answer = BTF_MISSING;
	struct btf btf = { 0 };

	if (read_header(&btf, data, size) && list_types(&btf))
		answer = read_function(&btf, name, out);
	free(btf.at);
	return answer;
}

enum btf_answer btf_kernel_function(const char *name, struct ft_function *out)
{
	enum btf_answer answer;
	ssize_t size;
	char *data;

	size = read_path(KERNEL_BTF, &data);
	if (size < 0)
		return BTF_MISSING;
	answer = btf_function(data, size, name, out);
	mem_free(data);
	return answer;
}

void btf_words(const void *data, size_t size, const char *name, uint8_t word[2])
{
	struct btf btf = { 0 };

	word[0] = 0;
	word[1] = 0;
	if (read_header(&btf, data, size) && list_types(&btf))
		read_arguments(&btf, find_type(&btf, BTF_KIND_TYPEDEF, PREFIX, name), word);
	free(btf.at);
}

void btf_kernel_words(const char *name, uint8_t word[2])
{
	ssize_t size;
	char *data;

	word[0] = 0;
	word[1] = 0;
	size = read_path(KERNEL_BTF, &data);
	if (size < 0)
		return;
	btf_words(data, size, name, word);
	mem_free(data);
}
