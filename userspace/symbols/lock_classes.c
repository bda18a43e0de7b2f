// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads what locks are: see lock_classes.h. Whatever the file has is checked. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/visible.h"
#include "packed/fact.h"
#include "symbols/demangle.h"
#include "symbols/lock_classes.h"
#include "symbols/programs.h"
#include "trace/lock_file.h"
#include "trace/session_file.h"

#define COLUMNS		5
#define TYPES_MAX	100000u
#define CPU_MAX		1000000u
#define NAME_MAX_LEN	191u
#define NO_CPU		UINT32_MAX
#define SHOWN_LEN	96	/* of a symbol of C++, so that the rest has room */

struct lock {
	struct lock_class_known	*class;
	const char		*owner;		/* "mysqld 1234", or NULL */
	uint32_t		cpu;
};

struct lock_classes {
	char		*text;
	bool		mangled;
	struct map	locks;		/* by address: struct lock */
	struct map	classes;	/* by name: struct lock_class_known */
};

static const char *const kinds[] = LOCK_FILE_KINDS;

static const char *find_kind(const char *text)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kinds[i], text))
			return kinds[i];
	}
	return NULL;
}

/* A lock that only probably belongs to a class has an entry apart. */
static uint64_t class_key(const char *name, bool certain)
{
	return map_text_key(name, strlen(name)) ^ (certain ? 0 : 1ull << 63);
}

/* All elements of an array are of one class, so that it does not say which of them a lock is in. */
static bool is_variable(const char *name, const char *kind)
{
	return !strcmp(kind, "static") || !strcmp(kind, "module") || !strcmp(kind, "percpu") ||
	       (!strcmp(kind, "data") && !strstr(name, "[]"));
}

/* "depot::table[].lock [prog]" of "_ZN5depot5tableE[].lock [prog]". Return: NULL: it has none */
static char *demangled(const char *name)
{
	const char *begin = name;
	char *symbol, *shown, *text;
	size_t len;

	while (*begin && !(begin[0] == '_' && (begin[1] == 'Z' || begin[1] == 'R') &&
			   (begin == name || begin[-1] == ' ')))
		begin++;
	if (!*begin)
		return NULL;
	len = strcspn(begin, " +[.");
	symbol = mem_format("%.*s", (int)len, begin);
	shown = mem_zalloc(DEMANGLE_LEN, 1);
	text = demangle(symbol, shown, DEMANGLE_LEN) ?
	       mem_format("%.*s%.*s%s%s", (int)(begin - name), name, SHOWN_LEN, shown,
			  strlen(shown) > SHOWN_LEN ? "..." : "", begin + len) : NULL;
	mem_free(symbol);
	mem_free(shown);
	return text;
}

/* Two classes of one name: two variables, static in their files; they stay one. */
static struct lock_class_known *get_class(struct lock_classes *c, const char *name,
					  const char *kind, unsigned int types)
{
	uint64_t key = class_key(name, types <= 1);
	struct lock_class_known *class = map_get(&c->classes, key);

	if (!class) {
		class = mem_zalloc(1, sizeof(*class));
		class->shown = c->mangled ? NULL : demangled(name);
		class->name = class->shown ? class->shown : name;
		class->in_file = name;
		class->kind = kind;
		class->types = types;
		class->variable = is_variable(name, kind);
		map_put(&c->classes, key, class);
	}
	return class;
}

/* Return: false: the line is not as it must be */
static bool add(struct lock_classes *c, char *line)
{
	char *column[COLUMNS], *owner;
	uint64_t addr, types, cpu = NO_CPU;
	struct lock *lock;
	const char *kind;

	for (unsigned int i = 0; i < COLUMNS; i++) {
		column[i] = strsep(&line, "\t");
		if (!column[i])
			return false;
	}
	owner = strsep(&line, "\t");
	if (owner && (!*owner || strlen(owner) >= LOCK_FILE_OWNER))
		return false;
	kind = find_kind(column[1]);
	if (line || parse_u64(column[0], &addr) || !kind || parse_u64(column[2], &types) ||
	    types > TYPES_MAX || !*column[4] || strlen(column[4]) > NAME_MAX_LEN)
		return false;
	if (strcmp(column[3], "-") && (parse_u64(column[3], &cpu) || cpu > CPU_MAX))
		return false;
	if (map_get(&c->locks, addr))
		return false;
	lock = mem_zalloc(1, sizeof(*lock));
	lock->class = get_class(c, column[4], kind, (unsigned int)types);
	lock->cpu = (uint32_t)cpu;
	lock->owner = owner;
	map_put(&c->locks, addr, lock);
	return true;
}

/* Return: the file, safe to print; NULL if there is none, or after a message. */
static char *read_locks(const char *dir)
{
	char *path = mem_format("%s/" SESSION_LOCKS, dir), *text;
	ssize_t len = packed_read_path(path, &text);

	if (len < 0 && len != -ENOENT)
		warnx("%s: %s: locks have no names but those of variables", path,
		      packed_why(len));
	mem_free(path);
	if (len < 0)
		return NULL;
	/* it is shown as another control character, and does not end the file */
	for (ssize_t i = 0; i < len; i++) {
		if (!text[i])
			text[i] = '\1';
	}
	visible_lines(&text);
	return text;
}

struct lock_classes *lock_classes_open(const char *dir, bool mangled)
{
	char *text = read_locks(dir), *line, *rest = text;
	struct lock_classes *c;
	uint64_t bad = 0;

	if (!text)
		return NULL;
	line = strsep(&rest, "\n");
	if (strcmp(line, LOCK_FILE_HEAD)) {
		warnx("%s/" SESSION_LOCKS ": not of a version that this ft knows: locks have no names but those of variables",
		      dir);
		mem_free(text);
		return NULL;
	}
	c = mem_zalloc(1, sizeof(*c));
	c->text = text;
	c->mangled = mangled;
	while ((line = strsep(&rest, "\n")))
		bad += *line && !add(c, line);
	if (bad)
		warnx("%s/" SESSION_LOCKS ": %" PRIu64 " of its lines are damaged and left out",
		      dir, bad);
	return c;
}

void lock_classes_free(struct lock_classes *c)
{
	struct map_slot *slot;

	if (!c)
		return;
	map_for_each(&c->locks, slot)
		mem_free(slot->value);
	map_for_each(&c->classes, slot) {
		struct lock_class_known *class = slot->value;

		mem_free(class->shown);
		mem_free(class);
	}
	map_free(&c->locks);
	map_free(&c->classes);
	mem_free(c->text);
	mem_free(c);
}

const struct lock_class_known *lock_classes_of(const struct lock_classes *c, uint64_t addr)
{
	const struct lock *lock = c ? map_get(&c->locks, addr) : NULL;

	return lock ? lock->class : NULL;
}

const char *lock_classes_text(const struct lock_class_known *class, char *buf, size_t len)
{
	/* a program's memory, used for one lock after the other */
	if (class->types > 1 && !strcmp(class->kind, "heap"))
		snprintf(buf, len, "%s (probably; %u sites)", class->name, class->types);
	/* "kmalloc-64+0x8" is a place; the name of a type is a guess where others fit as well */
	else if (class->types > 1 && !strstr(class->name, "+0x"))
		snprintf(buf, len, "%s (probably; %u types fit)", class->name, class->types);
	else if (class->types > 1)
		snprintf(buf, len, "%s (%u types)", class->name, class->types);
	else
		snprintf(buf, len, "%s", class->name);
	return buf;
}

static void put_name(const struct lock *lock, uint64_t addr, char *buf, size_t len)
{
	char class[LOCK_CLASSES_LEN];

	lock_classes_text(lock->class, class, sizeof(class));
	if (lock->cpu != NO_CPU)
		snprintf(buf, len, "%s, CPU %" PRIu32, class, lock->cpu);
	else if (lock->class->variable)
		snprintf(buf, len, "%s", class);
	else
		snprintf(buf, len, "%s 0x%" PRIx64 "%s%s", class,
			 programs_is_address(addr) ? addr & PROGRAMS_MASK : addr,
			 lock->owner ? " of " : "", lock->owner ? lock->owner : "");
}

bool lock_classes_name(const struct lock_classes *c, uint64_t addr, char *buf, size_t len)
{
	const struct lock *lock = c ? map_get(&c->locks, addr) : NULL;

	if (lock)
		put_name(lock, addr, buf, len);
	return lock;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* "table[].lock" is a name of "table[].lock [prog]", too. */
static bool is_called_so(const struct lock_class_known *class, const char *have, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(have, name, len) &&
	       (!have[len] || (!strcmp(class->kind, "data") && !strncmp(have + len, " [", 2)));
}

static bool is_called(const struct lock_class_known *class, const char *name)
{
	return is_called_so(class, class->name, name) ||
	       is_called_so(class, class->in_file, name);
}

/* As tables show a class, and one of its locks. */
static bool is_shown_as(const struct lock *lock, uint64_t addr, const char *name)
{
	char text[LOCK_CLASSES_LEN + LOCK_FILE_OWNER + 64];

	if (!strcmp(lock_classes_text(lock->class, text, sizeof(text)), name))
		return true;
	put_name(lock, addr, text, sizeof(text));
	return !strcmp(text, name);
}

static size_t lookup(const struct lock_classes *c, const char *name, bool shown,
		     uint64_t **addrs)
{
	const struct map_slot *slot;
	size_t n = 0;

	*addrs = NULL;
	map_for_each(&c->locks, slot) {
		const struct lock *lock = slot->value;

		if (!(shown ? is_shown_as(lock, slot->key, name) : is_called(lock->class, name)))
			continue;
		/* twice as much when it is a power of two: locks of a class may be many */
		if (!(n & (n - 1)))
			*addrs = mem_resize(*addrs, n ? 2 * n : 1, sizeof(**addrs));
		(*addrs)[n++] = slot->key;
	}
	if (n)
		qsort(*addrs, n, sizeof(**addrs), compare);
	return n;
}

size_t lock_classes_lookup(const struct lock_classes *c, const char *name, uint64_t **addrs)
{
	size_t n;

	*addrs = NULL;
	if (!c)
		return 0;
	n = lookup(c, name, false, addrs);
	return n ? n : lookup(c, name, true, addrs);
}
