/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* For tests of sessions. */
#ifndef FT_TESTS_API_SESSIONS_H
#define FT_TESTS_API_SESSIONS_H

#include "api.h"

static inline int request_session(int control, __u32 flags, const char *name)
{
	struct ft_session_info info = { .flags = flags };

	strcpy(info.name, name);
	return ioctl(control, FT_IOC_SESSION, &info);
}

/* The trace is over: it has these records of one event, and nothing else. */
static inline void expect_records(int reader, __u32 id, unsigned int count)
{
	static struct ft_record records[4096];
	struct ft_slots slots = { .buf = (uintptr_t)records, .max = 4096 };
	unsigned int got = 0, i;
	__u64 ts = 0;

	do {
		expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
		for (i = 0; i < slots.count; i++) {
			expect_eq(records[i].id, id);
			expect_eq(records[i].tid, getpid());
			expect(records[i].ts >= ts);
			ts = records[i].ts;
		}
		got += slots.count;
	} while (slots.count);
	expect_eq(got, count);
	expect_eq(slots.lost, 0);
}

#endif /* FT_TESTS_API_SESSIONS_H */
