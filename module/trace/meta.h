/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* /dev/ft_trace_meta. */
#ifndef _FT_META_H
#define _FT_META_H

struct ft_session;

/* /dev/ft_trace_NAME_meta. Return: 0 or an error. */
int ft_meta_show(struct ft_session *session, const char *name);
void ft_meta_hide(struct ft_session *session);

/* As FT_IOC_OPEN. Return: a descriptor or an error. */
int ft_meta_open_session(struct ft_session *session);

int ft_meta_init(void);
void ft_meta_exit(void);

#endif /* _FT_META_H */
