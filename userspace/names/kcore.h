/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The running kernel's memory, read through /proc/kcore: an ELF file of its address space. */
#ifndef FT_NAMES_KCORE_H
#define FT_NAMES_KCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kcore_segment {
	uint64_t	start, len, at;	/* addresses [start, start + len) lie at @at */
};

struct kcore {
	int			fd;
	struct kcore_segment	*segment;
	size_t			n;
};

#define KCORE_INIT	{ .fd = -1 }

/** kcore_open - Return: 0, or -errno: -ENODEV: the file is not one of x86-64 */
int kcore_open(struct kcore *k);
void kcore_close(struct kcore *k);

/** kcore_read - all of @len bytes at @addr, which lie in one segment; else false */
bool kcore_read(const struct kcore *k, uint64_t addr, void *buf, size_t len);

/** kcore_u64 - a word; false if it cannot be read */
static inline bool kcore_u64(const struct kcore *k, uint64_t addr, uint64_t *value)
{
	return kcore_read(k, addr, value, sizeof(*value));
}

/** kcore_has - is @addr in a segment? */
bool kcore_has(const struct kcore *k, uint64_t addr);

#endif /* FT_NAMES_KCORE_H */
