/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The session file of a trace, DIR/info/session: what was recorded, where, and how much was
 * lost. One line per fact, key<TAB>value. It lies in a subdirectory, as CTF readers take
 * every file beside the metadata for a stream.
 */
#ifndef FT_TRACE_SESSION_FILE_H
#define FT_TRACE_SESSION_FILE_H

#include <stddef.h>
#include <stdio.h>

#define SESSION_DIR	"info"
#define SESSION_FILE	SESSION_DIR "/session"
#define SESSION_SYMBOLS	SESSION_DIR "/kallsyms"	/* sorted by address */
#define SESSION_MODULES	SESSION_DIR "/modules"
#define SESSION_TASKS	SESSION_DIR "/tasks"	/* number<TAB>name, see symbols/tasks.h */
#define SESSION_LOCKS	SESSION_DIR "/locks"	/* see trace/lock_file.h */
#define SESSION_LOCK_CALLS SESSION_DIR "/lock_calls" /* see trace/lock_calls.h */
#define SESSION_PARTS	SESSION_DIR "/parts"	/* of a rotated recording: its parts */
#define SESSION_PROGRAMS SESSION_DIR "/programs" /* see symbols/programs.h */
#define SESSION_STACKS	SESSION_DIR "/stacks"	/* see trace/stacks.h */

/* All of them, to copy or to remove a trace. */
#define SESSION_FILES		{								\
	SESSION_FILE, SESSION_SYMBOLS, SESSION_MODULES, SESSION_TASKS, SESSION_LOCKS,		\
	SESSION_PARTS, SESSION_PROGRAMS, SESSION_STACKS, SESSION_LOCK_CALLS,			\
}

/*
 * Keys, all optional for a reader: host kernel_release kernel_version machine boot_id
 * virtual start duration_s command command_status events lock_source clock clock_hz
 * acquire_clock clock_state acquire_early_ns (see record/early_bound.h)
 * uuid cpus slots ft_version stacks stacks_taken stacks_different stacks_full stacks_failed (see
 * record/kernel_stacks.h) kallsyms tasks lock_names ended lost records lost.cpu<N>
 * lost_before unwritten replaced; of ft run: stacks_waits_ns stacks_sections_ns stacks_one_in
 * unwind (fp or dwarf), and stacks_full and stacks_failed as above; processes streams
 * lost_without_ring
 * lost_without_clock lost_beside_child lost_in_unknown_child damage; of ft attach: pid;
 * of a snapshot: snapshot (why) window_begin window_end (on the trace's clock; begin 0: the
 * start) condition (what was fulfilled) condition_event condition_time condition_tid,
 * condition_cpu and condition.<N> of the kernel's;
 * of a part of a rotated recording: recording part, dropped_parts dropped_records (in front
 * of it, where a spool was full: see send/spool.h)
 */

/**
 * session_get - the value of @key in the trace directory @dir
 *
 * Return: 0 with a terminated string in @buf; -ENOENT no such key, or no
 * session file; -ENAMETOOLONG the value was cut to @len; else -errno.
 */
int session_get(const char *dir, const char *key, char *buf, size_t len);

/**
 * session_value - the whole value of @key in the trace directory @dir
 *
 * Return: to be freed; NULL with errno: ENOENT no such key, or no session file.
 */
char *session_value(const char *dir, const char *key);

/**
 * session_escape - write a value in one line and column
 *
 * Tabs, newlines and backslashes become \t, \n and \\, other control characters \x1b.
 */
void session_escape(FILE *f, const char *s);

/** session_put - append a line; the value is escaped */
__attribute__((format(printf, 3, 4)))
void session_put(FILE *f, const char *key, const char *fmt, ...);

#endif /* FT_TRACE_SESSION_FILE_H */
