// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* FT_IOC_HOOK, FT_IOC_DETACH, FT_IOC_TRACEPOINT, FT_IOC_FUNCTION, FT_IOC_KPROBE. */
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

static bool write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return ok;
}

#define TRACING		"/sys/kernel/tracing/"
#define FTRACE_ENABLED	"/proc/sys/kernel/ftrace_enabled"
#define MUTEXES		100	/* taken between two looks at the ring, at least */

/* A write into a pipe takes its mutex. */
static void take_mutexes(void)
{
	int ends[2], i;
	char byte = 0;

	expect_ok(pipe(ends));
	for (i = 0; i < MUTEXES; i++)
		expect_eq(write(ends[1], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
}

static void expect_mutexes(void)
{
	struct ft_stats before = cpu_stats(), after;

	take_mutexes();
	after = cpu_stats();
	expect(after.written + after.lost >= before.written + before.lost + MUTEXES);
}

/* Functions stay wrapped as long as any lock event is on. */
static void test_off(void)
{
	const __u32 mutex = FT_ID_ACQUIRE(FT_LOCK_MUTEX);
	const __u32 semaphore = FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE);
	struct ft_hook hook = { .index = 0 };
	int control = open_control();
	struct ft_stats before, after;

	if (!wraps(control))
		skip("lock functions are not wrapped on this kernel");
	pin(the_cpu());
	expect_ok(set_config(control, 1024, WAKE_US));
	expect_ok(enable_flags(control, FT_IOC_ENABLE, semaphore, 0));
	expect_ok(enable_flags(control, FT_IOC_ENABLE, mutex, 0));
	expect_mutexes();
	expect_ok(enable_flags(control, FT_IOC_DISABLE, mutex, 0));
	while (!ioctl(control, FT_IOC_HOOK, &hook) && strcmp(hook.name, "mutex_lock"))
		hook.index++;
	expect_eq(hook.state, FT_HOOK_DIRECT);
	before = cpu_stats();
	take_mutexes();
	after = cpu_stats();
	expect(after.written + after.lost < before.written + before.lost + MUTEXES);
}

/*
 * A trace begins just after another one has ended: its functions are still wrapped, but
 * already muted. With another tracer on them, ftrace would pass over a muted one.
 */
static void muted(int control)
{
	struct ft_detach look = { 0 };
	unsigned int round, hits = 0;

	for (round = 0; round < 60 && hits < 12; round++) {
		expect_eq(enable_flags(control, FT_IOC_ENABLE, FT_ID_ACQUIRE(FT_LOCK_MUTEX),
				       0), 0);
		expect_mutexes();
		expect_eq(enable_flags(control, FT_IOC_DISABLE, FT_ID_ACQUIRE(FT_LOCK_MUTEX),
				       0), 0);
		/* how long the module needs to mute, and then to unwrap, differs */
		sleep_ms(10 + 10 * (round % 5));
		look = (struct ft_detach){ 0 };
		ioctl(control, FT_IOC_DETACH, &look);
		hits += look.attached > 0;
	}
	expect(hits > 0);
}

static void test_muted(void)
{
	struct ft_detach detach = { .timeout_ms = 60000 };
	int control = open_control();
	pid_t pid;

	if (!wraps(control))
		skip("lock functions are not wrapped on this kernel");
	if (!write_to(TRACING "set_ftrace_filter", "mutex_lock") ||
	    !write_to(TRACING "current_tracer", "function"))
		skip("this kernel has no function tracer");
	/* However it ends, the tracer is to be off afterwards. */
	pin(the_cpu());
	pid = fork();
	if (!pid) {
		muted(control);
		_exit(EXIT_SUCCESS);
	}
	join(pid);
	expect(write_to(TRACING "current_tracer", "nop"));
	expect(write_to(TRACING "set_ftrace_filter", ""));
	expect_ok(ioctl(control, FT_IOC_DETACH, &detach));
}

/* An event that cannot be had begins no trace: the last one can still be read. */
static void test_failed(void)
{
	const __u32 id = FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE);
	struct ft_detach detach = { .timeout_ms = 20000 };
	int control = open_control(), reader, waiting;
	struct ft_info before, after;
	struct packet packet;

	if (!wraps(control))
		skip("lock functions are not wrapped on this kernel");
	/* While one is wrapped, ftrace stays on. */
	expect_eq(ioctl(control, FT_IOC_DETACH, &detach), 0);
	pin(the_cpu());
	expect_ok(set_config(control, 1024, WAKE_US));
	enable(control);
	waiting = open_cpu(O_RDONLY | O_NONBLOCK);
	mark(control, 1, 130);
	expect_eq(read_packet(waiting, &packet), FT_PACKET_RECORDS);
	disable(control);
	before = get_info(control);

	expect(write_to(FTRACE_ENABLED, "0"));
	expect_eq(enable_flags(control, FT_IOC_ENABLE, id, 0), -1);
	expect(write_to(FTRACE_ENABLED, "1"));
	after = get_info(control);
	expect_eq(after.trace, before.trace);
	expect_eq(after.active, 0);
	expect(!memcmp(after.uuid, before.uuid, sizeof(before.uuid)));
	expect_eq(get_event(control, id).enabled, 0);

	/* Who was reading goes on, and who comes finds the rest. */
	expect_eq(read(waiting, &packet, 128), 128);
	expect_marks(packet.records, 126, 1);
	close(waiting);
	reader = open_cpu(O_RDONLY);
	expect_eq(read_packet(reader, &packet), 4);
	expect_marks(packet.records, 127, 4);
	expect_end(reader);

	/* It can be had after all. */
	expect_ok(enable_flags(control, FT_IOC_ENABLE, id, 0));
	expect_eq(get_info(control).trace, before.trace + 1);
}

/* A trace that is not ordered refuses at once: nothing is wrapped for that. */
static void test_late(void)
{
	struct ft_enable ordered = {
		.id = FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE), .flags = FT_ENABLE_ORDERED,
	};
	struct ft_detach detach = { .timeout_ms = 20000 }, look = { 0 };
	int control = open_control();

	if (!wraps(control))
		skip("lock functions are not wrapped on this kernel");
	if (get_info(control).clock != FT_CLOCK_TSC)
		skip("the clock is not the TSC");
	expect_eq(ioctl(control, FT_IOC_DETACH, &detach), 0);
	enable(control);
	expect_error(ioctl(control, FT_IOC_ENABLE, &ordered), EALREADY);
	expect_eq(ioctl(control, FT_IOC_DETACH, &look), 0);
	expect_eq(look.attached, 0);
}

static void test_detach(void)
{
	struct ft_detach detach = { .timeout_ms = 1000 };
	struct ft_detach reserved = { .stuck = 1 };
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

/* Return: where a symbol of the kernel is, as kallsyms has it; 0: there is none. */
static unsigned long address_of(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long address, found = 0;
	char type, symbol[512];

	while (f && !found && fscanf(f, "%lx %c %511s%*[^\n]", &address, &type, symbol) == 3)
		if (!strcmp(symbol, name))
			found = address;
	if (f)
		fclose(f);
	return found;
}

static struct ft_function function(const char *name, unsigned long address)
{
	struct ft_function fn = { .address = address, .word = { 32, 64 | FT_WORD_SIGNED } };

	strcpy(fn.name, name);
	strcpy(fn.arg, "fd");
	return fn;
}

static void expect_bad(int control, struct ft_function fn, int error)
{
	expect_error(ioctl(control, FT_IOC_FUNCTION, &fn), error);
}

static void test_function(void)
{
	struct ft_function fn = function("ksys_read", address_of("ksys_read")), bad, again;
	int control = open_control();
	struct ft_fields fields;

	if (ioctl(control, FT_IOC_FUNCTION, &fn) && errno == EOPNOTSUPP)
		skip("functions are not wrapped on this kernel");
	expect(fn.id[0] >= FT_ID_DYNAMIC && fn.id[1] >= FT_ID_DYNAMIC);
	expect(!strcmp(get_event(control, fn.id[0]).name, "ksys_read_entry"));
	expect(!strcmp(get_event(control, fn.id[1]).name, "ksys_read_exit"));
	fields.id = fn.id[1];
	expect_ok(ioctl(control, FT_IOC_FIELDS, &fields));
	expect_eq(fields.count, 2);
	expect_eq(fields.field[0].kind, FT_FIELD_SIGNED);
	expect_eq(fields.field[1].kind, FT_FIELD_UNSIGNED);
	expect(!strcmp(fields.field[1].name, "fd"));
	bad = function("ksys_read", fn.address);
	bad.word[1] = 0;
	expect_ok(ioctl(control, FT_IOC_FUNCTION, &bad));
	expect_eq(bad.id[0], fn.id[0]);
	again = function("ksys_read", fn.address);
	expect_ok(ioctl(control, FT_IOC_FUNCTION, &again));
	expect_eq(again.id[0], fn.id[0]);

	expect_bad(control, function("ksys_read", address_of("ksys_write")), EEXIST);
	expect_bad(control, function("f", 0), ENOENT);
	expect_bad(control, function("f", fn.address + 1), ENOENT);
	expect_bad(control, function("f", fn.address + 9), ENOENT);
	expect_bad(control, function("f", ~0ul), ENOENT);
	expect_bad(control, function("f", (unsigned long)&fn), ENOENT);
	expect_bad(control, function("f", address_of("linux_banner")), ENOENT);
	expect_bad(control, function("f", address_of("asm_exc_nmi")), ENOENT);
	expect_bad(control, function("do_exit", address_of("do_exit")), EPERM);
	expect_bad(control, function("f", address_of("do_exit")), EPERM);
	expect_bad(control, function("mutex_lock", address_of("mutex_lock")), EBUSY);
	if (address_of("read_tsc"))
		expect_bad(control, function("read_tsc", address_of("read_tsc")), EPERM);
	expect_bad(control, function("f", address_of("ft_table_start")), EPERM);
	expect_bad(control, function("", fn.address), EINVAL);
	expect_bad(control, function("a b", fn.address), EINVAL);
	bad = fn;
	bad.word[0] = 33;
	expect_bad(control, bad, EINVAL);
	bad = fn;
	bad.reserved[5] = 1;
	expect_bad(control, bad, EINVAL);
	bad = fn;
	bad.arg[0] = '\0';
	expect_bad(control, bad, EINVAL);
	bad = fn;
	memset(bad.name, 'x', sizeof(bad.name));
	expect_bad(control, bad, EINVAL);
}

/* As many as there are places are on: a further one has none, until one of them is off. */
static void test_places(void)
{
	static const char *const names[] = {
		"ksys_read", "ksys_write", "vfs_read", "vfs_write", "vfs_open", "vfs_statx",
		"vfs_getattr", "vfs_llseek", "vfs_mkdir", "vfs_rmdir", "vfs_unlink", "vfs_link",
		"vfs_symlink", "vfs_rename", "vfs_fsync", "vfs_truncate", "vfs_mknod", "vfs_create",
	};
	int control = open_control(), err = 0;
	struct ft_function fn;
	unsigned int i, on = 0, first = 0;

	fn = function(names[0], address_of(names[0]));
	if (ioctl(control, FT_IOC_FUNCTION, &fn) && errno == EOPNOTSUPP)
		skip("functions are not wrapped on this kernel");
	for (i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		struct ft_enable enable = { 0 };

		fn = function(names[i], address_of(names[i]));
		if (!fn.address)
			continue;
		err = ioctl(control, FT_IOC_FUNCTION, &fn) ? errno : 0;
		enable.id = fn.id[i % 2];
		if (!err && !ioctl(control, FT_IOC_ENABLE, &enable) && !on++)
			first = enable.id;
	}
	expect_eq(err, ENOSPC);
	expect_eq(on, 16);
	/* Off, it is still wrapped, as others are on. */
	expect_ok(ioctl(control, FT_IOC_DISABLE, &(struct ft_enable){ .id = first }));
	expect_bad(control, fn, ENOSPC);
	expect_ok(ioctl(control, FT_IOC_DISABLE_ALL));
}

#define WORDS	21	/* of struct pt_regs */

static struct ft_kprobe kprobe(const char *name, unsigned int offset)
{
	struct ft_kprobe kp = { .offset = offset, .reg = { 14, 13 }, .field = { "di", "si" } };

	strcpy(kp.name, name);
	return kp;
}

static void expect_no_kprobe(int control, struct ft_kprobe kp, int error)
{
	expect_error(ioctl(control, FT_IOC_KPROBE, &kp), error);
}

static void test_kprobe(void)
{
	struct ft_kprobe kp = kprobe("ksys_read", 0), again = kp, bad;
	int control = open_control();

	if (ioctl(control, FT_IOC_KPROBE, &kp) && errno == EOPNOTSUPP)
		skip("this kernel has no kprobes");
	expect(kp.id >= FT_ID_DYNAMIC);
	expect(!strcmp(get_event(control, kp.id).name, "ksys_read_0x0"));
	expect_ok(ioctl(control, FT_IOC_KPROBE, &again));
	expect_eq(again.id, kp.id);
	again.reg[0] = 0;
	expect_no_kprobe(control, again, EEXIST);

	expect_no_kprobe(control, kprobe("no_such_function", 0), ENOENT);
	expect_no_kprobe(control, kprobe("ksys_read", 1), EILSEQ);
	expect_no_kprobe(control, kprobe("asm_exc_int3", 0), EINVAL);
	expect_no_kprobe(control, kprobe("", 0), EINVAL);
	expect_no_kprobe(control, kprobe("a b", 0), EINVAL);
	bad = kprobe("ksys_write", 0);
	bad.reg[1] = WORDS;
	expect_no_kprobe(control, bad, EINVAL);
	bad = kprobe("ksys_write", 0);
	bad.reserved[0] = 1;
	expect_no_kprobe(control, bad, EINVAL);
	bad = kprobe("ksys_write", 0);
	bad.field[0][0] = '\0';
	expect_no_kprobe(control, bad, EINVAL);
	bad = kprobe("ksys_write", 0);
	memset(bad.field[1], 'x', sizeof(bad.field[1]));
	expect_no_kprobe(control, bad, EINVAL);
}

/* Until the kernel has no kprobe in that function, or five seconds; 0.3 s where nobody tells. */
static void wait_for_no_kprobe(const char *function)
{
	char line[256];
	bool found;
	FILE *f;

	for (unsigned int i = 0; i < 50; i++) {
		f = fopen("/sys/kernel/debug/kprobes/list", "r");
		found = !f && i < 3;
		while (f && fgets(line, sizeof(line), f))
			found |= strstr(line, function) != NULL;
		if (f)
			fclose(f);
		if (!found)
			return;
		usleep(100000);
	}
}

/* Reads of nothing, while it is on, off and on again: as many records. */
static void test_kprobe_switched(void)
{
	struct ft_kprobe kp = kprobe("ksys_read", 0);
	int control = open_control(), null = expect_ok(open("/dev/null", O_RDONLY));
	struct ft_enable enable = { 0 };
	struct packet packet;
	unsigned int i, n, found = 0;

	if (ioctl(control, FT_IOC_KPROBE, &kp) && errno == EOPNOTSUPP)
		skip("this kernel has no kprobes");
	enable.id = kp.id;
	pin(the_cpu());
	for (i = 0; i < 3; i++) {
		char byte;

		if (i != 1)
			expect_ok(ioctl(control, FT_IOC_ENABLE, &enable));
		expect_eq(read(null, &byte, 1), 0);
		if (i == 2)
			break;
		if (i != 1)
			expect_ok(ioctl(control, FT_IOC_DISABLE, &enable));
		wait_for_no_kprobe("ksys_read");
	}
	expect_ok(ioctl(control, FT_IOC_DISABLE, &enable));
	n = read_packet(open_cpu(O_RDONLY), &packet);
	for (i = 0; i < n; i++)
		found += packet.records[i].id == kp.id && packet.records[i].a == (unsigned)null &&
			 packet.records[i].tid == getpid();
	expect_eq(found, 1);
}

static const struct api_test tests[] = {
	{ "FT_IOC_HOOK lists the functions", test_hooks },
	{ "functions are wrapped while their event is on", test_wrapped },
	{ "what is wrapped and off is not recorded", test_off },
	{ "a trace of functions that are muted", test_muted },
	{ "an event that cannot be had leaves the last trace alone", test_failed },
	{ "an event that comes too late to be ordered wraps nothing", test_late },
	{ "FT_IOC_DETACH with nothing to do", test_detach },
	{ "FT_IOC_TRACEPOINT", test_tracepoint },
	{ "FT_IOC_FUNCTION", test_function },
	{ "FT_IOC_FUNCTION: as many as there are places", test_places },
	{ "FT_IOC_KPROBE", test_kprobe },
	{ "FT_IOC_KPROBE: a point is on, off and on again", test_kprobe_switched },
};

API_MAIN("api_attach", tests)
