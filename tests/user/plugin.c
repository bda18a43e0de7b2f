// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Libraries that are loaded later, each with an event of its own; LATE: the second. */
#include <feather_trace/trigger.h>

#ifdef LATE
DEFINE_FT_EVENT(late, round);
#else
DEFINE_FT_EVENT(plugin, round);
#endif

void plugin_announce(int round);

void plugin_announce(int round)
{
#ifdef LATE
	ft_event(late, round);
#else
	ft_event(plugin, round);
#endif
}
