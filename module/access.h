/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Who may use the devices, and from when on. */
#ifndef _FT_ACCESS_H
#define _FT_ACCESS_H

#include <linux/capability.h>
#include <linux/device.h>
#include <linux/security.h>
#include <linux/types.h>

/* Readable for the device's group, which the administrator chooses. */
#define FT_DEVICE_MODE		0640

/* The module is complete, and stays: its devices can be opened. */
extern bool ft_access_allowed;

static inline void ft_access_allow(void)
{
	/* Pairs with the acquire in ft_access_check(). */
	smp_store_release(&ft_access_allowed, true);
}

/**
 * ft_access_check() - may the caller see what the kernel does, and where?
 *
 * Records are what CAP_PERFMON is for, and hold addresses of the kernel, which
 * is what CAP_SYSLOG is for. Words of tracepoints, and registers at kprobes, may be any memory
 * of the kernel. Like tracefs, and what BPF reads, they are out of bounds in lockdown.
 *
 * Return: 0; -EPERM; -ENODEV while the module is being loaded, which may still fail:
 * the kernel then frees it, whether it is in use or not.
 */
static inline int ft_access_check(void)
{
	/* Pairs with the release in ft_access_allow(). */
	if (!smp_load_acquire(&ft_access_allowed))
		return -ENODEV;
	if (!perfmon_capable() || !capable(CAP_SYSLOG))
		return -EPERM;
	return security_locked_down(LOCKDOWN_TRACEFS);
}

#endif /* _FT_ACCESS_H */
