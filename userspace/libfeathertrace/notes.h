/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ELF notes that lead to the triggers in a program's memory. The library reads them in
 * its own process, the tool in others.
 */
#ifndef FT_LIBFEATHERTRACE_NOTES_H
#define FT_LIBFEATHERTRACE_NOTES_H

#include <stddef.h>
#include <string.h>
#include <elf.h>
#include <linux/types.h>

#define FT_NOTE_NAME		"Feather-Trace"
#define FT_NOTE_TRIGGERS	1u	/* two distances: begin and end of the table */
#define FT_NOTE_REMOTE		2u	/* a distance: to struct ft_remote */

/* The only architecture whose programs can be traced: the one this is built for. */
#if defined(__x86_64__)
#define FT_ELF_MACHINE	EM_X86_64
#elif defined(__aarch64__)
#define FT_ELF_MACHINE	EM_AARCH64
#else
#define FT_ELF_MACHINE	EM_NONE
#endif

/*
 * An entry in the section ft_triggers, as __FT_ENTRY() makes it. Distances are
 * counted from the field itself.
 */
struct ft_trigger {
	__s32	code;		/* to the instruction */
	__s32	event;		/* to its struct ft_event, or 0 */
	__u32	id;		/* where there is no event */
};

/* A trigger's first byte: 'test eax, CONSTANT' and 'jmp DISTANCE'. */
#define FT_TRIGGER_OFF	0xa9
#define FT_TRIGGER_ON	0xe9

/**
 * ft_note_find - our note in a segment of notes
 * @type:	FT_NOTE_*
 * @size:	of its content
 *
 * Return: where in @at this is, or NULL.
 */
static inline const char *
ft_note_find(const char *at, size_t len, unsigned int type, size_t size)
{
	while (len >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const void *)at;
		size_t name = ((size_t)note->n_namesz + 3) & ~(size_t)3;
		size_t whole = sizeof(*note) + name +
			       (((size_t)note->n_descsz + 3) & ~(size_t)3);

		if (whole > len)
			break;
		if (note->n_namesz == sizeof(FT_NOTE_NAME) &&
		    note->n_type == type && note->n_descsz == size &&
		    !memcmp(note + 1, FT_NOTE_NAME, sizeof(FT_NOTE_NAME)))
			return (const char *)(note + 1) + name;
		at += whole;
		len -= whole;
	}
	return NULL;
}

#endif /* FT_LIBFEATHERTRACE_NOTES_H */
