// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A library that is loaded later, with an event of its own. */
#include <feather_trace/trigger.h>

DEFINE_FT_EVENT(plugin, round);

void plugin_announce(int round);

void plugin_announce(int round)
{
	ft_event(plugin, round);
}
