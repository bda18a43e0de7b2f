// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * new of C++. The C++ library's operators call malloc() or aligned_alloc(), whose caller is that
 * library for all of them: what counts is who has called the operator.
 *
 * These operators are not wrapped: programs, libraries and plugins replace some of them, each in
 * its own way, and which one a call would reach is not to be found from here. Instead, the
 * operators are tried once, before main(): a call from below here shows where malloc() is called
 * from in each, and how far up from there is the address that it returns to. That distance is of
 * the call instruction, so it is always the same. The operators for arrays and for std::nothrow
 * may call others, so several such steps may be needed.
 *
 * The library's operators for delete jump to free(), whose caller is theirs.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "allocator/heap.h"

#define STEPS_MAX	8u
#define FAR		64u		/* words from a call of malloc() to the operator's caller */
#define TRIED		64u		/* bytes, and an alignment */

bool ft_heap_operators;

/* A call that returns to @from has a caller that returns to what is @up words above the frame. */
struct step {
	const void	*from;
	size_t		up;
};

static struct step steps[STEPS_MAX];
static size_t n_steps;

/* Where the C++ library has its instructions. */
static uintptr_t library, library_end;

static __thread bool trying;
static bool found, strange;		/* by the last trial; by any */

/* --- a trial -------------------------------------------------------------- */

typedef void *(*operator_new)(size_t size, uintptr_t x, const void *y);

#define TRIAL	__attribute__((section("ft_trial")))
extern const char __start_ft_trial[] HIDDEN, __stop_ft_trial[] HIDDEN;

/* Nothing else is in this section: an address of it on the stack is where this call returns. */
static TRIAL __attribute__((noinline)) void *try(operator_new new, uintptr_t x, const void *y)
{
	void *volatile p = new(TRIED, x, y);	/* not called by a jump */

	return p;
}

static bool is_trial(const void *site)
{
	return (uintptr_t)site > (uintptr_t)__start_ft_trial &&
	       (uintptr_t)site < (uintptr_t)__stop_ft_trial;
}

static bool is_library(uintptr_t at)
{
	return at - library < library_end - library;
}

static COLD void learn(const void *site, const void *const *frame)
{
	size_t up = 0;

	found = true;
	if (is_trial(site))
		return;
	while (up < FAR && !is_trial(frame[up]))
		up++;
	if (n_steps == STEPS_MAX || up == FAR || !is_library((uintptr_t)site)) {
		strange = true;
		return;
	}
	steps[n_steps] = (struct step){ .from = site, .up = up };
	__atomic_store_n(&n_steps, n_steps + 1, __ATOMIC_RELEASE);
}

/* A step that starts where another one ends was learnt after that one. */
const void *ft_heap_behind(const void *site, const void *const *frame, enum ft_heap_event *event)
{
	size_t n = __atomic_load_n(&n_steps, __ATOMIC_ACQUIRE);

	for (size_t i = 0; i < n; i++) {
		if (site == steps[i].from) {
			site = frame[steps[i].up];
			*event = FT_HEAP_NEW;
		}
	}
	if (__builtin_expect(!trying, 1))
		return site;
	learn(site, frame);
	return NULL;
}

/* --- is there anything to be tried? --------------------------------------- */

static bool is_name(const char *file)
{
	return file && (strstr(file, "/libstdc++.so") || strstr(file, "/libc++"));
}

/* Return: 1: the C++ library that has the address @arg is found; any one, if it is NULL. */
static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t at = (uintptr_t)arg;

	(void)size;
	if (!is_name(info->dlpi_name))
		return 0;
	for (size_t i = 0; at && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + part->p_vaddr;

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) ||
		    at - start >= part->p_memsz)
			continue;
		library = start;
		library_end = start + part->p_memsz;
		return 1;
	}
	return !at;
}

static const char *const operators[] = {
	"_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t",
	"_ZnwmSt11align_val_t", "_ZnamSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t", "_ZnamSt11align_val_tRKSt9nothrow_t",
};

#define OPERATORS	(sizeof(operators) / sizeof(*operators))

/*
 * Return: true: all are of one library, and reach this file. One that the program has replaced
 * is not to be called before the program's constructors, and other ones call it.
 */
static bool find(operator_new called[OPERATORS])
{
	uintptr_t at;

	for (size_t i = 0; i < OPERATORS; i++) {
		called[i] = (operator_new)dlsym(RTLD_DEFAULT, operators[i]);
		at = (uintptr_t)called[i];
		if (!at || (!i && !dl_iterate_phdr(look_at, (void *)at)) ||
		    !is_library(at))
			return false;
	}
	return ft_heap_is_first("malloc") && ft_heap_is_first("aligned_alloc") &&
	       ft_heap_is_first("posix_memalign") && ft_heap_is_first("memalign");
}

static void try_all(const operator_new called[OPERATORS])
{
	static const char quietly;	/* std::nothrow, whose content nobody reads */

	for (size_t i = 0; !strange && i < OPERATORS; i++) {
		bool aligned = strstr(operators[i], "align_val");
		void *p;

		found = false;
		p = try(called[i], aligned ? TRIED : (uintptr_t)&quietly, &quietly);
		if (found)
			ft_heap_real.free(p);
		else
			strange = true;
	}
}

void ft_heap_try_operators(void)
{
	operator_new called[OPERATORS];

	/* else dlsym() would make a message */
	if (!dl_iterate_phdr(look_at, NULL))
		return;
	if (find(called)) {
		trying = true;
		ft_heap_operators = true;
		try_all(called);
		trying = false;
		if (strange)
			ft_heap_operators = false;
	}
	/* drop the message of a failed dlsym(): it is not the program's */
	dlerror();
}
