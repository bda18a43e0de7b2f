// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * new and delete in all their forms. With OWN, the program has operators of its own, which
 * count, and some of which the C++ library would call.
 */
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

static int handled;

#ifdef OWN
static int calls;

void *operator new(std::size_t size)
{
	void *p = std::malloc(size);

	calls++;
	if (!p)
		throw std::bad_alloc();
	return p;
}

void operator delete(void *p) noexcept
{
	calls++;
	std::free(p);
}

void operator delete(void *p, std::size_t) noexcept
{
	calls++;
	std::free(p);
}
#endif

struct alignas(128) wide { char c[200]; };

static void handler()
{
	if (++handled == 3)
		std::set_new_handler(nullptr);
}

__attribute__((noinline)) static void all()
{
	volatile std::size_t n = 100;
	char *volatile one = new char;
	char *volatile many = new char[n];
	char *volatile quiet = new (std::nothrow) char;
	char *volatile quiet_many = new (std::nothrow) char[n];
	wide *volatile aligned = new wide;
	wide *volatile aligned_many = new wide[n];

	delete one;
	delete[] many;
	delete quiet;
	delete[] quiet_many;
	std::printf("aligned: %d\n", reinterpret_cast<std::size_t>(aligned) % 128 == 0);
	delete aligned;
	delete[] aligned_many;
}

static void throws()
{
	volatile std::size_t huge = static_cast<std::size_t>(-1) / 4;

	std::set_new_handler(handler);
	try {
		std::printf("%p\n", static_cast<void *>(new char[huge]));
	} catch (const std::bad_alloc &) {
		std::printf("bad_alloc after %d calls of the handler\n", handled);
	}
	std::printf("nothrow: %p\n", static_cast<void *>(new (std::nothrow) char[huge]));
}

int main()
{
	std::vector<std::string> words;

	all();
	throws();
	for (int i = 0; i < 100; i++)
		words.push_back(std::string(100, 'x'));
#ifdef OWN
	std::printf("%d calls\n", calls);
#endif
	std::printf("%zu words\n", words.size());
	return 0;
}
