/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The events of this kernel at which overheads begin and end. */
#ifndef FT_OVERHEADS_EVENTS_H
#define FT_OVERHEADS_EVENTS_H

/**
 * events_of_overheads - what is to be recorded, as ft record takes it
 *
 * Those that this kernel has: others are left out, and what they begin or end has no samples.
 * Return: to be freed; NULL after a message.
 */
char *events_of_overheads(void);

#endif /* FT_OVERHEADS_EVENTS_H */
