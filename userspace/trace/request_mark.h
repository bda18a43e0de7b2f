/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Requests: what a mark of one says, and how the event 'mark' has it. Its first word is the
 * request's id; the upper half of the second one says which mark it is, the lower half for
 * which thread: ft mark runs in a process of its own.
 */
#ifndef FT_TRACE_REQUEST_MARK_H
#define FT_TRACE_REQUEST_MARK_H

#include <stdbool.h>
#include <stdint.h>

/** enum request_role - what a mark says of a thread and a request */
enum request_role {
	REQUEST_BEGIN,		/* it begins, in this thread */
	REQUEST_END,		/* it has ended, in all threads */
	REQUEST_JOIN,		/* this thread works for it, too */
	REQUEST_LEAVE,		/* not any more */
	REQUEST_ROLES
};

#define REQUEST_MARK	0x52657100u	/* "Req", and the role */

/* The words that name them: arguments of ft mark. */
#define REQUEST_ROLE_WORDS { "begin", "end", "join", "leave" }

/* Events of programs that are such marks, unless others are named. */
#define REQUEST_EVENTS { "request_begin", "request_end", "request_join", "request_leave" }

/** request_mark_word - the second word of such a mark */
static inline uint64_t request_mark_word(enum request_role role, int32_t tid)
{
	return (uint64_t)(REQUEST_MARK + role) << 32 | (uint32_t)tid;
}

/** request_mark_read - the role in the second word of a mark; REQUEST_ROLES: it has none */
static inline enum request_role request_mark_read(uint64_t b)
{
	uint64_t role = (b >> 32) - REQUEST_MARK;

	return role < REQUEST_ROLES ? (enum request_role)role : REQUEST_ROLES;
}

#endif /* FT_TRACE_REQUEST_MARK_H */
