/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Traces while the machine is suspended. */
#ifndef _FT_SUSPEND_H
#define _FT_SUSPEND_H

int ft_suspend_init(void);
void ft_suspend_exit(void);

#endif /* _FT_SUSPEND_H */
