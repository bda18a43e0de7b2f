/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft run --stacks: which acquisitions, sections and waits get the stack of their thread, and
 * the table that has each different stack once.
 *
 * All events of a process take the slow way then (see takes_fast_path() in thread.c), so that
 * where there are no stacks, no event has an instruction for them.
 */
#ifndef FT_LIBFEATHERTRACE_STACKS_H
#define FT_LIBFEATHERTRACE_STACKS_H

#include <stdbool.h>

#include "libfeathertrace/session.h"

/** ft_stacks_on - are there any in this process's session? */
extern bool ft_stacks_on;

/** ft_stacks_join - take part, as @session asks for. Return: 0 or an errno. */
int ft_stacks_join(const struct ft_session *session);

/** ft_stacks_forget - the process leaves the session */
void ft_stacks_forget(void);

/** ft_stacks_begin - the thread that takes ring @ring as its first one holds and awaits nothing */
void ft_stacks_begin(__u32 ring);

/**
 * ft_stacks_unload_begin - until ft_stacks_unload_end(), no thread reads what may be unloaded
 *
 * A word on a stack may point into a file that another thread unloads. It waits for those
 * that are taking a stack, if they are preempted or in a handler for seconds, but not for ever:
 * a thread may have left in the middle. Those that come later take none. No system call, but for
 * the clock, where one takes long.
 *
 * Return: must ft_stacks_unload_end() be called?
 */
bool ft_stacks_unload_begin(void);
void ft_stacks_unload_end(void);

/**
 * ft_stacks_note - an event of the calling thread, which was recorded
 * @ring:	its first one
 * @a, @b:	the event's words, without the process's tag
 * @word:	the first word of the record FT_ID_STACK that is to follow
 *
 * Context: any, signal handlers too; no lock, no system call, no allocation. A handler that
 * comes in between may make the thread miss a stack.
 *
 * Return: false: none is to follow.
 */
bool ft_stacks_note(__u32 ring, __u32 id, __u64 ts, __u64 a, __u64 b, __u64 *word);

#endif /* FT_LIBFEATHERTRACE_STACKS_H */
