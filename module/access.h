/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Who may use the devices. */
#ifndef _FT_ACCESS_H
#define _FT_ACCESS_H

#include <linux/capability.h>
#include <linux/device.h>
#include <linux/security.h>

/* Group read: the administrator decides who is in the group of the device. */
#define FT_DEVICE_MODE		0640

/**
 * ft_access_check() - may the caller see what the kernel does, and where?
 *
 * Records are what CAP_PERFMON is for, and hold addresses of the kernel, which
 * is what CAP_SYSLOG is for. Like tracefs they are out of bounds in lockdown.
 *
 * Return: 0 or -EPERM.
 */
static inline int ft_access_check(void)
{
	if (!perfmon_capable() || !capable(CAP_SYSLOG))
		return -EPERM;
	return security_locked_down(LOCKDOWN_TRACEFS);
}

#endif /* _FT_ACCESS_H */
