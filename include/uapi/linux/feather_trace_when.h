/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Conditions of a session: FT_IOC_WHEN and FT_IOC_WHEN_STATE. <linux/feather_trace.h>
 * includes this; conditions of what a sensor measures are here, too.
 */
#ifndef _UAPI_LINUX_FEATHER_TRACE_WHEN_H
#define _UAPI_LINUX_FEATHER_TRACE_WHEN_H

#include <linux/types.h>

#define FT_CONDITIONS_MAX	16	/* of a session */
#define FT_TESTS_MAX		4	/* of a condition */

/* ft_test.what */
enum ft_test_what {
	FT_TEST_NONE,		/* there are no more */
	FT_TEST_A,		/* the first word of the record */
	FT_TEST_B,		/* the second word */
	FT_TEST_TID,		/* the task, as in &ft_record.tid */
	FT_TEST_CPU,
	FT_TEST_COMM,		/* the task's name; FT_TEST_EQUAL and FT_TEST_UNEQUAL only */
};

/* ft_test.op: what is tested, compared with the value */
enum ft_test_op {
	FT_TEST_EQUAL,
	FT_TEST_UNEQUAL,
	FT_TEST_LESS,
	FT_TEST_LESS_EQUAL,
	FT_TEST_GREATER,
	FT_TEST_GREATER_EQUAL,
};

/* ft_test.flags */
#define FT_TEST_SIGNED		0x1	/* both are signed numbers */
#define FT_TEST_AT_BEGIN	0x2	/* of &ft_when.begin, not of &ft_when.event */

/**
 * struct ft_test - a comparison
 * @what:	enum ft_test_what
 * @op:		enum ft_test_op
 * @flags:	FT_TEST_*
 * @mask:	bits of what is tested that count; all ones for all of them; 0 for FT_TEST_COMM
 * @value:	what it is compared with
 * @comm:	FT_TEST_COMM: a name, padded with zeroes
 */
struct ft_test {
	__u8	what;
	__u8	op;
	__u16	flags;
	__u32	reserved;
	__u64	mask;
	union {
		__u64	value;
		char	comm[16];
	};
};

/* ft_when.flags */
#define FT_WHEN_STOP		0x1	/* close the session's rings, from the event itself */
#define FT_WHEN_IF_TOLD		0x2	/* not again before FT_IOC_WHEN_STATE reports it */
#define FT_WHEN_SENSOR		0x4	/* of what @sensor measures, not of @event */

/**
 * struct ft_when - FT_IOC_WHEN: a condition of the session
 * @event:	it is evaluated at each of these events
 * @begin:	an earlier event of the same key, the first word of both; 0: none
 * @longer_ns:	with @begin: the time between the two is longer than this; at most 2^60
 * @count:	fulfilled at every @count-th event that passes the tests; 0 and 1: at each
 * @times:	fulfilled so often at most; 0: without limit
 * @flags:	FT_WHEN_*
 * @number:	out: the condition's number
 * @sensor:	FT_WHEN_SENSOR: number of the sensor; else 0
 * @reserved:	0
 * @test:	all of them must hold
 *
 * It is evaluated in the probe of @event, in any context, right after the record was
 * written. Events without a condition cost what they always do. When it is fulfilled, a record
 * of the event "condition" (FT_ID_CONDITION) with @number and the time between the events, in
 * ticks, is written. With FT_WHEN_STOP the rings of all CPUs are closed then, so that
 * nothing that follows replaces what came before; see FT_INFO_STOPPED. This is refused in the
 * default session, which is everybody's: FT_IOC_SESSION first.
 *
 * With FT_WHEN_IF_TOLD, no fulfilment follows one that FT_IOC_WHEN_STATE has not reported yet:
 * events that pass the tests meanwhile leave no record, and are counted neither in
 * &ft_when_state.fulfilled nor in @times. A condition that always holds does not fill the
 * rings with records of itself then.
 *
 * Which events are a pair: for spinning locks, those on one CPU in the same kind of context;
 * for sleeping locks and waits, those of one task; for semaphores and others, those of the
 * same key. If there are several events @begin, the latest one counts, of a wait the first
 * one; none counts from before the rings were opened, or a pause ended. If the other event
 * is missing, nothing is measured, and &ft_when_state counts it. Where both are the same
 * event, the tests tell which of them begin a time and which end it.
 *
 * With FT_WHEN_SENSOR, @event and @begin are 0: it is evaluated where the sensor counts a value
 * greater than @longer_ns, which is in nanoseconds if that value is a time, and else as it is.
 * &ft_when_state.measured is the value. The words that are tested are those of the sensor's
 * event, of a pair the second one of its beginning. Only values above the limit cost more than
 * with the sensor alone. Once the sensor is removed, the condition is never met.
 *
 * A condition is of the running trace, and ends with the descriptor that made it.
 *
 * Errors: -EINVAL; -EOPNOTSUPP FT_WHEN_STOP in the default session; -ENODATA no trace is
 * running; -ENOENT @event or @begin is not on in the session, or there is
 * no such sensor; -ENOSPC there are FT_CONDITIONS_MAX, or 255 events have had a
 * condition since the module was loaded; -ENOMEM.
 */
struct ft_when {
	__u32		event;
	__u32		begin;
	__u64		longer_ns;
	__u64		count;
	__u32		times;
	__u32		flags;
	__u32		number;
	__u32		sensor;
	__u32		reserved[2];
	struct ft_test	test[FT_TESTS_MAX];
};

/**
 * struct ft_when_state - FT_IOC_WHEN_STATE: what has become of a condition
 * @number:	in: of a condition of this descriptor; the rest of the structure: 0
 * @fulfilled:	out: how often it was
 * @ts:		out: when it was for the first time, in ticks of the trace's clock; 0: never
 * @measured:	out: then: ticks since @begin, if it has one
 * @cpu:	out: then: the CPU
 * @tid:	out: then: the task
 * @ctx:	out: then: FT_CTX_*
 * @alone:	out: events without an earlier one
 * @forgotten:	out: events @begin that were forgotten, as there were too many at a time
 *
 * "For the first time" begins anew with each call that returned a @ts.
 *
 * Errors: -ENOENT no such condition; -EINVAL.
 */
struct ft_when_state {
	__u32	number;
	__u32	fulfilled;
	__u64	ts;
	__u64	measured;
	__u32	cpu;
	__s32	tid;
	__u32	ctx;
	__u32	reserved;
	__u64	alone;
	__u64	forgotten;
};

#endif /* _UAPI_LINUX_FEATHER_TRACE_WHEN_H */
