// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Finding the functions that this library stands in front of.
 *
 * The loader itself allocates through us before any constructor runs: the first call finds
 * the functions. dlsym() may allocate as well; it gets memory of our own for that, which is
 * never given back. Recording begins with the first call after the C library was
 * initialised, which is before constructors of the program's libraries run.
 */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "allocator/heap.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/text.h"

struct heap_real ft_heap_real;
enum heap_mode ft_heap_mode;
bool ft_heap_maps;

/* What this thread allocates meanwhile is not recorded. */
static __thread bool within;

/* Anything, by any thread of this process or of its parent. */
static bool recorded;

/* --- early memory --------------------------------------------------------- */

#define EARLY_UNIT	16u

char ft_heap_early_memory[HEAP_EARLY] __attribute__((aligned(EARLY_UNIT)));
static size_t early_used;

/* A piece has its size in the unit before it. */
void *ft_heap_early(size_t size)
{
	size_t need, at;

	if (size > HEAP_EARLY)
		return NULL;
	need = (size + 2 * EARLY_UNIT - 1) & ~(size_t)(EARLY_UNIT - 1);
	at = __atomic_fetch_add(&early_used, need, __ATOMIC_RELAXED);
	if (at >= HEAP_EARLY || need > HEAP_EARLY - at) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(ft_heap_early_memory + at, &size, sizeof(size));
	return ft_heap_early_memory + at + EARLY_UNIT;
}

size_t ft_heap_early_size(const void *p)
{
	size_t size;

	memcpy(&size, (const char *)p - EARLY_UNIT, sizeof(size));
	return size;
}

/* --- the functions -------------------------------------------------------- */

#define FIND(name) \
	(ft_heap_real.name = (__typeof__(ft_heap_real.name))dlsym(RTLD_NEXT, #name))

bool ft_heap_is_first(const char *symbol)
{
	Dl_info of, here;
	void *function = dlsym(RTLD_DEFAULT, symbol);

	return function && dladdr(function, &of) && dladdr(&recorded, &here) &&
	       of.dli_fbase == here.dli_fbase;
}

/* Those that every C library has come first: what is missing costs an allocation. */
static void find(void)
{
	FIND(malloc);
	FIND(calloc);
	FIND(realloc);
	FIND(free);
	FIND(posix_memalign);
	FIND(aligned_alloc);
	FIND(mmap);
	FIND(munmap);
	FIND(mremap);
	FIND(memalign);
	FIND(valloc);
	FIND(pvalloc);
	if (!ft_heap_is_first("realloc"))
		ft_heap_real.first_realloc = (__typeof__(ft_heap_real.first_realloc))
					     dlsym(RTLD_DEFAULT, "realloc");
}

static bool is_wanted(void)
{
	return ft_session && (ft_session->recorded & FT_RECORDED_HEAP);
}

/* Several threads may do this at once: each finds the same. */
void ft_heap_begin(void)
{
	int saved = errno;

	if (within)
		return;
	within = true;
	if (!ft_heap_real.pvalloc)
		find();
	/* environ is set when the C library is initialised: the session is found in it */
	if (environ) {
		ft_process_init();
		if (is_wanted()) {
			ft_text_relax(__start_ft_relax, __stop_ft_relax);
			ft_heap_maps = ft_session->recorded & FT_RECORDED_MAPS;
			ft_heap_mode = HEAP_TRACE;
		}
	}
	within = false;
	errno = saved;
}

/*
 * A program that allocates nothing before its main() begins here. And only here it is known that
 * it is not to be traced: joining the session may itself allocate.
 */
__attribute__((constructor))
static void heap_constructor(void)
{
	if (ft_heap_tracing())
		ft_heap_try_operators();
	else
		ft_heap_mode = HEAP_PASS;
}

/*
 * Called by exit(). Destructors of other libraries may follow, and free what they have.
 * _exit() does not come here: the child of a vfork(), which shares its parent's memory, calls
 * it, too.
 */
__attribute__((destructor))
static void heap_destructor(void)
{
	/* a process that recorded nothing needs no end */
	if (ft_heap_tracing() && recorded)
		heap_record(FT_HEAP_EXIT, NULL, 0, FT_MARK_A);
}

/*
 * A child joins the session here. That must not be recorded as the program's, nor get here
 * again.
 */
void ft_heap_slow(enum ft_heap_event event, uint64_t a, uint64_t b, uint32_t marks)
{
	if (within)
		return;
	within = true;
	recorded = true;
	ft_thread_slow(FT_ID_HEAP(event), a, b, marks);
	within = false;
}
