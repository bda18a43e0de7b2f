/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Sessions come and go. */
#ifndef _FT_SESSION_H
#define _FT_SESSION_H

#include <uapi/linux/feather_trace.h>

struct ft_session;

/**
 * ft_session_new() - begin a session
 * @name:	a C identifier, or empty: it ends with the last descriptor that joined it
 *
 * Its rings are as large as those of the default session. The caller has joined it. May
 * sleep.
 *
 * Return: it; -EEXIST, -EINVAL for the name, -ENOSPC there are FT_SESSIONS, -ENOMEM as
 * ERR_PTR().
 */
struct ft_session *ft_session_new(const char *name);

/**
 * ft_session_join() - join the session of a name
 * Return: it; -ENOENT as ERR_PTR().
 */
struct ft_session *ft_session_join(const char *name);

/**
 * ft_session_leave() - the opposite
 *
 * The last one out of a session without a name ends it. The caller wants nothing in it
 * any more.
 */
void ft_session_leave(struct ft_session *session);

/**
 * ft_session_end() - end a session with a name, whoever has joined it
 *
 * Its trace ends, and no event can be turned on in it any more. The name is taken until
 * ft_session_forget().
 *
 * Return: 0; -EINVAL it has no name; -ESHUTDOWN it has ended before.
 */
int ft_session_end(struct ft_session *session);
void ft_session_forget(struct ft_session *session);

/**
 * ft_session_get() - keep a session's rings
 * @number:	which
 *
 * Return: it, until ft_session_put(); NULL: there is none.
 */
struct ft_session *ft_session_get(unsigned int number);
void ft_session_put(struct ft_session *session);

/* As FT_IOC_SESSIONS. Return: 0; -ENOENT no session with so high a number. */
int ft_session_describe(struct ft_session_info *info);

/* The default session. Return: 0; -EINVAL, -ENOMEM. */
int ft_session_init(const struct ft_config *config);
void ft_session_exit(void);

#endif /* _FT_SESSION_H */
