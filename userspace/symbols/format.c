// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Formatting names of addresses. See symbols.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/visible.h"
#include "symbols/demangle.h"
#include "symbols/table.h"

/* Demangles each name once. */
static const char *demangled(struct map *names, const char *name)
{
	uint64_t key = (uintptr_t)name;
	char *shown = map_get(names, key);
	char text[DEMANGLE_LEN];

	if (!shown) {
		shown = mem_strdup(demangle(name, text, sizeof(text)) ? text : name);
		map_put(names, key, shown);
	}
	return shown;
}

static const char *shown_name(const struct symbols *s, const char *name)
{
	const char *shown;

	if (s->mangled || name[0] != '_')
		return name;
	if (!s->shown->shared)
		return demangled(&s->shown->names, name);
	pthread_mutex_lock(&s->shown->lock);
	shown = demangled(&s->shown->names, name);
	pthread_mutex_unlock(&s->shown->lock);
	return shown;
}

/* @name and @tail; a long name loses its middle. */
static void join(char *buf, size_t len, const char *name, const char *tail)
{
	size_t n = strlen(name), rest = strlen(tail);
	size_t room = len > rest + 8 ? len - rest - 1 : len, head = room / 2;

	if (n <= room)
		snprintf(buf, len, "%s%s", name, tail);
	else
		snprintf(buf, len, "%.*s...%s%s", (int)head, name,
			 name + n - (room - head - 3), tail);
}

/* Symbols come from files of the trace, too. */
static void make_visible(char *buf, size_t len)
{
	char plain[SYMBOLS_LEN];

	if (visible_is(buf))
		return;
	snprintf(plain, sizeof(plain), "%s", buf);
	visible_copy(buf, len, plain);
}

static void format_place(const struct symbols_place *place, const char *name,
			 bool call, char *buf, size_t len)
{
	const char *module = place->module ? place->module : "";
	const char *open = *module ? " [" : "", *close = *module ? "]" : "";
	char tail[SYMBOLS_LEN / 2];

	/* a place without a symbol in a known file */
	if (!name)
		snprintf(tail, sizeof(tail), "0x%" PRIx64 "%s%s%s", place->offset,
			 open, module, close);
	else if (!call && !place->offset)
		snprintf(tail, sizeof(tail), "%s%s%s", open, module, close);
	else
		snprintf(tail, sizeof(tail), "+0x%" PRIx64 "%s%s%s", place->offset,
			 open, module, close);
	join(buf, len, name ? name : "", tail);
	make_visible(buf, len);
}

bool symbols_find(const struct symbols *s, uint64_t addr, bool call, char *buf,
		  size_t len)
{
	char process[PROGRAMS_PROCESS_LEN] = "";
	struct symbols_place place;

	/* code is the same in all processes; data is another lock in each */
	if (!call && s && s->programs && programs_is_address(addr))
		programs_process(s->programs, addr, process, sizeof(process));
	len -= strlen(process);
	/*
	 * A call that never returns may be the last instruction of its
	 * function; what follows it is then the next function.
	 */
	if (call || !s || !lock_classes_name(s->locks, addr, buf, len)) {
		if (!symbols_place(s, addr, call, &place))
			return false;
		format_place(&place, place.name ? shown_name(s, place.name) : NULL, call, buf,
			     len);
	}
	strcat(buf, process);
	return true;
}

static const char *format_number(const struct symbols *s, uint64_t addr,
				 char *buf, size_t len)
{
	if (s && s->programs && programs_is_address(addr))
		programs_number(s->programs, addr, buf, len);
	else
		snprintf(buf, len, "0x%" PRIx64, addr);
	return buf;
}

const char *symbols_format(const struct symbols *s, uint64_t addr, bool call,
			   char *buf, size_t len)
{
	return symbols_find(s, addr, call, buf, len) ? buf :
	       format_number(s, addr, buf, len);
}

const char *symbols_identity(const struct symbols *s, uint64_t addr, bool call,
			     char *buf, size_t len)
{
	struct symbols_place place;

	if (!symbols_place(s, addr, call, &place))
		return format_number(s, addr, buf, len);
	format_place(&place, place.name, call, buf, len);
	return buf;
}
