/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Files of a trace beside its streams (kallsyms, ...), compressed: one frame of zstd, with
 * a checksum and its plain size, under the file's usual name.
 */
#ifndef FT_PACKED_FACT_H
#define FT_PACKED_FACT_H

#include <stddef.h>
#include <sys/types.h>

#define PACKED_FACT_MAX		(512u << 20)	/* a larger size is damage */
#define PACKED_FACT_LEAST	4096		/* what is smaller stays plain */

/**
 * packed_fact - compress the content of a file
 * @out: to be freed with mem_free()
 *
 * Return: its length; 0 where it stays plain, as it is small, or does not become smaller.
 */
size_t packed_fact(const void *text, size_t len, int level, void **out);

/**
 * packed_read_path - read_path() of a file that may be compressed
 *
 * Return: as read_path(); -EBADMSG: what is compressed there is damaged.
 */
ssize_t packed_read_path(const char *path, char **text);

/** packed_why - in words, what it returned instead of a length */
const char *packed_why(ssize_t error);

/**
 * packed_visible_file - the text of the file @dir/@name, made safe to print
 *
 * Return: to be freed with mem_free(); NULL: it cannot be read;
 * a message says if what is compressed there is damaged.
 */
char *packed_visible_file(const char *dir, const char *name);

#endif /* FT_PACKED_FACT_H */
