/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The triggers of files as text, TSV and JSON. */
#ifndef FT_ELF_SITES_LIST_H
#define FT_ELF_SITES_LIST_H

#include "base/output.h"
#include "elf/sites.h"

/**
 * struct sites_list - what is asked for
 * @mangled:	names of C++ and Rust as they stand in the file
 * @family:	name of a family of locks
 */
struct sites_list {
	enum output_format	format;
	enum sites_order	order;
	bool			mangled;
	const char		*(*family)(unsigned int number);
};

/** sites_list - print those of @n files; false after a message about one of them */
bool sites_list(const struct sites_list *asked, char **paths, int n);

#endif /* FT_ELF_SITES_LIST_H */
