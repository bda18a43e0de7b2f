// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft complete WORD...: possible completions of the last WORD, for a shell
 * (scripts/completion/). No list of commands has it.
 *
 * The first line of the output is the kind of completion, the others are words:
 *
 *	words		one of these words
 *	list		these words, separated by commas
 *	events		the same with the events of the running kernel
 *	help		the options in the --help of the command, a script
 *	file, directory, module
 *	command N	a program and its arguments, which begin with word N (ft is word 0)
 *	nothing
 */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "ft/commands.h"
#include "ft/script.h"

static void put_words(const char *(*word)(unsigned int i))
{
	const char *text;

	for (unsigned int i = 0; (text = word(i)); i++)
		puts(text);
}

static void put_value(enum completion complete, const char *(*word)(unsigned int i), bool list)
{
	static const char *const kinds[] = {
		[COMPLETE_NOTHING] = "nothing",
		[COMPLETE_FILE] = "file",
		[COMPLETE_DIRECTORY] = "directory",
		[COMPLETE_MODULE] = "module",
		[COMPLETE_EVENTS] = "events",
	};

	if (!word) {
		puts(kinds[complete]);
		return;
	}
	puts(list ? "list" : "words");
	put_words(word);
}

static void put_options(const struct options_flat *flat, const struct command *command)
{
	puts("words");
	for (unsigned int i = 0; i < flat->n; i++) {
		if (option_is_offered(flat->at[i].row))
			printf("--%s\n", flat->at[i].row->name);
	}
	if (command->complete == COMPLETE_COMMAND)
		puts("--");
}

static const struct option_row *find_name(const struct options_flat *flat, const char *name)
{
	for (unsigned int i = 0; i < flat->n; i++) {
		if (flat->at[i].row->name && !strcmp(flat->at[i].row->name, name))
			return flat->at[i].row;
	}
	return NULL;
}

static const struct option_row *find_letter(const struct options_flat *flat, char letter)
{
	for (unsigned int i = 0; i < flat->n; i++) {
		if (flat->at[i].row->letter == letter)
			return flat->at[i].row;
	}
	return NULL;
}

/* The option whose value the next word is, or NULL. */
static const struct option_row *wants_value(const struct options_flat *flat, const char *word)
{
	const struct option_row *row = NULL;

	if (word[1] == '-') {
		row = find_name(flat, word + 2);
		return row && row->value ? row : NULL;
	}
	while (*++word) {
		row = find_letter(flat, *word);
		if (row && row->value)
			return word[1] ? NULL : row;
	}
	return NULL;
}

/* A value that may be left out follows '='. */
static bool is_left_out(const struct option_row *value, const char *before)
{
	return value && value->otherwise && strcmp(before, "=");
}

/* Has it no operands that completion knows? One that is another command is completed later. */
static bool has_no_operands(const struct command *command)
{
	return (!command->complete && !command->word) || command->complete == COMPLETE_COMMAND;
}

/* @words: from the command's name on; the last of @n is completed */
static void complete(const struct command *command, int n, char **words)
{
	const struct option_row *value = NULL;
	struct options_flat flat;
	bool operands = false;	/* no options follow this word */
	bool chosen = false;	/* nor operands that could be completed */
	const char *last = words[n - 1];

	options_flatten(&flat, command);
	for (int i = 1; i < n - 1; i++) {
		/* the shell has cut --name=value into three words */
		if (value && !strcmp(words[i], "="))
			continue;
		if (is_left_out(value, words[i - 1]))
			value = NULL;
		if (value) {
			value = NULL;
		} else if (!operands && !strcmp(words[i], "--")) {
			operands = true;
		} else if (!operands && words[i][0] == '-' && words[i][1]) {
			value = wants_value(&flat, words[i]);
		} else if (command->stop && command->complete == COMPLETE_COMMAND) {
			printf("command %d\n", i + 1);
			return;
		} else if (command->stop) {
			chosen = true;
		}
	}
	if (is_left_out(value, words[n - 2]))
		value = NULL;
	if (value)
		put_value(value->complete, value->word, value->list);
	else if (command->complete == COMPLETE_COMMAND && (operands || (*last && *last != '-')))
		printf("command %d\n", n);
	else if (chosen)
		puts("nothing");
	else if (!operands && (*last == '-' || has_no_operands(command)))
		put_options(&flat, command);
	else
		put_value(command->complete, command->word, false);
}

/* Tables of a report with a bar or a curve a row. */
static const char *plot_table(unsigned int i)
{
	static const char *const names[] = {
		"depth", "length", "shorter", "rate", "family", "group", "site", "lock", "task",
		"cpu", "waited", "order",
	};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

/* Scripts parse their options themselves. Return: exit status */
static int complete_script(const struct command *command, int n, char **words)
{
	static char script[] = "study", list[] = "--words";
	const char *last = words[n - 1], *before = words[n - 2];

	if (n > 2 && !strcmp(before, "="))	/* the shell has cut --name=value */
		before = words[n - 3];
	if (command == &study_command &&
	    (!strcmp(before, "-w") || !strcmp(before, "--workloads"))) {
		puts("list");
		fflush(stdout);
		return script_exec(2, (char *[]){ script, list, NULL });
	}
	if (command == &plot_command && n == 3 && last[0] != '-')
		put_value(COMPLETE_NOTHING, plot_table, false);
	else
		puts(last[0] == '-' ? "help" : "file");
	return FT_EXIT_OK;
}

static void put_commands(void)
{
	puts("words");
	for (const struct command *const *c = commands; *c; c++)
		puts((*c)->name);
}

int complete_main(int argc, char **argv)
{
	const struct command *command;
	int status = FT_EXIT_OK;

	if (argc < 3) {
		put_commands();
		puts("help\n--help\n--version");
		return flush_output(FT_EXIT_OK);
	}
	command = command_find(argv[1]);
	if (!strcmp(argv[1], "help") && argc == 3)
		put_commands();
	else if (command && command->is_script)
		status = complete_script(command, argc - 1, argv + 1);
	else if (command)
		complete(command, argc - 1, argv + 1);
	else
		puts("nothing");
	return flush_output(status);
}
