// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Tracepoints of the kernel by their name, and their words. See kernel_tracepoint.h. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "control/events.h"
#include "control/typed/expression.h"
#include "control/typed/kernel_tracepoint.h"

/* --- without expressions ------------------------------------------------------ */

static void take_argument(struct ft_word *word, const struct types_argument *argument,
			  unsigned int i, const struct types_number *number)
{
	const char *name = argument->name;

	word->arg = (__u8)argument->arg;
	word->bits = (__u8)number->bits;
	word->kind = number->kind;
	if (*name && strlen(name) < sizeof(word->field))
		strcpy(word->field, name);
	else
		snprintf(word->field, sizeof(word->field), "arg%u", i);
}

static bool is_pointer(const struct types_number *number)
{
	return number->kind == FT_FIELD_HEX || number->kind == FT_FIELD_CODE;
}

void kernel_tracepoint_words(const struct types_tracepoint *t, struct ft_word word[2])
{
	struct types_number number[FT_WORD_ARGS];
	bool chosen[FT_WORD_ARGS] = { false };
	unsigned int n = 0, pointers, i;

	for (pointers = 0; pointers < 2; pointers++) {
		for (i = 0; i < t->n && n < 2; i++) {
			if (chosen[i] || !t->argument[i].arg ||
			    !types_is_small(t->btf, t->argument[i].type, &number[i]) ||
			    is_pointer(&number[i]) != pointers)
				continue;
			chosen[i] = true;
			n++;
		}
	}
	memset(word, 0, 2 * sizeof(*word));
	for (i = 0, n = 0; i < t->n; i++) {
		if (chosen[i])
			take_argument(&word[n++], &t->argument[i], i, &number[i]);
	}
	while (n < 2)
		word[n++].arg = FT_WORD_NONE;
}

/* --- with expressions --------------------------------------------------------- */

static bool resolve_all(const struct types_tracepoint *t, char *text,
			struct expression expression[2])
{
	char *rest = text, *why;

	for (unsigned int i = 0; rest; i++) {
		char *one = rest, *comma = events_comma(rest);

		rest = comma ? comma + 1 : NULL;
		if (comma)
			*comma = '\0';
		if (i == 2) {
			warnx("tracepoint '%s': a record has two words, so there are at most two "
			      "expressions", t->name);
			return false;
		}
		why = expression_resolve(t, one, &expression[i]);
		if (!why)
			continue;
		warnx("tracepoint '%s': '%s': %s", t->name, one, why);
		mem_free(why);
		return false;
	}
	return true;
}

/* prev->pid and next->pid: prev_pid and next_pid. */
static bool tell_apart(const struct types_tracepoint *t, struct expression expression[2])
{
	if (strcmp(expression[0].word.field, expression[1].word.field))
		return true;
	for (unsigned int i = 0; i < 2; i++) {
		struct ft_word *word = &expression[i].word;

		if (expression[i].is_named || strlen(expression[i].path) >= sizeof(word->field))
			continue;
		memset(word->field, 0, sizeof(word->field));
		strcpy(word->field, expression[i].path);
	}
	if (strcmp(expression[0].word.field, expression[1].word.field))
		return true;
	warnx("tracepoint '%s': both words would be called '%s': give them names: NAME=EXPRESSION",
	      t->name, expression[0].word.field);
	return false;
}

/* The event of other words has another name. */
static bool set_event(const struct types_tracepoint *t, struct ft_tracepoint *out)
{
	const struct ft_word *word = out->word;
	char *name = mem_format("%s_%s%s%s", t->name, word[0].field, *word[1].field ? "_" : "",
				word[1].field);
	bool fits = strlen(name) < sizeof(out->event);

	if (fits)
		strcpy(out->event, name);
	else
		warnx("tracepoint '%s': the event would be called '%s', which is too long: give "
		      "the words shorter names: NAME=EXPRESSION", t->name, name);
	mem_free(name);
	return fits;
}

static bool take_expressions(const struct types_tracepoint *t, char *text,
			     struct ft_tracepoint *out)
{
	struct expression expression[2] = { 0 };
	bool ok;

	expression[1].word.arg = FT_WORD_NONE;
	ok = resolve_all(t, text, expression) && tell_apart(t, expression);
	if (ok) {
		out->word[0] = expression[0].word;
		out->word[1] = expression[1].word;
		ok = set_event(t, out);
	}
	expression_free(&expression[0]);
	expression_free(&expression[1]);
	return ok;
}

/* --- finding -------------------------------------------------------------- */

/* NAME(INSIDE) is cut in two. Return: false after a message. */
static bool cut_inside(const char *text, char *copy, char **inside)
{
	size_t n = strlen(copy);

	*inside = strchr(copy, '(');
	if (!*inside)
		return true;
	if (copy[n - 1] != ')') {
		warnx("'%s': the ')' is missing at its end", text);
		return false;
	}
	copy[n - 1] = '\0';
	*(*inside)++ = '\0';
	return true;
}

static bool find(const char *text, char *copy, struct ft_tracepoint *out)
{
	struct types_tracepoint types;
	char *name, *inside;
	bool known;

	if (!cut_inside(text, copy, &inside))
		return false;
	name = strrchr(copy, ':') ? strrchr(copy, ':') + 1 : copy;
	if (!*name || strlen(name) >= sizeof(out->name)) {
		warnx("'tracepoint:%s' names no tracepoint", text);
		return false;
	}
	strcpy(out->name, name);
	known = types_kernel_tracepoint(name, &types);
	if (!inside) {
		if (known)
			kernel_tracepoint_words(&types, out->word);
		return true;
	}
	if (known)
		return take_expressions(&types, inside, out);
	if (types_of_kernel())
		warnx("the kernel's type information (BTF) does not have the tracepoint '%s', "
		      "which expressions need; see: ls /sys/kernel/tracing/events/*", name);
	else
		warnx("this kernel has no type information (BTF), which expressions need: trace "
		      "the tracepoint without them: tracepoint:%s", name);
	return false;
}

bool kernel_tracepoint_find(const char *text, struct ft_tracepoint *out)
{
	char *copy = mem_strdup(text);
	bool found = find(text, copy, out);

	mem_free(copy);
	return found;
}
