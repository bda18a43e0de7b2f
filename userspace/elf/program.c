// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Triggers of programs and libraries, as <feather_trace/trigger.h> makes them. A
 * note says where their section is once a file is linked; before that, it has its
 * name. So files are understood that have been stripped of all names.
 */
#include <stddef.h>
#include <string.h>

#include <feather_trace/trigger.h>

#include "base/mem.h"
#include "elf/sites.h"
#include "libfeathertrace/notes.h"

#define SECTION		"ft_triggers"
#define NOTE_MAX	(1u << 20)	/* of a segment of notes */

/* An entry of the section, as the library reads it in memory. */
#define ENTRY_SIZE	12
#define ENTRY_EVENT	4
#define ENTRY_ID	8

#define SYMBOL		"ft_event_"

/* In a program of 32 bits: behind two pointers, as here. */
#define EVENT_NAME_32	8

static struct place behind(struct place at, uint64_t bytes)
{
	at.addr += bytes;
	return at;
}

/* Return: its length in @buf, or -1. */
static int event_name(struct image *img, const struct pointee *event, char *buf,
		      size_t len)
{
	size_t skip = strlen(SYMBOL);
	struct pointee name;
	int n;

	/* a file that only announces it knows its symbol */
	if (event->symbol && !event->at.section && img->relocatable) {
		if (strncmp(event->symbol, SYMBOL, skip) ||
		    strlen(event->symbol + skip) >= len)
			return -1;
		strcpy(buf, event->symbol + skip);
		n = (int)strlen(buf);
	} else {
		name = image_pointer(img, behind(event->at,
						 img->is32 ? EVENT_NAME_32 :
						 offsetof(struct ft_event, name)));
		n = name.known ? image_text(img, name.at, buf, len) : -1;
	}
	return n >= 0 && sites_is_name(buf, (size_t)n) ? n : -1;
}

static bool is_trigger(struct image *img, const struct pointee *code)
{
	struct pointee jump;
	unsigned char opcode;

	if (!code->known || !image_is_code(img, code->at) ||
	    !image_read(img, code->at, &opcode, 1) || opcode != FT_TRIGGER_OFF)
		return false;
	/* what it leads to when it is on, counted from its end */
	jump = image_distance(img, behind(code->at, 1), 4);
	return !jump.known || image_is_code(img, behind(jump.at, 4));
}

/* Return: does it make sense? */
static bool add_entry(struct sites *s, struct image *img, struct place at)
{
	struct pointee code = image_distance(img, at, 4);
	struct pointee event = image_distance(img, behind(at, ENTRY_EVENT), 4);
	uint32_t id = 0;
	char name[256];
	int len = 0;

	if (!is_trigger(img, &code))
		return false;
	if (event.known) {
		len = event_name(img, &event, name, sizeof(name));
		if (len < 0)
			return false;
	} else if (!image_read(img, behind(at, ENTRY_ID), &id, sizeof(id)) || !id ||
		   id > UINT16_MAX) {
		return false;
	}
	sites_add(s, code.at, event.known ? name : NULL, (size_t)len, id);
	return true;
}

static void add_table(struct sites *s, struct image *img, struct place at,
		      uint64_t size)
{
	if (size > image_left(img, at)) {
		s->bad++;
		return;
	}
	for (; size >= ENTRY_SIZE; size -= ENTRY_SIZE) {
		s->bad += !add_entry(s, img, at);
		at.addr += ENTRY_SIZE;
	}
	s->bad += size != 0;
}

/* --- notes ---------------------------------------------------------------- */

static void add_note(struct sites *s, struct image *img, struct place at)
{
	struct pointee begin = image_distance(img, at, 4);
	struct pointee end = image_distance(img, behind(at, 4), 4);

	if (!begin.known || !end.known || end.at.addr < begin.at.addr)
		s->bad++;
	else
		add_table(s, img, begin.at, end.at.addr - begin.at.addr);
}

/* Return: is it there? The first one counts, as it does for the library. */
static bool read_notes(struct sites *s, struct image *img, const GElf_Phdr *ph)
{
	size_t len = ph->p_filesz < NOTE_MAX ? ph->p_filesz : NOTE_MAX;
	struct place at = { .addr = ph->p_vaddr };
	char *notes = mem_resize(NULL, len, 1);
	const char *found = NULL;

	if (image_read(img, at, notes, len))
		found = ft_note_find(notes, len, FT_NOTE_TRIGGERS, 2 * sizeof(int32_t));
	if (found)
		add_note(s, img, behind(at, (uint64_t)(found - notes)));
	free(notes);
	return found;
}

void sites_find_user(struct sites *s, struct image *img)
{
	size_t i;

	for (i = 1; i < img->n_sections && img->relocatable; i++) {
		struct place at = { .section = i };

		if (!strcmp(img->section[i].name, SECTION))
			add_table(s, img, at, img->section[i].sh.sh_size);
	}
	for (i = 0; i < img->n_segments && !img->relocatable; i++) {
		const GElf_Phdr *ph = &img->segment[i];

		if (ph->p_type == PT_NOTE && ph->p_align <= 4 &&
		    read_notes(s, img, ph))
			break;
	}
}
