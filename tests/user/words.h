/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events that two files announce. */
#ifndef WORDS_H
#define WORDS_H

#include <feather_trace/trigger.h>

DECLARE_FT_EVENT(three);
DECLARE_FT_EVENT(silent);

void words_too();

#endif /* WORDS_H */
