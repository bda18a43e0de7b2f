// SPDX-License-Identifier: GPL-2.0-only OR MIT
#include "words.h"

namespace {
struct Thing {
	const void *self = this;
	void announce() const { ft_event(three, self, 2, 3); }
};
}

// Not called: it brings a second copy of what the other file has, too.
void words_never()
{
	announce<unsigned char>(8);
}

void words_too()
{
	ft_event(silent, 1);
	Thing().announce();
}
