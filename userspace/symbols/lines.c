// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Lines of source code through libdwfl. The kernel is found in its file by the
 * address of _stext, which moves with address space randomisation; in a module's
 * file, a function is found by its name, since its sections lie where they were
 * loaded.
 */
#include <err.h>
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <elfutils/libdwfl.h>

#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/visible.h"
#include "symbols/lines.h"

/* An opened file: the kernel, or a module. */
struct unit {
	char		*name;		/* of the module; NULL: the kernel */
	Dwfl		*dwfl;		/* NULL: there is no file */
	Dwfl_Module	*module;
	uint64_t	shift;		/* of the kernel: trace minus file */
	struct unit	*next;
};

struct lines {
	const struct symbols	*symbols;
	const char		*debug;
	char			*release;
	struct unit		*units;
	struct map		known;		/* site: its line, or "" */
};

/* Files. */

static char *debug_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

Dwfl *lines_dwfl(void)
{
	unsetenv("DEBUGINFOD_URLS");
	return dwfl_begin(&callbacks);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* "snd-hda.ko", "snd_hda.ko.debug" are files of the module snd_hda. */
static bool is_module_file(const char *file, const char *module)
{
	size_t i;

	for (i = 0; module[i]; i++) {
		if (file[i] != module[i] && (file[i] != '-' || module[i] != '_'))
			return false;
	}
	return !strcmp(file + i, ".ko") || !strcmp(file + i, ".ko.debug");
}

static char *find_below(const char *dir, const char *module)
{
	char *const paths[] = { (char *)dir, NULL };
	char *found = NULL;
	FTSENT *e;
	FTS *fts;

	fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (fts && !found && (e = fts_read(fts))) {
		if ((e->fts_info == FTS_F || e->fts_info == FTS_SL) &&
		    is_module_file(e->fts_name, module))
			found = mem_strdup(e->fts_path);
	}
	if (fts)
		fts_close(fts);
	return found;
}

/* The first of the patterns, with two %s filled in, that is a file. */
static char *find_file(const char *const *patterns, const char *dir,
		       const char *release)
{
	for (; *patterns; patterns++) {
		const char *from = *patterns;
		char *path = NULL;
		size_t len;
		FILE *f = open_memstream(&path, &len);

		mem_check(f);
		for (; *from; from++) {
			if (*from == '%')
				fputs(*++from == 'd' ? dir : release, f);
			else
				fputc(*from, f);
		}
		fclose(f);
		if (!access(path, R_OK) && !is_directory(path))
			return path;
		free(path);
	}
	return NULL;
}

static char *kernel_file(const struct lines *l)
{
	static const char *const usual[] = {
		"/usr/lib/debug/boot/vmlinux-%r",
		"/usr/lib/debug/lib/modules/%r/vmlinux",
		"/usr/lib/debug/boot/vmlinux-%r.debug",
		"/lib/modules/%r/build/vmlinux", "/lib/modules/%r/vmlinux",
		"/boot/vmlinux-%r", NULL,
	};
	static const char *const in_dir[] = {
		"%d/vmlinux", "%d/vmlinux-%r", "%d/boot/vmlinux-%r",
		"%d/lib/modules/%r/vmlinux", "%d/vmlinux.debug", NULL,
	};
	const char *release = l->release ? l->release : "";

	if (!l->debug)
		return l->release ? find_file(usual, "", release) : NULL;
	if (is_directory(l->debug))
		return find_file(in_dir, l->debug, release);
	return strstr(l->debug, ".ko") ? NULL : mem_strdup(l->debug);
}

static char *module_file(const struct lines *l, const char *module)
{
	const char *base;
	char *dir, *found;

	if (l->debug && is_directory(l->debug))
		return find_below(l->debug, module);
	if (l->debug) {
		base = strrchr(l->debug, '/');
		base = base ? base + 1 : l->debug;
		return is_module_file(base, module) ? mem_strdup(l->debug) : NULL;
	}
	if (!l->release)
		return NULL;
	dir = mem_format("/usr/lib/debug/lib/modules/%s", l->release);
	found = find_below(dir, module);
	free(dir);
	return found;
}

/* Units. */

static bool unit_symbol(const struct unit *u, const char *name, uint64_t *addr)
{
	int n = dwfl_module_getsymtab(u->module), i;

	for (i = 0; i < n; i++) {
		GElf_Sym sym;
		const char *have = dwfl_module_getsym(u->module, i, &sym, NULL);

		if (have && sym.st_shndx != SHN_UNDEF && !strcmp(have, name)) {
			*addr = sym.st_value;
			return true;
		}
	}
	return false;
}

/* The difference of addresses between the traced kernel and its file. */
static int kernel_shift(const struct lines *l, struct unit *u, const char *path)
{
	static const char *const anchors[] = { "_stext", "_text" };
	uint64_t in_file, shift[2];
	unsigned int n = 0, i;

	for (i = 0; i < ARRAY_SIZE(anchors); i++) {
		struct symbols_range *range;
		size_t found = symbols_lookup(l->symbols, anchors[i], &range);

		if (found && unit_symbol(u, anchors[i], &in_file))
			shift[n++] = range[0].low - in_file;
		free(range);
	}
	if (n && (n == 1 || shift[0] == shift[1])) {
		u->shift = shift[0];
		return 0;
	}
	if (l->debug)
		warnx("--debug: %s: is not of the kernel that was traced", path);
	return -1;
}

static void unit_open(const struct lines *l, struct unit *u)
{
	char *path = u->name ? module_file(l, u->name) : kernel_file(l);

	if (!path)
		return;
	u->dwfl = lines_dwfl();
	if (u->dwfl)
		u->module = dwfl_report_offline(u->dwfl, "", path, -1);
	if (!u->module && l->debug)
		warnx("--debug: %s: %s", path, dwfl_errmsg(-1));
	if (u->module)
		dwfl_report_end(u->dwfl, NULL, NULL);
	if (!u->module || (!u->name && kernel_shift(l, u, path))) {
		dwfl_end(u->dwfl);
		u->dwfl = NULL;
	}
	free(path);
}

static struct unit *unit_get(struct lines *l, const char *name)
{
	struct unit *u;

	for (u = l->units; u; u = u->next) {
		if (name ? u->name && !strcmp(u->name, name) : !u->name)
			return u;
	}
	u = mem_zalloc(1, sizeof(*u));
	u->name = name ? mem_strdup(name) : NULL;
	u->next = l->units;
	l->units = u;
	unit_open(l, u);
	return u;
}

/* Lines. */

const char *lines_in_tree(const char *file, const char *dir)
{
	size_t len = dir ? strlen(dir) : 0;

	if (len && !strncmp(file, dir, len) && file[len] == '/')
		file += len + 1;
	while (!strncmp(file, "./", 2))
		file += 2;
	return file;
}

static char *format_line(Dwfl_Line *line)
{
	const char *file;
	int number;

	file = dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL);
	return file ? mem_format("%s:%d", lines_in_tree(file, dwfl_line_comp_dir(line)), number) :
		      NULL;
}

static char *find_line(struct lines *l, uint64_t site)
{
	struct symbols_place place;
	struct unit *u;
	Dwfl_Line *line;
	uint64_t addr;

	if (!symbols_place(l->symbols, site, true, &place) || !place.name)
		return NULL;
	u = unit_get(l, place.module);
	if (!u->dwfl)
		return NULL;
	if (!place.module)
		addr = site - u->shift;
	else if (unit_symbol(u, place.name, &addr))
		addr += place.offset;
	else
		return NULL;
	/* of the call, which is before the address it returns to */
	line = dwfl_module_getsrc(u->module, addr - 1);
	return line ? format_line(line) : NULL;
}

const char *lines_find(struct lines *l, uint64_t site)
{
	char *line;

	if (!l)
		return NULL;
	line = map_get(&l->known, site);
	if (!line) {
		line = find_line(l, site);
		if (!line)
			line = mem_strdup("");
		visible_lines(&line);
		map_put(&l->known, site, line);
	}
	return *line ? line : NULL;
}

struct lines *lines_open(const char *debug, const char *release,
			 const struct symbols *symbols)
{
	struct lines *l;

	if (debug && access(debug, R_OK)) {
		warn("--debug: cannot open %s", debug);
		return NULL;
	}
	if (!symbols) {
		if (debug)
			warnx("--debug: without symbols, lines cannot be found");
		return NULL;
	}
	l = mem_zalloc(1, sizeof(*l));
	l->symbols = symbols;
	l->debug = debug;
	l->release = release ? mem_strdup(release) : NULL;
	return l;
}

void lines_close(struct lines *l)
{
	struct map_slot *slot;

	if (!l)
		return;
	while (l->units) {
		struct unit *u = l->units;

		l->units = u->next;
		if (u->dwfl)
			dwfl_end(u->dwfl);
		free(u->name);
		free(u);
	}
	map_for_each(&l->known, slot)
		free(slot->value);
	map_free(&l->known);
	free(l->release);
	free(l);
}
