/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of include/feather_trace/fifo.h, for Spin. Run by ./check. A step is one access to
 * memory that others can see; the comment beside it names the function that it stands for.
 *
 * What is modelled
 *
 *   Writers. Processes that run at the same time, each of which may stand still between any
 *   two steps: threads on several CPUs. Contexts that interrupt each other do less, as the
 *   upper one finishes before the lower one goes on. Each makes several attempts.
 *
 *   The reader. Takes one record or more, and gives them back, chosen anew each time.
 *
 *   Positions wrap: they are numbers modulo WRAP, and begin near it, as do those of 16 or 32
 *   bits. Excess is a difference between -WRAP/2 and WRAP/2 - 1.
 *
 * What is not modelled
 *
 *   Memory order: every step here is sequentially consistent. In the code:
 *   - record before mark: store-release in ft_fifo_commit(), load-acquire in ft_fifo_next();
 *   - reading and clearing before limit: release in the addition of ft_fifo_release(), acquire
 *     in that of ft_fifo_reserve(); those of other writers in between are additions, too, and
 *     so belong to the release sequence.
 *
 *   More writers, slots and attempts than given to the verifier.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#ifndef WRITERS
#define WRITERS	2
#endif
#ifndef SLOTS
#define SLOTS	2
#endif
#ifndef EVENTS
#define EVENTS	3
#endif
#ifndef WRAP
#define WRAP	16
#endif
#define START	(WRAP - 2)

#define P_OVERRUN	1	/* a slot is its writer's alone until it is read */
#define P_WHOLE		2	/* a record is read as it was written, in order */
#define P_ACCOUNT	3	/* attempts = read + lost */
#define P_GAP		4	/* a loss between two records of a writer shows */
#define P_NO_GAP	5	/* ... and each gap is a loss */
#define P_EMPTY		6	/* nothing is left at the end */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

#define ADD(a, b)	(((a) + (b)) % WRAP)
/* ft_fifo_excess(), and other differences, + WRAP/2 */
#define ABOVE(a, b)	(((a) + WRAP + WRAP / 2 - (b)) % WRAP)
#define ZERO		(WRAP / 2)

typedef slot_t {
	byte mark;	/* 0: free; 1 + writer; NOTE + count */
	byte a;		/* both parts of the record hold its number */
	byte b;
	bool after;	/* ghost: its writer lost one since its record before */
	byte owner;	/* ghost: 1 + the writer that fills it */
};
#define NOTE	128

slot_t slot[SLOTS];
#define AT(pos)	slot[(pos) % SLOTS]

/* The word. */
byte w = START;
byte limit = (START + SLOTS) % WRAP;

byte lost;
byte finished;
byte attempts;		/* ghost */

proctype writer(byte me)
{
	byte todo = EVENTS, pos, above, serial;
	bool gone;

	do
	:: todo > 0 ->
		/* ft_fifo_reserve(): the look */
		atomic {
			todo--;
			attempts++;
			above = ABOVE(w, limit)
		}
		if
#ifndef NO_LOOK
#ifdef LOOK_AT_LIMIT
		:: atomic { above >= ZERO -> lost++; gone = true }
		:: atomic { above < ZERO ->
#else
		:: atomic { above > ZERO -> lost++; gone = true }
		:: atomic { above <= ZERO ->
#endif
#else
		:: atomic { true ->
#endif
			/* ft_fifo_reserve(): the addition */
			pos = w;
#ifndef SPLIT_ADD
			above = ABOVE(w, limit);
			w = ADD(w, 1)
		   }
#else
		   }
		   atomic {
			above = ABOVE(pos, limit);
			w = ADD(pos, 1)
		   }
#endif
#ifdef NO_SECOND_LOOK
			above = 0;
#endif
			if
			:: above >= ZERO -> gone = true
			:: else ->
				atomic {
					CHECK(P_OVERRUN, AT(pos).owner == 0 && AT(pos).mark == 0);
					AT(pos).owner = 1 + me;
#ifdef EARLY_COMMIT
					AT(pos).mark = 1 + me;
#endif
					serial++;
					AT(pos).a = serial;
					AT(pos).after = gone;
					gone = false
				}
				/* ft_fifo_write(): the copy */
				atomic {
					CHECK(P_OVERRUN, AT(pos).owner == 1 + me);
					AT(pos).b = serial
				}
				/* ft_fifo_commit() */
				atomic {
					CHECK(P_OVERRUN, AT(pos).owner == 1 + me);
#ifndef EARLY_COMMIT
					AT(pos).mark = 1 + me
#endif
				}
			fi
		fi;
		pos = 0; above = 0
	:: else -> break
	od;
	finished++
}

/* ft_fifo_next(), and what the reader does with the record */
inline take()
{
	atomic {
		AT(next).mark > NOTE ->
		gap = gap + AT(next).mark - NOTE;
		count = AT(next).mark - NOTE;
		AT(next).mark = 0;
		next = ADD(next, count);
		count = 0
	}
}

proctype reader()
{
	byte next = START, given = START, seen = START, noted, gap, dropped, got, old, from;
	byte count, id, gaps;
	byte last[WRITERS];
	byte shown[WRITERS];	/* gaps before the latest record of this writer */
	bool stopped;

	do
	:: take()
	:: atomic {
		AT(next).mark > 0 && AT(next).mark < NOTE ->
		id = AT(next).mark - 1;
		CHECK(P_WHOLE, AT(next).a == AT(next).b && AT(next).a == last[id] + 1);
		last[id] = AT(next).a;
		if :: gap > 0 -> gaps++ :: else fi;
		gap = 0;
		CHECK(P_GAP, !AT(next).after || shown[id] != gaps);
		shown[id] = gaps;
		got++;
		AT(next).owner = 0;
#ifndef NO_CLEAR
		AT(next).mark = 0;
#endif
		id = 0;
		next = ADD(next, 1)
	   }
	/* ft_fifo_release(): the addition */
	:: atomic {
		next != given ->
		old = limit;
		given = next;
		limit = ADD(given, SLOTS);
		count = w
	   }
	   /* ft_fifo_release(), ft_fifo_note(): the reader's own, but the mark */
	   atomic {
		from = (ABOVE(seen, old) > ZERO -> seen : old);
#ifdef NO_SEEN
		from = old;
#endif
		seen = from;
		if
		:: ABOVE(count, from) > ZERO ->
			seen = count;
			count = ABOVE(count, from) - ZERO;
			dropped = dropped + count;
			if
			:: next == from ->
				next = ADD(next, count);
				gap = gap + count
			:: else ->
#ifndef NO_NOTE
				if
				:: from == old ->
					noted = from;
					CHECK(P_OVERRUN, AT(noted).owner == 0 && AT(noted).mark == 0);
					AT(noted).mark = NOTE + count
				:: else ->
					CHECK(P_OVERRUN, AT(noted).mark > NOTE);
					AT(noted).mark = AT(noted).mark + count
				fi
#endif
			fi
		:: else
		fi;
		old = 0; from = 0; count = 0
	   }
	/* no writer under way or to come, and still nothing there */
	:: atomic { finished == WRITERS && AT(next).mark == 0 && next == given -> break }
	od;

	/* ft_fifo_lost() */
	from = ABOVE(w, limit);
	count = ABOVE(w, seen);
	from = (from < count -> from : count);
	dropped = dropped + (from > ZERO -> from - ZERO : 0);
	CHECK(P_EMPTY, next == w || ABOVE(w, limit) >= ZERO);
	CHECK(P_ACCOUNT, got + lost + dropped == attempts);
	CHECK(P_NO_GAP, gaps == 0 || lost + dropped > 0)
}

init
{
	atomic {
		run writer(0);
		run writer(1);
#if WRITERS > 2
		run writer(2);
#endif
		run reader()
	}
}
