// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The files that a program has loaded, and our notes in them (libfeathertrace/notes.h). All
 * is read from its memory, as the files may have changed or be deleted, and checked.
 */
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libfeathertrace/notes.h"
#include "process/proc.h"
#include "process/target.h"

/* Limits that no file of a linker exceeds. */
#define MAX_SEGMENTS	256u
#define MAX_NOTES	65536u
#define MAX_TRIGGERS	(1u << 20)

/* The target of a 32-bit distance in the note. */
static uint64_t follow(uint64_t note, const char *at, size_t index)
{
	int32_t distance;

	memcpy(&distance, at + index * sizeof(distance), sizeof(distance));
	return note + index * sizeof(distance) + (uint64_t)(int64_t)distance;
}

static bool add_table(struct target *t, uint64_t begin, uint64_t end)
{
	struct target_table *tables;
	uint64_t n = (end - begin) / sizeof(struct ft_trigger);

	if (end < begin || n > MAX_TRIGGERS)
		return true;	/* no table of ours */
	tables = realloc(t->tables, (t->n_tables + 1) * sizeof(*tables));
	if (!tables)
		return false;
	t->tables = tables;
	t->tables[t->n_tables++] = (struct target_table){ begin, (size_t)n };
	return true;
}

/* Return: false if there is no memory. */
static bool read_notes(struct target *t, uint64_t at, size_t len)
{
	char *notes = malloc(len);
	const char *found;
	bool ok = true;

	if (!notes)
		return false;
	if (target_read(t, at, notes, len))
		goto out;
	found = ft_note_find(notes, len, FT_NOTE_TRIGGERS, 2 * sizeof(int32_t));
	if (found) {
		uint64_t here = at + (uint64_t)(found - notes);

		ok = add_table(t, follow(here, found, 0), follow(here, found, 1));
	}
	found = ft_note_find(notes, len, FT_NOTE_REMOTE, sizeof(int32_t));
	/* the first of several: so does the loader with symbols */
	if (found && !t->remote_at)
		t->remote_at = follow(at + (uint64_t)(found - notes), found, 0);
out:
	free(notes);
	return ok;
}

/* What to add to addresses in a file that is loaded at @start. */
static uint64_t find_bias(const Elf64_Phdr *ph, unsigned int n, uint64_t start)
{
	for (unsigned int i = 0; i < n; i++) {
		if (ph[i].p_type == PT_LOAD && !(ph[i].p_offset & ~4095ull))
			return start - (ph[i].p_vaddr & ~4095ull);
	}
	return start;
}

static bool read_file(struct target *t, uint64_t start)
{
	Elf64_Phdr ph[MAX_SEGMENTS];
	Elf64_Ehdr head;
	unsigned int n;
	uint64_t bias;
	bool ok = true;

	if (target_read(t, start, &head, sizeof(head)) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG))
		return true;
	if (head.e_ident[EI_CLASS] == ELFCLASS32)
		t->is32 = true;
	if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != FT_ELF_MACHINE ||
	    head.e_phentsize != sizeof(*ph))
		return true;
	n = head.e_phnum < MAX_SEGMENTS ? head.e_phnum : MAX_SEGMENTS;
	if (target_read(t, start + head.e_phoff, ph, n * sizeof(*ph)))
		return true;
	bias = find_bias(ph, n, start);
	for (unsigned int i = 0; i < n && ok; i++) {
		if (ph[i].p_type == PT_NOTE && ph[i].p_align <= 4 &&
		    ph[i].p_memsz && ph[i].p_memsz <= MAX_NOTES)
			ok = read_notes(t, bias + ph[i].p_vaddr, ph[i].p_memsz);
	}
	return ok;
}

bool target_files(struct target *t)
{
	ssize_t len;
	char *text = proc_read(t->pid, "maps", &len), *rest = text, *line, rights[8];
	uint64_t start, offset;
	bool ok = text;

	t->n_tables = 0;
	t->remote_at = 0;
	t->is32 = false;
	while (ok && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%" SCNx64 "-%*x %7s %" SCNx64, &start, rights,
			   &offset) == 3 &&
		    !offset && rights[0] == 'r' && strchr(line, '/'))
			ok = read_file(t, start);
	}
	free(text);
	if (!ok)
		warnx("cannot read what process %d has loaded", t->pid);
	else if (!t->remote_at && t->is32)
		warnx("process %d is a program of 32 bits: ft attaches to those of 64 bits alone",
		      t->pid);
	else if (!t->remote_at)
		warnx("process %d has no libfeathertrace in it, or an old one: see "
		      "libfeathertrace(3)", t->pid);
	return ok && t->remote_at;
}
