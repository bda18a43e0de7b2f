// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Functions of the kernel by their name. See kernel_function.h. */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "control/device.h"
#include "control/typed/types.h"
#include "control/typed/kernel_function.h"

#define KALLSYMS	"/proc/kallsyms"

#define KERNEL		"vmlinux"	/* its name among modules */
#define WHERE		8		/* how many a message names */

/*
 * What is asked for, and what kallsyms has of it. @of: the module; empty: any, and the kernel
 * itself. @where: the modules that have such a function, NULL for the kernel
 */
struct search {
	char		of[FT_NAME_LEN];
	const char	*name;
	uint64_t	address;
	unsigned int	found;		/* at different addresses */
	const char	*where[WHERE];
	bool		is_loaded;	/* @of */
	const char	*variant;	/* NAME.something, which the compiler made of it */
	const char	**names;	/* of all functions there */
	size_t		n;
};

/* NAME, or MODULE:NAME. Return: false after a message */
static bool begin(struct search *s, const char *text)
{
	const char *colon = strchr(text, ':');

	*s = (struct search){ .name = colon ? colon + 1 : text };
	if (colon == text || !*s->name || strlen(s->name) >= FT_NAME_LEN ||
	    (colon && colon - text >= FT_NAME_LEN)) {
		warnx("'%s' names no function", text);
		return false;
	}
	if (colon)
		memcpy(s->of, text, (size_t)(colon - text));
	/* as the kernel does with names of files */
	for (char *c = s->of; (c = strchr(c, '-'));)
		*c = '_';
	return true;
}

static const char *where(const char *module)
{
	return module ? module : KERNEL;
}

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
	if (*s->of && strcmp(where(module), s->of))
		return;
	s->is_loaded = true;
	s->names[s->n++] = name;
	if (!strncmp(name, s->name, n) && name[n] == '.' && !strstr(name, ".cold"))
		s->variant = name;
	if (strcmp(name, s->name) || (s->found && s->address == address))
		return;
	s->address = address;
	if (s->found < WHERE)
		s->where[s->found] = module;
	s->found++;
}

/* "the kernel", "the module NAME" */
static const char *whose(const struct search *s, char text[FT_NAME_LEN + 16])
{
	if (!*s->of || !strcmp(s->of, KERNEL))
		return "the kernel";
	snprintf(text, FT_NAME_LEN + 16, "the module %s", s->of);
	return text;
}

static bool tell_none(const struct search *s)
{
	char hint[NEAREST_HINT] = "", text[FT_NAME_LEN + 16];

	if (*s->of && !s->is_loaded) {
		warnx("the module '%s' is not loaded, or has no functions; see: lsmod", s->of);
	} else if (s->variant) {
		warnx("%s has no function '%s', but '%s': the compiler has changed it",
		      whose(s, text), s->name, s->variant);
	} else {
		nearest_hint(hint, s->name, s->names, s->n);
		warnx("%s has no function '%s'%s It may be inlined where it is called; "
		      "see: /proc/kallsyms", whose(s, text), s->name, *hint ? hint : ".");
	}
	return false;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Does one module have two of them? Then no name tells them apart. */
static bool is_twice(const struct search *s, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int j = 0; j < i; j++) {
			if (same(s->where[i], s->where[j]))
				return true;
		}
	}
	return false;
}

static void tell_several(const struct search *s)
{
	unsigned int n = s->found < WHERE ? s->found : WHERE;
	char text[FT_NAME_LEN + 16], *names;

	if (is_twice(s, n)) {
		warnx("%s has %u functions '%s': none of them can be traced by that name",
		      whose(s, text), s->found, s->name);
		return;
	}
	names = mem_format("%s:%s", where(s->where[0]), s->name);
	for (unsigned int i = 1; i < n; i++) {
		char *more = mem_format("%s, %s:%s", names, where(s->where[i]), s->name);

		mem_free(names);
		names = more;
	}
	warnx("there are %u functions '%s': name one of them: %s", s->found, s->name, names);
	mem_free(names);
}

static bool is_one(const struct search *s)
{
	if (!s->found)
		return tell_none(s);
	if (s->found > 1)
		tell_several(s);
	else if (same(s->where[0], DEVICE_MODULE))
		warnx("the function '%s' belongs to the module " DEVICE_MODULE ", which cannot "
		      "trace itself", s->name);
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

/* @module: out: to be freed; NULL: the kernel itself */
static bool find_address(struct search *s, uint64_t *address, char **module)
{
	char *text;
	bool found;

	if (!search_all(s, &text))
		return false;
	found = is_one(s);
	*address = s->address;
	*module = found && s->where[0] ? mem_strdup(s->where[0]) : NULL;
	mem_free(s->names);
	mem_free(text);
	return found;
}

bool kernel_function_is_clear(const char *name)
{
	struct search s;
	char *text;
	bool clear;

	if (!begin(&s, name) || !search_all(&s, &text))
		return false;
	clear = s.found == 1 || (!s.found && tell_none(&s));
	if (s.found > 1)
		tell_several(&s);
	mem_free(s.names);
	mem_free(text);
	return clear;
}

/* What the compiler appends where it may have moved arguments: even onto the stack. */
static bool is_changed(const char *name)
{
	return strstr(name, ".isra") || strstr(name, ".part");
}

static void tell_missing(const char *module)
{
	if (module && types_of_kernel())
		warnx("cannot trace functions of the module %s: it has no type information "
		      "(BTF), so it is unknown which ones have arguments on the stack", module);
	else
		warnx("cannot trace functions: this kernel has no type information (BTF), so it "
		      "is unknown which ones have arguments on the stack");
}

static bool find_types(const char *name, const char *module, struct ft_function *out)
{
	char base[sizeof(out->name)];
	enum types_answer answer;
	struct btf *own;

	if (is_changed(name)) {
		warnx("cannot trace the function '%s': the compiler has changed its arguments, "
		      "and some may lie on the stack", name);
		return false;
	}
	strcpy(base, name);
	*strchrnul(base, '.') = '\0';
	own = module ? types_of_module(module) : NULL;
	answer = types_function(module ? own : types_of_kernel(), base, out);
	btf__free(own);
	/* .constprop: some are gone, whichever. */
	if (strcmp(base, name)) {
		out->word[0] = out->word[0] == FT_WORD_NONE ? FT_WORD_NONE : 0;
		strcpy(out->arg, "arg0");
	}
	switch (answer) {
	case TYPES_KNOWN:
		return true;
	case TYPES_MISSING:
		tell_missing(module);
		return false;
	case TYPES_NO_FUNCTION:
		warnx("cannot trace the function '%s': the type information (BTF) does "
		      "not have it, so it may have arguments on the stack", name);
		return false;
	case TYPES_ON_STACK:
		warnx("cannot trace the function '%s': it has arguments on the stack, where a "
		      "wrapped function would not find them", name);
		return false;
	}
	return false;
}

bool kernel_function_find(const char *text, struct ft_function *out)
{
	struct search s;
	uint64_t address;
	char *module;
	bool found;

	if (!begin(&s, text) || !find_address(&s, &address, &module))
		return false;
	found = find_types(s.name, module, out);
	mem_free(module);
	if (!found)
		return false;
	strcpy(out->name, s.name);
	out->address = address;
	return true;
}
