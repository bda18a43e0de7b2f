/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The module's devices: opening them, and explaining failures.
 *
 * Functions that take a path print a message that explains the failure and return -1 (or
 * false); the others return -errno.
 */
#ifndef FT_CONTROL_DEVICE_H
#define FT_CONTROL_DEVICE_H

#include <stdbool.h>
#include <sys/types.h>

#include <linux/feather_trace.h>

#define DEVICE_MODULE	"feather_trace"
#define DEVICE_CONTROL	"/dev/ft_trace"
#define DEVICE_META	"/dev/ft_trace_meta"

/* Seconds that a command waits until the lock functions are unwrapped. */
#define DEVICE_DETACH_SECONDS	3

/* Room for the path of a ring's device. */
#define DEVICE_PATH_LEN	32

/** device_present - does the control device exist? */
bool device_present(void);

/** device_explain - "cannot open PATH: reason: way out" for errno @error */
void device_explain(const char *path, int error);

/**
 * device_open_control - open the control device and check the ABI
 *
 * Return: descriptor, or -1 after a message.
 */
int device_open_control(struct ft_info *info);

/** device_look_control - the same, for requests that change nothing */
int device_look_control(struct ft_info *info);

/** device_open - open any of the devices; -1 after a message */
int device_open(const char *path, int flags);

/** device_ring_path - /dev/ft_trace<cpu> */
const char *device_ring_path(char path[DEVICE_PATH_LEN], unsigned int cpu);

/**
 * device_open_ring - open a ring to read it, with O_NONBLOCK
 * @session: a control descriptor of its session; -1: the default session
 *
 * Return: descriptor or -errno; device_absent(): the CPU has none.
 */
int device_open_ring(int session, unsigned int cpu);

/**
 * device_read_meta - the text of the metadata, for the caller to free
 * @session: as for device_open_ring()
 *
 * Return: its length, or -1 after a message.
 */
ssize_t device_read_meta(int session, char **text);

/**
 * device_ring_stats - the counters of a CPU's ring
 * @session: as for device_open_ring()
 *
 * Does not conflict with the ring's reader.
 * Return: 0 or -errno; device_absent(): the CPU has none.
 */
int device_ring_stats(int session, unsigned int cpu, struct ft_stats *stats);

/** device_absent - does @error of opening a ring mean that the CPU is absent? */
bool device_absent(int error);

const char *device_clock_name(__u32 clock);

/** device_acquire_clock - how acquisitions read the clock: "plain", "ordered" */
const char *device_acquire_clock(const struct ft_info *info);

/** device_clock_state - "stable", "unstable" or "restarted", from &ft_info.flags */
const char *device_clock_state(__u64 flags);

const char *device_locks_name(__u32 lock_source);
const char *device_mode_name(__u32 mode);

/**
 * device_detach - wait until the lock functions of events that are off are unwrapped
 * @seconds: for tasks that sleep in one, at most
 *
 * The module cannot be unloaded before that. Return: what still prevents it; all 0 if
 * nothing is wrapped.
 */
struct ft_detach device_detach(int control, unsigned int seconds);

/** device_no_locks - print what to do on a kernel without lock events */
void device_no_locks(void);

#endif /* FT_CONTROL_DEVICE_H */
