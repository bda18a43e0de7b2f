// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* FT_IOC_HOOK, FT_IOC_DETACH, FT_IOC_TRACEPOINT. */
#include "api.h"

static bool wraps(int control)
{
	return get_info(control).lock_source == FT_LOCKS_ATTACH;
}

/* The events of the functions are those that can be told. */
static void test_hooks(void)
{
	bool seen[FT_ID_DYNAMIC] = { false };
	int control = open_control();
	struct ft_hook hook = { 0 };
	unsigned int id;

	for (; !ioctl(control, FT_IOC_HOOK, &hook); hook.index++) {
		expect(hook.event >= FT_ID_LOCK && hook.event < FT_ID_DYNAMIC);
		expect(memchr(hook.name, 0, sizeof(hook.name)) && hook.name[0]);
		expect(hook.state == FT_HOOK_OFF || hook.state == FT_HOOK_PART ||
		       hook.state == FT_HOOK_REFUSED);
		expect_eq(hook.state == FT_HOOK_REFUSED, hook.error != 0);
		expect_eq(hook.reserved[0] | hook.reserved[1], 0);
		seen[hook.event] = true;
	}
	expect_eq(errno, ENOENT);
	expect_eq(hook.index > 0, wraps(control));
	for (id = FT_ID_LOCK; id < FT_ID_LOCK + 2 * FT_LOCK_FAMILIES; id++)
		if (wraps(control) && get_event(control, id).id == id)
			expect_eq(seen[id], get_event(control, id).triggers > 0);

	hook = (struct ft_hook){ .index = 0xffffffff };
	expect_error(ioctl(control, FT_IOC_HOOK, &hook), ENOENT);
	hook = (struct ft_hook){ .reserved = { 0, 1 } };
	expect_error(ioctl(control, FT_IOC_HOOK, &hook), EINVAL);
}

/* An event's functions are wrapped while it is on, and no others. */
static void test_wrapped(void)
{
	int control = open_control();
	struct ft_hook hook = { 0 };
	struct ft_detach detach = { 0 };
	unsigned int direct = 0;

	if (!wraps(control))
		skip("lock functions are not wrapped on this kernel");
	expect_eq(enable_flags(control, FT_IOC_ENABLE,
			       FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE), 0), 0);
	for (; !ioctl(control, FT_IOC_HOOK, &hook); hook.index++) {
		if (hook.event == FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE))
			expect_eq(hook.state, FT_HOOK_DIRECT);
		direct += hook.state == FT_HOOK_DIRECT;
	}
	expect(direct > 0);
	expect_eq(ioctl(control, FT_IOC_DETACH, &detach), 0);
	expect_eq(detach.attached, direct);
	/* There is nothing to wait for, either. */
	detach = (struct ft_detach){ .timeout_ms = 1000000 };
	expect_eq(ioctl(control, FT_IOC_DETACH, &detach), 0);
	expect_eq(detach.attached, direct);

	expect_eq(enable_flags(control, FT_IOC_DISABLE,
			       FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE), 0), 0);
	detach = (struct ft_detach){ .timeout_ms = 20000 };
	expect_eq(ioctl(control, FT_IOC_DETACH, &detach), 0);
	expect_eq(detach.attached, 0);
	expect_eq(detach.inside, 0);
}

static void test_detach(void)
{
	struct ft_detach detach = { .timeout_ms = 1000 };
	struct ft_detach reserved = { .reserved = 1 };
	int control = open_control();

	expect_eq(ioctl(control, FT_IOC_DETACH, &detach), 0);
	expect_eq(detach.attached, 0);
	expect_eq(detach.inside, 0);
	expect_error(ioctl(control, FT_IOC_DETACH, &reserved), EINVAL);
}

static int tracepoint(int control, const char *name, struct ft_tracepoint *tp)
{
	memset(tp, 0, sizeof(*tp));
	strncpy(tp->name, name, sizeof(tp->name));
	return ioctl(control, FT_IOC_TRACEPOINT, tp);
}

static void test_tracepoint(void)
{
	static char longest[FT_NAME_LEN];
	struct ft_tracepoint tp, again;
	struct ft_event_info event;
	int control = open_control();

	if (tracepoint(control, "sched_process_exit", &tp))
		skip("this kernel has no tracepoints");
	expect(tp.id >= FT_ID_DYNAMIC);
	event = get_event(control, tp.id);
	expect_eq(event.id, tp.id);
	expect(!strcmp(event.name, "sched_process_exit"));
	expect_eq(event.enabled, 0);
	expect_eq(tracepoint(control, "sched_process_exit", &again), 0);
	expect_eq(again.id, tp.id);

	expect_error(tracepoint(control, "sched_process_exi", &tp), ENOENT);
	expect_error(tracepoint(control, "", &tp), ENOENT);
	memset(longest, 'x', sizeof(longest));
	memset(&tp, 0, sizeof(tp));
	memcpy(tp.name, longest, sizeof(tp.name));
	expect_error(ioctl(control, FT_IOC_TRACEPOINT, &tp), EINVAL);
	tp = (struct ft_tracepoint){ .reserved = 1, .name = "sched_switch" };
	expect_error(ioctl(control, FT_IOC_TRACEPOINT, &tp), EINVAL);
}

static const struct api_test tests[] = {
	{ "FT_IOC_HOOK lists the functions", test_hooks },
	{ "functions are wrapped while their event is on", test_wrapped },
	{ "FT_IOC_DETACH with nothing to do", test_detach },
	{ "FT_IOC_TRACEPOINT", test_tracepoint },
};

API_MAIN("api_attach", tests)
