// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Functions at an address, with inlined ones: see inlined.h. */
#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/visible.h"
#include "symbols/demangle.h"
#include "symbols/inlined.h"
#include "symbols/lines.h"

struct debug {
	Dwfl		*dwfl;
	Dwfl_Module	*module;	/* NULL: no debug information */
	uint64_t	bias;
};

struct found {
	size_t			n;
	struct inlined_frame	frame[INLINED_MAX];
};

struct inlined {
	const struct symbols	*symbols;
	struct map		files;	/* by path: struct debug */
	struct map		known;	/* by address: struct found */
};

static struct debug *debug_open(const char *path)
{
	struct debug *d = mem_zalloc(1, sizeof(*d));
	int fd = open_if_regular(path);
	GElf_Addr bias, dwarf_bias;
	Dwfl_Module *module = NULL;

	d->dwfl = fd < 0 ? NULL : lines_dwfl();
	if (d->dwfl) {
		module = dwfl_report_offline(d->dwfl, "", path, fd);
		dwfl_report_end(d->dwfl, NULL, NULL);
	}
	/* libdwfl takes it with the module */
	if (fd >= 0 && !module)
		close(fd);
	if (module && dwfl_module_getelf(module, &bias) &&
	    dwfl_module_getdwarf(module, &dwarf_bias)) {
		d->module = module;
		d->bias = bias;
	}
	return d;
}

static struct debug *debug_of(struct inlined *in, const char *path)
{
	uint64_t key = map_text_key(path, strlen(path));
	struct debug *d = map_get(&in->files, key);

	if (!d) {
		d = debug_open(path);
		map_put(&in->files, key, d);
	}
	return d;
}

/* --- functions ------------------------------------------------------------ */

static bool is_function(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_subprogram ||
	       dwarf_tag(die) == DW_TAG_inlined_subroutine;
}

/* As the linker has it, if that differs: of C++ and Rust. */
static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	return name ? name : dwarf_diename(die);
}

static char *function_name(Dwarf_Die *die)
{
	const char *name = linkage_name(die);
	char buf[DEMANGLE_LEN], *copy;

	if (!name)
		return mem_strdup("?");
	copy = mem_strdup(demangle(name, buf, sizeof(buf)) ? buf : name);
	visible_lines(&copy);
	return copy;
}

/* A part of a function is called as that with a suffix, ".cold". */
static bool is_part_of(const char *symbol, const char *function)
{
	size_t len = function ? strlen(function) : 0;

	return len && !strncmp(symbol, function, len) && (!symbol[len] || symbol[len] == '.');
}

/* --- lines ---------------------------------------------------------------- */

static char *format_line(const char *file, int number)
{
	const char *slash = file ? strrchr(file, '/') : NULL;
	char *line;

	if (!file || number <= 0)
		return mem_strdup("?");
	line = mem_format("%s:%d", slash ? slash + 1 : file, number);
	visible_lines(&line);
	return line;
}

static char *line_at(const struct debug *d, uint64_t addr)
{
	Dwfl_Line *at = dwfl_module_getsrc(d->module, addr);
	int number = 0;
	const char *file = at ? dwfl_lineinfo(at, NULL, &number, NULL, NULL, NULL) : NULL;

	return format_line(file, number);
}

/* Where the inlined function was called. */
static char *line_of_call(Dwarf_Die *cu, Dwarf_Die *die)
{
	Dwarf_Word file = 0, number = 0;
	Dwarf_Files *files = NULL;
	Dwarf_Attribute attr;
	size_t n = 0;

	if (!dwarf_attr(die, DW_AT_call_file, &attr) || dwarf_formudata(&attr, &file) ||
	    !dwarf_attr(die, DW_AT_call_line, &attr) || dwarf_formudata(&attr, &number) ||
	    dwarf_getsrcfiles(cu, &files, &n) || file >= n || number > INT32_MAX)
		return format_line(NULL, 0);
	return format_line(dwarf_filesrc(files, file, NULL, NULL), (int)number);
}

/* --- an address ----------------------------------------------------------- */

/*
 * The entries that lie around an address, as they are nested in the code: those of
 * dwarf_getscopes() are nested as in the source, beyond the first inlined function.
 */
static int scopes_at(Dwarf_Die *cu, Dwarf_Addr addr, Dwarf_Die **scopes)
{
	Dwarf_Die *around = NULL;
	int n = dwarf_getscopes(cu, addr, &around);

	n = n > 0 ? dwarf_getscopes_die(&around[0], scopes) : 0;
	free(around);
	return n;
}

static void drop(struct found *found)
{
	for (size_t i = 0; i < found->n; i++) {
		free(found->frame[i].function);
		free(found->frame[i].line);
	}
	found->n = 0;
}

static void put_functions(const struct debug *d, uint64_t addr, const char *symbol,
			  struct found *found)
{
	Dwarf_Die *scopes = NULL, *before = NULL;
	Dwarf_Addr bias;
	Dwarf_Die *cu = dwfl_module_addrdie(d->module, addr, &bias);
	int n = cu ? scopes_at(cu, addr - bias, &scopes) : 0;
	bool is_whole = false;

	for (int i = 0; i < n && !is_whole && found->n < INLINED_MAX; i++) {
		Dwarf_Die *die = &scopes[i];

		if (!is_function(die))
			continue;
		found->frame[found->n++] = (struct inlined_frame){
			.function = function_name(die),
			.line = before ? line_of_call(cu, before) : line_at(d, addr),
			.inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine,
		};
		before = die;
		is_whole = dwarf_tag(die) == DW_TAG_subprogram;
		if (is_whole && !is_part_of(symbol, linkage_name(die)))
			drop(found);
	}
	if (!is_whole)
		drop(found);
	free(scopes);
}

static struct found *find(struct inlined *in, uint64_t addr)
{
	struct found *found = mem_zalloc(1, sizeof(*found));
	struct symbols_place place;
	const struct debug *d;
	const char *path;
	uint64_t at;

	path = symbols_program_file(in->symbols, addr - 1, &at);
	if (!path || !symbols_place(in->symbols, addr, true, &place) || !place.name)
		return found;
	d = debug_of(in, path);
	if (d->module)
		put_functions(d, at + d->bias, place.name, found);
	return found;
}

const struct inlined_frame *inlined_find(struct inlined *in, uint64_t addr, size_t *n)
{
	struct found *found = map_get(&in->known, addr);

	if (!found) {
		found = find(in, addr);
		map_put(&in->known, addr, found);
	}
	*n = found->n;
	return found->n ? found->frame : NULL;
}

struct inlined *inlined_open(const struct symbols *symbols)
{
	struct inlined *in = mem_zalloc(1, sizeof(*in));

	in->symbols = symbols;
	return in;
}

void inlined_close(struct inlined *in)
{
	struct map_slot *slot;

	if (!in)
		return;
	map_for_each(&in->files, slot) {
		dwfl_end(((struct debug *)slot->value)->dwfl);
		mem_free(slot->value);
	}
	map_for_each(&in->known, slot) {
		drop(slot->value);
		mem_free(slot->value);
	}
	map_free(&in->files);
	map_free(&in->known);
	mem_free(in);
}
