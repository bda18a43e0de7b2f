/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of the stack of spinning locks that sensors have on each CPU, for Spin. Run by
 * ./check. A step is one access to memory that others can see; the comment beside it names
 * the function that it stands for.
 *
 * What is modelled
 *
 *   One CPU, with contexts that interrupt each other: a task, an interrupt, an NMI. Each of
 *   them acquires two locks and releases them in either order, and comes again; one also
 *   releases a lock whose acquisition was not seen. A release takes the short way, if its
 *   lock is on the top, or the general one. An interrupt comes between any two steps, and
 *   ends before what it interrupted goes on. A task that finds the stack full (SLOTS) empties
 *   it; with ALL_EMPTY, interrupts do, too. With LEFT, releases of what interrupts may not be
 *   seen; with STOLEN, acquisitions of a lock that is the interrupted one's as well.
 *
 * What is not modelled
 *
 *   Memory order, as all is on one CPU; ft_stack_forget().
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#ifndef LEVELS
#define LEVELS	3
#endif
#ifndef ROUNDS
#define ROUNDS	2
#endif
#ifndef SLOTS
#define SLOTS	(2 * LEVELS + 1)
#endif
/* A context that is about to lower the top lowers it by one too many. */
#define BOTTOM	(LEVELS + 1)
#define END	(BOTTOM + SLOTS)

#define NONE	0		/* FT_STACK_NONE */
#define NEVER	0		/* the time of an acquisition that was dropped */
/* The two locks of a context, and what it releases without having acquired it. */
#define LOCK(level, i)	(2 + 2 * (level) + (i))
#define NOBODYS		LOCK(LEVELS - 1, 0)

#define P_FOUND	1		/* a release finds its acquisition, if none was dropped */
#define P_OWN	2		/* ... and its time */
#define P_ALONE	3		/* one without an acquisition finds none */
#define P_EMPTY	4		/* when nothing is held, nothing is on the stack */
#define P_INSIDE	5	/* nobody reads or writes beside it */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

byte lock[END + 1];		/* below the bottom, it, and the entries; the last is none */
byte time[END + 1];
byte above;			/* ft_stack_above */
byte clock;
byte running;			/* the context that runs */
byte rounds[LEVELS];
bool ended;			/* the task has */
bool dropped;			/* an acquisition was */

#ifdef ALL_EMPTY
#define MAY_EMPTY	true
#else
#define MAY_EMPTY	(level == 0)
#endif

/* ft_stack_raise(), ft_stack_fill() */
inline fill(l)
{
	CHECK(P_INSIDE, next > 0 && next < END);
#ifdef FILL_FIRST
	now = clock;
	clock++;
	time[next] = now;
	lock[next] = l;
	above = next + 1;
#else
#ifdef RAISED_BY_ONE
	above = above + 1;
#else
	above = next + 1;
#endif
	now = clock;
	clock++;
	time[next] = now;
	lock[next] = l;
#endif
}

/* ft_sensor_spin_acquire(), ft_stack_push() */
inline push(l)
{
	next = above;
	if
	:: next != END && next != BOTTOM -> fill(l)
	:: (next == END || next == BOTTOM) && !MAY_EMPTY ->
		/* ft_stack_forget_lock() */
		now = NEVER;
		dropped = true;
		at = END - 1;
#ifndef OLDER_KEPT
		do
		:: at > BOTTOM ->
			if
			:: lock[at] == l -> lock[at] = NONE
			:: else
			fi;
			at--
		:: else -> break
		od
#endif
	:: (next == END || next == BOTTOM) && MAY_EMPTY ->
		/* ft_stack_empty() */
		dropped = true;
		at = END - 1;
		do
		:: at > 0 ->
			lock[at] = NONE;
			at--
		:: else -> break
		od;
#ifdef LOWERED_BY_ALL
		above = above - (SLOTS - 1);
		next = above;
#else
		next = BOTTOM + 1;
#endif
		fill(l)
	fi
}

/* ft_stack_drop() */
inline drop()
{
	last = above - 1;
#ifdef DROP_LOWERS_FIRST
	above = above - 1;
#endif
	do
	:: at < last ->
		time[at] = time[at + 1];
		lock[at] = lock[at + 1];
		at++
	:: else -> break
	od;
	lock[last] = NONE;
#ifndef DROP_LOWERS_FIRST
	above = above - 1
#endif
}

/* ft_stack_search(): at is where it begins, and where that is; BOTTOM or 0: nowhere */
inline search(l)
{
	do
	:: at == 0 || at == BOTTOM || lock[at] == l -> break
	:: else -> at--
	od
}

/* ft_sensor_spin_release(), or ft_pairing_end() */
inline pop(l, began, known)
{
	at = above - 1;
	CHECK(P_INSIDE, at < END);
	if
	:: lock[at] == l ->
		/* ft_stack_pop() */
		CHECK(P_ALONE, known);
		CHECK(P_OWN, time[at] == began);
#ifndef KEPT
		lock[at] = NONE;
#endif
		above = above - 1
	:: true ->
		search(l);
		if
		:: at == 0 || at == BOTTOM -> CHECK(P_FOUND, !known || dropped)
		:: else ->
			CHECK(P_ALONE, known);
			CHECK(P_OWN, time[at] == began);
			drop()
		fi
	fi
}

/* The same of a lock that the interrupted one has, whose acquisition here was not seen. */
inline steal(l)
{
	dropped = true;
	at = above - 1;
	search(l);
	if
	:: at == 0 || at == BOTTOM
	:: else -> drop()
	fi
}

/* It starts at any moment when something less urgent runs. Its number is level + 1. */
proctype context(byte level) provided (running < _pid)
{
	byte next, now, at, last, before, first, second;

	do
	:: rounds[level] < ROUNDS && (level == 0 || !ended) ->
		atomic {
			rounds[level]++;
			before = running;
			running = level
		};
		push(LOCK(level, 0));
		first = now;
		push(LOCK(level, 1));
		second = now;
		if
		:: pop(LOCK(level, 0), first, true);
		   pop(LOCK(level, 1), second, true)
		:: pop(LOCK(level, 1), second, true);
		   pop(LOCK(level, 0), first, true)
#ifdef LEFT
		:: level > 0 -> pop(LOCK(level, 0), first, true)
		:: level > 0 -> pop(LOCK(level, 1), second, true)
#endif
#ifdef STOLEN
		:: level > 0 -> steal(LOCK(0, 0))
#endif
		fi;
		if
		:: level > 0 && level < LEVELS - 1 -> pop(NOBODYS, 0, false)
		:: else
		fi;
		atomic {
			running = before;
			at = 0;
			last = 0
		}
	:: level == 0 && rounds[0] == ROUNDS ->
		atomic {
#ifndef LEFT
			CHECK(P_EMPTY, above == BOTTOM + 1);
#endif
			ended = true
		};
		break
	:: level > 0 && (ended || rounds[level] == ROUNDS) -> break
	od
}

init
{
	byte i;

	atomic {
		above = BOTTOM + 1;
		clock = 1;
		for (i : 0 .. END) {
			lock[i] = NONE
		}
		for (i : 0 .. LEVELS - 1) {
			run context(i)
		}
	}
}
