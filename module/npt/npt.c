// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* feather_trace_npt: the non-preempt test with interrupts off; ft npt --kernel uses it. */
#include "npt/device.h"

module_misc_device(ft_npt_device);

MODULE_DESCRIPTION("Feather-Trace: the non-preempt test with interrupts off");
MODULE_AUTHOR("The Feather-Trace developers");
MODULE_LICENSE("Dual MIT/GPL");
