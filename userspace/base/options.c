// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Parsing a command line with the tables of options.h. */
#include <err.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/options.h"
#include "base/usage.h"

#define LONG	256	/* what getopt_long() returns for the first row; less is a letter */

static const struct option_row help_row = {
	'h', "help", NULL, "show this text", .kind = OPTION_KIND_FLAG,
};

int option_error(const struct option_given *given, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int ret;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		err(FT_EXIT_ERROR, "--%s", given->name);
	va_end(ap);
	ret = usage_error(given->command, "--%s %s", given->name, text);
	free(text);
	return ret;
}

/* --- values --------------------------------------------------------------- */

static int take_number(const struct option_row *row, size_t *to,
		       const struct option_given *given)
{
	uint64_t n;

	if (parse_u64(given->value, &n))
		return option_error(given, "is not a number: '%s'", given->value);
	*to = n || row->kind == OPTION_KIND_NUMBER ? n : SIZE_MAX;
	return -1;
}

static int unknown_word(const struct option_row *row, const struct option_given *given)
{
	const char *names[64];
	char hint[NEAREST_HINT];
	unsigned int n = 0;

	while (n < ARRAY_SIZE(names) && (names[n] = row->word(n)))
		n++;
	return option_error(given, "cannot be '%s'%s", given->value,
			    nearest_hint(hint, given->value, names, n));
}

static int take_choice(const struct option_row *row, unsigned int *to,
		       const struct option_given *given)
{
	const char *word;

	for (unsigned int i = 0; (word = row->word(i)); i++) {
		if (!strcmp(word, given->value)) {
			*to = i;
			return -1;
		}
	}
	return unknown_word(row, given);
}

/* Return: -1 to go on, else the exit status */
static int take(const struct option_row *row, void *to, const struct option_given *given)
{
	switch (row->kind) {
	case OPTION_KIND_FLAG:
		*(bool *)to = true;
		return -1;
	case OPTION_KIND_SET:
		*(unsigned int *)to = row->set;
		return -1;
	case OPTION_KIND_PATH:
		if (!*given->value)
			return option_error(given, "is empty: name a %s",
					    row->complete == COMPLETE_DIRECTORY ?
					    "directory" : "file");
		/* fall through */
	case OPTION_KIND_TEXT:
		*(const char **)to = given->value;
		return -1;
	case OPTION_KIND_NUMBER:
	case OPTION_KIND_ROWS:
		return take_number(row, to, given);
	case OPTION_KIND_SECONDS:
		if (parse_seconds(given->value, to))
			return option_error(given, "is not a number of seconds: '%s'",
					    given->value);
		return -1;
	case OPTION_KIND_CHOICE:
		return take_choice(row, to, given);
	case OPTION_KIND_CALL:
		return row->take(to, given);
	case OPTION_KIND_END:
	case OPTION_KIND_TITLE:
	case OPTION_KIND_GROUP:
		break;
	}
	abort();
}

/* --- the table ------------------------------------------------------------ */

static void add_row(struct options_flat *flat, const struct option_row *row, size_t to)
{
	if (flat->n == ARRAY_SIZE(flat->at))
		abort();
	flat->at[flat->n].row = row;
	flat->at[flat->n++].to = to;
}

static void add_rows(struct options_flat *flat, const struct option_row *rows, size_t to)
{
	for (const struct option_row *row = rows; row->kind != OPTION_KIND_END; row++) {
		if (row->kind == OPTION_KIND_GROUP)
			add_rows(flat, row->group, to + row->to);
		else
			add_row(flat, row, to + row->to);
	}
}

void options_flatten(struct options_flat *flat, const struct command *command)
{
	flat->n = 0;
	if (command->options)
		add_rows(flat, command->options, 0);
	add_row(flat, &help_row, 0);
}

/* As getopt_long() wants it. The first ':' makes it silent. */
struct getopt_table {
	char		letters[2 * ARRAY_SIZE(((struct options_flat *)0)->at) + 3];
	struct option	names[ARRAY_SIZE(((struct options_flat *)0)->at) + 1];
};

static void make_getopt_table(struct getopt_table *t, const struct options_flat *flat, bool stop)
{
	struct option *name = t->names;
	char *letter = t->letters;

	if (stop)
		*letter++ = '+';
	*letter++ = ':';
	for (unsigned int i = 0; i < flat->n; i++) {
		const struct option_row *row = flat->at[i].row;

		if (row->kind == OPTION_KIND_TITLE)
			continue;
		*name++ = (struct option){ row->name, !row->value ? no_argument :
					   row->otherwise ? optional_argument :
					   required_argument, NULL, LONG + (int)i };
		if (row->letter) {
			*letter++ = row->letter;
			if (row->value)
				*letter++ = ':';
		}
	}
	*name = (struct option){ 0 };
	*letter = '\0';
}

/* Return: how many of @names begin with the first @len bytes of @name; those are put in front */
static unsigned int begin_with(const char *name, size_t len, const char **names, unsigned int n)
{
	unsigned int found = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (!strncmp(names[i], name, len))
			names[found++] = names[i];
	}
	return found;
}

/* --@name, the first bytes of @n > 1 @names */
static int ambiguous_option(const struct command *command, const char *text,
			    const char **names, unsigned int n)
{
	char all[256] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < n && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s--%s",
					 i ? ", " : "", names[i]);
	return usage_error(command->name, "option '%s' is ambiguous: %s", text, all);
}

static int unknown_long_option(const struct command *command, const struct options_flat *flat,
			       const char *text)
{
	const char *names[ARRAY_SIZE(flat->at)], *near;
	unsigned int n = 0, same;
	char name[64];

	for (unsigned int i = 0; i < flat->n; i++) {
		if (flat->at[i].row->kind != OPTION_KIND_TITLE)
			names[n++] = flat->at[i].row->name;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text + 2, "="), text + 2);
	near = nearest(name, names, n);
	same = begin_with(name, strlen(name), names, n);
	if (same > 1)
		return ambiguous_option(command, text, names, same);
	if (near)
		return usage_error(command->name, "unknown option '%s': did you mean '--%s'?",
				   text, near);
	return usage_error(command->name, "unknown option '%s'", text);
}

/*
 * getopt_long() gave '?' or ':'. Of a short option, which may stand in a cluster (-xyz),
 * optopt is the letter; of a long one, which is the whole argument, its row, or 0 if it is unknown.
 */
static int bad_option(const struct command *command, const struct options_flat *flat, int c,
		      char **argv)
{
	bool is_short = optopt && optopt < LONG;
	char letter[3] = { '-', (char)optopt, '\0' };
	const char *text = is_short ? letter : argv[optind - 1];

	if (c == ':')
		return usage_error(command->name, "option '%s' needs a value", text);
	if (is_short)
		return usage_error(command->name, "unknown option '%s'", text);
	if (optopt >= LONG)
		return usage_error(command->name, "option '--%s' takes no value: '%s'",
				   flat->at[optopt - LONG].row->name, text);
	return unknown_long_option(command, flat, text);
}

/* Return: its number; flat->n where there is none */
static unsigned int find_letter(const struct options_flat *flat, int letter)
{
	unsigned int i;

	for (i = 0; i < flat->n; i++) {
		if (flat->at[i].row->letter == letter)
			break;
	}
	return i;
}

static int check_operands(const struct command *command, int n, char **operands)
{
	if (n < (int64_t)command->min)
		return usage_error(command->name, "%s", command->missing);
	if (n <= (int64_t)command->max)
		return -1;
	if (!command->excess)
		return usage_error(command->name, "%s takes no arguments: '%s'", command->name,
				   operands[0]);
	return usage_error(command->name, "%s: '%s' is too much", command->excess,
			   operands[command->max]);
}

static void note_given(struct options_given *all, const struct option_row *row)
{
	for (unsigned int i = 0; i < all->n; i++) {
		if (all->row[i] == row)
			return;
	}
	all->row[all->n++] = row;
}

int options_parse_given(const struct command *command, void *to, int *argc, char ***argv,
			struct options_given *all)
{
	struct options_flat flat;
	struct getopt_table table;
	unsigned int i;
	int c, ret;

	if (all)
		all->n = 0;
	options_flatten(&flat, command);
	make_getopt_table(&table, &flat, command->stop);
	while ((c = getopt_long(*argc, *argv, table.letters, table.names, NULL)) != -1) {
		struct option_given given = { .command = command->name, .value = optarg };

		if (c == '?' || c == ':')
			return bad_option(command, &flat, c, *argv);
		i = c < LONG ? find_letter(&flat, c) : (unsigned int)(c - LONG);
		if (flat.at[i].row == &help_row) {
			options_help(command, stdout);
			return flush_output(FT_EXIT_OK);
		}
		given.name = flat.at[i].row->name;
		if (!given.value)
			given.value = flat.at[i].row->otherwise;
		ret = take(flat.at[i].row, (char *)to + flat.at[i].to, &given);
		if (ret >= 0)
			return ret;
		if (all)
			note_given(all, flat.at[i].row);
	}
	*argc -= optind;
	*argv += optind;
	return check_operands(command, *argc, *argv);
}

int options_parse(const struct command *command, void *to, int *argc, char ***argv)
{
	return options_parse_given(command, to, argc, argv, NULL);
}

int options_parse_program(const struct command *command, void *to, int *argc, char ***argv)
{
	char **words = *argv;

	if (*argc < 3 || strcmp(words[1], OPTIONS_COMPLETE))
		return options_parse(command, to, argc, argv);
	words[1] = words[0];
	options_complete(command, *argc - 1, words + 1);
	return flush_output(FT_EXIT_OK);
}
