/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The table of symbols: what symbols.c and format.c share. */
#ifndef FT_SYMBOLS_TABLE_H
#define FT_SYMBOLS_TABLE_H

#include <pthread.h>

#include "base/map.h"
#include "symbols/inlined.h"
#include "symbols/lock_calls.h"
#include "symbols/lock_classes.h"
#include "symbols/programs.h"
#include "symbols/symbols.h"

struct symbol {
	uint64_t	addr;
	const char	*name;
	const char	*module;	/* or NULL: the kernel itself */
};

struct module {
	const char	*name;
	uint64_t	start, end;
};

/* What frames.c asks at the first frame of a program. libfttrace has no libdw: it never does. */
struct symbols_inlined {
	struct inlined	*known;		/* or NULL */
	void		(*close)(struct inlined *in);
};

/* Demangled names, by the mangled one's address. */
struct symbols_shown {
	struct map	names;
	bool		shared;		/* by threads: then the lock is needed */
	pthread_mutex_t	lock;
};

struct symbols {
	char		*text, *modules_text;
	struct symbol	*sym;
	size_t		n;
	struct module	*module;
	size_t		n_modules;
	struct programs	*programs;	/* or NULL */
	struct lock_classes *locks;	/* or NULL */
	struct lock_calls *calls;	/* the same */
	bool		mangled;	/* names are shown as they are */
	struct symbols_shown *shown;
	struct symbols_inlined *inlined;
};

#endif /* FT_SYMBOLS_TABLE_H */
