/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events that two files announce. */
#ifndef WORDS_H
#define WORDS_H

#include <feather_trace/trigger.h>

DECLARE_FT_EVENT(one);
DECLARE_FT_EVENT(three);
DECLARE_FT_EVENT(silent);

void words_too();
void words_never();

/* In both of them: the linker keeps one. */
template<typename T> __attribute__((noinline)) void announce(T value)
{
	ft_event(one, value);
}

#endif /* WORDS_H */
