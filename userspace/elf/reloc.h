/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Relocations of an ELF file. */
#ifndef FT_ELF_RELOC_H
#define FT_ELF_RELOC_H

#include "elf/image.h"

struct reloc {
	uint64_t	at;		/* offset in the section, or address */
	uint64_t	addend;
	uint32_t	type, symbol;
	uint32_t	symtab;		/* section of the symbol */
};

/** reloc_load_program - those that a program's start applies, into @img */
void reloc_load_program(struct image *img);

#endif /* FT_ELF_RELOC_H */
