// SPDX-License-Identifier: GPL-2.0-only OR MIT
// The library's functions from C++.
#include <feather_trace/trigger.h>

#include <cstdio>

DEFINE_FT_EVENT(thing, a, b);

static unsigned long long sum;

static void add(const struct ft_event *event, unsigned long long a,
		unsigned long long b, unsigned long long, unsigned long long)
{
	sum += a + b + (event->data ? 100 : 0);
}

int main()
{
	ft_event(thing, 1, 2);
	if (ft_set_callback("thing", add, &sum) != 1 || ft_enable("thing") != 1)
		return 1;
	ft_event(thing, 10, 20);
	if (ft_disable("thing") != 1)
		return 1;
	ft_event(thing, 1, 2);
	std::printf("%llu\n", sum);
	return sum != 130;
}
