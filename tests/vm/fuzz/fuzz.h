/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Fuzz: processes that call whatever the devices can be called with, right, nearly
 * right and wrong, all at once. Each result must be one that the documentation allows
 * (Documentation/device.md), nothing may be written that was not asked for, and who
 * has no right must not get in.
 */
#ifndef FT_FUZZ_H
#define FT_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace.h>

#include "../rng.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* A descriptor's device. */
enum device {
	DEVICE_CONTROL	= 1,
	DEVICE_META	= 2,
	DEVICE_CPU	= 4,
};

#define MAX_ERRORS	12

/**
 * struct call - an ioctl
 * @devices:	enum device, those that know it
 * @fill:	makes an argument that may well be right; NULL: the call has none
 * @sane:	of an argument that a call has left: can it be? NULL: yes
 * @errors:	those that may come of a good pointer, on a device that knows it
 */
struct call {
	const char	*name;
	unsigned int	request;
	unsigned int	devices;
	void		(*fill)(struct rng *rng, void *arg);
	bool		(*sane)(const void *arg);
	int		errors[MAX_ERRORS];
};

extern const struct call calls[];
extern const unsigned int calls_count;

/** call_size - bytes of its argument */
static inline size_t call_size(const struct call *call)
{
	return _IOC_SIZE(call->request);
}

/** call_allows - may it fail so? */
bool call_allows(const struct call *call, int error);

#define MAX_FILES	8

/**
 * struct file - an open descriptor, -1 if there is none
 * @access:	O_RDONLY, O_WRONLY or O_RDWR
 * @enabled:	the event that was enabled last through it
 * @taken:	the records that were taken last
 */
struct file {
	int		fd;
	enum device	device;
	int		access;
	uint32_t	enabled;
	struct ft_range	taken;
};

/* What would keep everybody from something is left out for a while. */
enum season {
	NO_TRACE,	/* no event is enabled, no ring has a reader: sizes can be set */
	ROOT_READS,	/* rings are read by those with all rights */
	ALL_READ,	/* those without may have been quicker */
	SEASONS
};

/**
 * struct fuzzer - one process
 * @season:	of all processes
 * @page:	a page that may be written, with one behind it that does not exist
 * @stranger:	it has fewer rights
 * @locked_out:	it may use what it has been given, but open nothing more
 * @done:	of all processes: how often each of calls[] succeeded
 * @doing:	for the message if something is wrong
 */
struct fuzzer {
	struct rng	rng;
	enum season	season;
	unsigned int	number, step;
	unsigned int	cpus;
	bool		stranger, locked_out;
	unsigned int	*done;
	struct file	files[MAX_FILES];
	char		*page, *read_only;
	const char	*doing;
};

/** wrong - reports it, and how to do it again; ends the process */
void wrong(const struct fuzzer *f, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/** argument - memory of @size bytes; rarely bad. @good: whether it can be written */
void *argument(struct fuzzer *f, size_t size, bool *good);

/** Something with a descriptor, or with none: */
void fuzz_open(struct fuzzer *f, struct file *file);
void fuzz_ioctl(struct fuzzer *f, struct file *file);
void fuzz_file(struct fuzzer *f, struct file *file);

#endif /* FT_FUZZ_H */
