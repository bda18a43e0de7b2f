/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Model of how lock functions are wrapped and left: module/attach/enter.c, leave.c
 * and the hooks in hooks_x86.S, for Spin. Run by ./check. The comment beside a step names the
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
 *   Users, who open the device, turn the event on (ft_table_start()) and off, or are
 *   killed while it is being wrapped, and close the device; the work that wraps
 *   (ft_attach_enter()), and the one that unwraps and waits (ft_attach_leave()), which are
 *   the module's text, too; ftrace, which refuses once to let go of the function, and, with
 *   -DIN_VAIN, once to wrap it, when it already calls the hook; and rmmod, which comes at
 *   any moment, and succeeds as soon as the module is not pinned, nobody has the device
 *   open, and the works have ended. The mutexes are taken as in the code; what is done
 *   under ft_trace_mutex is one step.
 *
 * What is not modelled
 *
 *   Memory order: the counters are read after grace periods, everything else that counts
 *   with a mutex held. Spinning locks: their hooks run with preemption off and do not
 *   sleep, so a grace period is all that they need. That ftrace looks at an ops which is
 *   going: muting is a step here, but one that keeps nobody from entering, as ftrace need
 *   not look. Waiting that ends by a timeout: it changes nothing, and is begun again.
 *   Several functions: one is left as another. Several events: each is held before the
 *   next is prepared.
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
#define ROUNDS	2	/* how often a user turns the event on and off */
#endif
#ifndef USERS
#define USERS	1
#endif
#ifndef LAST
#define LAST	ROUNDS	/* of the last user */
#endif
#define CPUS	2
#ifdef ONE_COUNTER
#define LOOKS	1	/* at the count of one CPU only */
#else
#define LOOKS	CPUS
#endif

#define P_TEXT		1	/* nobody runs in, or returns to, text that is gone */
#define P_LEFT		2	/* at the end the module can go, and nobody is inside */
#define P_ON		3	/* who was told that his event is on has it called, and not
				   muted, unless ftrace has refused */
#define P_MUTED		4	/* a grace period is between muting and unwrapping */

#ifdef ONLY
#define CHECK(p, e)	if :: (p == ONLY) -> assert(e) :: else fi
#else
#define CHECK(p, e)	assert(e)
#endif

/* A step in the module's text. */
#define TEXT		CHECK(P_TEXT, !gone)

byte wants;		/* of the event: by how many users */
bool on;		/* ft_attach_events */
byte callers;		/* ft_attach_callers */
byte asked;		/* ft_attach_asked */
byte answered;		/* ft_attach_answered */
bool failed;		/* ft_attach_answer: an error */
bool turn;		/* ft_attach_turn: taken */
bool wrapped;		/* ft_hook_is_attached() */
bool called;		/* the function's text calls the hook */
bool stuck;		/* FT_HOOK_STUCK */
bool refused;		/* ghost: ftrace has once refused to let go */
bool undone;		/* ghost: ftrace has once refused to wrap */
bool muted;		/* ft_hook_is_muted() */
bool fresh;		/* ft_attach_fresh */
bool grown;		/* ft_attach_unwrapped has, since leave() looked at it */
bool pinned;		/* ft_attach_pinned, and the module's count of users */
bool enter_queued, entering;	/* ft_attach_enter_work */
bool leave_queued, leaving;	/* ft_attach_leave_work */
byte opened;		/* by how many users */
bool exiting;		/* the module cannot be used any more: ft_exit() */
bool gone;		/* the module's text */
bool attach;		/* ft_attach_mutex: taken */
bool held;		/* the lock that the tasks want */
short inside[CPUS];

bool awaited[TASKS];	/* by the grace period */
bool sleeps[TASKS];
bool outside[TASKS];
byte ended;		/* tasks */
byte users_ended;

/* ft_attach_is_wanted(), with ft_trace_mutex */
#ifndef CALLERS_IGNORED
#define WANTED	(on || callers)
#else
#define WANTED	on
#endif

/* ft_attach_is_leaving() */
inline look_leaving()
{
#ifndef LOOK_UNLOCKED
	leaves = pinned && !WANTED
#else
	/* one word a step */
	leaves = pinned && !callers;
	if
	:: leaves -> leaves = !on
	:: else
	fi
#endif
}

inline lock(mutex)
{
	atomic { !mutex -> mutex = true }
}

inline unlock(mutex)
{
	mutex = false
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
			/* ft_hook_*() of hooks_x86.S: ft_attach_inside */
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
	i = 0;
	fresh = false
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

/* ft_hook_detach(), and what ftrace answers */
inline detach()
{
	if
	:: atomic { called = false; wrapped = false; stuck = false }
#ifndef TAKEN_FOR_LEFT
	:: atomic { !refused -> refused = true; stuck = true }
#else
	:: atomic { !refused -> refused = true; wrapped = false }
#endif
	fi
}

/* ft_attach_unwrap(), in two rounds */
inline unwrap()
{
	look_leaving();
	if
	:: leaves && wrapped && muted ->
		CHECK(P_MUTED, !fresh);
		detach()
	/* ft_hook_mute() */
	:: atomic { leaves && wrapped && !muted -> muted = true; fresh = true }
	:: else
	fi
}

/* ft_attach_unpin() */
inline unpin()
{
	atomic {
		if
		:: !WANTED -> pinned = false
		:: else
		fi
	}
}

/* ft_attach_leave() */
proctype leave()
{
	bool settled, attached, leaves;
	byte i;
	short sum;

end:	do
	:: atomic { leave_queued -> leave_queued = false; leaving = true };
		/* ft_attach_drain() */
#ifndef FRESH_IGNORED
		if
		:: fresh -> grace()
		:: else
		fi;
#endif
		do
		::	atomic { lock(attach); TEXT };
			if
#ifdef NO_RECHECK
			:: settled -> unpin()
#else
#ifdef GROWN_IGNORED
			:: settled && !wrapped -> unpin()
#else
			:: settled && !wrapped && !grown -> unpin()
#endif
#endif
			:: else
			fi;
			unwrap();
			atomic { attached = wrapped; grown = false };
			look_leaving();
			atomic { unlock(attach); TEXT };
			/* -EBUSY: the work is scheduled again */
			if
			:: !leaves -> break
			:: leaves && stuck -> leave_queued = true; break
			:: else
			fi;
			settled = !attached;
			if
			:: settled -> settle()
			:: else -> grace()
			fi
		od;
		atomic { settled = false; attached = false; leaves = false;
			leaving = false }
	od
}

/* ft_attach_enter() */
proctype enter()
{
	byte number;
	bool wanted, error;

end:	do
	:: atomic { enter_queued -> enter_queued = false; entering = true; TEXT };
		atomic {
			lock(attach);
			number = asked;
#ifndef LATE_ENTRY
			wanted = callers > 0
#else
			wanted = true
#endif
		};
		TEXT;
		/* ft_attach_hook() */
		if
		:: wanted && stuck	/* ft_hook_is_called() */
		:: wanted && !stuck && wrapped -> muted = false	/* ft_hook_unmute() */
		/* ft_hook_attach() */
		:: atomic { wanted && !wrapped -> muted = false; wrapped = true; called = true }
#ifdef IN_VAIN
			if
			:: true
			:: atomic { !undone -> undone = true; error = true };
				detach();
				/* ft_attach_gone() */
				grown = grown || !wrapped
			fi
#endif
		:: else
		fi;
		unlock(attach);
		atomic { failed = error; answered = number; TEXT };
		atomic { number = 0; wanted = false; error = false; entering = false }
	od
}

/* ft_attach_finish() */
inline finish()
{
	atomic {
		callers--;
#ifndef NOT_FINISHED
		leave_queued = leave_queued || !WANTED
#endif
	}
}

/* ft_table_want(), ft_attach_set() */
inline want()
{
	atomic { wants++; on = true; got = true }
}

/* ft_table_prepare_one(), of an event that is off: killed, or it is on */
inline prepare_and_want()
{
	lock(turn);
	/* ft_attach_ask() */
	atomic { asked++; number = asked }
	enter_queued = true;
	if
	:: atomic { answered == number -> done = !failed; unlock(turn) };
		if
		:: done -> want()
		:: !done
		fi
	:: true -> unlock(turn)
	fi;
	finish()
}

proctype user(byte rounds)
{
	byte number;
	bool got, done;

	do
	:: rounds > 0 ->
		if
		:: atomic { !exiting -> opened++ }
		:: atomic { exiting -> break }
		fi;
		/* ft_table_start(): ft_table_prepare_one(), ft_attach_hold() */
		if
#ifndef NOT_HELD
		:: atomic { wants > 0 -> callers++ };
			want();
			finish()
#else
		/* Another one may turn it off before the next step. */
		:: wants > 0 -> want()
#endif
		:: atomic { !wants -> callers++; pinned = true };
			prepare_and_want()
		fi;
		/* ft_table_stop(), or ft_table_drop() */
		atomic {
			if
			:: got ->
				CHECK(P_ON, (called && !muted) || refused);
				wants--;
				if
				/* ft_attach_set() */
				:: !wants -> on = false;
					leave_queued = leave_queued || !WANTED
				:: else
				fi
			:: else
			fi
		};
		atomic { opened--; rounds--; number = 0; got = false; done = false }
	:: rounds == 0 -> break
	od;
	users_ended++
}

/*
 * The module's count of users keeps it out while the device is open, and nobody can turn
 * an event on when it has let it in: ft_exit(). ft_attach_exit() cancels the works, or
 * waits for them.
 */
proctype rmmod()
{
end:	atomic { !pinned && !opened -> exiting = true };
#ifndef NO_CANCEL
	atomic { !entering -> enter_queued = false };
	atomic { !leaving -> leave_queued = false };
#endif
	gone = true
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
		n = 0;
		do
		:: n < USERS - 1 -> run user(ROUNDS); n++
		:: else -> break
		od;
		run user(LAST);
		run enter();
		run leave();
		run rmmod()
	}
	ended == TASKS && users_ended == USERS;
	timeout;
	CHECK(P_LEFT, !pinned && !wrapped && inside[0] + inside[1] == 0)
}
