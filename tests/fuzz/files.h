/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A trace directory in one buffer, as fuzzers have it: entries of a byte that
 * says which file, four bytes of its length (little endian), and its content. A
 * length beyond the end is cut.
 */
#ifndef FT_FUZZ_FILES_H
#define FT_FUZZ_FILES_H

#include <stddef.h>
#include <stdint.h>

struct command;

#define ENTRY_HEAD	5

enum entry {
	ENTRY_METADATA,
	ENTRY_SESSION,
	ENTRY_KALLSYMS,
	ENTRY_MODULES,
	ENTRY_CPU,		/* and those behind it, to ENTRY_LAST: 4 CPUs, 2 rings */
	ENTRY_LAST = ENTRY_CPU + 5
};

/** files_next - the entry at *@pos; 0 at the end, else its content's length + 1 */
size_t files_next(const uint8_t *data, size_t size, size_t *pos,
		  const uint8_t **content, unsigned int *entry);

/** files_dir - a directory of this process, in memory; made at the first call */
const char *files_dir(void);

/** files_write - one file in files_dir() */
void files_write(const char *name, const uint8_t *data, size_t len);

/** files_trace - all files; metadata, too, where there is none */
void files_trace(const uint8_t *data, size_t size);

/** files_remove - a trace in such a directory, with the directory */
void files_remove(const char *dir);

/**
 * files_run - a subcommand, as often as wanted in one process
 * @args: without the first; NULL ends them
 *
 * Return: its exit status.
 */
int files_run(const struct command *command, const char *const *args);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max,
			       unsigned int seed);

#endif /* FT_FUZZ_FILES_H */
