// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft mark: its words. */
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/mark.h"
#include "control/sessions.h"
#include "ft/commands.h"
#include "trace/request_mark.h"

struct mark {
	const char	*session;
};

static const struct option_row options[] = {
	{ 0, "session", "NAME", "the session of this name; without it: see above, and "
	  "'ft session'", OPTION_TEXT(struct mark, session), .word = sessions_word },
	{ }
};

static int parse_word(const char *text, uint64_t *word)
{
	if (parse_u64(text, word))
		return usage_error("mark", "not a 64-bit number (decimal or 0x hex): '%s'", text);
	return -1;
}

static const char *role_word(unsigned int i)
{
	static const char *const words[REQUEST_ROLES] = REQUEST_ROLE_WORDS;

	return i < REQUEST_ROLES ? words[i] : NULL;
}

/* Return: the role that this word names, or REQUEST_ROLES */
static enum request_role role_of(const char *word)
{
	enum request_role role = REQUEST_BEGIN;

	while (role < REQUEST_ROLES && strcmp(word, role_word(role)))
		role++;
	return role;
}

/* Words of a mark for a request. This process is not one of its threads; its parent is. */
static int request_words(enum request_role role, int argc, char **argv, struct ft_mark *mark)
{
	uint64_t word[2] = { 0, (uint64_t)getppid() };

	if (argc < 2)
		return usage_error("mark", "%s which request? Give its number", argv[0]);
	for (int i = 1; i < argc; i++) {
		if (parse_word(argv[i], &word[i - 1]) >= 0)
			return FT_EXIT_USAGE;
	}
	if (argc == 2 && !word[1])
		return usage_error("mark", "in which thread? The parent process is not in this "
				   "PID namespace: give the thread's number");
	if (!word[1] || word[1] > INT32_MAX)
		return usage_error("mark", "not the number of a thread: '%s'", argv[2]);
	mark->a = word[0];
	mark->b = request_mark_word(role, (int32_t)word[1]);
	return -1;
}

static int plain_words(int argc, char **argv, struct ft_mark *mark)
{
	uint64_t word[2] = { 0, 0 };

	if (argc > 2)
		return usage_error("mark", "a mark has two words at most: '%s' is too much",
				   argv[2]);
	for (int i = 0; i < argc; i++) {
		if (parse_word(argv[i], &word[i]) >= 0)
			return FT_EXIT_USAGE;
	}
	mark->a = word[0];
	mark->b = word[1];
	return -1;
}

static int mark_main(int argc, char **argv)
{
	struct mark m = { 0 };
	enum request_role role;
	struct ft_mark mark;
	int ret;

	ret = options_parse(&mark_command, &m, &argc, &argv);
	if (ret >= 0)
		return ret;
	role = role_of(argv[0]);
	if (role == REQUEST_ROLES)
		ret = plain_words(argc, argv, &mark);
	else
		ret = request_words(role, argc, argv, &mark);
	if (ret >= 0)
		return ret;
	return mark_set(m.session, &mark) ? FT_EXIT_OK : FT_EXIT_ERROR;
}

const struct command mark_command = {
	.name = "mark",
	.about = "Puts a mark into the running trace",
	.usage = "[--session NAME] A [B]\n[--session NAME] begin|end|join|leave ID [THREAD]",
	.text = "Puts a record of the event 'mark' with the words A and B (default: 0) into\n"
		"the running trace. Numbers are decimal or 0x hex. The event must be\n"
		"enabled: ft record -e mark,... Without --session it is the default session if\n"
		"the event is on there, else the only one in which it is.\n"
		"With begin, end, join or leave it is a mark for 'ft requests': of the request\n"
		"ID, in a thread, which is the parent process unless another one is named.\n",
	.options = options,
	.stop = true,
	.min = 1,
	.max = 3,
	.word = role_word,
	.missing = "mark with which number?",
	.excess = "a mark of a request has an id and a thread, any other two words at most",
	.main = mark_main,
};
