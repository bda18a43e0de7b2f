/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of how wrapped lock functions are left: module/attach.c and the hooks in
 * module/attach_x86.S, for Spin. Run by ./check.
 *
 * What is modelled
 *
 *   Tasks. Each calls a function several times. If that is wrapped, the task enters
 *   the module's text, counts itself in on one CPU, calls the real function, which
 *   may sleep as long as another task has the lock, comes back to the module's text,
 *   counts itself out on some CPU, perhaps another one, and leaves. It can be
 *   preempted for any time anywhere.
 *
 *   A grace period of RCU tasks: it waits for every task that ran, or was
 *   preempted, when it began, until that sleeps of its own accord or is outside. Who
 *   sleeps already, is not waited for, wherever it sleeps.
 *
 *   The user, who turns the event on and off; the worker that unwraps and waits
 *   (ft_attach_drain()); and rmmod, which comes at any moment and succeeds as soon as
 *   the module is not pinned. The table's mutex is taken as in the code.
 *
 * What is not modelled
 *
 *   Memory order: the counters are read after grace periods. Spinning locks: their
 *   hooks run with preemption off and do not sleep, so a grace period is all that they
 *   need. That ftrace looks at an ops which is going (ft_hook_mute()). Waiting that
 *   ends by a timeout: it changes nothing, and is begun again.
 *
 * Properties: numbered P_*; -DONLY=n asserts only one of them.
 */

#ifndef TASKS
#define TASKS	2
#endif
#ifndef CALLS
#define CALLS	2	/* of each task */
#endif
#ifndef ROUNDS
#define ROUNDS	2	/* how often the event is turned on and off */
#endif
#define CPUS	2
#ifdef ONE_COUNTER
#define LOOKS	1	/* at the count of one CPU only */
#else
#define LOOKS	CPUS
#endif

#define P_TEXT		1	/* nobody runs in, or returns to, text that is gone */
#define P_LEFT		2	/* at the end the module can go, and nobody is inside */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

/* A step in the module's text. */
#define TEXT		CHECK(P_TEXT, !gone)

bool on;		/* the event */
bool wrapped;
bool pinned;
bool gone;		/* the module's text */
bool table;		/* the mutex: taken */
bool held;		/* the lock that the tasks want */
short inside[CPUS];

bool awaited[TASKS];	/* by the grace period */
bool sleeps[TASKS];
bool outside[TASKS];
byte ended;		/* tasks */
bool user_ended;

inline lock_table()
{
	atomic { !table -> table = true }
}

inline unlock_table()
{
	table = false
}

proctype task(byte t)
{
	byte calls = 0, cpu;
	bool hooked;

	do
	:: calls < CALLS ->
		/* the call instruction: to the hook, or on into the function */
		atomic {
			calls++;
			hooked = wrapped;
			outside[t] = false
		}
		if
		:: hooked ->
			TEXT;
#ifndef NO_COUNT
			atomic {
				select(cpu : 0 .. CPUS - 1);
				TEXT;
				inside[cpu]++
			}
#endif
		:: else
		fi;

		/* the function: mutex_lock() */
		if
		:: atomic { !held -> held = true }
		:: atomic { held -> sleeps[t] = true; awaited[t] = false };
			atomic { !held -> held = true; sleeps[t] = false }
		fi;

		if
		:: hooked ->
			TEXT;
#ifndef NO_COUNT
			atomic {
				select(cpu : 0 .. CPUS - 1);
				TEXT;
				inside[cpu]--
			}
#endif
			TEXT
		:: else
		fi;
		atomic { outside[t] = true; awaited[t] = false }
		held = false
	:: calls == CALLS -> break
	od;
	ended++
}

/* synchronize_rcu_tasks() */
inline grace()
{
	atomic {
		i = 0;
		do
		:: i < TASKS ->
			awaited[i] = !sleeps[i] && !outside[i];
			i++
		:: else -> break
		od
	}
	i = 0;
	do
	:: i < TASKS -> !awaited[i]; i++
	:: else -> break
	od;
	i = 0
}

/* One CPU after the other. */
inline wait_inside()
{
	do
	::	sum = 0;
		i = 0;
		do
		:: i < LOOKS -> sum = sum + inside[i]; i++
		:: else -> break
		od;
		i = 0;
		if
		:: sum <= 0 -> break
		/* nothing changes before one of them does */
		:: else -> inside[0] + inside[1] < sum || LOOKS < CPUS
		fi
	od;
	sum = 0
}

inline settle()
{
	wait_inside();
#ifndef NO_GRACE_BEFORE
	grace();
#ifndef ONE_WAIT
	wait_inside();
#endif
#endif
#ifndef NO_GRACE_AFTER
	grace()
#endif
}

/* ft_attach_drain(), as the work does it whenever the event is off */
proctype worker()
{
	bool settled, attached, done;
	byte i;
	short sum;

end:	do
	:: pinned && !on ->
		settled = false;
		do
		::	lock_table();
			if
#ifdef NO_RECHECK
			:: settled -> pinned = false
#else
			:: settled && !wrapped -> pinned = false
#endif
			:: else
			fi;
			if
			:: !on -> wrapped = false
			:: else
			fi;
			attached = wrapped;
			done = !pinned || on;
			unlock_table();
			if
			:: done -> break
			:: else
			fi;
			settled = !attached;
			settle()
		od;
		atomic { settled = false; attached = false; done = false }
	od
}

proctype user()
{
	byte rounds = 0;

	do
	:: rounds < ROUNDS ->
		lock_table();
		if
		:: gone -> unlock_table(); break
		:: else
		fi;
		/* ft_attach_set(): before the first function can be entered */
		pinned = true;
		wrapped = true;
		on = true;
		unlock_table();

		lock_table();
		on = false;
		unlock_table();
		rounds++
	:: rounds == ROUNDS -> break
	od;
	user_ended = true
}

/* The module's count of users keeps it out while the table is used. */
proctype rmmod()
{
end:	atomic { !pinned && !table && !on -> gone = true }
}

init {
	byte n = 0;

	atomic {
		do
		:: n < TASKS ->
			outside[n] = true;
			run task(n);
			n++
		:: else -> break
		od;
		run worker();
		run user();
		run rmmod()
	}
	ended == TASKS && user_ended;
	timeout;
	CHECK(P_LEFT, !pinned && !wrapped && inside[0] + inside[1] == 0)
}
