// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Opening ELF files, and reading them by place. See image.h. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "elf/image.h"
#include "elf/reloc.h"

#define MAGIC_LEN	8

/* The kind of a file that is not ELF, and what to do. */
static const char *other_kind(const char *magic)
{
	static const struct {
		const char *magic, *is;
	} kinds[] = {
		{ "\x1f\x8b", "it is compressed: gunzip it first" },
		{ "\xfd" "7zXZ", "it is compressed: unxz it first" },
		{ "\x28\xb5\x2f\xfd", "it is compressed: unzstd it first" },
		{ "!<arch>\n", "it is an archive: name a program that it is linked into" },
		{ "MZ", "it is a bootable kernel image: name the vmlinux that it was made from" },
		{ "#!", "it is a script" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!memcmp(magic, kinds[i].magic, strlen(kinds[i].magic)))
			return kinds[i].is;
	}
	return NULL;
}

static int check_magic(const struct image *img)
{
	char magic[MAGIC_LEN] = "";
	ssize_t n = pread(img->fd, magic, sizeof(magic), 0);
	const char *other;

	if (n < 0) {
		warn("cannot read %s", img->path);
		return -1;
	}
	if (n >= SELFMAG && !memcmp(magic, ELFMAG, SELFMAG))
		return 0;
	if (!n) {
		warnx("%s: is empty", img->path);
		return -1;
	}
	other = n == sizeof(magic) ? other_kind(magic) : NULL;
	warnx("%s: no ELF file%s%s", img->path, other ? ": " : "",
	      other ? other : "");
	return -1;
}

/* Return: 0, or -1 with a message. */
static int check_machine(const struct image *img, const GElf_Ehdr *eh)
{
	static const struct {
		unsigned int machine;
		const char *name;
	} names[] = {
		{ EM_386, "i386" }, { EM_ARM, "ARM" }, { EM_AARCH64, "AArch64" },
		{ EM_RISCV, "RISC-V" }, { EM_PPC64, "PowerPC" },
		{ EM_S390, "s390" }, { EM_MIPS, "MIPS" }, { EM_X86_64, "x86-64" },
	};
	char number[32];
	size_t i;

	if (eh->e_ident[EI_DATA] == ELFDATA2LSB &&
	    eh->e_ident[EI_CLASS] == (eh->e_machine == EM_386 ? ELFCLASS32 : ELFCLASS64) &&
	    (eh->e_machine == EM_386 || eh->e_machine == EM_X86_64))
		return 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].machine == eh->e_machine)
			break;
	}
	snprintf(number, sizeof(number), "machine %u", eh->e_machine);
	warnx("%s: is of another architecture (%s, %s bits): only x86-64 and i386 are supported",
	      img->path, i < ARRAY_SIZE(names) ? names[i].name : number,
	      eh->e_ident[EI_CLASS] == ELFCLASS64 ? "64" : "32");
	return -1;
}

static bool is_inside(const struct image *img, uint64_t offset, uint64_t len)
{
	return offset <= img->size && len <= img->size - offset;
}

static int truncated(const struct image *img, const char *what)
{
	warnx("%s: is truncated or damaged: its %s are beyond its end", img->path,
	      what);
	return -1;
}

static int load_segments(struct image *img, const GElf_Ehdr *eh)
{
	size_t i;

	if (elf_getphdrnum(img->elf, &img->n_segments))
		img->n_segments = 0;
	if ((eh->e_phnum && !img->n_segments) ||
	    !is_inside(img, eh->e_phoff, gelf_fsize(img->elf, ELF_T_PHDR, img->n_segments,
						    EV_CURRENT)))
		return truncated(img, "program headers");
	img->segment = mem_zalloc(img->n_segments, sizeof(*img->segment));
	for (i = 0; i < img->n_segments; i++) {
		GElf_Phdr *ph = &img->segment[i];

		if (!gelf_getphdr(img->elf, (int)i, ph))
			return truncated(img, "program headers");
		if ((ph->p_type == PT_LOAD || ph->p_type == PT_NOTE ||
		     ph->p_type == PT_DYNAMIC) &&
		    !is_inside(img, ph->p_offset, ph->p_filesz))
			return truncated(img, "segments");
	}
	return 0;
}

static int load_sections(struct image *img, const GElf_Ehdr *eh)
{
	size_t names = 0, i;

	if (elf_getshdrnum(img->elf, &img->n_sections))
		img->n_sections = 0;
	if ((eh->e_shoff && !img->n_sections) ||
	    !is_inside(img, eh->e_shoff, gelf_fsize(img->elf, ELF_T_SHDR, img->n_sections,
						    EV_CURRENT)))
		return truncated(img, "section headers");
	if (elf_getshdrstrndx(img->elf, &names))
		names = 0;
	img->section = mem_zalloc(img->n_sections, sizeof(*img->section));
	for (i = 0; i < img->n_sections; i++) {
		struct image_section *s = &img->section[i];
		const char *name;

		if (!gelf_getshdr(elf_getscn(img->elf, i), &s->sh))
			return truncated(img, "section headers");
		name = elf_strptr(img->elf, names, s->sh.sh_name);
		s->name = name ? name : "";
		if (s->sh.sh_type != SHT_NOBITS && s->sh.sh_type != SHT_NULL &&
		    !is_inside(img, s->sh.sh_offset, s->sh.sh_size))
			return truncated(img, "sections");
	}
	return 0;
}

/* A file of debug information has sections of code without contents. */
static bool lacks_code(const struct image *img)
{
	bool said = false;

	for (size_t i = 0; i < img->n_sections; i++) {
		const GElf_Shdr *sh = &img->section[i].sh;

		if (!(sh->sh_flags & SHF_EXECINSTR) || !sh->sh_size)
			continue;
		if (sh->sh_type != SHT_NOBITS)
			return false;
		said = true;
	}
	return said;
}

static int load(struct image *img)
{
	GElf_Ehdr eh;

	img->elf = elf_begin(img->fd, ELF_C_READ, NULL);
	if (!img->elf || elf_kind(img->elf) != ELF_K_ELF ||
	    !gelf_getehdr(img->elf, &eh))
		return truncated(img, "headers");
	if (check_machine(img, &eh))
		return -1;
	if (eh.e_type != ET_REL && eh.e_type != ET_EXEC && eh.e_type != ET_DYN) {
		warnx("%s: is %s: name the program itself", img->path,
		      eh.e_type == ET_CORE ? "a core dump" : "no program");
		return -1;
	}
	img->relocatable = eh.e_type == ET_REL;
	img->is32 = eh.e_machine == EM_386;
	if (load_segments(img, &eh) || load_sections(img, &eh))
		return -1;
	if (lacks_code(img)) {
		warnx("%s: holds debug information, but no code: name the file that it belongs to",
		      img->path);
		return -1;
	}
	if (!img->relocatable)
		reloc_load_program(img);
	return 0;
}

int image_open(struct image *img, const char *path)
{
	*img = (struct image){ .path = path };
	elf_version(EV_CURRENT);
	img->fd = open_regular(path, &img->size);
	if (img->fd >= 0 && !check_magic(img) && !load(img))
		return 0;
	image_close(img);
	return -1;
}

void image_close(struct image *img)
{
	for (size_t i = 0; i < img->n_sections && img->section; i++)
		free(img->section[i].reloc);
	free(img->section);
	free(img->segment);
	free(img->reloc);
	elf_end(img->elf);
	if (img->fd >= 0)
		close(img->fd);
	*img = (struct image){ .fd = -1 };
}

/* The offset of a place in the file, and how many bytes follow. False: not in it. */
static bool find(const struct image *img, struct place at, uint64_t *offset,
		 uint64_t *left)
{
	if (at.section) {
		const GElf_Shdr *sh;

		if (at.section >= img->n_sections)
			return false;
		sh = &img->section[at.section].sh;
		if (sh->sh_type == SHT_NOBITS || sh->sh_type == SHT_NULL ||
		    at.addr > sh->sh_size)
			return false;
		*offset = sh->sh_offset + at.addr;
		*left = sh->sh_size - at.addr;
		return true;
	}
	for (size_t i = 0; i < img->n_segments && !img->relocatable; i++) {
		const GElf_Phdr *ph = &img->segment[i];

		if (ph->p_type != PT_LOAD || at.addr < ph->p_vaddr ||
		    at.addr - ph->p_vaddr >= ph->p_filesz)
			continue;
		*offset = ph->p_offset + (at.addr - ph->p_vaddr);
		*left = ph->p_filesz - (at.addr - ph->p_vaddr);
		return true;
	}
	return false;
}

uint64_t image_left(const struct image *img, struct place at)
{
	uint64_t offset, left;

	return find(img, at, &offset, &left) ? left : 0;
}

bool image_read(const struct image *img, struct place at, void *buf, size_t len)
{
	uint64_t offset, left;

	return find(img, at, &offset, &left) && len <= left &&
	       pread(img->fd, buf, len, (off_t)offset) == (ssize_t)len;
}

int image_text(const struct image *img, struct place at, char *buf, size_t len)
{
	uint64_t left = image_left(img, at);
	size_t n = left < len ? left : len;

	if (!n || !image_read(img, at, buf, n))
		return -1;
	len = strnlen(buf, n);
	return len < n ? (int)len : -1;
}

bool image_is_code(const struct image *img, struct place at)
{
	if (at.section)
		return at.section < img->n_sections &&
		       (img->section[at.section].sh.sh_flags & SHF_EXECINSTR) &&
		       image_left(img, at);
	for (size_t i = 0; i < img->n_segments && !img->relocatable; i++) {
		const GElf_Phdr *ph = &img->segment[i];

		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X) &&
		    at.addr >= ph->p_vaddr && at.addr - ph->p_vaddr < ph->p_filesz)
			return true;
	}
	return false;
}

void image_each_symbol(const struct image *img,
		       bool (*each)(void *arg, const char *name, const GElf_Sym *sym),
		       void *arg)
{
	for (size_t i = 0; i < img->n_sections; i++) {
		const GElf_Shdr *sh = &img->section[i].sh;
		Elf_Data *data;
		GElf_Sym sym;

		if (sh->sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(elf_getscn(img->elf, i), NULL);
		for (int k = 1; data && gelf_getsym(data, k, &sym); k++) {
			const char *name = elf_strptr(img->elf, sh->sh_link,
						      sym.st_name);

			if (name && sym.st_shndx != SHN_UNDEF &&
			    !each(arg, name, &sym))
				return;
		}
	}
}
