/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of emptying a row of a sensor's table (module/sensor/idle.c), for Spin. Run by
 * ./check. A step is one access to memory that others can see; the comment beside it names
 * the function that it stands for.
 *
 * What is modelled
 *
 *   One CPU, whose table has one place, and contexts that interrupt each other: a task that
 *   counts and empties the row, an interrupt and an NMI that count, each for two keys in turn.
 *   An interrupt comes between any two steps, and ends before what it interrupted goes on. A
 *   monitor on another CPU adds the rows up.
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
#define LEVELS	3
#ifndef EMPTIES
#define EMPTIES	0		/* the context that empties: the task */
#endif

#define LEAVING	255		/* FT_ROW_LEAVING */

#define P_WHOLE	1		/* all that was counted is there in the end */
#define P_OWN	2		/* a value is counted in its key's row, or the first one */
#define P_SUM	3		/* a monitor has all from before it, and nothing from after it */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

byte key;			/* of the only place */
byte first, row;		/* what is counted in the first row, and there */
byte moves;
byte counted;
byte running;			/* the context that runs */
byte ended;			/* so many contexts have */

/* ft_row_find(), ft_row_inc() */
inline count(k)
{
	old = key;
	if
	:: old == 0 ->
		/* local64_cmpxchg() */
		atomic {
			if
			:: key == 0 -> key = k; old = k
			:: else -> old = key
			fi
		}
	:: else
	fi;
	atomic {
		if
		:: old == k ->
			CHECK(P_OWN, key == k);
			row++
		:: else -> first++
		fi;
		counted++
	}
}

/* ft_idle_empty() */
inline clear()
{
	if
	:: key != 0 ->
		moves++;
#ifdef FREE_FIRST
		key = 0;
#else
#ifndef KEY_STAYS
		key = LEAVING;
#endif
#endif
		/* ft_idle_move() */
		old = row;
		first = first + old;
		row = 0;
#ifndef FREE_FIRST
		key = 0;
#endif
		moves++
	:: else
	fi
}

/* It starts at any moment when something less urgent runs. Its number is level + 1. */
proctype context(byte level) provided (running < _pid)
{
	byte old, before, i;

	for (i : 1 .. ROUNDS) {
		atomic {
			before = running;
			running = level
		};
		count(1 + (level + i) % 2);
		if
		:: level == EMPTIES -> clear()
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
	byte from, seen, sum;

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
	sum = sum + row;
	atomic {
		if
#ifndef ONE_LOOK
		:: moves != seen -> seen = 0; from = 0; sum = 0; goto again
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
		run monitor()
	};
	(ended == LEVELS);
	CHECK(P_WHOLE, first + row == counted)
}
