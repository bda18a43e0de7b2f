// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A library with operators for arrays of its own, which put something before the block; the others
 * are the C++ library's. As a plugin of a program in C it is the first one that needs a C++
 * library. While the loader holds its lock, a thread of the library allocates.
 */
#include <cstdlib>
#include <new>
#include <thread>

#define BEFORE	64

static int arrays;

void *operator new[](std::size_t size)
{
	char *p = size < static_cast<std::size_t>(-BEFORE) ?
		  static_cast<char *>(std::malloc(size + BEFORE)) : nullptr;

	if (!p)
		throw std::bad_alloc();
	arrays++;
	return p + BEFORE;
}

void operator delete[](void *p) noexcept
{
	if (!p)
		return;
	arrays--;
	std::free(static_cast<char *>(p) - BEFORE);
}

void operator delete[](void *p, std::size_t) noexcept
{
	operator delete[](p);
}

static void allocate()
{
	int *volatile one = new int(1);

	delete one;
}

__attribute__((constructor)) static void constructor()
{
	std::thread(allocate).join();
}

/* Return: 10: it has counted one array, and none is left. */
extern "C" int plugin()
{
	char *volatile many = new char[100];
	int counted = arrays;

	allocate();
	delete[] many;
	return 10 * counted + arrays;
}
