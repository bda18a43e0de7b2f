/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of emptying a row of a sensor's table (module/sensor/idle.c), for Spin. Run by
 * ./check. A step is one access to memory that others can see; the comment beside it names
 * the function that it stands for.
 *
 * What is modelled
 *
 *   One CPU, whose table has two places, and contexts that interrupt each other: a task
 *   that counts and empties a row, an interrupt and an NMI that count, each for two keys in
 *   turn, which are looked for at the same place first. An interrupt comes between any two
 *   steps, and ends before what it interrupted goes on. A monitor on another CPU adds the
 *   rows up.
 *
 * What is not modelled
 *
 *   Whether the row is idle: it may be emptied at any time; several numbers in a row; memory
 *   order, which the barriers beside &ft_sensor_copy.moves keep.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#ifndef ROUNDS
#define ROUNDS	2
#endif
#ifndef EMPTIES
#define EMPTIES	0		/* the context that empties: the task */
#endif
#ifndef LEVELS
#define LEVELS	3
#endif
#define PLACES	2		/* FT_ROW_PLACES, and as many rows */

#define LEAVING	255		/* FT_ROW_LEAVING */
#define NONE	PLACES

#define P_WHOLE	1		/* all that was counted is there in the end */
#define P_OWN	2		/* a value is counted in its key's row, or the first one */
#define P_SUM	3		/* a monitor has all from before it, and nothing from after it */
#define P_ONE	4		/* no key has two rows */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

byte key[PLACES];
byte first, row[PLACES];	/* what is counted in the first row, and in the others */
byte moves;
byte counted;
byte running;			/* the context that runs */
byte ended;			/* so many contexts have */

/* ft_row_search(): sets place, and old to k or 0; NONE: there is no room */
inline search(k)
{
	place = NONE;
	i = 0;
	do
	:: i < PLACES ->
		atomic {
			old = key[i];
			if
			:: old == k -> place = i; break
#ifdef FIRST_VACANT
			:: old == 0 -> place = i; break
#else
			:: old == 0 && place == NONE -> place = i
#endif
			:: else
			fi;
			i++
		}
	:: i == PLACES -> break
	od
}

/* ft_row_find(), ft_row_inc() */
inline count(k)
{
	tries = 0;
	do
	:: tries < PLACES ->
		search(k);
		if
		:: place == NONE -> break
		:: place != NONE
		fi;
		/* local64_cmpxchg() */
		atomic {
			old = key[place];
			if
			:: old == 0 -> key[place] = k; old = k
			:: else
			fi;
			CHECK(P_ONE, key[0] != key[1] || key[0] == 0);
			if
			:: old == k -> break
			:: else -> place = NONE
			fi;
			tries++
		}
	:: tries == PLACES -> break
	od;
	atomic {
		if
		:: place != NONE ->
			CHECK(P_OWN, key[place] == k);
			row[place]++
		:: else -> first++
		fi;
		counted++;
		place = 0;
		i = 0;
		tries = 0
	}
}

/* ft_idle_empty() */
inline clear(n)
{
	if
	:: key[n] != 0 ->
		moves++;
#ifdef FREE_FIRST
		key[n] = 0;
#else
#ifndef KEY_STAYS
		key[n] = LEAVING;
#endif
#endif
		/* ft_idle_move() */
		old = row[n];
		first = first + old;
		row[n] = 0;
#ifndef FREE_FIRST
		key[n] = 0;
#endif
		moves++
	:: else
	fi
}

/* It starts at any moment when something less urgent runs. Its number is level + 1. */
proctype context(byte level) provided (running < _pid)
{
	byte old, before, place, tries, i, round;

	for (round : 1 .. ROUNDS) {
		atomic {
			before = running;
			running = level
		};
		count(1 + (level + round) % 2);
		if
		:: level == EMPTIES ->
			/* ft_idle_look(): any of them */
			if
			:: true -> clear(0)
			:: true -> clear(1)
			fi
		:: else
		fi;
		atomic {
			running = before;
			old = 0
		}
	}
	ended++
}

/* sums_take() */
proctype monitor()
{
	byte from, seen, sum, i;

again:	atomic {
		seen = moves;
		from = counted
	};
#ifndef NOT_ODD
	if
	:: seen % 2 -> seen = 0; from = 0; goto again
	:: else
	fi;
#endif
	sum = first;
	for (i : 0 .. PLACES - 1) {
		sum = sum + row[i]
	}
	atomic {
		if
#ifndef ONE_LOOK
		:: moves != seen -> seen = 0; from = 0; sum = 0; i = 0; goto again
#endif
		:: else -> CHECK(P_SUM, sum >= from && sum <= counted)
		fi
	}
}

init
{
	byte i;

	atomic {
		for (i : 0 .. LEVELS - 1) {
			run context(i)
		}
#ifndef NO_MONITOR
		run monitor()
#endif
	};
	(ended == LEVELS);
	CHECK(P_WHOLE, first + row[0] + row[1] == counted)
}
