// SPDX-License-Identifier: GPL-2.0-only OR MIT
// What C++ programs lock with; its functions have long names. A queue's push() is a
// section of the gate; kinds() has all kinds of mutexes.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#define check(what)							\
do {									\
	if (!(what)) {							\
		std::fprintf(stderr, "locks.cc: %d: %s\n", __LINE__, #what);	\
		std::exit(1);						\
	}								\
} while (0)

using std::chrono::milliseconds;

namespace depot {

std::mutex gate;

template<typename T> class Queue {
public:
	__attribute__((noinline)) void push(const T &value)
	{
		std::lock_guard<std::mutex> hold(gate);

		items.push_back(value);
	}

	std::vector<T> items;
};

}

static void names()
{
	depot::Queue<std::string> words;
	depot::Queue<int> numbers;

	words.push("a");
	numbers.push(1);
	numbers.push(2);
	check(words.items.size() == 1 && numbers.items.size() == 2);
}

// Mutexes: 3 sections, 2 around each wait, 1 of the thread; 1 to read, 2 to write.
static void kinds()
{
	std::mutex plain;
	std::recursive_mutex recursive;
	std::timed_mutex timed;
	std::shared_mutex shared;
	std::shared_timed_mutex shared_timed;
	std::condition_variable bell;

	{
		std::lock_guard<std::mutex> hold(plain);

		check(!plain.try_lock());
	}
	recursive.lock();
	check(recursive.try_lock());
	recursive.unlock();
	recursive.unlock();
	check(timed.try_lock_for(milliseconds(1000)));
	timed.unlock();
	{
		std::unique_lock<std::mutex> hold(plain);
		std::thread ringer([&] {
			std::lock_guard<std::mutex> mine(plain);

			bell.notify_one();
		});

		bell.wait(hold);
		hold.unlock();
		ringer.join();
		hold.lock();
		check(bell.wait_for(hold, milliseconds(1)) ==
		      std::cv_status::timeout);
	}
	shared.lock();
	shared.unlock();
	{
		std::shared_lock<std::shared_mutex> hold(shared);
	}
	check(shared_timed.try_lock_for(milliseconds(1000)));
	shared_timed.unlock();
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!std::strcmp(name, "names"))
		names();
	else if (!std::strcmp(name, "kinds"))
		kinds();
	else
		return 2;
	return 0;
}
