/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How a lock was acquired, from the function that was called for it. A record has the address
 * that this returned to, so the call in front of it says which: at no cost to the record.
 *
 * TRACE/info/lock_calls has the kernel's calls, as ft record found them. Its first line is
 * LOCK_CALLS_HEAD; each other line is a function, in columns that tabs divide: its name, the
 * lowest address that a call of it returns to (0x...), and of each further one how much higher
 * it is than the one before (hexadecimal, no 0x).
 */
#ifndef FT_TRACE_LOCK_CALLS_H
#define FT_TRACE_LOCK_CALLS_H

#define LOCK_CALLS_HEAD		"lock calls 1"

/* What a function does; 0: it is none of those that are looked for. */
#define LOCK_CALL_KNOWN		0x1
#define LOCK_CALL_TRIES		0x2	/* it does not wait */
#define LOCK_CALL_IRQS_OFF	0x4	/* it turns interrupts off, or leaves them off */
#define LOCK_CALL_SOFTIRQS_OFF	0x8	/* the same for softirqs alone */

/** lock_call_flags - of a function of the kernel */
unsigned int lock_call_flags(const char *function);

#endif /* FT_TRACE_LOCK_CALLS_H */
