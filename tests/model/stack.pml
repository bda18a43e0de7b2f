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
 *   ends before what it interrupted goes on.
 *
 * What is not modelled
 *
 *   A full stack, which is emptied; memory order, as all is on one CPU.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#ifndef LEVELS
#define LEVELS	3
#endif
#ifndef ROUNDS
#define ROUNDS	2
#endif
#define SLOTS	(2 * LEVELS + 1)

#define NONE	0		/* FT_STACK_NONE */
/* The two locks of a context, and what it releases without having acquired it. */
#define LOCK(level, i)	(2 + 2 * (level) + (i))
#define NOBODYS		LOCK(LEVELS - 1, 0)

#define P_FOUND	1		/* a release finds its acquisition */
#define P_OWN	2		/* ... and its time */
#define P_ALONE	3		/* one without an acquisition finds none */
#define P_EMPTY	4		/* when nothing is held, nothing is on the stack */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

byte lock[SLOTS];		/* the first is the bottom */
byte time[SLOTS];
byte top;
byte clock;
byte running;			/* the context that runs */
byte rounds[LEVELS];
bool ended;			/* the task has */

/* ft_stack_raise(), ft_stack_fill() */
inline push(l)
{
	next = top + 1;
#ifdef FILL_FIRST
	now = clock;
	clock++;
	time[next] = now;
	lock[next] = l;
	top = next;
#else
	top = next;
	now = clock;
	clock++;
	time[next] = now;
	lock[next] = l;
#endif
}

/* ft_stack_drop() */
inline drop()
{
	last = top;
#ifdef DROP_LOWERS_FIRST
	top = last - 1;
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
	top = last - 1
#endif
}

/* ft_sensor_spin_release(), or ft_pairing_end() */
inline pop(l, began, known)
{
	at = top;
	if
	:: at && lock[at] == l ->
		/* ft_stack_pop() */
		CHECK(P_ALONE, known);
		CHECK(P_OWN, time[at] == began);
#ifndef KEPT
		lock[at] = NONE;
#endif
		top = at - 1
	:: true ->
		/* ft_stack_search() */
		do
		:: at == 0 || lock[at] == l -> break
		:: else -> at--
		od;
		if
		:: at == 0 -> CHECK(P_FOUND, !known)
		:: else ->
			CHECK(P_ALONE, known);
			CHECK(P_OWN, time[at] == began);
			drop()
		fi
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
			CHECK(P_EMPTY, top == 0);
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
		for (i : 0 .. SLOTS - 1) {
			lock[i] = NONE
		}
		for (i : 0 .. LEVELS - 1) {
			run context(i)
		}
	}
}
