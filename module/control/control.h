/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* /dev/ft_trace. */
#ifndef _FT_CONTROL_H
#define _FT_CONTROL_H

#include <linux/fs.h>

struct ft_session;
struct ft_wants;

/* Ioctls, as the names say; see device.md. */
long ft_control_session(struct ft_wants *wants, void __user *arg);
long ft_control_sessions(void __user *arg);
long ft_control_session_end(struct ft_wants *wants);
long ft_control_open_ring(struct file *file, void __user *arg);
long ft_control_when(struct ft_wants *wants, void __user *arg);
long ft_control_when_state(struct ft_wants *wants, void __user *arg);

long ft_control_stacks(struct ft_wants *wants, void __user *arg);
long ft_control_stacks_read(const struct ft_wants *wants, void __user *arg);

/* Is the event on in the session? The caller holds ft_trace_mutex. */
bool ft_control_is_on(const struct ft_session *session, u32 id);

/* The events "condition" and "stack", for the metadata. Return: 0 or an error. */
int ft_control_add_condition_event(void);
int ft_control_add_stack_event(void);

/* End the conditions of a descriptor. */
void ft_control_end_conditions(struct ft_wants *wants);

/* End the stacks of a descriptor. */
void ft_control_end_stacks(struct ft_wants *wants);

/* Leave the descriptor's session, and end it if it is the descriptor's own. */
void ft_control_leave_session(struct ft_wants *wants);

/* End all sessions with a name, before the module goes. */
void ft_control_end_sessions(void);

int ft_control_init(void);
void ft_control_exit(void);

#endif /* _FT_CONTROL_H */
