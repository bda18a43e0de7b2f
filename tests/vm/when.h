/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the api_when*.c programs share: making conditions, and what became of them. */
#ifndef FT_TESTS_WHEN_H
#define FT_TESTS_WHEN_H

#include "api.h"

static inline __u32 when(int control, struct ft_when *condition)
{
	expect_ok(ioctl(control, FT_IOC_WHEN, condition));
	return condition->number;
}

static inline struct ft_when_state state(int control, __u32 number)
{
	struct ft_when_state state = { .number = number };

	expect_ok(ioctl(control, FT_IOC_WHEN_STATE, &state));
	return state;
}

/* Records of an event that a ring of a trace that is over has; the last one's words. */
static inline unsigned int records_of(__u32 id, __u64 *a, __u64 *b)
{
	struct ft_record records[512];
	struct ft_slots slots = { .buf = (uintptr_t)records, .max = 512 };
	int reader = open_cpu(O_RDONLY);
	unsigned int count = 0, i;

	do {
		slots.count = 0;
		expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
		for (i = 0; i < slots.count; i++) {
			if (records[i].id != id)
				continue;
			count++;
			*a = records[i].a;
			*b = records[i].b;
		}
	} while (slots.count);
	close(reader);
	return count;
}

/* From a mark with a second word of 1 to one of 2, with the same first word. */
static inline struct ft_when from_one_to_two(__u64 longer_ns)
{
	return (struct ft_when){
		.event = FT_ID_MARK, .begin = FT_ID_MARK, .longer_ns = longer_ns,
		.test = {
			{ .what = FT_TEST_B, .op = FT_TEST_EQUAL, .mask = ~0ull, .value = 2 },
			{ .what = FT_TEST_B, .op = FT_TEST_EQUAL, .mask = ~0ull, .value = 1,
			  .flags = FT_TEST_AT_BEGIN },
		},
	};
}

#endif /* FT_TESTS_WHEN_H */
