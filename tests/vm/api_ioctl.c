// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What holds for all devices: unknown requests, bad pointers, 32-bit callers. */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "api.h"

static const unsigned long control_requests[] = {
	FT_IOC_INFO, FT_IOC_EVENT, FT_IOC_ENABLE, FT_IOC_DISABLE,
	FT_IOC_DISABLE_ALL, FT_IOC_GET_CONFIG, FT_IOC_SET_CONFIG, FT_IOC_MARK,
	FT_IOC_PAUSE, FT_IOC_RESUME, FT_IOC_HOOK, FT_IOC_DETACH,
	FT_IOC_TRACEPOINT, FT_IOC_SNAPSHOT, FT_IOC_FUNCTION, FT_IOC_KPROBE,
	FT_IOC_SESSION, FT_IOC_SESSIONS, FT_IOC_SESSION_END, FT_IOC_OPEN,
	FT_IOC_START, FT_IOC_STOP, FT_IOC_STACKS, FT_IOC_STACKS_READ,
};

static const unsigned long reader_requests[] = {
	FT_IOC_STATS, FT_IOC_READ_SLOTS, FT_IOC_TAKE, FT_IOC_GIVE_BACK,
	FT_IOC_WINDOW,
};

/* Of no device: wrong number, type, direction or size, and somebody else's. */
static const unsigned long unknown_requests[] = {
	_IO(FT_IOC_TYPE, 0x7f),
	_IO(FT_IOC_TYPE, 0x00),
	_IO(FT_IOC_TYPE, 0x20),
	_IOW(FT_IOC_TYPE, 0x00, struct ft_info),
	_IOR(FT_IOC_TYPE, 0x00, char[72]),
	_IOR(FT_IOC_TYPE, 0x20, char[56]),
	_IOR(FT_IOC_TYPE + 1, 0x00, struct ft_info),
	0x5401,		/* TCGETS */
	0,
	0xffffffff,
};

static void expect_unknown(int fd, const unsigned long requests[], size_t count)
{
	static char room[4096];
	size_t i;

	for (i = 0; i < count; i++)
		expect_error(ioctl(fd, requests[i], room), ENOTTY);
}

static void test_unknown(void)
{
	int control = open_control();
	int meta = expect_ok(open(META, O_RDONLY));
	int reader = open_cpu(O_RDONLY), writer = open_cpu(O_WRONLY);

	expect_unknown(control, unknown_requests, ARRAY_SIZE(unknown_requests));
	expect_unknown(control, reader_requests, ARRAY_SIZE(reader_requests));
	expect_unknown(reader, unknown_requests, ARRAY_SIZE(unknown_requests));
	expect_unknown(reader, control_requests, ARRAY_SIZE(control_requests));
	expect_unknown(writer, unknown_requests, ARRAY_SIZE(unknown_requests));
	expect_unknown(meta, unknown_requests, ARRAY_SIZE(unknown_requests));
	expect_unknown(meta, control_requests, ARRAY_SIZE(control_requests));
	expect_unknown(meta, reader_requests, ARRAY_SIZE(reader_requests));
}

static void test_bad_pointers(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	unsigned int i;

	mark(control, 1, 1);
	for (i = 0; i < ARRAY_SIZE(control_requests); i++) {
		/* Those that take none, the one that is busy, the one for another mode. */
		if (!_IOC_SIZE(control_requests[i]) ||
		    control_requests[i] == FT_IOC_SET_CONFIG ||
		    control_requests[i] == FT_IOC_SNAPSHOT)
			continue;
		expect_error(ioctl(control, control_requests[i], nowhere()), EFAULT);
		expect_error(ioctl(control, control_requests[i], NULL), EFAULT);
		expect_error(ioctl(control, control_requests[i], -1l), EFAULT);
	}
	for (i = 0; i < ARRAY_SIZE(reader_requests); i++) {
		expect_error(ioctl(reader, reader_requests[i], nowhere()), EFAULT);
		expect_error(ioctl(reader, reader_requests[i], NULL), EFAULT);
		expect_error(ioctl(reader, reader_requests[i], -1l), EFAULT);
	}
	expect_eq(get_event(control, FT_ID_MARK).enabled, 1);
	disable(control);
	expect_error(ioctl(control, FT_IOC_SET_CONFIG, nowhere()), EFAULT);
	expect_eq(cpu_stats().read, 0);
}

/* Where the kernel is to write, but may not. */
static void test_read_only_memory(void)
{
	void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int control = open_control();

	expect(page != MAP_FAILED);
	expect_error(ioctl(control, FT_IOC_INFO, page), EFAULT);
	expect_error(ioctl(control, FT_IOC_EVENT, page), EFAULT);
	expect_error(ioctl(control, FT_IOC_GET_CONFIG, page), EFAULT);
	expect_error(ioctl(open_cpu(O_WRONLY), FT_IOC_STATS, page), EFAULT);
}

/* The control device holds nothing to read or write, and no device is a file. */
static void test_no_file(void)
{
	int control = open_control(), reader = open_cpu(O_RDWR);
	char byte = 0;

	expect_error(read(control, &byte, 1), EINVAL);
	expect_error(write(control, &byte, 1), EINVAL);
	expect_error(write(reader, &byte, 1), EINVAL);
	expect_error(lseek(control, 0, SEEK_SET), ESPIPE);
	expect_error(lseek(reader, 0, SEEK_SET), ESPIPE);
	expect_error(pread(reader, &byte, 1, 0), ESPIPE);
}

/* --- 32-bit callers ------------------------------------------------------- */

#ifdef __x86_64__
#define I386_IOCTL	54

static void no_32_bit(int signal)
{
	(void)signal;
	skip("this kernel runs no 32-bit programs");
}

static int ioctl_32(int fd, unsigned long request, void *arg)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a" (ret)
			 : "a" (I386_IOCTL), "b" (fd), "c" (request), "d" (arg)
			 : "memory", "r8", "r9", "r10", "r11");
	return (int)ret;
}

/* Structures are the same for both, so one of each direction will do. */
static void test_32_bit(void)
{
	int control = open_control(), reader = open_cpu(O_RDONLY);
	struct {
		struct ft_info info;
		struct ft_enable enable;
		struct ft_mark mark;
		struct ft_slots slots;
		struct ft_stats stats;
		struct ft_record record;
	} *low;
	struct ft_info info;

	signal(SIGSEGV, no_32_bit);
	low = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	expect(low != MAP_FAILED);
	if (ioctl_32(control, FT_IOC_INFO, &low->info) == -ENOSYS)
		skip("this kernel runs no 32-bit programs");

	pin(the_cpu());
	low->enable.id = FT_ID_MARK;
	low->mark.a = 1ull << 63 | 5;
	low->mark.b = 6;
	expect_eq(ioctl_32(control, FT_IOC_ENABLE, &low->enable), 0);
	expect_eq(ioctl_32(control, FT_IOC_MARK, &low->mark), 0);
	expect_eq(ioctl_32(control, FT_IOC_DISABLE, &low->enable), 0);
	expect_eq(ioctl_32(control, FT_IOC_DISABLE, &low->enable), -EINVAL);

	info = get_info(control);
	expect_eq(ioctl_32(control, FT_IOC_INFO, &low->info), 0);
	expect(!memcmp(&info, &low->info, sizeof(info)));

	low->slots.buf = (uintptr_t)&low->record;
	low->slots.max = 1;
	expect_eq(ioctl_32(reader, FT_IOC_READ_SLOTS, &low->slots), 0);
	expect_eq(low->slots.count, 1);
	expect(low->record.a == low->mark.a);
	expect_eq(ioctl_32(reader, FT_IOC_STATS, &low->stats), 0);
	expect_eq(low->stats.read, 1);
	expect_eq(ioctl_32(reader, FT_IOC_INFO, &low->info), -ENOTTY);
}
#else
static void test_32_bit(void)
{
	skip("not written for this architecture");
}
#endif

static const struct api_test tests[] = {
	{ "unknown requests: ENOTTY", test_unknown },
	{ "bad pointers: EFAULT", test_bad_pointers },
	{ "read-only memory: EFAULT", test_read_only_memory },
	{ "what is no file does not behave like one", test_no_file },
	{ "32-bit callers", test_32_bit },
};

API_MAIN("api_ioctl", tests)
