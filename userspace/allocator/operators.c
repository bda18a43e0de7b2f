// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * new and delete of C++. In the C++ library they end in malloc() and free(), whose caller
 * would be that library for all of them: so they are recorded here, with the caller that
 * counts.
 *
 * The C++ library's own are not called for a block that malloc() can give: they would do
 * nothing else. All that is rare is left to them: handlers, exceptions. If the program, or
 * another library, has operators of its own, these are called, always; they are recorded here
 * unless they call malloc() and free(), which are recorded there.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "allocator/heap.h"

enum operators {
	OPERATORS_UNREADY,
	OPERATORS_LIBRARY,	/* those of the C++ library */
	OPERATORS_OTHER,	/* others; these call malloc(), or have allocated nothing yet */
	OPERATORS_DIRECT,	/* others, which do not */
};

static enum operators operators;

/* Also of a C++ library that only a plugin has loaded, for itself. */
static void *find(const char *symbol)
{
	static const char *const files[] = { "libstdc++.so.6", "libc++abi.so.1", "libc++.so.1" };
	void *found = dlsym(RTLD_NEXT, symbol), *file;

	for (size_t i = 0; !found && i < sizeof(files) / sizeof(*files); i++) {
		file = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
		found = file ? dlsym(file, symbol) : NULL;
	}
	return found;
}

static bool is_of_library(void *function)
{
	Dl_info of;

	return function && dladdr(function, &of) &&
	       (strstr(of.dli_fname, "/libstdc++.so") || strstr(of.dli_fname, "/libc++"));
}

/* Is what the program calls by this name defined in this file? */
static bool is_ours(const char *symbol)
{
	Dl_info of, here;
	void *function = dlsym(RTLD_DEFAULT, symbol);

	return function && dladdr(function, &of) && dladdr(&operators, &here) &&
	       of.dli_fbase == here.dli_fbase;
}

/* Those that the others of the C++ library call. */
static COLD enum operators look(void)
{
	static const char *const called[] = {
		"malloc", "free", "aligned_alloc", "_Znwm", "_Znam", "_ZdlPv", "_ZdaPv",
		"_ZnwmSt11align_val_t", "_ZdlPvSt11align_val_t",
	};
	bool library = is_of_library(find("_Znwm")) && is_of_library(find("_ZdlPv"));

	for (size_t i = 0; library && i < sizeof(called) / sizeof(*called); i++)
		library = is_ours(called[i]);
	operators = library ? OPERATORS_LIBRARY : OPERATORS_OTHER;
	return operators;
}

static inline bool is_library(void)
{
	return (operators ?: look()) == OPERATORS_LIBRARY;
}

/* @alignment: 0, or a power of two, else the library's operator says what is wrong with it. */
static inline void *plain_new(size_t size, size_t alignment, const void *site)
{
	size_t some = size ? size : 1;
	void *p;

	if (!ft_heap_tracing() || !is_library())
		return NULL;
	if (alignment && ((alignment & (alignment - 1)) || some > SIZE_MAX - alignment))
		return NULL;
	p = alignment ? ft_heap_real.aligned_alloc(alignment,
						   (some + alignment - 1) & ~(alignment - 1)) :
			ft_heap_real.malloc(some);
	if (p)
		heap_allocated(FT_HEAP_NEW, p, size, site);
	return p;
}

/* The program's own operator has given @p: record it, unless malloc() has. */
static inline void other_new(const void *p, size_t size, const void *site)
{
	if (!p || !ft_heap_tracing() || ft_heap_last == p)
		return;
	operators = OPERATORS_DIRECT;
	heap_allocated(FT_HEAP_NEW, p, size, site);
}

/* Without any C++ library: there is nothing that could throw. */
static COLD void *lonely_new(size_t size)
{
	return malloc(size ? size : 1);
}

/* @no: std::nothrow; @to: the alignment */
typedef void *memory;

#define NEW(symbol, alignment, parameters, ...)				\
EXPORT memory symbol parameters;					\
memory symbol parameters						\
{									\
	static memory (*real) parameters;				\
	void *p = plain_new(size, alignment, CALLER);			\
									\
	if (p)								\
		return p;						\
	if (!real)							\
		real = (memory (*) parameters)find(#symbol);		\
	if (!real)							\
		return lonely_new(size);				\
	ft_heap_last = NULL;						\
	p = real(__VA_ARGS__);						\
	other_new(p, size, CALLER);					\
	return p;							\
}

NEW(_Znwm, 0, (size_t size), size)
NEW(_Znam, 0, (size_t size), size)
NEW(_ZnwmRKSt9nothrow_t, 0, (size_t size, const void *no), size, no)
NEW(_ZnamRKSt9nothrow_t, 0, (size_t size, const void *no), size, no)
NEW(_ZnwmSt11align_val_t, to, (size_t size, size_t to), size, to)
NEW(_ZnamSt11align_val_t, to, (size_t size, size_t to), size, to)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, to, (size_t size, size_t to, const void *no), size, to, no)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, to, (size_t size, size_t to, const void *no), size, to, no)

/*
 * One operator may call another one, or free(): what is going is recorded once.
 *
 * Return: true: it is done.
 */
static inline bool plain_delete(void *p, const void *site)
{
	bool library;

	if (!p)
		return true;
	if (!ft_heap_tracing())
		return false;
	library = is_library();
	if (p != ft_heap_going && (library || operators == OPERATORS_DIRECT))
		heap_released(FT_HEAP_DELETE, p, site);
	if (library)
		ft_heap_real.free(p);
	else if (operators == OPERATORS_DIRECT)
		ft_heap_going = p;
	return library;
}

#define DELETE(symbol, parameters, ...)					\
EXPORT void symbol parameters;						\
void symbol parameters							\
{									\
	static void (*real) parameters;					\
									\
	if (plain_delete(p, CALLER))					\
		return;							\
	if (!real)							\
		real = (void (*) parameters)find(#symbol);		\
	if (real)							\
		real(__VA_ARGS__);					\
	else								\
		free(p);						\
	ft_heap_going = NULL;						\
}

DELETE(_ZdlPv, (void *p), p)
DELETE(_ZdaPv, (void *p), p)
DELETE(_ZdlPvm, (void *p, size_t size), p, size)
DELETE(_ZdaPvm, (void *p, size_t size), p, size)
DELETE(_ZdlPvRKSt9nothrow_t, (void *p, const void *no), p, no)
DELETE(_ZdaPvRKSt9nothrow_t, (void *p, const void *no), p, no)
DELETE(_ZdlPvSt11align_val_t, (void *p, size_t to), p, to)
DELETE(_ZdaPvSt11align_val_t, (void *p, size_t to), p, to)
DELETE(_ZdlPvmSt11align_val_t, (void *p, size_t size, size_t to), p, size, to)
DELETE(_ZdaPvmSt11align_val_t, (void *p, size_t size, size_t to), p, size, to)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t to, const void *no), p, to, no)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t to, const void *no), p, to, no)
