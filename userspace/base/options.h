/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A command and its options, as tables: parsing, --help and completion all come from
 * them. A layer can contribute a group of options: a table whose targets are members of
 * a structure of its own.
 *
 * Parsing is getopt_long()'s: long options may be abbreviated and may follow operands.
 * Neither argp nor popt knows how to complete a value, and both print errors of their own.
 */
#ifndef FT_BASE_OPTIONS_H
#define FT_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/usage.h"

/** enum completion - what completes a value or an operand, besides words() */
enum completion {
	COMPLETE_NOTHING,
	COMPLETE_FILE,
	COMPLETE_DIRECTORY,
	COMPLETE_MODULE,	/* a file *.ko */
	COMPLETE_EVENTS,	/* of the running kernel, with commas between them */
	COMPLETE_COMMAND,	/* a program and its arguments */
};

enum option_kind {
	OPTION_KIND_END,
	OPTION_KIND_TITLE,
	OPTION_KIND_GROUP,
	OPTION_KIND_FLAG,
	OPTION_KIND_SET,
	OPTION_KIND_TEXT,
	OPTION_KIND_PATH,
	OPTION_KIND_NUMBER,
	OPTION_KIND_ROWS,
	OPTION_KIND_SECONDS,
	OPTION_KIND_CHOICE,
	OPTION_KIND_CALL,
};

/** struct option_given - an option as it stands on the command line, for messages */
struct option_given {
	const char	*command;
	const char	*name;		/* long, without "--" */
	const char	*value;
};

/**
 * struct option_row - an option
 * @letter:	short name, or 0
 * @name:	long name
 * @value:	name of its value in --help; NULL: it takes none
 * @help:	what it does; --help breaks the lines. NULL: a known option of other commands, which
 *		this one refuses, so that neither --help nor completion has it
 * @kind:	set by the macros below, as are @to, @set, @take and @group
 * @to:		where its value goes: offset in the command's structure
 * @complete:	what completes its value
 * @word:	or these words, by number; NULL behind the last
 * @list:	it takes several of them, with commas between them
 * @otherwise:	the value of --name without one; then --name=VALUE is the only other way
 * @only:	a set of the command's actions, as it numbers them, that take it; 0: all do
 */
struct option_row {
	char			letter;
	const char		*name;
	const char		*value;
	const char		*help;
	enum option_kind	kind;
	size_t			to;
	unsigned int		set;
	int			(*take)(void *to, const struct option_given *given);
	const struct option_row	*group;
	enum completion		complete;
	const char		*(*word)(unsigned int i);
	bool			list;
	const char		*otherwise;
	unsigned int		only;
};

/* The offset of a member, which must be of type @is. */
#define OPTION_TO(type, member, is) \
	(offsetof(type, member) + 0 * sizeof((is *)0 == &((type *)0)->member))

/* Do --help and completion have it? */
static inline bool option_is_offered(const struct option_row *row)
{
	return row->kind != OPTION_KIND_TITLE && row->help;
}

/* A line of --help above the options that follow. */
#define OPTION_TITLE(text) \
	{ .kind = OPTION_KIND_TITLE, .help = (text) }

/* Another table, whose targets are in this member. */
#define OPTION_GROUP(type, member, table) \
	{ .kind = OPTION_KIND_GROUP, .to = offsetof(type, member), .group = (table) }

/* One whose targets are in the same structure. */
#define OPTION_GROUP_ALL(table) \
	{ .kind = OPTION_KIND_GROUP, .group = (table) }

/* What follows the four names of an option: its kind, and where its value goes. */
#define OPTION_FLAG(type, member) \
	.kind = OPTION_KIND_FLAG, .to = OPTION_TO(type, member, bool)

/* Like a flag, but it stores @number. */
#define OPTION_SET(type, member, number) \
	.kind = OPTION_KIND_SET, .to = OPTION_TO(type, member, unsigned int), .set = (number)

#define OPTION_TEXT(type, member) \
	.kind = OPTION_KIND_TEXT, .to = OPTION_TO(type, member, const char *)

/* A file or directory: not empty. */
#define OPTION_PATH(type, member, what) \
	.kind = OPTION_KIND_PATH, .to = OPTION_TO(type, member, const char *), .complete = (what)

#define OPTION_NUMBER(type, member) \
	.kind = OPTION_KIND_NUMBER, .to = OPTION_TO(type, member, size_t)

/* How many rows of a table; 0 means all, and is stored as SIZE_MAX. */
#define OPTION_ROWS(type, member) \
	.kind = OPTION_KIND_ROWS, .to = OPTION_TO(type, member, size_t)

/* More than 0. */
#define OPTION_SECONDS(type, member) \
	.kind = OPTION_KIND_SECONDS, .to = OPTION_TO(type, member, double)

/* One of the words: its number. */
#define OPTION_CHOICE(type, member, words) \
	.kind = OPTION_KIND_CHOICE, .to = OPTION_TO(type, member, unsigned int), .word = (words)

/*
 * @function gets the member, or all of the structure, and the value. It returns -1 to go
 * on, else the exit status, after a message (option_error()).
 */
#define OPTION_CALL_ALL(function) \
	.kind = OPTION_KIND_CALL, .take = (function)
#define OPTION_CALL(type, member, function) \
	.kind = OPTION_KIND_CALL, .to = offsetof(type, member), .take = (function)

/**
 * struct command - a subcommand of ft
 * @name:	"record"
 * @about:	a line of ft --help
 * @usage:	what follows "ft record" in a line of usage, a line for each way
 * @text:	what --help says about the command, in lines
 * @options:	its options without --help, which every command has; may be NULL
 * @notes:	what --help says below the options, or NULL
 * @complete:	what completes an operand
 * @word:	or these words
 * @stop:	what follows the first operand belongs to that
 * @min:	so many operands are needed, else @missing is said
 * @max:	and so many are the most; then @excess is said
 * @is_script:	only @name, @about and @main are set: it parses its options itself
 * @main:	gets its arguments, argv[0] is the command's name
 */
struct command {
	const char		*name;
	const char		*about;
	const char		*usage;
	const char		*text;
	const struct option_row	*options;
	const char		*notes;
	enum completion		complete;
	const char		*(*word)(unsigned int i);
	bool			stop;
	unsigned int		min, max;
	const char		*missing, *excess;
	bool			is_script;
	int			(*main)(int argc, char **argv);
};

#define OPERANDS_ANY	UINT32_MAX

/* What a command that reads a trace says. */
#define OPERAND_TRACE \
	.complete = COMPLETE_DIRECTORY, .min = 1, .max = 1, \
	.missing = "which trace? Name its directory", .excess = "one trace at a time"

/* What a command says that reads several as one, too: the parts of a rotated recording. */
#define OPERAND_TRACES \
	.complete = COMPLETE_DIRECTORY, .min = 1, .max = OPERANDS_ANY, \
	.missing = "which trace? Name its directory"

/**
 * options_parse - take a command line apart
 * @to:		the structure to which the table's targets belong
 * @argc:	of main(); then how many operands there are
 * @argv:	of main(); then the operands, and NULL
 *
 * Return: -1 to go on; else the exit status, after --help or a message.
 */
int options_parse(const struct command *command, void *to, int *argc, char ***argv);

#define OPTIONS_MAX	64u	/* of a command */

/** struct options_given - the options that stand on a command line, each once */
struct options_given {
	unsigned int		n;
	const struct option_row	*row[OPTIONS_MAX];
};

/** options_parse_given - the same, and which options there were; @all may be NULL */
int options_parse_given(const struct command *command, void *to, int *argc, char ***argv,
			struct options_given *all);

/**
 * options_parse_program - the same in a program of its own, as ft-top
 *
 * OPTIONS_COMPLETE WORD... asks what completes the last word, as 'ft complete' asks it.
 */
int options_parse_program(const struct command *command, void *to, int *argc, char ***argv);

#define OPTIONS_COMPLETE	"--complete"

/** option_error - "--NAME " and what is wrong. Return: FT_EXIT_USAGE. */
__attribute__((format(printf, 2, 3)))
int option_error(const struct option_given *given, const char *fmt, ...);

/* All options of a command, those of its groups and --help too. */
struct options_flat {
	unsigned int	n;
	struct {
		const struct option_row	*row;
		size_t			to;
	} at[OPTIONS_MAX];
};

/** options_flatten - titles are rows, too */
void options_flatten(struct options_flat *flat, const struct command *command);

/**
 * options_complete - print what completes a command line, for a shell
 * @n:		number of words, from the command's name on
 * @words:	the last of them is completed
 *
 * The first line is the kind of completion, the others are words:
 *
 *	words		one of these words
 *	list		these words, separated by commas
 *	events		the same with the events of the running kernel
 *	file, directory, module
 *	command N	a program and its arguments, which begin with word N (ft is word 0)
 *	nothing
 */
void options_complete(const struct command *command, int n, char **words);

/** options_complete_value - the same of one value: words, with commas between them if @list */
void options_complete_value(enum completion complete, const char *(*word)(unsigned int i),
			    bool list);

/** options_help - what --help prints */
void options_help(const struct command *command, FILE *f);

#endif /* FT_BASE_OPTIONS_H */
