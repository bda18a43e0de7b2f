// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Following distances and pointers in an ELF file, with the relocations of x86-64, and of
 * i386: the two that are needed have the same numbers there, R_386_32 and R_386_PC32.
 *
 * Distances within a linked file are final. Its pointers are, too, if it has a fixed
 * address; else the program's start adds where the file was loaded to each, and what
 * it adds to is in a table (DT_RELA), or, where the table only says where such
 * pointers are (DT_RELR, and always for i386), in place.
 */
#include <string.h>

#include "base/mem.h"
#include "elf/reloc.h"

static int compare(const void *a, const void *b)
{
	const struct reloc *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static const struct reloc *find(const struct reloc *r, size_t n, uint64_t at)
{
	struct reloc key = { .at = at };

	return n ? bsearch(&key, r, n, sizeof(*r), compare) : NULL;
}

/* --- of a program's start ------------------------------------------------- */

struct table {
	uint64_t	addr, size, entry;
};

static void find_table(const struct image *img, const GElf_Phdr *ph,
		       struct table *t)
{
	struct place at = { .addr = ph->p_vaddr };
	Elf64_Dyn dyn;

	for (uint64_t i = 0; i < ph->p_filesz / sizeof(dyn); i++) {
		if (!image_read(img, at, &dyn, sizeof(dyn)) || dyn.d_tag == DT_NULL)
			return;
		if (dyn.d_tag == DT_RELA)
			t->addr = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_RELASZ)
			t->size = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_RELAENT)
			t->entry = dyn.d_un.d_val;
		at.addr += sizeof(dyn);
	}
}

void reloc_load_program(struct image *img)
{
	struct table t = { .entry = sizeof(Elf64_Rela) };
	struct place at = { 0 };
	Elf64_Rela *rela;
	size_t n, i;

	if (img->is32)
		return;
	for (i = 0; i < img->n_segments; i++) {
		if (img->segment[i].p_type == PT_DYNAMIC)
			find_table(img, &img->segment[i], &t);
	}
	at.addr = t.addr;
	if (!t.addr || t.entry != sizeof(*rela) || t.size > image_left(img, at))
		return;
	n = t.size / sizeof(*rela);
	rela = mem_zalloc(n, sizeof(*rela));
	img->reloc = mem_zalloc(n, sizeof(*img->reloc));
	if (image_read(img, at, rela, n * sizeof(*rela))) {
		for (i = 0; i < n; i++) {
			if (ELF64_R_TYPE(rela[i].r_info) != R_X86_64_RELATIVE)
				continue;
			img->reloc[img->n_reloc++] = (struct reloc){
				.at = rela[i].r_offset,
				.addend = (uint64_t)rela[i].r_addend,
			};
		}
	}
	free(rela);
	if (img->n_reloc)
		qsort(img->reloc, img->n_reloc, sizeof(*img->reloc), compare);
}

/* --- of a section --------------------------------------------------------- */

/* The relocations of i386 have what they add to in place. */
static bool get(const struct image *img, size_t section, Elf_Data *data, int i, GElf_Rela *rela)
{
	struct place at = { .section = section };
	int32_t addend = 0;
	GElf_Rel rel;

	if (!img->is32)
		return gelf_getrela(data, i, rela);
	if (!gelf_getrel(data, i, &rel))
		return false;
	at.addr = rel.r_offset;
	*rela = (GElf_Rela){ .r_offset = rel.r_offset, .r_info = rel.r_info };
	if (image_read(img, at, &addend, sizeof(addend)))
		rela->r_addend = addend;
	return true;
}

static void add_table(struct image *img, size_t section, size_t table)
{
	struct image_section *s = &img->section[section];
	const GElf_Shdr *sh = &img->section[table].sh;
	Elf_Data *data = elf_getdata(elf_getscn(img->elf, table), NULL);
	GElf_Rela rela;

	for (int i = 0; data && get(img, section, data, i, &rela); i++) {
		if (!(s->n_reloc & (s->n_reloc - 1)))	/* 0, 1, 2, 4, ... */
			s->reloc = mem_resize(s->reloc, 2 * s->n_reloc + 1,
					      sizeof(*s->reloc));
		s->reloc[s->n_reloc++] = (struct reloc){
			.at = rela.r_offset,
			.addend = (uint64_t)rela.r_addend,
			.type = (uint32_t)GELF_R_TYPE(rela.r_info),
			.symbol = (uint32_t)GELF_R_SYM(rela.r_info),
			.symtab = sh->sh_link,
		};
	}
}

static const struct reloc *find_in_section(struct image *img, struct place at)
{
	struct image_section *s;

	if (at.section >= img->n_sections)
		return NULL;
	s = &img->section[at.section];
	if (!s->reloc) {
		s->reloc = mem_zalloc(1, sizeof(*s->reloc));
		for (size_t i = 1; i < img->n_sections; i++) {
			if (img->section[i].sh.sh_type == (img->is32 ? SHT_REL : SHT_RELA) &&
			    img->section[i].sh.sh_info == at.section)
				add_table(img, at.section, i);
		}
		if (s->n_reloc)
			qsort(s->reloc, s->n_reloc, sizeof(*s->reloc), compare);
	}
	return find(s->reloc, s->n_reloc, at.addr);
}

/* The addend is from the place where a distance is counted from, as x86-64 has it. */
static struct pointee resolve(const struct image *img, const struct reloc *r)
{
	struct pointee t = { 0 };
	Elf_Data *data = elf_getdata(elf_getscn(img->elf, r->symtab), NULL);
	size_t section;
	GElf_Sym sym;

	if (r->symtab >= img->n_sections ||
	    img->section[r->symtab].sh.sh_type != SHT_SYMTAB || !data ||
	    r->symbol > INT32_MAX || !gelf_getsym(data, (int)r->symbol, &sym))
		return t;
	section = sym.st_shndx;
	if (GELF_ST_TYPE(sym.st_info) != STT_SECTION)
		t.symbol = elf_strptr(img->elf, img->section[r->symtab].sh.sh_link,
				      sym.st_name);
	if (section == SHN_UNDEF) {
		t.known = t.symbol;
	} else if (section < img->n_sections) {
		t.known = true;
		t.at.section = section;
		t.at.addr = sym.st_value + r->addend;
	}
	return t;
}

/* --- following ------------------------------------------------------------ */

struct pointee image_distance(struct image *img, struct place at, unsigned int bytes)
{
	uint32_t type = bytes == 4 ? R_X86_64_PC32 : R_X86_64_PC64;
	struct pointee t = { 0 };
	const struct reloc *r;
	int64_t far = 0;
	int32_t near;

	if (img->relocatable) {
		r = find_in_section(img, at);
		return r && r->type == type ? resolve(img, r) : t;
	}
	if (bytes == 8 ? !image_read(img, at, &far, 8) : !image_read(img, at, &near, 4))
		return t;
	if (bytes == 4)
		far = near;
	t.known = far != 0;
	t.at.addr = at.addr + (uint64_t)far;
	return t;
}

struct pointee image_pointer(struct image *img, struct place at)
{
	struct pointee t = { 0 };
	const struct reloc *r;

	if (img->relocatable) {
		r = find_in_section(img, at);
		return r && r->type == R_X86_64_64 ? resolve(img, r) : t;
	}
	r = find(img->reloc, img->n_reloc, at.addr);
	if (r)
		t.at.addr = r->addend;
	else if (!image_read(img, at, &t.at.addr, img->is32 ? 4 : 8))
		return t;
	t.known = t.at.addr;
	return t;
}
