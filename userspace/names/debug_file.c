// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Debug information of a program's file: see debug_file.h. */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "names/debug_file.h"
#include "names/debug_types.h"
#include "symbols/lines.h"

/* Variables are inside of functions and namespaces; deeper than this none is looked for. */
#define DEPTH_MAX	16

struct variable {
	Dwarf_Die	type;
	bool		found;
};

struct debug_file {
	Dwfl		*dwfl;
	Dwfl_Module	*module;
	Dwarf		*dwarf;
	uint64_t	bias;		/* of libdwfl's addresses, to those in the file */
	uint64_t	dwarf_bias;	/* and to those in the debug information */
	struct map	variables;	/* by address: struct variable */
	size_t		missing;	/* of them */
};

struct debug_file *debug_file_open(const char *path)
{
	struct debug_file *f = mem_zalloc(1, sizeof(*f));
	GElf_Addr bias, dwarf_bias;
	int fd = open_if_regular(path);

	f->dwfl = fd < 0 ? NULL : lines_dwfl();
	if (f->dwfl) {
		f->module = dwfl_report_offline(f->dwfl, "", path, fd);
		dwfl_report_end(f->dwfl, NULL, NULL);
	}
	/* libdwfl takes it with the module */
	if (fd >= 0 && !f->module)
		close(fd);
	if (f->module && dwfl_module_getelf(f->module, &bias)) {
		f->bias = bias;
		f->dwarf = dwfl_module_getdwarf(f->module, &dwarf_bias);
	}
	if (f->dwarf) {
		f->dwarf_bias = dwarf_bias;
		return f;
	}
	debug_file_close(f);
	return NULL;
}

void debug_file_close(struct debug_file *f)
{
	struct map_slot *slot;

	if (!f)
		return;
	map_for_each(&f->variables, slot)
		mem_free(slot->value);
	map_free(&f->variables);
	dwfl_end(f->dwfl);
	mem_free(f);
}

static void put_line(char *buf, size_t len, const char *file, int number)
{
	const char *slash = strrchr(file, '/');

	snprintf(buf, len, "%s:%d", slash ? slash + 1 : file, number);
}

/* Functions that a program's author has not written: they stand between him and the lock. */
static bool is_of_library(Dwarf_Die *function)
{
	const char *file = dwarf_decl_file(function);

	return file && strstr(file, "/c++/");
}

/* Where the inlined function was called. Return: false if the file does not say. */
static bool put_call(Dwarf_Die *cu, Dwarf_Die *inlined, char *buf, size_t len)
{
	Dwarf_Attribute attr;
	Dwarf_Word file, number;
	Dwarf_Files *files;
	const char *path;
	size_t n;

	if (!dwarf_attr(inlined, DW_AT_call_file, &attr) || dwarf_formudata(&attr, &file) ||
	    !dwarf_attr(inlined, DW_AT_call_line, &attr) || dwarf_formudata(&attr, &number) ||
	    dwarf_getsrcfiles(cu, &files, &n) || file >= n)
		return false;
	path = dwarf_filesrc(files, file, NULL, NULL);
	if (path)
		put_line(buf, len, path, (int)number);
	return path;
}

/* From the innermost function outwards. Return: its name if it is inlined, or NULL. */
static const char *find_function(struct debug_file *f, uint64_t addr, char *line, size_t len)
{
	const char *name = NULL;
	Dwarf_Die *scopes = NULL;
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_module_addrdie(f->module, addr + f->bias, &bias);
	int n = cu ? dwarf_getscopes(cu, addr + f->bias - bias, &scopes) : 0;

	for (int i = 0; i < n; i++) {
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
			continue;
		if (is_of_library(&scopes[i]) && put_call(cu, &scopes[i], line, len))
			continue;
		name = dwarf_diename(&scopes[i]);
		break;
	}
	free(scopes);
	return name;
}

bool debug_file_site(struct debug_file *f, uint64_t addr, char *line, size_t len,
		     const char **inlined)
{
	Dwfl_Line *at = dwfl_module_getsrc(f->module, addr + f->bias);
	const char *file;
	int number;

	file = at ? dwfl_lineinfo(at, NULL, &number, NULL, NULL, NULL) : NULL;
	if (!file || number <= 0)
		return false;
	put_line(line, len, file, number);
	*inlined = find_function(f, addr, line, len);
	return true;
}

void debug_file_want(struct debug_file *f, uint64_t addr)
{
	if (map_get(&f->variables, addr))
		return;
	map_put(&f->variables, addr, mem_zalloc(1, sizeof(struct variable)));
	f->missing++;
}

/* A variable that is there once: it has one address. */
static bool address_of(Dwarf_Die *die, Dwarf_Addr *addr)
{
	Dwarf_Attribute attr, in_table;
	Dwarf_Op *op;
	size_t n;

	if (!dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &n) ||
	    n != 1)
		return false;
	if (op->atom == DW_OP_addr) {
		*addr = op->number;
		return true;
	}
	/* its number in a table */
	return op->atom == DW_OP_addrx && !dwarf_getlocation_attr(&attr, op, &in_table) &&
	       !dwarf_formaddr(&in_table, addr);
}

static void take(struct debug_file *f, Dwarf_Die *die)
{
	struct variable *v;
	Dwarf_Attribute attr;
	Dwarf_Addr addr;

	if (!address_of(die, &addr))
		return;
	v = map_get(&f->variables, addr + f->dwarf_bias - f->bias);
	if (!v || v->found || !dwarf_attr_integrate(die, DW_AT_type, &attr) ||
	    !dwarf_formref_die(&attr, &v->type))
		return;
	v->found = true;
	f->missing--;
}

static void take_below(struct debug_file *f, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			take(f, &die);
			break;
		case DW_TAG_namespace:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			take_below(f, &die, depth + 1);
			break;
		default:
			break;
		}
	} while (f->missing && !dwarf_siblingof(&die, &die));
}

void debug_file_find(struct debug_file *f, double deadline)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t type;

	while (f->missing && thread_seconds() < deadline &&
	       !dwarf_get_units(f->dwarf, cu, &cu, NULL, &type, &die, NULL)) {
		if (type == DW_UT_compile)
			take_below(f, &die, 0);
	}
}

bool debug_file_member(struct debug_file *f, uint64_t addr, uint64_t offset, char *buf,
		       size_t len)
{
	struct variable *v = map_get(&f->variables, addr);

	return v && v->found && debug_types_lock(&v->type, offset, buf, len);
}
