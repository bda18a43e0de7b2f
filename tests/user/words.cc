// SPDX-License-Identifier: GPL-2.0-only OR MIT
// Events in C++: defined here, announced in another file, too, in a class, in a
// template, in a lambda.
#include "words.h"

#include <functional>

DEFINE_FT_EVENT(none);
DEFINE_FT_EVENT(one, a);
DEFINE_FT_EVENT(three, a, b, c);
DEFINE_FT_EVENT(silent, a);

int main()
{
	std::function<void()> first = [] { ft_event(none); };

	first();
	announce<unsigned char>(7);
	words_too();
	return 0;
}
