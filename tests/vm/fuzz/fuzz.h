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

#define MAX_ERRORS	8

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

/** struct file - an open descriptor, -1 if there is none */
struct file {
	int		fd;
	enum device	device;
	int		access;		/* O_RDONLY, O_WRONLY or O_RDWR */
};

/**
 * struct fuzzer - one process
 * @page:	a page that may be written, with one behind it that does not exist
 * @locked_out:	it may use what it has been given, but open nothing
 * @doing:	for the message if something is wrong
 */
struct fuzzer {
	struct rng	rng;
	unsigned int	number, step;
	unsigned int	cpus;
	bool		locked_out;
	struct file	files[MAX_FILES];
	char		*page, *read_only;
	const char	*doing;
};

/** wrong - tells of it, and how to do it again; ends the process */
void wrong(const struct fuzzer *f, const char *format, ...)
	__attribute__((noreturn, format(printf, 2, 3)));

/** argument - memory of @size bytes; rarely bad. @good: whether it can be written */
void *argument(struct fuzzer *f, size_t size, bool *good);

/** Something with a descriptor, or with none: */
void fuzz_open(struct fuzzer *f, struct file *file);
void fuzz_ioctl(struct fuzzer *f, struct file *file);
void fuzz_file(struct fuzzer *f, struct file *file);

#endif /* FT_FUZZ_H */
