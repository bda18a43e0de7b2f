// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What completes a command line, from the tables of options.h. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"

static void put_words(const char *(*word)(unsigned int i))
{
	const char *text;

	for (unsigned int i = 0; (text = word(i)); i++)
		puts(text);
}

void options_complete_value(enum completion complete, const char *(*word)(unsigned int i),
			    bool list)
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

void options_complete(const struct command *command, int n, char **words)
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
		options_complete_value(value->complete, value->word, value->list);
	else if (command->complete == COMPLETE_COMMAND && (operands || (*last && *last != '-')))
		printf("command %d\n", n);
	else if (chosen)
		puts("nothing");
	else if (!operands && (*last == '-' || has_no_operands(command)))
		put_options(&flat, command);
	else
		options_complete_value(command->complete, command->word, false);
}
