/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What an interrupt is called, in exports and for people. */
#ifndef FT_VIEW_INTERRUPT_NAME_H
#define FT_VIEW_INTERRUPT_NAME_H

#include <stddef.h>

#include "analysis/threads.h"
#include "symbols/symbols.h"

#define INTERRUPT_NAME_LEN	(SYMBOLS_LEN + 64)

/**
 * interrupt_name - "softirq TIMER", "irq_handler 24", "hrtimer_expire tick_sched_timer+0x0"
 * @symbols: may be NULL
 */
void interrupt_name(const struct interrupt_span *span, const struct symbols *symbols, char *name,
		    size_t size);

#endif /* FT_VIEW_INTERRUPT_NAME_H */
