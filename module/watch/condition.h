/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Conditions of a session, evaluated at events. */
#ifndef _FT_CONDITION_H
#define _FT_CONDITION_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

struct ft_session;

/**
 * ft_condition_check() - is this a condition?
 *
 * Return: 0 or -EINVAL.
 */
int ft_condition_check(const struct ft_when *when);

/**
 * ft_condition_new() - evaluate a condition from now on
 * @session:	whose trace runs
 * @owner:	the descriptor that it belongs to
 * @when:	the condition, which ft_condition_check() found good; out: its number
 *
 * The caller holds ft_trace_mutex, and sets the triggers of both events again.
 *
 * Return: 0; -ENOSPC; -ENOMEM.
 */
int ft_condition_new(struct ft_session *session, const void *owner, struct ft_when *when);

/**
 * ft_condition_next() - a condition of an owner
 * @session:	of the owner
 * @owner:	the descriptor
 * @event:	out: its events
 *
 * The caller holds ft_trace_mutex. Return: its number, or -ENOENT.
 */
int ft_condition_next(const struct ft_session *session, const void *owner, u32 event[2]);

/**
 * ft_condition_end() - the end of a condition
 *
 * The caller holds ft_trace_mutex, has called ft_condition_mute() and ft_trace_sync() since.
 */
void ft_condition_end(struct ft_session *session, u32 number);

/* Evaluate it no more. The caller holds ft_trace_mutex, and sets the triggers again. */
void ft_condition_mute(struct ft_session *session, u32 number);

/**
 * ft_condition_describe() - as FT_IOC_WHEN_STATE
 *
 * The caller holds ft_trace_mutex. Return: 0; -ENOENT.
 */
int ft_condition_describe(const struct ft_session *session, const void *owner,
			  struct ft_when_state *state);

/*
 * Its owner has got that description: what is fulfilled next is noted. The caller holds
 * ft_trace_mutex.
 */
void ft_condition_told(const struct ft_session *session, const void *owner,
		       const struct ft_when_state *state);

#endif /* _FT_CONDITION_H */
