// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A library with mutexes of its own whose functions have C11's names, and, without
 * LIBRARY, a program that uses it. Whoever takes one for the C library's looks behind
 * its end, where there is nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct mtx {
	char	taken;
};

int mtx_lock(struct mtx *m);
int mtx_trylock(struct mtx *m);
int mtx_unlock(struct mtx *m);

#ifdef LIBRARY

int mtx_lock(struct mtx *m)
{
	m->taken++;
	return 0;
}

int mtx_trylock(struct mtx *m)
{
	return m->taken ? 17 : mtx_lock(m);
}

int mtx_unlock(struct mtx *m)
{
	m->taken--;
	return 18;
}

#else

int main(void)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mtx *m = (struct mtx *)(page + 4095);

	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE))
		return 2;
	if (mtx_lock(m) || mtx_trylock(m) != 17 || mtx_unlock(m) != 18 ||
	    m->taken) {
		fputs("own_mtx: not this library's functions\n", stderr);
		return 1;
	}
	return 0;
}

#endif
