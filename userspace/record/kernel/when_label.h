/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of values in conditions: ft record --when 'sched_switch.prev_state == D'. */
#ifndef FT_RECORD_KERNEL_WHEN_LABEL_H
#define FT_RECORD_KERNEL_WHEN_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "control/condition.h"

/**
 * when_label_value - the number that a field of an event has this name for
 * @control:	descriptor of the session, whose metadata has the names
 * @event:	id of the event that @test names
 *
 * Of a name for several values it is the first one in the metadata, which is the least.
 *
 * Return: false after a message, with the names that there are.
 */
bool when_label_value(const struct condition *c, const struct condition_test *test, int control,
		      uint32_t event, uint64_t *value);

#endif /* FT_RECORD_KERNEL_WHEN_LABEL_H */
