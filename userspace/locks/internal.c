// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Locks inside of locks: by the names of functions. See internal.h. */
#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "locks/internal.h"

/* The same few call sites come again and again; a power of two. */
#define CACHE	8192

struct internal {
	/* Only from first to last, and not in the gap between two of them, is one. */
	uint64_t		first, last, gap_from, gap_to;
	struct symbols_range	*range;		/* of functions, in order */
	size_t			n;
	uint64_t		cache[2][CACHE];	/* sites, by the answer */
};

/* Functions of kernel/locking; what ends in '*' is a beginning. */
static const char *const functions[] = {
	"__mutex_lock*", "__mutex_unlock_slowpath*", "__ww_mutex_*",
	"rwsem_*", "__down_read*", "__down_write*", "__up_read*", "__up_write*",
	"down", "down_interruptible", "down_killable", "down_timeout",
	"down_trylock", "up", "__down", "__down_*", "__up", "__up.*",
	"percpu_rwsem_*", "percpu_down_write*", "percpu_up_write*",
	"__percpu_down_read*",
	"rt_mutex_*", "__rt_mutex_*", "rtlock_*", "rt_spin_*", "rt_read_*",
	"rt_write_*", "rwbase_*", "__rwbase_*", "task_blocks_on_rt_mutex*",
};

static bool is_internal(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		size_t len;

		if (*name != *functions[i])	/* most of them end here */
			continue;
		len = strlen(functions[i]) - 1;
		if (functions[i][len] == '*' ?
		    !strncmp(name, functions[i], len) :
		    !strcmp(name, functions[i]))
			return true;
	}
	return false;
}

size_t internal_functions(const struct symbols *symbols, struct symbols_range **ranges)
{
	return symbols_match(symbols, is_internal, ranges);
}

/*
 * The widest gap: the kernel's linker puts functions of locks in two places, and nearly all
 * that take locks lie outside of these.
 */
static void find_gap(struct internal *in)
{
	in->first = in->range[0].low;
	in->last = in->range[in->n - 1].high;
	in->gap_from = in->gap_to = in->last;
	for (size_t i = 1; i < in->n; i++) {
		uint64_t from = in->range[i - 1].high, to = in->range[i].low;

		if (to > from && to - from > in->gap_to - in->gap_from) {
			in->gap_from = from;
			in->gap_to = to;
		}
	}
}

struct internal *internal_new(const struct symbols *symbols)
{
	struct internal *in = mem_zalloc_huge(1, sizeof(*in));

	in->n = internal_functions(symbols, &in->range);
	if (!in->n) {
		internal_free(in);
		return NULL;
	}
	find_gap(in);
	return in;
}

void internal_free(struct internal *in)
{
	if (!in)
		return;
	mem_free(in->range);
	mem_free_huge(in, 1, sizeof(*in));
}

static bool in_ranges(const struct internal *in, uint64_t addr)
{
	size_t low = array_first(in->n, i, in->range[i].high < addr);

	return low < in->n && addr >= in->range[low].low;
}

bool internal_is(struct internal *in, uint64_t site)
{
	uint64_t addr = site - 1;	/* it is a return address: behind the call */
	bool internal;
	size_t i;

	if (!site || addr < in->first || addr > in->last ||
	    (addr > in->gap_from && addr < in->gap_to))
		return false;
	i = map_hash(site) % CACHE;
	if (in->cache[false][i] == site)
		return false;
	if (in->cache[true][i] == site)
		return true;
	internal = in_ranges(in, addr);
	in->cache[internal][i] = site;
	return internal;
}
