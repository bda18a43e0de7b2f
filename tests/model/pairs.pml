/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of the pairs of events (module/watch/pairs.c), for Spin. Run by ./check. A step is one
 * access to memory that others can see; the comment beside it names the function that it
 * stands for.
 *
 * What is modelled
 *
 *   The table of pairs whose second event may come on another CPU: two places for all
 *   owners, each of three words, written by all CPUs with plain stores. Each process is a
 *   task, or an interrupt, on any CPU: it is preempted, or delayed, at any step, and
 *   migrates between its events. Second events may be missing. With -DKEY two processes
 *   have one owner, as tasks that release each other's semaphores: one has both events, the
 *   other the second one alone; a third process has the first event of another owner.
 *
 *   With -DSTACK: the stacks of one CPU. A context runs until it has finished, and can be
 *   interrupted by the next one at any step. Second events may be missing here, too.
 *
 *   x86 keeps the order of a CPU's stores. That they reach other CPUs late is as if the CPU
 *   that makes them were late.
 *
 * What is not modelled
 *
 *   The sum's width: here two owners and times never have the same sum. An exception inside
 *   the handler of an NMI, which has the NMI's stack. When the rings were opened.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#define P_WHOLE		1	/* a time that comes out is one of the owner's first events */
#define P_ONCE		2	/* it comes out once */
#define P_LATEST	3	/* it is that of the latest one, where one task has both events */
#define P_OPEN		4	/* no second event that came later has passed before */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

#ifndef ROUNDS
#define ROUNDS	2
#endif

byte now;			/* ghost: each first event has a time of its own, 1 to 7 */
byte owner_of[8];		/* ghost */
byte came_out;			/* ghost: a bit for each time */
#define BIT(ts)	(1 << (ts))

#ifndef STACK

#ifndef TASKS
#define TASKS	3
#endif

typedef entry_t {
	byte owner;
	byte ts;
	byte sum
};

entry_t entry[2];
byte begun[4];			/* ghost: times whose ft_pairs_begin() has returned, of an owner */
byte over;			/* ghost: times with a later ft_pairs_end(), which has returned, too */

/* ft_pairs_sum() */
#if defined(NO_SUM)
#define SUM(owner, ts)	1
#elif defined(SUM_OF_TIME)
#define SUM(owner, ts)	(ts)
#else
#define SUM(owner, ts)	((owner) * 16 + (ts))
#endif

/* ft_pairs_choose() */
inline choose(own)
{
	i = 0;
	do
	:: i < 2 ->
		who = entry[i].owner;
		/* ft_pairs_taken() */
		ts = entry[i].ts;
		taken[i] = (entry[i].sum == SUM(who, ts) -> ts : 0);
		if
		:: taken[i] && entry[i].owner == own ->
			atomic { taken[i] = 0; taken[1 - i] = 1; break }
		:: else -> i++
		fi
	:: else -> break
	od;
	atomic { i = (taken[1] < taken[0] -> 1 : 0); taken[0] = 0; taken[1] = 0; who = 0; ts = 0 }
}

/* ft_pairs_enter_quick(): of a task; else ft_pairs_enter() */
inline enter(own, time)
{
	who = own;
#ifndef KEY
	if
	:: entry[0].sum == 0 -> who = entry[1].owner
	:: else
	fi;
#endif
	if
	:: who == own ->
		choose(own);
#ifndef NOT_FREED
		entry[i].sum = 0
#endif
	:: else -> atomic { i = 0; who = 0 }
	fi;
	/* ft_pairs_claim(), ft_pairs_fill() */
	entry[i].owner = own;
	entry[i].ts = time;
	atomic { entry[i].sum = SUM(own, time); i = 0 }
}

/*
 * ft_pairs_find_quick(), ft_pairs_leave_quick(): of a task, the first place, if the owner is not
 * in the second one; else ft_pairs_leave()
 */
inline leave(own)
{
	last = 1;
#ifndef KEY
	if
	:: entry[1].owner != own ->
		ts = entry[0].ts;
		if
		:: ts && entry[0].sum == SUM(own, ts) ->
			atomic { entry[0].sum = 0; got = ts; last = 0 }
		:: else
		fi
	:: else
	fi;
#endif
	i = 0;
	do
	:: last && i < 2 ->
		if
		:: entry[i].owner == own ->
			/* ft_pairs_taken() */
			ts = entry[i].ts;
			if
			:: ts && entry[i].sum == SUM(own, ts) ->
#if defined(KEY) && !defined(NO_CMPXCHG)
				atomic {
					if
					:: entry[i].sum == SUM(own, ts) ->
						entry[i].sum = 0;
						got = (ts > got -> ts : got)
					:: else
					fi
				}
#else
				atomic {
					entry[i].sum = 0;
					got = (ts > got -> ts : got)
				}
#endif
			:: else
			fi
		:: else
		fi;
		i++
	:: else -> break
	od;
	atomic { i = 0; ts = 0; last = 0 }
}

/* A lock is acquired, and, unless the second events are missing, released. */
proctype task(byte own, rounds; bool begins, ends)
{
	byte i, last, who, ts, taken[2], got, time, before, passed;

	do
	:: rounds ->
		rounds--;
		if
		:: begins ->
			/* ft_condition_at_begin(): ft_pairs_begin() */
			atomic { now++; time = now; owner_of[time] = own };
			enter(own, time);
			begun[own] = begun[own] | BIT(time)
		:: else
		fi;
		if
		:: skip		/* the second event is missing */
		:: ends ->
			/* ft_condition_measure(): ft_pairs_end() */
			atomic { before = begun[own]; passed = over };
			leave(own);
			atomic {
				if
				:: got ->
					CHECK(P_WHOLE, owner_of[got] == own);
					CHECK(P_ONCE, !(came_out & BIT(got)));
#ifndef KEY
					CHECK(P_LATEST, got == time);
#endif
					CHECK(P_OPEN, !(passed & BIT(got)));
					came_out = came_out | BIT(got)
				:: else
				fi;
				over = over | before;
				before = 0;
				passed = 0;
				got = 0
			}
		fi;
		time = 0
	:: else -> break
	od
}

init
{
	atomic {
#ifdef KEY
		run task(1, ROUNDS, true, true);
		run task(1, 1, false, true);
#if TASKS > 2
		run task(2, 1, true, false)
#endif
#else
		run task(1, ROUNDS, true, true);
		run task(2, ROUNDS, true, true);
#if TASKS > 2
		run task(3, ROUNDS, true, true)
#endif
#endif
	}
}

#else /* STACK */

#define CONTEXTS 3
#define DEPTH	2
#define LOCKS	2

#ifdef ONE_STACK
#define MINE	0
#else
#define MINE	level
#endif

typedef stack_t {
	byte top;
	byte key[DEPTH + CONTEXTS];
	byte ts[DEPTH + CONTEXTS]
};

stack_t stack[CONTEXTS];	/* ft_pairs_stack() */
byte running;			/* the context that runs: those above have interrupted it */

/* Only the highest context that has begun goes on. */
#define STEP	(running == level)

/* ft_pairs_push() */
inline push(lock, time)
{
	atomic { STEP -> i = stack[MINE].top; if :: i >= DEPTH -> i = 0; stack[MINE].top = 0 :: else fi };
	atomic { STEP -> stack[MINE].key[i] = lock };
	atomic { STEP -> stack[MINE].ts[i] = time };
	atomic { STEP -> stack[MINE].top = i + 1; i = 0 }
}

/* ft_pairs_pop() */
inline pop(lock)
{
	atomic { STEP -> i = stack[MINE].top };
	do
	:: atomic { STEP && i && stack[MINE].key[i - 1] != lock -> i-- }
	:: atomic { STEP && (!i || stack[MINE].key[i - 1] == lock) -> break }
	od;
	if
	:: i ->
		atomic { STEP -> got = stack[MINE].ts[i - 1] };
		atomic { STEP -> stack[MINE].key[i - 1] = 0 };
		atomic { STEP -> i = stack[MINE].top };
		do
		:: atomic { STEP && i && !stack[MINE].key[i - 1] -> i-- }
		:: atomic { STEP && (!i || stack[MINE].key[i - 1]) -> break }
		od;
		atomic { STEP -> stack[MINE].top = i }
	:: else
	fi;
	i = 0
}

/*
 * A context acquires a lock of its own, and releases it, or the second event is missing; it
 * may do so again.
 */
proctype context(byte level)
{
	byte rounds, i, got, time, interrupted;

	do
	:: rounds < ROUNDS ->
		rounds++;
		/* an interrupt comes; a task is there */
		if
		:: level -> atomic { running < level -> interrupted = running; running = level }
		:: else
		fi;
		/* ft_condition_at_begin(): ft_pairs_begin() */
		atomic { STEP -> now++; time = now; owner_of[time] = level + 1 };
		push(level + 1, time);
		if
		:: skip
		:: skip ->
			/* ft_condition_measure(): ft_pairs_end() */
			pop(level + 1);
			atomic {
				STEP;
				if
				:: got ->
					CHECK(P_WHOLE, owner_of[got] == level + 1);
					CHECK(P_ONCE, !(came_out & BIT(got)));
					CHECK(P_LATEST, got == time);
					came_out = came_out | BIT(got)
				:: else
				fi;
				got = 0
			}
		fi;
		/* and ends */
		if
		:: level -> atomic { STEP -> running = interrupted }
		:: else
		fi
	:: else -> break
	od
}

init
{
	atomic {
		run context(0);
		run context(1);
		run context(2)
	}
}
#endif
