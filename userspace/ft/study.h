/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft study: the paper's study of critical sections, on this machine.
 *
 * Recording and writing the page are two steps, with a directory between them:
 *
 *	DIR/idle, DIR/compile, DIR/stress	a trace each, also of programs
 *	DIR/info/session			what the workloads were
 *	DIR/study.txt, DIR/study.html		the page
 */
#ifndef FT_FT_STUDY_H
#define FT_FT_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum study_workload {
	STUDY_IDLE,
	STUDY_COMPILE,
	STUDY_STRESS,
	STUDY_PAPER,			/* the paper has numbers of those before */
	STUDY_FFPLAY = STUDY_PAPER,	/* as in its figures 8 and 9: two players, */
	STUDY_MPLAYER,
	STUDY_DOOM,			/* a game */
	STUDY_WORKLOADS
};

extern const char *const study_names[STUDY_WORKLOADS];

/** struct study - what was asked for */
struct study {
	const char	*dir;
	const char	*work;		/* where workloads write; NULL: in dir */
	const char	*sources;	/* to compile; NULL: those of the tool */
	unsigned int	workloads;	/* a bit for each */
	double		seconds;
	uint32_t	slots;		/* of a ring; 0: as memory allows */
	bool		force;
};

/** study_record - all workloads, one after the other; exit status */
int study_record(const struct study *s);

/** study_page - of what is in @dir: text to stdout and files; exit status */
int study_page(const char *dir);

/**
 * study_tree - the source tree that this program was built in, or $FT_TREE
 *
 * Return: @path, or NULL where there is none.
 */
const char *study_tree(char *path, size_t len);

/* study_process.c */

/** study_path - DIR/NAME, which must fit: it ends the program if not */
const char *study_path(char *path, size_t len, const char *dir, const char *name);

/** study_has_program - is it in $PATH? */
bool study_has_program(const char *name);

/** study_remove - a directory and all in it */
void study_remove(const char *path);

/**
 * study_start - a program in a process group of its own
 * @argv:  NULL-terminated
 * @log:   what it writes; NULL: to where we write, and it stays in our group
 * @again: start it again whenever it has ended well
 *
 * It dies with us. Return: its pid, or -1 with a message.
 */
int study_start(const char *const *argv, const char *log, bool again);

/** study_wait - for its end; Ctrl-C reaches it. Return: as of waitpid() */
int study_wait(int pid);

/** study_ended - has it ended by itself? */
bool study_ended(int pid);

/** study_stop - end a group, and wait for it */
void study_stop(int pid);

/** study_interrupted - was there a Ctrl-C? */
bool study_interrupted(void);
void study_catch_signals(void);

#endif /* FT_FT_STUDY_H */
