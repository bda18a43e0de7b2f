// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The functions and lines of source code that triggers are in, through libdwfl: it
 * finds the debug information of a file, in the file or elsewhere.
 */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include <elfutils/libdwfl.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/visible.h"
#include "elf/sites.h"
#include "symbols/demangle.h"
#include "symbols/lines.h"

struct source {
	Dwfl		*dwfl;
	Dwfl_Module	*module;
	GElf_Addr	bias;		/* between the file's addresses and theirs */
	Elf		*elf;
	bool		mangled;
};

/* --- the file, as libdwfl sees it ----------------------------------------- */

static bool source_open(struct source *src, const char *path)
{
	src->dwfl = lines_dwfl();
	if (!src->dwfl)
		return false;
	src->module = dwfl_report_offline(src->dwfl, "", path, -1);
	dwfl_report_end(src->dwfl, NULL, NULL);
	if (src->module)
		src->elf = dwfl_module_getelf(src->module, &src->bias);
	return src->elf;
}

/* libdwfl lays out the sections of files that are not linked. */
static bool find_address(const struct source *src, struct place at, GElf_Addr *addr)
{
	GElf_Shdr sh;

	*addr = at.addr + src->bias;
	if (!at.section)
		return true;
	if (!gelf_getshdr(elf_getscn(src->elf, at.section), &sh))
		return false;
	*addr += sh.sh_addr;
	return true;
}

/* --- names ---------------------------------------------------------------- */

static char *shown_name(const struct source *src, const char *name)
{
	char text[DEMANGLE_LEN];

	if (!src->mangled && demangle(name, text, sizeof(text)))
		name = text;
	return visible_new(name);
}

/* The linkage name if there is one: it has more than the name. */
static const char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name;

	name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attr));
	return name ? name : dwarf_diename(die);
}

/* Not a symbol that merely comes before. */
static void find_function(const struct source *src, struct site *s, GElf_Addr addr)
{
	GElf_Off offset;
	const char *name;
	GElf_Sym sym;

	name = dwfl_module_addrinfo(src->module, addr, &offset, &sym, NULL, NULL,
				    NULL);
	if (!name || !*name || offset >= sym.st_size)
		return;
	s->function = shown_name(src, name);
	s->offset = offset;
}

/* --- lines ---------------------------------------------------------------- */

/* Some compilers do not write the index of addresses that libdw looks into. */
static Dwarf_Die *find_unit(const struct source *src, GElf_Addr addr,
			    Dwarf_Addr *bias)
{
	Dwarf_Die *die = dwfl_module_addrdie(src->module, addr, bias);

	if (die)
		return die;
	while ((die = dwfl_module_nextcu(src->module, die, bias))) {
		if (dwarf_haspc(die, addr - *bias) > 0)
			return die;
	}
	return NULL;
}

static void set_source(struct site *s, Dwarf_Die *unit, const char *file, int line)
{
	Dwarf_Attribute attr;
	const char *dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));

	if (!file)
		return;
	free(s->source);
	s->source = visible_new(lines_in_tree(file, dir));
	s->line = line;
}

static void set_call(struct site *s, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Word file, line;
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	size_t n;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attr), &line) ||
	    dwarf_getsrcfiles(unit, &files, &n) || file >= n || line > INT32_MAX)
		return;
	set_source(s, unit, dwarf_filesrc(files, file, NULL, NULL), (int)line);
}

/* Functions that triggers consist of: the place of the trigger is where they are called. */
static bool is_trigger(const char *name)
{
	static const char *const names[] = {
		"arch_static_branch", "arch_static_branch_jump", "feather_on",
		"feather_trigger", "feather_trigger_ip",
	};

	for (size_t i = 0; name && i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

static void add_inlined(const struct source *src, struct site *s, const char *name)
{
	s->inlined = mem_resize(s->inlined, s->n_inlined + 1, sizeof(*s->inlined));
	s->inlined[s->n_inlined++] = shown_name(src, name ? name : "?");
}

/* From the innermost scope outwards, to the function that the code is in. */
static void find_inlined(const struct source *src, struct site *s, Dwarf_Die *unit,
			 Dwarf_Addr pc)
{
	Dwarf_Die *inner = NULL, *scope = NULL;
	int n = dwarf_getscopes(unit, pc, &inner), i;

	if (n > 0)
		n = dwarf_getscopes_die(&inner[0], &scope);
	for (i = 0; i < n; i++) {
		int tag = dwarf_tag(&scope[i]);

		if (tag == DW_TAG_subprogram && !s->function && die_name(&scope[i])) {
			Dwarf_Addr low;

			s->function = shown_name(src, die_name(&scope[i]));
			if (!dwarf_entrypc(&scope[i], &low) && low <= pc)
				s->offset = pc - low;
		}
		if (tag == DW_TAG_subprogram)
			break;
		if (tag != DW_TAG_inlined_subroutine)
			continue;
		if (!s->n_inlined && is_trigger(dwarf_diename(&scope[i])))
			set_call(s, unit, &scope[i]);
		else
			add_inlined(src, s, die_name(&scope[i]));
	}
	free(scope);
	free(inner);
}

static void find_line(const struct source *src, struct site *s, GElf_Addr addr)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = find_unit(src, addr, &bias);
	Dwarf_Line *line;
	int number;

	if (!unit)
		return;
	line = dwarf_getsrc_die(unit, addr - bias);
	if (line && !dwarf_lineno(line, &number))
		set_source(s, unit, dwarf_linesrc(line, NULL, NULL), number);
	find_inlined(src, s, unit, addr - bias);
}

void sites_find_source(struct sites *s, const struct image *img, bool mangled)
{
	struct source src = { .mangled = mangled };

	if (source_open(&src, img->path)) {
		for (size_t i = 0; i < s->n; i++) {
			GElf_Addr addr;

			if (!find_address(&src, s->site[i].at, &addr))
				continue;
			find_function(&src, &s->site[i], addr);
			find_line(&src, &s->site[i], addr);
		}
	}
	dwfl_end(src.dwfl);
}
