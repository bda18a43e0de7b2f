/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How a program can be traced, from its ELF file. */
#ifndef FT_PROCESS_EXECUTABLE_H
#define FT_PROCESS_EXECUTABLE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>

enum run_elf {
	RUN_ELF_DYNAMIC,	/* the loader loads what is to be preloaded */
	RUN_ELF_STATIC,		/* there is no loader */
	RUN_ELF_FOREIGN,	/* of another architecture */
	RUN_ELF_NONE,		/* no ELF file: a script; or it cannot be read */
};

/** run_elf_kind - of an open file; @head: its first bytes */
enum run_elf run_elf_kind(int fd, Elf64_Ehdr *head);

/** run_elf_is_musl - does musl's loader load it? What is preloaded then says more. */
bool run_elf_is_musl(int fd, const Elf64_Ehdr *head);

/**
 * struct run_elf_calls - what a file itself calls, by name; its libraries may call more
 * @locks:	functions of pthread's locks
 * @threads:	what starts a thread
 * @go:		it is written in Go, whose locks are its own
 */
struct run_elf_calls {
	bool	locks, threads, go;
};

/** run_elf_calls - of an open file; nothing, if it is no ELF file */
struct run_elf_calls run_elf_calls(int fd);

/** run_elf_has_build_id - is it the file with this build ID? @len 0: with none */
bool run_elf_has_build_id(int fd, const void *id, size_t len);

#endif /* FT_PROCESS_EXECUTABLE_H */
