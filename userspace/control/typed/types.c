// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The types of arguments: of tracepoints and of functions. libbpf reads BTF; here is what the
 * calling convention of x86-64 (System V) makes of them.
 *
 * The kernel has a function "__traceiter_NAME" for each tracepoint, which calls the probes: it
 * has their arguments, with names.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include <bpf/libbpf.h>
#include <linux/btf.h>

#include "base/mem.h"
#include "control/typed/types.h"

#define KERNEL_BTF	"/sys/kernel/btf"
#define PREFIX		"__traceiter_"

/* Typedefs and qualifiers of one type; nobody writes that many. */
#define CHAIN_MAX	64

/* For arguments: rdi, rsi, rdx, rcx, r8, r9. */
#define REGISTERS	6

/* --- types ---------------------------------------------------------------- */

static struct btf *kernel_types(void)
{
	static struct btf *kernel;
	static bool is_loaded;

	if (!is_loaded) {
		libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
		libbpf_set_print(NULL);
		kernel = btf__load_vmlinux_btf();
		is_loaded = true;
	}
	return kernel;
}

const struct btf *types_of_kernel(void)
{
	return kernel_types();
}

struct btf *types_of_module(const char *module)
{
	return kernel_types() ? btf__load_module_btf(module, kernel_types()) : NULL;
}

static const char *name_of(const struct btf *btf, uint32_t offset)
{
	const char *name = btf__name_by_offset(btf, offset);

	return name ? name : "";
}

uint32_t types_resolve(const struct btf *btf, uint32_t id, const struct btf_type **type)
{
	for (unsigned int i = 0; i < CHAIN_MAX && id; i++) {
		*type = btf__type_by_id(btf, id);
		if (!*type)
			return 0;
		switch (BTF_INFO_KIND((*type)->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = (*type)->type;
			break;
		default:
			return id;
		}
	}
	*type = NULL;
	return 0;
}

bool types_is_number(const struct btf *btf, uint32_t id, struct types_number *out)
{
	const struct btf_type *type;

	if (!types_resolve(btf, id, &type))
		return false;
	out->kind = FT_FIELD_UNSIGNED;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
		out->bits = 64;
		types_resolve(btf, type->type, &type);
		out->kind = type && BTF_INFO_KIND(type->info) == BTF_KIND_FUNC_PROTO ?
				    FT_FIELD_CODE : FT_FIELD_HEX;
		return true;
	case BTF_KIND_INT:
		if (btf_int_encoding(type) & BTF_INT_SIGNED)
			out->kind = FT_FIELD_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		if (BTF_INFO_KFLAG(type->info))
			out->kind = FT_FIELD_SIGNED;
		break;
	default:
		return false;
	}
	out->bits = type->size * 8;
	return type->size == 1 || type->size == 2 || type->size == 4 || type->size == 8;
}

bool types_is_small(const struct btf *btf, uint32_t id, struct types_number *out)
{
	const struct btf_type *type;

	if (types_is_number(btf, id, out))
		return true;
	if (!types_resolve(btf, id, &type) || !btf_is_composite(type))
		return false;
	out->bits = type->size * 8;
	out->kind = FT_FIELD_UNSIGNED;
	return type->size == 1 || type->size == 2 || type->size == 4;
}

/* Behind what is freed. */
static char *append(char *text, const char *what)
{
	char *more = mem_format("%s%s", text, what);

	mem_free(text);
	return more;
}

static char *named(const struct btf *btf, const char *keyword, const struct btf_type *type)
{
	const char *name = name_of(btf, type->name_off);

	return mem_format("%s%s", keyword, *name ? name : "{...}");
}

char *types_text(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	const struct btf_type *to;
	char *text;

	if (!id || !type)
		return mem_strdup("void");
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
		if (types_resolve(btf, type->type, &to) && btf_is_func_proto(to))
			return mem_strdup("a pointer to a function");
		text = types_text(btf, type->type);
		return append(text, text[strlen(text) - 1] == '*' ? "*" : " *");
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return types_text(btf, type->type);
	case BTF_KIND_ARRAY:
		return append(types_text(btf, btf_array(type)->type), "[]");
	case BTF_KIND_STRUCT:
		return named(btf, "struct ", type);
	case BTF_KIND_UNION:
		return named(btf, "union ", type);
	case BTF_KIND_FWD:
		return named(btf, BTF_INFO_KFLAG(type->info) ? "union " : "struct ", type);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return named(btf, "enum ", type);
	default:
		return named(btf, "", type);
	}
}

/* --- where arguments are ---------------------------------------------------- */

static bool is_plain_at(const struct btf *btf, uint32_t id, uint64_t offset, unsigned int inside);

static bool are_plain_members(const struct btf *btf, const struct btf_type *type, uint64_t offset,
			      unsigned int inside)
{
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		if (!btf_member_bitfield_size(type, i) &&
		    !is_plain_at(btf, btf_members(type)[i].type,
				 offset + btf_member_bit_offset(type, i), inside + 1))
			return false;
	}
	return btf_vlen(type);
}

/* Is this part of a structure whole numbers and pointers, each aligned as it is alone? */
static bool is_plain_at(const struct btf *btf, uint32_t id, uint64_t offset, unsigned int inside)
{
	const struct btf_type *type;

	if (inside == CHAIN_MAX || !types_resolve(btf, id, &type))
		return false;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
		return !(offset % 64);
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return type->size && !(offset % (8 * type->size));
	case BTF_KIND_ARRAY:
		return is_plain_at(btf, btf_array(type)->type, offset, inside + 1);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return are_plain_members(btf, type, offset, inside);
	default:
		return false;
	}
}

/*
 * How many registers of the calling convention a type takes as an argument or a result; 0: it
 * lies on the stack, or is not known. Two fields may share one, which makes no argument more.
 */
static unsigned int registers_of(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type;

	if (!types_resolve(btf, id, &type))
		return 0;
	switch (BTF_INFO_KIND(type->info)) {
	case BTF_KIND_PTR:
		return 1;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (!are_plain_members(btf, type, 0, 0))
			return 0;
		break;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		break;
	default:
		return 0;
	}
	return !type->size || type->size > 16 ? 0 : (type->size + 7) / 8;
}

/* Surely; it has no register. */
static bool is_in_memory(const struct btf *btf, uint32_t id)
{
	const struct btf_type *type;

	return types_resolve(btf, id, &type) && btf_is_composite(type) && type->size > 16;
}

/*
 * A function among these types, not among those that they continue. Return: 0 if there is none.
 */
static uint32_t find_function(const struct btf *btf, const char *name)
{
	const struct btf *base = btf__base_btf(btf);
	const struct btf_type *type;

	for (uint32_t id = base ? btf__type_cnt(base) : 1; id < btf__type_cnt(btf); id++) {
		type = btf__type_by_id(btf, id);
		if (btf_is_func(type) && !strcmp(name_of(btf, type->name_off), name))
			return id;
	}
	return 0;
}

/* The type of that function, or NULL. */
static const struct btf_type *prototype(const struct btf *btf, const char *prefix,
					const char *name)
{
	char full[sizeof(PREFIX) + FT_NAME_LEN];
	const struct btf_type *type;
	uint32_t id;

	if (snprintf(full, sizeof(full), "%s%s", prefix, name) >= (int)sizeof(full))
		return NULL;
	id = find_function(btf, full);
	if (!id)
		return NULL;
	type = btf__type_by_id(btf, btf__type_by_id(btf, id)->type);
	return type && btf_is_func_proto(type) ? type : NULL;
}

/* --- types that continue others --------------------------------------------- */

/* What is behind a header: a part of the whole. */
struct part {
	const char	*types, *names;
	uint32_t	types_len, names_len;
};

static bool take_part(const struct btf *btf, struct part *out)
{
	uint32_t size;
	const struct btf_header *header = btf__raw_data(btf, &size);
	const char *behind;

	if (!header)
		return false;
	behind = (const char *)header + header->hdr_len;
	*out = (struct part){ behind + header->type_off, behind + header->str_off,
			      header->type_len, header->str_len };
	return true;
}

/* Numbers and names of the second part go on where those of the first one end. */
struct btf *types_flat(const struct btf *btf)
{
	struct part first, second;
	struct btf_header *header;
	struct btf *flat;
	uint32_t size;
	char *at;

	if (!take_part(btf__base_btf(btf), &first) || !take_part(btf, &second))
		return NULL;
	size = first.types_len + second.types_len + first.names_len + second.names_len;
	header = mem_zalloc(1, sizeof(*header) + size);
	*header = (struct btf_header){
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(*header),
		.type_len = first.types_len + second.types_len,
		.str_off = first.types_len + second.types_len,
		.str_len = first.names_len + second.names_len,
	};
	at = mempcpy(header + 1, first.types, first.types_len);
	at = mempcpy(at, second.types, second.types_len);
	at = mempcpy(at, first.names, first.names_len);
	mempcpy(at, second.names, second.names_len);
	flat = btf__new(header, sizeof(*header) + size);
	mem_free(header);
	return flat;
}

/* --- tracepoints ------------------------------------------------------------ */

/*
 * Adding types on top of these, as casts do, makes libbpf move the names to another place.
 * Asking for a string that does not exist makes it do so now; then they stay where they are.
 */
static void settle_names(const struct btf *btf)
{
	btf__find_str((struct btf *)btf, "\001");
}

bool types_tracepoint(const struct btf *btf, const char *name, struct types_tracepoint *out)
{
	const struct btf_type *type;
	/* the first register has the probe's own */
	unsigned int next = 1, stack = REGISTERS, n;

	*out = (struct types_tracepoint){ .btf = btf, .name = name };
	settle_names(btf);
	type = prototype(btf, PREFIX, name);
	if (!type)
		return false;
	for (unsigned int i = 1; i < btf_vlen(type) && out->n < FT_WORD_ARGS; i++) {
		const struct btf_param *param = &btf_params(type)[i];
		struct types_argument *argument = &out->argument[out->n++];
		struct types_number number;

		argument->name = name_of(btf, param->name_off);
		argument->type = param->type;
		n = registers_of(btf, param->type);
		if (n && next + n <= REGISTERS) {
			argument->arg = n == 1 ? next : 0;
			next += n;
		} else if (n == 1 && stack <= FT_WORD_ARGS) {
			argument->arg = stack++;
		} else {
			/* behind one in memory, no place on the stack is known */
			stack = FT_WORD_ARGS + 1;
			/* and where it may have registers, none at all */
			if (!n && !is_in_memory(btf, param->type))
				next = REGISTERS;
		}
		if (!types_is_small(btf, param->type, &number))
			argument->arg = 0;
	}
	return true;
}

/* Of a module: it stays loaded in memory here, as the kernel's does. */
static bool find_in_module(const char *module, const char *name, struct types_tracepoint *out)
{
	struct btf *btf = btf__load_module_btf(module, kernel_types());

	if (!btf)
		return false;
	if (types_tracepoint(btf, name, out))
		return true;
	btf__free(btf);
	return false;
}

bool types_kernel_tracepoint(const char *name, struct types_tracepoint *out)
{
	const struct dirent *entry;
	bool found;
	DIR *dir;

	*out = (struct types_tracepoint){ .name = name };
	if (!kernel_types())
		return false;
	if (types_tracepoint(kernel_types(), name, out))
		return true;
	dir = opendir(KERNEL_BTF);
	if (!dir)
		return false;
	for (found = false; !found && (entry = readdir(dir));)
		found = *entry->d_name != '.' && strcmp(entry->d_name, "vmlinux") &&
			find_in_module(entry->d_name, name, out);
	closedir(dir);
	return found;
}

/* --- functions -------------------------------------------------------------- */

/* As in struct ft_function. */
static uint8_t word_of(const struct btf *btf, uint32_t id)
{
	struct types_number number;

	if (!types_is_small(btf, id, &number) || number.kind == FT_FIELD_HEX ||
	    number.kind == FT_FIELD_CODE)
		return 0;
	return (uint8_t)(number.bits | (number.kind == FT_FIELD_SIGNED ? FT_WORD_SIGNED : 0));
}

/* Behind a variable argument list, BTF has an argument without a type. */
static bool is_in_registers(const struct btf *btf, const struct btf_type *type)
{
	unsigned int sum = 0, more;

	if (type->type && !registers_of(btf, type->type))
		return false;
	for (unsigned int i = 0; i < btf_vlen(type); i++) {
		more = registers_of(btf, btf_params(type)[i].type);
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

enum types_answer types_function(const struct btf *btf, const char *name,
				 struct ft_function *out)
{
	const struct btf_type *type;
	const struct btf_param *first;

	if (!btf)
		return TYPES_MISSING;
	type = prototype(btf, "", name);
	if (!type)
		return TYPES_NO_FUNCTION;
	if (!is_in_registers(btf, type))
		return TYPES_ON_STACK;
	out->word[1] = type->type ? word_of(btf, type->type) : FT_WORD_NONE;
	out->word[0] = FT_WORD_NONE;
	strcpy(out->arg, "arg0");
	if (!btf_vlen(type))
		return TYPES_KNOWN;
	first = btf_params(type);
	out->word[0] = word_of(btf, first->type);
	if (is_free_name(name_of(btf, first->name_off)))
		snprintf(out->arg, sizeof(out->arg), "%s", name_of(btf, first->name_off));
	return TYPES_KNOWN;
}
