/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The parts of a rotated recording: directories that are numbered from 1, each a trace of
 * its own, which together are one.
 *
 *	DIR/000001/...		a trace directory (directory.h)
 *	DIR/000002/...
 *	DIR/info/parts		a list of them, see ft-record(1)
 */
#ifndef FT_TRACE_PARTS_H
#define FT_TRACE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PART_NAME_LEN	16

/** part_name - "000001" */
const char *part_name(char name[PART_NAME_LEN], unsigned int number);

/** part_number - the opposite; false if it is no name of a part */
bool part_number(const char *name, unsigned int *number);

/**
 * parts_numbers - the parts that @dir holds, in order
 *
 * Return: how many; 0 if @dir is no rotated recording. *@numbers is to be freed.
 */
size_t parts_numbers(const char *dir, unsigned int **numbers);

/*
 * Directories of traces that are read as one, in order. A sender whose spool is full drops
 * parts, and the next one's session file says how many, and how many records they had.
 */
struct parts {
	char		**dir;
	bool		*gap;			/* are parts missing in front of this one? */
	unsigned int	n;
	uint64_t	dropped;		/* parts that are missing */
	uint64_t	dropped_records;	/* that were in these */
};

/**
 * parts_find - what is read when @dirs are named
 * @dirs:	traces, or directories with parts; NULL behind the last
 *
 * Several must be neighbours: parts of one recording, none of them missing but those that
 * were dropped.
 * Return: 0, or -1 with a message; parts_free() comes after both.
 */
int parts_find(struct parts *parts, char *const *dirs);
void parts_free(struct parts *parts);

#endif /* FT_TRACE_PARTS_H */
