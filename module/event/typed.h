/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Our probes of tracepoints: of those whose arguments are known, what the fields are. */
#ifndef _FT_TYPED_H
#define _FT_TYPED_H

#include <uapi/linux/feather_trace.h>

#include "probe.h"

/**
 * struct ft_typed_own - what the kernel passes to a probe of ours as its first argument
 * @record:	what writes the record
 * @id:		the event
 *
 * Constant while a probe is registered with it.
 */
struct ft_typed_own {
	ft_probe_t	record;
	u32		id;
};

/** ft_typed_record() - write a record; any context that a tracepoint may be in */
static __always_inline void ft_typed_record(const struct ft_typed_own *own, u64 a, u64 b)
{
	own->record(own->id, a, b);
}

/** ft_typed_watch() - call the watches and sensors of the event; the same contexts */
void ft_typed_watch(const struct ft_typed_own *own, u64 a, u64 b);

/**
 * struct ft_typed - an event of a tracepoint with fields
 * @name:	the tracepoint's, and the event's
 * @id:		a fixed one, or 0
 * @record:	the probe that writes a record; its first argument is a
 *		struct ft_typed_own, the others are the tracepoint's
 * @watch:	the same for watches and sensors
 * @field:	what the two words consist of, from the lowest bit on; one without a name
 *		means nothing
 */
struct ft_typed {
	const char		*name;
	u32			id;
	void			*record;
	void			*watch;
	struct ft_field		field[FT_FIELDS];
};

/** ft_typed_find() - Return: that one, or NULL */
const struct ft_typed *ft_typed_find(const char *name);

/** ft_typed_at() - Return: the @i-th, or NULL after the last */
const struct ft_typed *ft_typed_at(unsigned int i);

/** ft_typed_word() - the name of word 0 or 1, for callers that do not know fields */
const char *ft_typed_word(const struct ft_typed *typed, unsigned int word);

#endif /* _FT_TYPED_H */
