/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The module, the trace, and the counters of every ring. */
#ifndef FT_CONTROL_STATUS_H
#define FT_CONTROL_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/feather_trace.h>

#include "base/output.h"
#include "base/uuid.h"
#include "control/events.h"

struct ring_row {
	unsigned int cpu;
	struct ft_stats stats;
};

struct status {
	const char *session;		/* what all but @sessions is about; NULL: the default one */
	struct ft_info info;
	struct ft_config config;
	struct ft_detach wrapped;	/* lock functions */
	bool leaving;			/* unwrapped, but tasks may still be inside */
	struct events events;
	struct ft_session_info sessions[FT_SESSIONS_MAX];
	size_t nsessions;		/* with the default one */
	struct ring_row *rings;
	size_t nrings;
	bool hidden;			/* the rings: no write permission */
	char uuid[UUID_LEN];
};

/**
 * status_load - ask the module
 * @session: its name, or NULL for the default one
 *
 * Return: false after a message.
 */
bool status_load(struct status *st, const char *session);

void status_free(struct status *st);

/** status_print - as text, TSV or JSON */
void status_print(const struct status *st, enum output_format format);

#endif /* FT_CONTROL_STATUS_H */
