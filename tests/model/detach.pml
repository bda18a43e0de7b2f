/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of how wrapped lock functions are left: module/attach.c and the hooks in
 * module/attach_x86.S, for Spin. Run by ./check. The comment beside a step names the
 * function that it stands for.
 *
 * What is modelled
 *
 *   Tasks. Each calls a function several times. If that is wrapped, the task enters
 *   the module's text, counts itself in on one CPU, calls the real function, which
 *   may sleep as long as another task has the lock, comes back to the module's text,
 *   counts itself out on some CPU, perhaps another one, and leaves. It can be
 *   preempted for any time anywhere.
 *
 *   ft_attach_sync(), of which a grace period of RCU tasks is what counts here: it waits
 *   for every task that ran, or was preempted, when it began, until that sleeps of its
 *   own accord or is outside. Who sleeps already, is not waited for, wherever it sleeps.
 *
 *   The user, who turns the event on and off (ft_attach_set()); the work that unwraps
 *   and waits (ft_attach_leave(), ft_attach_drain()), which is the module's text, too;
 *   ftrace, which refuses once to let go of the function;
 *   and rmmod, which comes at any moment, and succeeds as soon as the module is not
 *   pinned and the work has ended. The table's mutex is taken as in the code.
 *
 * What is not modelled
 *
 *   Memory order: the counters are read after grace periods. Spinning locks: their
 *   hooks run with preemption off and do not sleep, so a grace period is all that they
 *   need. That ftrace looks at an ops which is going: muting is a step here, but one that
 *   keeps nobody from entering, as ftrace need not look. Waiting that ends by a timeout:
 *   it changes nothing, and is begun again. Several functions: one is left as another.
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

bool on;		/* ft_attach_on */
bool wrapped;		/* ft_hook_is_attached() */
bool called;		/* the function's text calls the hook */
bool stuck;		/* FT_HOOK_STUCK */
bool refused;		/* ghost: ftrace has refused once */
bool muted;		/* ft_hook_is_muted() */
bool pinned;		/* ft_attach_pinned, and the module's count of users */
bool working;		/* ft_attach_work */
bool gone;		/* the module's text */
bool table;		/* ft_table_mutex: taken */
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
			hooked = called;
			outside[t] = false
		}
		if
		:: hooked ->
			/* ft_hook_*() of attach_x86.S: ft_attach_inside */
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

/* ft_attach_sync(): synchronize_rcu_tasks() */
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

/* ft_attach_wait_inside(): one CPU after the other */
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

/* ft_attach_settle() */
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

/* ft_attach_unwrap(), in two rounds */
inline unwrap()
{
	if
	/* ft_hook_detach(), and what ftrace answers */
	:: !on && wrapped && muted -> wrapped = false; called = false; stuck = false
	:: !on && wrapped && muted && !refused ->
		refused = true;
#ifndef TAKEN_FOR_LEFT
		stuck = true
#else
		wrapped = false
#endif
	:: !on && wrapped && !muted -> muted = true	/* ft_hook_mute() */
	:: else
	fi
}

/* ft_attach_leave(): ft_attach_set() schedules it whenever the event goes off */
proctype worker()
{
	bool settled, attached, done;
	byte i;
	short sum;

end:	do
	:: atomic { pinned && !on -> working = true };
		settled = false;
		/* ft_attach_drain() */
		do
		::	lock_table();
			TEXT;
			if
#ifdef NO_RECHECK
			:: settled -> pinned = false
#else
			:: settled && !wrapped -> pinned = false
#endif
			:: else
			fi;
			unwrap();
			attached = wrapped;
			done = !pinned || on;
			unlock_table();
			TEXT;
			/* -EBUSY: the work is scheduled again */
			if
			:: done || stuck -> break
			:: else
			fi;
			settled = !attached;
			if
			:: settled -> settle()
			:: else -> grace()
			fi
		od;
		atomic { settled = false; attached = false; done = false;
			working = false }
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
		/* ft_attach_hook() */
		if
		:: wrapped -> muted = false; stuck = false	/* ft_hook_unmute() */
		:: !wrapped -> muted = false; wrapped = true; called = true /* ft_hook_attach() */
		fi;
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

/*
 * The module's count of users keeps it out while the table is used, and nobody can turn
 * an event on when it has let it in: ft_exit(). ft_attach_exit() waits for the work.
 */
proctype rmmod()
{
#ifndef NO_CANCEL
end:	atomic { !pinned && !table && !on && !working -> gone = true }
#else
end:	atomic { !pinned && !table && !on -> gone = true }
#endif
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
