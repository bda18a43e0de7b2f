/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Conditions of a session, evaluated at events. */
#ifndef _FT_CONDITION_H
#define _FT_CONDITION_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

struct ft_session;

/**
 * ft_condition_check() - is this a valid condition?
 *
 * Return: 0 or -EINVAL.
 */
int ft_condition_check(const struct ft_when *when);

/**
 * ft_condition_new() - begin to evaluate a condition
 * @session:	its trace is running
 * @owner:	the descriptor that it belongs to
 * @when:	a condition that ft_condition_check() has accepted; out: its number
 *
 * The caller holds ft_trace_mutex, and sets the triggers of both events afterwards.
 *
 * Return: 0; -ENOSPC; -ENOMEM.
 */
int ft_condition_new(struct ft_session *session, const void *owner, struct ft_when *when);

/**
 * ft_condition_next() - find a condition of an owner
 * @session:	of the owner
 * @owner:	the descriptor
 * @event:	out: its events
 *
 * The caller holds ft_trace_mutex. Return: its number, or -ENOENT.
 */
int ft_condition_next(const struct ft_session *session, const void *owner, u32 event[2]);

/**
 * ft_condition_end() - free a condition
 *
 * The caller holds ft_trace_mutex, and has called ft_condition_mute(), then
 * ft_trace_sync().
 */
void ft_condition_end(struct ft_session *session, u32 number);

struct ft_told;

/* With FT_WHEN_SENSOR: what its sensor tells. The caller holds ft_trace_mutex. */
struct ft_told *ft_condition_told_by(const struct ft_session *session, u32 number);

/* Stop evaluating it. The caller holds ft_trace_mutex, and sets the triggers afterwards. */
void ft_condition_mute(struct ft_session *session, u32 number);

/**
 * ft_condition_describe() - for FT_IOC_WHEN_STATE
 *
 * The caller holds ft_trace_mutex. Return: 0; -ENOENT.
 */
int ft_condition_describe(const struct ft_session *session, const void *owner,
			  struct ft_when_state *state);

/*
 * Its owner has received that description: the next fulfilment may leave a note. The
 * caller holds ft_trace_mutex.
 */
void ft_condition_told(const struct ft_session *session, const void *owner,
		       const struct ft_when_state *state);

#endif /* _FT_CONDITION_H */
