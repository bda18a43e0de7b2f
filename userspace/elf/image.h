/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The contents of an ELF file, by place. Files may be damaged: every access is checked
 * against the file's size.
 *
 * In a linked file, a place is an address. In an unlinked one (.o, .ko), it is an offset
 * in a section, and relocations stand for the addresses in its data.
 */
#ifndef FT_ELF_IMAGE_H
#define FT_ELF_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct place {
	size_t		section;	/* 0: in no section, it is an address */
	uint64_t	addr;
};

/** struct pointee - the target of a pointer or distance */
struct pointee {
	bool		known;		/* false: nowhere */
	struct place	at;		/* if it is in this file */
	const char	*symbol;	/* that it is relocated against, or NULL */
};

struct image_section {
	const char	*name;		/* "" where it has none */
	GElf_Shdr	sh;
	struct reloc	*reloc;		/* that change its data, by offset */
	size_t		n_reloc;
};

struct image {
	const char	*path;
	int		fd;
	uint64_t	size;
	Elf		*elf;
	bool		relocatable;
	bool		is32;
	struct image_section	*section;	/* [0]: none */
	size_t		n_sections;
	GElf_Phdr	*segment;
	size_t		n_segments;
	struct reloc	*reloc;		/* of a program at its start, by address */
	size_t		n_reloc;
};

/**
 * image_open - open a file for x86, of 64 bits or 32
 *
 * Return: 0, or -1 with a message that names the file and says what is wrong.
 */
int image_open(struct image *img, const char *path);
void image_close(struct image *img);

/** image_read - read @len bytes; false if they are not all in the file */
bool image_read(const struct image *img, struct place at, void *buf, size_t len);

/**
 * image_text - a string
 *
 * Return: its length; -1: not in the file, or longer than @len.
 */
int image_text(const struct image *img, struct place at, char *buf, size_t len);

/** image_left - how many bytes follow in the file, in the same segment or section */
uint64_t image_left(const struct image *img, struct place at);

/** image_is_code - is this place executable? */
bool image_is_code(const struct image *img, struct place at);

/* Where 4 or 8 bytes, a distance from themselves, or an address (4 if is32), point. */
struct pointee image_distance(struct image *img, struct place at, unsigned int bytes);
struct pointee image_pointer(struct image *img, struct place at);

/**
 * image_each_symbol - those of .symtab that are defined, until @each returns false
 */
void image_each_symbol(const struct image *img,
		       bool (*each)(void *arg, const char *name, const GElf_Sym *sym),
		       void *arg);

#endif /* FT_ELF_IMAGE_H */
