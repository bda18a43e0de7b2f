/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* /dev/ft_trace. */
#ifndef _FT_CONTROL_H
#define _FT_CONTROL_H

int ft_control_init(void);
void ft_control_exit(void);

#endif /* _FT_CONTROL_H */
