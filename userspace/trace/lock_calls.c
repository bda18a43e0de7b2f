// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Functions that acquire locks: see lock_calls.h. */
#include <string.h>

#include "base/array.h"
#include "trace/lock_calls.h"

#define PLAIN		LOCK_CALL_KNOWN
#define TRIES		(LOCK_CALL_KNOWN | LOCK_CALL_TRIES)
#define IRQS_OFF	(LOCK_CALL_KNOWN | LOCK_CALL_IRQS_OFF)
#define SOFTIRQS_OFF	(LOCK_CALL_KNOWN | LOCK_CALL_SOFTIRQS_OFF)

/* Of sleeping locks, only the calls that do not wait: interrupts do not take the others. */
static const struct { const char *name; unsigned int flags; } functions[] = {
	{ "_raw_spin_lock", PLAIN },
	{ "_raw_spin_lock_nested", PLAIN },
	{ "_raw_spin_lock_nest_lock", PLAIN },
	{ "_raw_spin_lock_irq", IRQS_OFF },
	{ "_raw_spin_lock_irqsave", IRQS_OFF },
	{ "_raw_spin_lock_irqsave_nested", IRQS_OFF },
	{ "_raw_spin_lock_bh", SOFTIRQS_OFF },
	{ "_raw_spin_trylock", TRIES },
	{ "_raw_spin_trylock_bh", TRIES | SOFTIRQS_OFF },
	{ "_raw_read_lock", PLAIN },
	{ "_raw_read_lock_irq", IRQS_OFF },
	{ "_raw_read_lock_irqsave", IRQS_OFF },
	{ "_raw_read_lock_bh", SOFTIRQS_OFF },
	{ "_raw_read_trylock", TRIES },
	{ "_raw_write_lock", PLAIN },
	{ "_raw_write_lock_nested", PLAIN },
	{ "_raw_write_lock_irq", IRQS_OFF },
	{ "_raw_write_lock_irqsave", IRQS_OFF },
	{ "_raw_write_lock_bh", SOFTIRQS_OFF },
	{ "_raw_write_trylock", TRIES },
	{ "rt_spin_trylock", TRIES },
	{ "rt_spin_trylock_bh", TRIES },
	{ "rt_read_trylock", TRIES },
	{ "rt_write_trylock", TRIES },
	{ "mutex_trylock", TRIES },
	{ "_mutex_trylock_nest_lock", TRIES },
	{ "ww_mutex_trylock", TRIES },
	{ "down_trylock", TRIES },
	{ "down_read_trylock", TRIES },
	{ "down_write_trylock", TRIES },
};

unsigned int lock_call_flags(const char *function)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!strcmp(functions[i].name, function))
			return functions[i].flags;
	}
	return 0;
}
