// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Opening the module's devices, and explaining failures. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "control/device.h"
#include "control/holders.h"

bool device_present(void)
{
	return !access(DEVICE_CONTROL, F_OK);
}

bool device_absent(int error)
{
	return error == ENOENT || error == ENODEV || error == ENXIO;
}

void device_explain(const char *path, int error)
{
	char who[HOLDERS_LEN];

	switch (error) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		warnx("cannot open %s: %s: is the module loaded? "
		      "try: sudo ft load", path, strerror(error));
		break;
	case EACCES:
	case EPERM:
		warnx("cannot open %s: %s: be root, or have CAP_PERFMON and "
		      "CAP_SYSLOG and the permissions of the device "
		      "(kernel lockdown forbids it to all)",
		      path, strerror(error));
		break;
	case EBUSY:
		if (holders_of_file(path, who, sizeof(who)))
			warnx("cannot open %s: it is being read by %s",
			      path, who);
		else
			warnx("cannot open %s: another program is reading it: "
			      "end that first", path);
		break;
	default:
		warnx("cannot open %s: %s", path, strerror(error));
	}
}

int device_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		device_explain(path, errno);
	return fd;
}

static int open_control(struct ft_info *info, int flags)
{
	int fd = device_open(DEVICE_CONTROL, flags);

	if (fd < 0)
		return -1;
	memset(info, 0, sizeof(*info));
	if (ioctl(fd, FT_IOC_INFO, info) < 0) {
		if (errno == ENOTTY)
			warnx("%s does not know the request for its version: "
			      "this ft speaks ABI %u, the loaded module "
			      "another one: use both from one release",
			      DEVICE_CONTROL, FT_ABI_VERSION);
		else
			warn("%s", DEVICE_CONTROL);
		goto err_close;
	}
	if (info->abi != FT_ABI_VERSION) {
		warnx("this ft speaks ABI %u, the loaded module ABI %u: "
		      "use both from one release", FT_ABI_VERSION, info->abi);
		goto err_close;
	}
	return fd;

err_close:
	close(fd);
	return -1;
}

int device_open_control(struct ft_info *info)
{
	return open_control(info, O_RDWR);
}

int device_look_control(struct ft_info *info)
{
	return open_control(info, O_RDONLY);
}

const char *device_ring_path(char path[DEVICE_PATH_LEN], unsigned int cpu)
{
	snprintf(path, DEVICE_PATH_LEN, DEVICE_CONTROL "%u", cpu);
	return path;
}

int device_open_ring(int session, unsigned int cpu)
{
	struct ft_open how = { .cpu = cpu, .flags = FT_OPEN_NONBLOCK };
	char path[DEVICE_PATH_LEN];
	int fd;

	if (session >= 0)
		fd = ioctl(session, FT_IOC_OPEN, &how);
	else
		fd = open(device_ring_path(path, cpu), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_meta(int session)
{
	struct ft_open how = { .cpu = FT_OPEN_META };
	int fd;

	if (session < 0)
		return device_open(DEVICE_META, O_RDONLY);
	fd = ioctl(session, FT_IOC_OPEN, &how);
	if (fd < 0)
		warn("cannot open the session's metadata");
	return fd;
}

ssize_t device_read_meta(int session, char **text)
{
	int fd = open_meta(session);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read_file_full(fd, text);
	close(fd);
	if (len >= 0)
		return len;
	warnx("cannot read " DEVICE_META ": %s", strerror((int)-len));
	return -1;
}

int device_ring_stats(int session, unsigned int cpu, struct ft_stats *stats)
{
	struct ft_open how = { .cpu = cpu, .flags = FT_OPEN_STATS };
	char path[DEVICE_PATH_LEN];
	int fd, ret = 0;

	if (session >= 0)
		fd = ioctl(session, FT_IOC_OPEN, &how);
	else
		fd = open(device_ring_path(path, cpu), O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	memset(stats, 0, sizeof(*stats));
	if (ioctl(fd, FT_IOC_STATS, stats) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

const char *device_clock_name(__u32 clock)
{
	return clock == FT_CLOCK_TSC ? "tsc" : clock == FT_CLOCK_MONO ? "monotonic" : "unknown";
}

const char *device_acquire_clock(const struct ft_info *info)
{
	return info->flags & FT_INFO_ORDERED ? "ordered" : "plain";
}

const char *device_clock_state(__u64 flags)
{
	if (flags & FT_INFO_CLOCK_RESTARTED)
		return "restarted";
	return flags & FT_INFO_CLOCK_UNSTABLE ? "unstable" : "stable";
}

const char *device_locks_name(__u32 lock_source)
{
	static const char *const names[] = {
		[FT_LOCKS_NONE] = "none",
		[FT_LOCKS_PATCH] = "kernel patch",
		[FT_LOCKS_ATTACH] = "wrapped functions",
	};

	return lock_source < ARRAY_SIZE(names) ? names[lock_source] : "unknown";
}

const char *device_mode_name(__u32 mode)
{
	static const char *const names[] = {
		[FT_MODE_DISCARD] = "discard",
		[FT_MODE_OVERWRITE] = "overwrite",
	};

	return mode < ARRAY_SIZE(names) ? names[mode] : "unknown";
}

struct ft_detach device_detach(int control, unsigned int seconds)
{
	struct ft_detach detach = { .timeout_ms = seconds * 1000 };

	ioctl(control, FT_IOC_DETACH, &detach);
	return detach;
}

void device_no_locks(void)
{
	warnx("this kernel has no lock events: the running kernel lacks the "
	      "Feather-Trace patch (see patches/ in the source), and the "
	      "loaded module offers no other source");
}
