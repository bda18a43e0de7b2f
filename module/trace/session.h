/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sessions: beginning, joining and ending them. */
#ifndef _FT_SESSION_H
#define _FT_SESSION_H

#include <uapi/linux/feather_trace.h>

struct ft_session;

/**
 * ft_session_new() - begin a session
 * @name:	a C identifier; if empty, the session ends with the last descriptor that
 *		joined it
 *
 * Its rings have the size of the default session's and discard. The caller has joined it. May
 * sleep.
 *
 * Return: it; as ERR_PTR(): -EEXIST or -EINVAL for the name, -ENOSPC if there are
 * FT_SESSIONS, -ENOMEM.
 */
struct ft_session *ft_session_new(const char *name);

/**
 * ft_session_join() - join a session by its name
 *
 * Return: it; -ENOENT as ERR_PTR().
 */
struct ft_session *ft_session_join(const char *name);

/**
 * ft_session_leave() - the opposite
 *
 * The last one to leave a session without a name ends it. The caller has no event on in
 * it.
 */
void ft_session_leave(struct ft_session *session);

/**
 * ft_session_end() - end a session with a name, whoever has joined it
 *
 * Its trace ends, and no event can be enabled in it any more. The name stays in use until
 * ft_session_forget().
 *
 * Return: 0; -EINVAL it has no name; -ESHUTDOWN it had ended before.
 */
int ft_session_end(struct ft_session *session);
void ft_session_forget(struct ft_session *session);

/**
 * ft_session_get() - take a reference to a session's rings
 * @number:	its number
 *
 * Return: it, until ft_session_put(); NULL: there is none.
 */
struct ft_session *ft_session_get(unsigned int number);
void ft_session_put(struct ft_session *session);

/* For FT_IOC_SESSIONS. Return: 0; -ENOENT no session has this or a higher number. */
int ft_session_describe(struct ft_session_info *info);

/* Create the default session. Return: 0; -EINVAL, -ENOMEM. */
int ft_session_init(const struct ft_config *config);
void ft_session_exit(void);

#endif /* _FT_SESSION_H */
