// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Functions of the kernel by their name. See kernel_function.h. */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "control/types.h"
#include "control/kernel_function.h"

#define KALLSYMS	"/proc/kallsyms"

/* What was found of a name in kallsyms. */
struct search {
	const char	*name;
	uint64_t	address;
	unsigned int	found;		/* at different addresses */
	const char	*module;	/* of the last one; NULL: the kernel itself */
	const char	*variant;	/* NAME.something, which the compiler made of it */
	const char	**names;	/* of all functions */
	size_t		n;
};

/* A line: address, type, name, and [module] behind a tab. It is cut into pieces. */
static void look_at(struct search *s, char *line)
{
	char *rest, *type = NULL, *name = NULL, *module;
	uint64_t address = strtoull(line, &rest, 16);
	size_t n = strlen(s->name);

	if (rest != line)
		type = strtok_r(NULL, " ", &rest);
	if (type && strchr("tTwW", *type))
		name = strtok_r(NULL, " \t", &rest);
	if (!name)
		return;
	module = strtok_r(NULL, " \t[]", &rest);
	s->names[s->n++] = name;
	if (!strncmp(name, s->name, n) && name[n] == '.' && !strstr(name, ".cold"))
		s->variant = name;
	if (strcmp(name, s->name) || (s->found && s->address == address))
		return;
	s->address = address;
	s->module = module;
	s->found++;
}

static bool tell_none(const struct search *s)
{
	char hint[NEAREST_HINT] = "";

	if (s->variant) {
		warnx("the kernel has no function '%s', but '%s': the compiler has changed it",
		      s->name, s->variant);
	} else {
		nearest_hint(hint, s->name, s->names, s->n);
		warnx("the kernel has no function '%s'%s It may be inlined where it is called; "
		      "see: /proc/kallsyms", s->name, *hint ? hint : ".");
	}
	return false;
}

static void tell_several(const struct search *s)
{
	warnx("the kernel has %u functions '%s': none of them can be traced by that name",
	      s->found, s->name);
}

static bool is_one(const struct search *s)
{
	if (!s->found)
		return tell_none(s);
	if (s->found > 1)
		tell_several(s);
	else if (s->module)
		warnx("the function '%s' belongs to the module %s: only those of the kernel itself "
		      "can be traced", s->name, s->module);
	else if (!s->address)
		warnx("cannot trace the function '%s': the kernel hides addresses; as root: "
		      "sysctl kernel.kptr_restrict=1", s->name);
	else
		return true;
	return false;
}

/* Looks at all functions. Return: false after a message; else the caller frees both. */
static bool search_all(struct search *s, char **text)
{
	char *rest, *line;
	ssize_t size;

	size = read_path(KALLSYMS, text);
	if (size < 0) {
		warnx("cannot read %s: %s", KALLSYMS, strerror((int)-size));
		return false;
	}
	s->names = mem_zalloc((size_t)size / 8 + 1, sizeof(*s->names));
	rest = *text;
	while ((line = strsep(&rest, "\n")))
		look_at(s, line);
	return true;
}

static bool find_address(const char *name, uint64_t *address)
{
	struct search s = { .name = name };
	char *text;
	bool found;

	if (!search_all(&s, &text))
		return false;
	found = is_one(&s);
	*address = s.address;
	mem_free(s.names);
	mem_free(text);
	return found;
}

bool kernel_function_is_clear(const char *name)
{
	struct search s = { .name = name };
	char *text;

	if (!search_all(&s, &text))
		return false;
	if (s.found > 1)
		tell_several(&s);
	mem_free(s.names);
	mem_free(text);
	return s.found <= 1;
}

/* What the compiler appends where it may have moved arguments: even onto the stack. */
static bool is_changed(const char *name)
{
	return strstr(name, ".isra") || strstr(name, ".part");
}

static bool find_types(const char *name, struct ft_function *out)
{
	char base[sizeof(out->name)];
	enum types_answer answer;

	if (is_changed(name)) {
		warnx("cannot trace the function '%s': the compiler has changed its arguments, "
		      "and some may lie on the stack", name);
		return false;
	}
	strcpy(base, name);
	*strchrnul(base, '.') = '\0';
	answer = types_function(types_of_kernel(), base, out);
	/* .constprop: some are gone, whichever. */
	if (strcmp(base, name)) {
		out->word[0] = out->word[0] == FT_WORD_NONE ? FT_WORD_NONE : 0;
		strcpy(out->arg, "arg0");
	}
	switch (answer) {
	case TYPES_KNOWN:
		return true;
	case TYPES_MISSING:
		warnx("cannot trace functions: this kernel has no type information (BTF), so "
		      "nobody knows which ones have arguments on the stack");
		return false;
	case TYPES_NO_FUNCTION:
		warnx("cannot trace the function '%s': the kernel's type information (BTF) does "
		      "not have it, so it may have arguments on the stack", name);
		return false;
	case TYPES_ON_STACK:
		warnx("cannot trace the function '%s': it has arguments on the stack, where a "
		      "wrapped function would not find them", name);
		return false;
	}
	return false;
}

bool kernel_function_find(const char *name, struct ft_function *out)
{
	uint64_t address;

	if (!*name || strlen(name) >= sizeof(out->name)) {
		warnx("'%s' names no function", name);
		return false;
	}
	if (!find_address(name, &address) || !find_types(name, out))
		return false;
	strcpy(out->name, name);
	out->address = address;
	return true;
}
