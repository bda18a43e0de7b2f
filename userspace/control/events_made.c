// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events of tracepoints, functions and points in them. See events_made.h. */
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/number.h"
#include "control/events.h"
#include "control/events_made.h"
#include "control/typed/kernel_function.h"
#include "control/typed/kernel_tracepoint.h"

#define TRACEPOINT	"tracepoint:"
#define FUNCTION	"function:"
#define KPROBE		"kprobe:"

static bool begins_with(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

bool events_is_one(const char *word)
{
	return begins_with(word, TRACEPOINT) || begins_with(word, KPROBE);
}

bool events_is_function(const char *word)
{
	return begins_with(word, FUNCTION);
}

bool events_is_made(const char *word)
{
	return events_is_one(word) || events_is_function(word);
}

/* For words that nobody describes, neither the module nor the kernel's types. */
static void warn_of_raw_words(const struct events *events, const struct ft_tracepoint *tp)
{
	ssize_t at = events_find(events, tp->id);

	if (at < 0 || tp->word[0].arg || strcmp(events->info[at].field[0], "arg0"))
		return;
	warnx("tracepoint '%s': there is no type information (BTF) of its arguments: arg0 and arg1 "
	      "are the first two registers as they are; the upper bits of arguments of less than "
	      "64 bits are undefined", tp->name);
}

static bool make_tracepoint(struct events *events, const char *word)
{
	struct ft_tracepoint tp = { 0 };

	if (!kernel_tracepoint_find(word + strlen(TRACEPOINT), &tp))
		return false;
	if (!ioctl(events->control, FT_IOC_TRACEPOINT, &tp) &&
	    events_append(events, tp.id)) {
		warn_of_raw_words(events, &tp);
		return true;
	}
	if (errno == ENOENT)
		warnx("neither the kernel nor a loaded module has a tracepoint '%s'; "
		      "see: ls /sys/kernel/tracing/events/*", tp.name);
	else if (errno == EEXIST)
		warnx("cannot make an event of the tracepoint '%s': an event of another kind, or "
		      "of other words, is called '%s'%s", tp.name, *tp.event ? tp.event : tp.name,
		      *tp.event ? ": give a word another name: NAME=EXPRESSION" : "");
	else if (errno == ENOTTY)
		warnx("cannot make an event of the tracepoint '%s': the loaded module is older "
		      "than this ft: ft unload, ft load", tp.name);
	else
		warn("cannot make an event of the tracepoint '%s'", tp.name);
	return false;
}

static void explain_no_function(const char *name, int error)
{
	static const struct { int error; const char *why; } reasons[] = {
		{ ENOENT, "ftrace cannot wrap it; see: "
			  "/sys/kernel/tracing/available_filter_functions" },
		{ EPERM, "it may not return, or the module reads the clock with it, or has it "
			 "itself" },
		{ EBUSY, "events of locks wrap it: -e locks" },
		{ EINVAL, "its name is too long" },
		{ ENODEV, "ftrace, which wraps functions, has disabled itself after an error (see "
			  "dmesg): restart the machine" },
		{ EEXIST, "another event, or another function, has that name" },
		{ ENOSPC, "all 16 places are taken: functions that are off keep theirs as long "
			  "as any function is wrapped; see: ft functions, ft sensors list" },
		{ EOPNOTSUPP, "this kernel's functions cannot be wrapped: trace it with ftrace" },
		{ ENOTTY, "the module that is loaded is older than this: ft unload, ft load" },
	};
	const char *why = strerror(error);

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (reasons[i].error == error)
			why = reasons[i].why;
	}
	warnx("cannot trace the function '%s': %s", name, why);
}

bool events_make_function(struct events *events, const char *word, __u32 id[2])
{
	const char *name = word + strlen(FUNCTION);
	struct ft_function function = { 0 };

	if (!kernel_function_find(name, &function))
		return false;
	if (ioctl(events->control, FT_IOC_FUNCTION, &function) < 0) {
		explain_no_function(name, errno);
		return false;
	}
	memcpy(id, function.id, sizeof(function.id));
	if (events_append(events, id[0]) && events_append(events, id[1]))
		return true;
	warn("cannot list the events of the function '%s'", name);
	return false;
}

/* Registers, and which word of struct pt_regs of x86-64 has them. */
static const struct {
	const char	*name;
	__u8		word;
} registers[] = {
	{ "ax", 10 }, { "bx", 5 }, { "cx", 11 }, { "dx", 12 }, { "si", 13 }, { "di", 14 },
	{ "bp", 4 }, { "sp", 19 }, { "flags", 18 }, { "r8", 9 }, { "r9", 8 }, { "r10", 7 },
	{ "r11", 6 }, { "r12", 3 }, { "r13", 2 }, { "r14", 1 }, { "r15", 0 },
};

static bool take_register(struct ft_kprobe *kprobe, unsigned int word, const char *name)
{
	const char *names[ARRAY_SIZE(registers)];
	char hint[NEAREST_HINT] = "";

	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		names[i] = registers[i].name;
		if (strcmp(names[i], name))
			continue;
		kprobe->reg[word] = registers[i].word;
		strcpy(kprobe->field[word], name);
		return true;
	}
	nearest_hint(hint, name, names, ARRAY_SIZE(names));
	warnx("'%s' is not a register%s There are ax, bx, cx, dx, si, di, bp, sp, flags and r8 "
	      "to r15",
	      name, *hint ? hint : ".");
	return false;
}

static bool is_register(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		if (strlen(registers[i].name) == len && !strncmp(registers[i].name, name, len))
			return true;
	}
	return false;
}

/* The end of NAME+OFFSET or MODULE:NAME+OFFSET: what is behind a module is no register. */
static char *end_of_point(char *text)
{
	char *end = strchrnul(text, ':'), *next = end + !!*end;

	if (!*end || memchr(text, '+', (size_t)(end - text)) ||
	    is_register(next, strcspn(next, ":")))
		return end;
	return strchrnul(next, ':');
}

/* [MODULE:]NAME+OFFSET:REGISTER:REGISTER, cut into pieces. Return: false after a message. */
static bool take_kprobe(struct ft_kprobe *kprobe, const char *word, char *text)
{
	char *end = end_of_point(text), *rest = *end ? end + 1 : NULL, *point = text, *plus;
	const char *other = rest && !strcmp(rest, "si") ? "di" : "si";
	uint64_t offset = 0;

	*end = '\0';
	plus = strchr(point, '+');

	if (plus)
		*plus = '\0';
	if (!*point || strlen(point) >= sizeof(kprobe->name) ||
	    (plus && (parse_u64(plus + 1, &offset) || offset > UINT32_MAX))) {
		warnx("'%s' names no point in a function: " KPROBE
		      "[MODULE:]NAME+OFFSET:REGISTER:REGISTER", word);
		return false;
	}
	strcpy(kprobe->name, point);
	kprobe->offset = (__u32)offset;
	if (!take_register(kprobe, 0, rest ? strsep(&rest, ":") : "di") ||
	    !take_register(kprobe, 1, rest ? strsep(&rest, ":") : other))
		return false;
	if (!rest && kprobe->reg[0] != kprobe->reg[1])
		return true;
	warnx("'%s': a record has two registers, and not the same one twice", word);
	return false;
}

static void explain_no_kprobe(const struct ft_kprobe *kprobe, int error)
{
	static const struct { int error; const char *why; } reasons[] = {
		{ ENOENT, "the kernel has no such function, or it is inlined; see: "
			  "/proc/kallsyms" },
		{ EILSEQ, "no instruction begins there" },
		{ EINVAL, "the kernel allows no kprobe there, or the names are too long" },
		{ EADDRINUSE, "something else is there" },
		{ EEXIST, "an event of other registers, or of another kind, has its name" },
		{ EOPNOTSUPP, "this kernel has no kprobes" },
		{ ENOTTY, "the module that is loaded is older than this: ft unload, ft load" },
	};
	const char *why = strerror(error);

	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (reasons[i].error == error)
			why = reasons[i].why;
	}
	warnx("cannot trace the point %s+0x%x: %s", kprobe->name, kprobe->offset, why);
}

/* As the kernel wants it: it looks among its own functions first, and modules have '_'. */
static void name_point(char *name)
{
	char *colon = strchr(name, ':');

	for (char *c = name; colon && c < colon; c++)
		*c = *c == '-' ? '_' : *c;
	if (begins_with(name, "vmlinux:"))
		memmove(name, colon + 1, strlen(colon));
}

static bool make_kprobe(struct events *events, const char *word)
{
	struct ft_kprobe kprobe = { 0 };
	char *text = mem_strdup(word + strlen(KPROBE));
	bool ok = take_kprobe(&kprobe, word, text);

	mem_free(text);
	if (!ok || !kernel_function_is_clear(kprobe.name))
		return false;
	name_point(kprobe.name);
	if (ioctl(events->control, FT_IOC_KPROBE, &kprobe) < 0) {
		explain_no_kprobe(&kprobe, errno);
		return false;
	}
	if (events_append(events, kprobe.id))
		return true;
	warn("cannot list the event of the point %s", word);
	return false;
}

bool events_make(struct events *events, const char *word)
{
	__u32 id[2];

	if (begins_with(word, TRACEPOINT))
		return make_tracepoint(events, word);
	return begins_with(word, KPROBE) ? make_kprobe(events, word) :
					   events_make_function(events, word, id);
}
