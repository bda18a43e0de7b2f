// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The lock of the C library's list of loaded files, taken without waiting.
 *
 * dl_iterate_phdr() holds that lock, and so waits while another thread is inside of it:
 * perhaps for ever, as a callback of the program may wait for what the caller has.
 * exit() and dlclose() of the program do not wait there, so this library must not, either.
 *
 * The C library has no function that tries. But the lock is a recursive mutex in memory
 * of the loader, and what such a mutex looks like is part of the ABI. It is found at the
 * start: if exactly one mutex there belongs to this thread inside of dl_iterate_phdr(),
 * and to nobody outside, it is that one.
 */
#include <elf.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libfeathertrace/loader.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/relax.h"
#include "libfeathertrace/tid.h"

#ifdef __GLIBC__
extern struct r_debug _r_debug __attribute__((weak));

static pthread_mutex_t *list;	/* NULL: not known */

static bool is_state(const pthread_mutex_t *m, int lock, unsigned int count, int owner)
{
	return m->__data.__lock == lock && m->__data.__count == count &&
	       m->__data.__owner == owner && m->__data.__nusers == count &&
	       m->__data.__kind == PTHREAD_MUTEX_RECURSIVE_NP;
}

struct search {
	pthread_mutex_t	*found;
	unsigned int	n;
};

/* Sanitizers do not know the bounds. */
__attribute__((no_sanitize("address", "thread", "undefined")))
static void search_segment(const char *at, size_t len, struct search *search)
{
	int tid = ft_tid();

	for (size_t i = 0; i + sizeof(pthread_mutex_t) <= len; i += sizeof(long)) {
		const pthread_mutex_t *m = (const void *)(at + i);

		if (!is_state(m, 1, 1, tid))
			continue;
		search->found = (pthread_mutex_t *)m;
		search->n++;
	}
}

static int search_loader(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	if (info->dlpi_addr != _r_debug.r_ldbase)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_W))
			search_segment((const char *)info->dlpi_addr + ph->p_vaddr,
				       ph->p_memsz, arg);
	}
	return 1;
}

void ft_loader_learn(void)
{
	struct search search = { NULL, 0 };

	if (!&_r_debug || !_r_debug.r_ldbase)
		return;
	dl_iterate_phdr(search_loader, &search);
	if (search.n == 1 && is_state(search.found, 0, 0, 0))
		list = search.found;
}

bool ft_loader_is_known(void)
{
	return list;
}

/* Others hold it for as long as they look at a few files, or for ever. */
#define ROUNDS	1000

bool ft_loader_take(void)
{
	int state;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		state = 0;
		/* Pairs with the release by the last owner, here or in the C library. */
		if (__atomic_compare_exchange_n(&list->__data.__lock, &state, 1, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
			list->__data.__owner = ft_tid();
			list->__data.__count = 1;
			list->__data.__nusers++;
			return true;
		}
		if (list->__data.__owner == ft_tid())	/* this is a handler */
			return false;
		ft_relax();
	}
	return false;
}

void ft_loader_give_back(void)
{
	list->__data.__owner = 0;
	list->__data.__count = 0;
	list->__data.__nusers--;
	if (__atomic_exchange_n(&list->__data.__lock, 0, __ATOMIC_RELEASE) > 1)
		syscall(SYS_futex, &list->__data.__lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL,
			0);
}

void ft_loader_inherit(void)
{
	if (list && list->__data.__owner)
		list->__data.__owner = ft_tid();
}
#else
void ft_loader_learn(void)
{
}

bool ft_loader_is_known(void)
{
	return false;
}

bool ft_loader_take(void)
{
	return false;
}

void ft_loader_give_back(void)
{
}

void ft_loader_inherit(void)
{
}
#endif
