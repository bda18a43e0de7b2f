/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The triggers in an ELF file.
 *
 *	sites.c		a list of them
 *	sites_list.c	printing it
 *	image.c		reading ELF files
 *	reloc.c		relocations
 *	program.c	triggers of programs
 *	kernel.c	triggers of the kernel and its modules
 *	source.c	functions, lines of source code
 */
#ifndef FT_ELF_SITES_H
#define FT_ELF_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/image.h"

struct site {
	struct place	at;
	char		*section;	/* its name, or NULL */
	char		*event;		/* NULL: it has only a number */
	unsigned int	id;
	size_t		order;		/* in the file */

	/* by sites_find_source(); NULL if it is not known */
	char		*function;	/* that the code is in */
	uint64_t	offset;
	char		*source;	/* file */
	int		line;
	char		**inlined;	/* into it, the innermost first */
	size_t		n_inlined;
};

struct sites {
	struct site	*site;
	size_t		n;
	size_t		bad;		/* entries that make no sense */
};

/** sites_add - one more; @event is copied */
void sites_add(struct sites *s, struct place at, const char *event, size_t len,
	       unsigned int id);

enum sites_order { SITES_BY_FILE, SITES_BY_EVENT, SITES_BY_ADDRESS };

void sites_sort(struct sites *s, enum sites_order order);

void sites_free(struct sites *s);

/** sites_is_name - is it a valid name of an event? */
bool sites_is_name(const char *name, size_t len);

void sites_find_user(struct sites *s, struct image *img);

/**
 * sites_find_kernel - the triggers of a kernel, or of a module
 * @family:	name of a family of locks
 *
 * Return: 0, or -1 after a message.
 */
int sites_find_kernel(struct sites *s, struct image *img,
		      const char *(*family)(unsigned int));

/** sites_find_source - functions and source lines, if there are symbols and debug information */
void sites_find_source(struct sites *s, const struct image *img, bool mangled);

#endif /* FT_ELF_SITES_H */
