// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* /dev/ft_trace<cpu>: who may read, and when reading ends. */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "api.h"

/* --- opening -------------------------------------------------------------- */

static void test_one_reader(void)
{
	int reader = open_cpu(O_RDONLY), again;

	expect_error(try_open_cpu(the_cpu(), O_RDONLY), EBUSY);
	expect_error(try_open_cpu(the_cpu(), O_RDWR), EBUSY);
	again = dup(reader);
	close(reader);
	expect_error(try_open_cpu(the_cpu(), O_RDONLY), EBUSY);
	close(again);
	reader = open_cpu(O_RDWR);
	expect_error(try_open_cpu(the_cpu(), O_RDONLY), EBUSY);
	close(reader);
	open_cpu(O_RDONLY);
}

static void test_stats_only(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY), writer = -1;
	struct ft_range range = { .count = 1 };
	struct ft_slots slots = { .max = 1 };
	struct packet packet;
	unsigned int i;

	for (i = 0; i < 20; i++)
		writer = open_cpu(O_WRONLY);
	mark(control, 1, 4);
	expect_eq(get_stats(writer).written, 4);
	expect_eq(get_stats(reader).written, 4);

	expect_error(read(writer, &packet, sizeof(packet)), EBADF);
	expect_error(ioctl(writer, FT_IOC_READ_SLOTS, &slots), EBADF);
	expect_error(ioctl(writer, FT_IOC_TAKE, &range), EBADF);
	expect_error(ioctl(writer, FT_IOC_GIVE_BACK, &range), EBADF);
	/* The kernel asks nobody whether this may be mapped. */
	expect_error(mmap(NULL, 4096, PROT_READ, MAP_SHARED, writer, 0), EACCES);
	expect_eq(get_stats(writer).read, 0);
}

static void test_no_such_cpu(void)
{
	const char *path = "/dev/ft_test_node";
	unsigned int cpus = get_info(open_control()).cpus;
	struct stat stat;
	int fd;

	expect_error(try_open_cpu(cpus, O_RDONLY), ENOENT);
	expect_ok(fstat(open_cpu(O_WRONLY), &stat));
	unlink(path);
	expect_ok(mknod(path, S_IFCHR | 0600,
			makedev(major(stat.st_rdev),
				minor(stat.st_rdev) - the_cpu() + cpus)));
	fd = open(path, O_RDONLY);
	expect_eq(errno, ENXIO);
	unlink(path);
	expect_eq(fd, -1);
}

static void test_short_buffer(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	char buf[128];
	long size;

	mark(control, 1, 1);
	for (size = 0; size < 128; size++)
		expect_error(read(reader, buf, size), EINVAL);
	expect_eq(read(reader, buf, 128), 128);
}

/* --- waiting -------------------------------------------------------------- */

static void test_nonblock(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY | O_NONBLOCK);
	struct packet packet;

	expect_error(read(reader, &packet, sizeof(packet)), EAGAIN);
	mark(control, 1, 3);
	sleep_ms(50);
	expect_eq(read_packet(reader, &packet), 3);
	expect_error(read(reader, &packet, sizeof(packet)), EAGAIN);
	disable(control);
	expect_end(reader);
}

/* Run @later in a process of its own in @ms milliseconds. */
static pid_t later(unsigned int ms, void (*do_it)(int control), int control)
{
	pid_t pid = fork();

	if (!pid) {
		sleep_ms(ms);
		do_it(control);
		_exit(EXIT_SUCCESS);
	}
	return pid;
}

static void mark_three(int control)
{
	mark(control, 1, 3);
}

static void test_blocking(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	unsigned long long begin = now_ms();
	pid_t pid = later(200, mark_three, control);
	struct packet packet;
	unsigned int count;

	count = read_packet(reader, &packet);
	expect(now_ms() - begin >= 190);
	join(pid);
	/* The reader may wake up after the first of them. */
	expect(count >= 1 && count <= 3);
	expect_marks(packet.records, 1, count);
	if (count < 3) {
		expect_eq(read_packet(reader, &packet), 3 - count);
		expect_marks(packet.records, 1 + count, 3 - count);
	}
}

static void test_end_wakes(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	pid_t pid = later(100, disable, control);
	struct packet packet;

	expect_end(reader);
	join(pid);

	/* And what is there when it ends is not lost, however long the interval. */
	close(reader);
	expect_ok(set_config(control, FT_SLOTS_MIN, FT_WAKE_MAX_US));
	reader = open_cpu(O_RDONLY);
	enable(control);
	mark(control, 1, 3);
	pid = later(100, disable, control);
	expect_eq(read_packet(reader, &packet), 3);
	expect_end(reader);
	join(pid);
}

static void nothing(int signal)
{
	(void)signal;
}

static void interrupt_parent(int control)
{
	(void)control;
	kill(getppid(), SIGUSR1);
}

static void test_signal(void)
{
	struct sigaction action = { .sa_handler = nothing };
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct ft_record record;
	struct ft_slots slots = { .buf = (uintptr_t)&record, .max = 1 };
	struct packet packet;
	pid_t pid, end;

	sigaction(SIGUSR1, &action, NULL);
	pid = later(100, interrupt_parent, control);
	expect_error(read(reader, &packet, sizeof(packet)), EINTR);
	join(pid);
	pid = later(100, interrupt_parent, control);
	expect_error(ioctl(reader, FT_IOC_READ_SLOTS, &slots), EINTR);
	join(pid);

	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
	pid = later(100, interrupt_parent, control);
	end = later(300, disable, control);
	expect_end(reader);
	join(pid);
	join(end);
}

/* Where the interval is long, the first records wait for its end. */
static void test_interval(void)
{
	int control = start_waking(512, 500000);
	int reader = open_cpu(O_RDONLY);
	unsigned long long begin;
	struct packet packet;
	pid_t pid;

	pid = later(50, mark_three, control);
	begin = now_ms();
	expect_eq(read_packet(reader, &packet), 3);
	expect(now_ms() - begin >= 400);
	join(pid);

	/* A full packet is there at once. */
	close(reader);
	disable(control);
	expect_ok(set_config(control, 512, FT_WAKE_MAX_US));
	enable(control);
	reader = open_cpu(O_RDONLY | O_NONBLOCK);
	mark(control, 1, FT_PACKET_RECORDS - 1);
	expect_error(read(reader, &packet, sizeof(packet)), EAGAIN);
	mark(control, FT_PACKET_RECORDS, 1);
	expect_eq(read_packet(reader, &packet), FT_PACKET_RECORDS);
}

/* --- the end -------------------------------------------------------------- */

static void test_end(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;

	mark(control, 1, 5);
	disable(control);
	expect_eq(read_packet(reader, &packet), 5);
	expect_end(reader);
	expect_end(reader);
	expect_eq(cpu_stats().read, 5);
	expect_eq(cpu_stats().written, 5);

	/* It stays at the end, in the next trace, too. */
	enable(control);
	mark(control, 6, 5);
	expect_end(reader);
	sleep_ms(20);
	expect_end(reader);
	expect_eq(cpu_stats().read, 0);
	close(reader);
	reader = open_cpu(O_RDONLY);
	expect_eq(read_packet(reader, &packet), 5);
	expect_marks(packet.records, 6, 5);
}

/* The same for FT_IOC_READ_SLOTS, for which the first call is the end. */
static void test_end_slots(void)
{
	struct ft_record record;
	struct ft_slots slots = { .buf = (uintptr_t)&record, .max = 1 };
	int control = start(FT_SLOTS_MIN), reader;

	disable(control);
	reader = open_cpu(O_RDONLY);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 0);
	enable(control);
	mark(control, 1, 130);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 0);
	/* The losses of another trace are not its own. */
	expect_eq(slots.lost, 0);
	close(reader);

	reader = open_cpu(O_RDONLY);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.lost, 10);
	disable(control);
	enable(control);
	mark(control, 1, 150);
	expect_ok(ioctl(reader, FT_IOC_READ_SLOTS, &slots));
	expect_eq(slots.count, 0);
	expect_eq(slots.lost, 10);
}

/* A reader does not change over to the next trace on its way. */
static void test_one_trace(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;

	mark(control, 1, 5);
	expect_eq(read(reader, &packet, 128), 128);
	disable(control);
	enable(control);
	mark(control, 6, 5);
	expect_end(reader);
	expect_eq(cpu_stats().read, 0);
}

/* Not even one that has not seen a record yet. */
static void test_one_trace_waiting(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY | O_NONBLOCK);
	struct packet packet;

	expect_error(read(reader, &packet, sizeof(packet)), EAGAIN);
	disable(control);
	enable(control);
	mark(control, 1, 5);
	expect_end(reader);
	expect_eq(cpu_stats().read, 0);
}

static void test_open_before(void)
{
	int control = configure(FT_SLOTS_MIN, WAKE_US), reader;
	struct packet packet;

	reader = open_cpu(O_RDONLY);
	enable(control);
	mark(control, 1, 5);
	expect_eq(read_packet(reader, &packet), 5);
	expect_marks(packet.records, 1, 5);
}

/* Another reader goes on where the first stopped, in a stream of its own. */
static void test_reopen(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;

	mark(control, 1, 10);
	expect_eq(read(reader, &packet, 128 + 96 + 64), 96 + 6 * 32);
	expect_eq(packet.header.seq, 0);
	close(reader);
	reader = open_cpu(O_RDONLY);
	expect_eq(read(reader, &packet, 128), 128);
	expect_eq(packet.header.seq, 0);
	expect_marks(packet.records, 7, 1);
	disable(control);
	expect_eq(read_packet(reader, &packet), 3);
	expect_eq(packet.header.seq, 1);
	expect_marks(packet.records, 8, 3);
	expect_end(reader);
}

/* What nobody read stays until the next trace. */
static void test_next_trace_empties(void)
{
	int control = start(FT_SLOTS_MIN), reader;
	struct packet packet;

	mark(control, 1, 130);
	disable(control);
	expect_eq(cpu_stats().written, FT_SLOTS_MIN - 8);
	expect_eq(cpu_stats().lost, 10);
	enable(control);
	expect_eq(cpu_stats().written, 0);
	expect_eq(cpu_stats().lost, 0);
	mark(control, 200, 1);
	disable(control);
	reader = open_cpu(O_RDONLY);
	expect_eq(read_packet(reader, &packet), 1);
	expect_marks(packet.records, 200, 1);
	expect_eq(packet.header.discarded, 0);
	expect_end(reader);
}

static void test_shared(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;
	pid_t pid;

	mark(control, 1, 3);
	expect_eq(read(reader, &packet, 128), 128);
	pid = fork();
	if (!pid) {
		expect_eq(read(reader, &packet, 128), 128);
		expect_eq(packet.header.seq, 1);
		expect_marks(packet.records, 2, 1);
		_exit(EXIT_SUCCESS);
	}
	join(pid);
	expect_eq(read(reader, &packet, 128), 128);
	expect_eq(packet.header.seq, 2);
	expect_marks(packet.records, 3, 1);
}

static const struct api_test tests[] = {
	{ "one reader a CPU", test_one_reader },
	{ "write-only descriptors give statistics only", test_stats_only },
	{ "a CPU that is not there", test_no_such_cpu },
	{ "buffers below 128 bytes: EINVAL", test_short_buffer },
	{ "O_NONBLOCK", test_nonblock },
	{ "a blocked reader gets records", test_blocking },
	{ "a blocked reader gets the end", test_end_wakes },
	{ "a blocked reader gets signals", test_signal },
	{ "few records wait for the interval, many do not", test_interval },
	{ "the end of the file", test_end },
	{ "the end by FT_IOC_READ_SLOTS", test_end_slots },
	{ "a reader reads one trace", test_one_trace },
	{ "a reader waits for one trace", test_one_trace_waiting },
	{ "a reader that was there before the start", test_open_before },
	{ "a reader that opens again goes on", test_reopen },
	{ "the next trace empties the rings", test_next_trace_empties },
	{ "a descriptor shared by processes", test_shared },
};

API_MAIN("api_reader", tests)
