/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the api_*.c programs share: how a test is run, and what it expects.
 *
 * Each test is a process of its own, so its descriptors and mappings go with it,
 * and one that hangs or crashes is a test that failed.
 */
#ifndef FT_TESTS_API_H
#define FT_TESTS_API_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define CONTROL			"/dev/ft_trace"
#define META			"/dev/ft_trace_meta"

/* No record and no test takes longer, not even in a slow emulator. */
#define TEST_SECONDS		90
/* One that takes so long says how long: together they are most of the time of make check. */
#define TELL_SECONDS		5
#define EXIT_SKIP		77

/* Readers look for records this often, unless a test is about it. */
#define WAKE_US			1000u

struct api_test {
	const char	*name;
	void		(*run)(void);
};

static const char *api_name = "api";

/* --- expectations --------------------------------------------------------- */

/* Ends the process. */
static inline __attribute__((noreturn, format(printf, 1, 2)))
void fail(const char *format, ...)
{
	va_list args;

	printf("FAIL %s: ", api_name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(EXIT_FAILURE);
}

static inline __attribute__((noreturn)) void skip(const char *why)
{
	printf("skip %s: %s\n", api_name, why);
	fflush(stdout);
	_exit(EXIT_SKIP);
}

#define expect(condition)						\
do {									\
	if (!(condition))						\
		fail("line %d: not so: %s", __LINE__, #condition);	\
} while (0)

#define expect_eq(got, expected)					\
do {									\
	long long _got = (long long)(got);				\
	long long _expected = (long long)(expected);			\
									\
	if (_got != _expected)						\
		fail("line %d: %s is %lld, expected %lld", __LINE__,	\
		     #got, _got, _expected);				\
} while (0)

#define expect_ok(call)							\
({									\
	long _ret = (call);						\
									\
	if (_ret < 0)							\
		fail("line %d: %s: %s", __LINE__, #call, strerror(errno)); \
	_ret;								\
})

#define expect_error(call, error)					\
do {									\
	long _ret;							\
									\
	errno = 0;							\
	_ret = (long)(call);						\
	if (_ret != -1 || errno != (error))				\
		fail("line %d: %s: %ld, %s; expected %s", __LINE__,	\
		     #call, _ret, strerror(errno), strerror(error));	\
} while (0)

/* A pointer to where nothing is, of which the compiler knows nothing. */
static inline void *nowhere(void)
{
	void *volatile pointer = (void *)8;

	return pointer;
}

/* --- processes and time --------------------------------------------------- */

/* Wait for a process that was forked; if it failed, this one does. */
static inline void join(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		fail("waitpid: %s", strerror(errno));
	if (WIFSIGNALED(status))
		fail("a process ended by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status))
		_exit(WEXITSTATUS(status));	/* it said why */
}

static inline void sleep_ms(unsigned int ms)
{
	const struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	nanosleep(&ts, NULL);
}

static inline unsigned long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

/* The CPU that tests use: not the first, where there are more. */
static inline unsigned int the_cpu(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

static inline void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	expect_ok(sched_setaffinity(0, sizeof(set), &set));
}

/* --- devices -------------------------------------------------------------- */

static inline int open_control(void)
{
	return expect_ok(open(CONTROL, O_RDWR));
}

static inline void cpu_path(char *path, size_t size, unsigned int cpu)
{
	snprintf(path, size, "/dev/ft_trace%u", cpu);
}

/* Return: a descriptor, or -1 and errno. */
static inline int try_open_cpu(unsigned int cpu, int flags)
{
	char path[64];

	cpu_path(path, sizeof(path), cpu);
	return open(path, flags);
}

static inline int open_cpu(int flags)
{
	return expect_ok(try_open_cpu(the_cpu(), flags));
}

static inline int enable_flags(int control, unsigned long request, __u32 id,
			       __u32 flags)
{
	struct ft_enable enable = { .id = id, .flags = flags };

	return ioctl(control, request, &enable);
}

static inline void enable(int control)
{
	expect_ok(enable_flags(control, FT_IOC_ENABLE, FT_ID_MARK, 0));
}

static inline void disable(int control)
{
	expect_ok(enable_flags(control, FT_IOC_DISABLE, FT_ID_MARK, 0));
}

static inline struct ft_info get_info(int control)
{
	struct ft_info info;

	memset(&info, 0xff, sizeof(info));
	expect_ok(ioctl(control, FT_IOC_INFO, &info));
	return info;
}

static inline struct ft_event_info get_event(int control, __u32 id)
{
	struct ft_event_info event = { .id = id };

	expect_ok(ioctl(control, FT_IOC_EVENT, &event));
	return event;
}

static inline struct ft_stats get_stats(int reader)
{
	struct ft_stats stats;

	memset(&stats, 0xff, sizeof(stats));
	expect_ok(ioctl(reader, FT_IOC_STATS, &stats));
	return stats;
}

/* Statistics of the_cpu(), through a descriptor that is in nobody's way. */
static inline struct ft_stats cpu_stats(void)
{
	int fd = open_cpu(O_WRONLY);
	struct ft_stats stats = get_stats(fd);

	close(fd);
	return stats;
}

static inline int set_config(int control, __u32 slots, __u32 wake_us)
{
	struct ft_config config = { .slots = slots, .wake_us = wake_us };

	return ioctl(control, FT_IOC_SET_CONFIG, &config);
}

/* Marks with first words @first, @first + 1, ..., and their complements. */
static inline void mark(int control, __u64 first, unsigned int count)
{
	struct ft_mark words;
	unsigned int i;

	for (i = 0; i < count; i++) {
		words.a = first + i;
		words.b = ~words.a;
		expect_ok(ioctl(control, FT_IOC_MARK, &words));
	}
}

/* Are these the records of such marks? */
static inline void expect_marks(const struct ft_record *records, __u64 first,
				unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		expect_eq(records[i].id, FT_ID_MARK);
		expect_eq(records[i].a, first + i);
		expect_eq(records[i].b, ~(first + i));
		if (i)
			expect(records[i].ts >= records[i - 1].ts);
	}
}

/* What read() returns. */
struct packet {
	struct ft_packet_header	header;
	struct ft_record	records[FT_PACKET_RECORDS];
};

_Static_assert(sizeof(struct packet) == FT_PACKET_MAX, "a packet is a page");

/* Read one packet, check its size and return its number of records. */
static inline unsigned int read_packet(int reader, struct packet *packet)
{
	long bytes = expect_ok(read(reader, packet, sizeof(*packet)));

	expect(bytes >= (long)sizeof(packet->header));
	expect_eq(packet->header.magic, FT_PACKET_MAGIC);
	expect_eq(packet->header.packet_bits, bytes * 8);
	return (bytes - sizeof(packet->header)) / sizeof(struct ft_record);
}

static inline void expect_end(int reader)
{
	struct packet packet;

	expect_eq(read(reader, &packet, sizeof(packet)), 0);
}

/* The process stays on the_cpu(); no event is on. */
static inline int configure(__u32 slots, __u32 wake_us)
{
	int control = open_control();

	pin(the_cpu());
	expect_ok(set_config(control, slots, wake_us));
	return control;
}

/* Begin a trace of marks of the_cpu(), with rings of @slots. */
static inline int start_waking(__u32 slots, __u32 wake_us)
{
	int control = configure(slots, wake_us);

	enable(control);
	return control;
}

static inline int start(__u32 slots)
{
	return start_waking(slots, WAKE_US);
}

/* The number of the event with this name. */
static inline __u32 event_id(int control, const char *name)
{
	struct ft_event_info event = { 0 };

	while (!ioctl(control, FT_IOC_EVENT, &event)) {
		if (!strcmp(event.name, name))
			return event.id;
		event = (struct ft_event_info){ .id = event.id + 1 };
	}
	fail("no event %s", name);
}

/* Not by /sys/kernel/realtime, which only patched kernels have. */
static inline bool is_rt(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

static inline bool has_event(__u32 id)
{
	struct ft_event_info event = { .id = id };
	int control = open_control();
	bool has = !ioctl(control, FT_IOC_EVENT, &event) && event.id == id;

	close(control);
	return has;
}

/* A file of a test module: its event happens so many times. */
static inline void fire(const char *path, unsigned int count)
{
	char text[16];
	int fd = expect_ok(open(path, O_WRONLY));
	int length = snprintf(text, sizeof(text), "%u", count);

	expect_eq(write(fd, text, length), length);
	close(fd);
}

/* A descriptor that has begun a session. */
static inline int new_session(const char *name)
{
	struct ft_session_info info = { .flags = FT_SESSION_NEW };
	int control = open_control();

	strcpy(info.name, name);
	expect_ok(ioctl(control, FT_IOC_SESSION, &info));
	expect(info.number > 0 && info.number < FT_SESSIONS_MAX);
	expect(!strcmp(info.name, name));
	expect_eq(info.flags, 0);
	return control;
}

/* This CPU's ring of the descriptor's session. */
static inline int try_open_ring(int control, __u32 flags)
{
	struct ft_open how = { .cpu = the_cpu(), .flags = flags };

	return ioctl(control, FT_IOC_OPEN, &how);
}

static inline int open_ring(int control)
{
	return expect_ok(try_open_ring(control, 0));
}

static inline struct ft_stats session_stats(int control)
{
	int fd = expect_ok(try_open_ring(control, FT_OPEN_STATS));
	struct ft_stats stats = get_stats(fd);

	close(fd);
	return stats;
}

/* --- the program ---------------------------------------------------------- */

/* Whatever a test leaves on must not spoil the next. */
static inline void api_clean_up(void)
{
	int control = open(CONTROL, O_RDWR);

	if (control < 0)
		return;
	ioctl(control, FT_IOC_DISABLE_ALL);
	close(control);
}

static inline bool api_run_one(const char *program, const struct api_test *test)
{
	unsigned long long began = now_ms(), seconds;
	char name[128];
	int status;
	pid_t pid;

	snprintf(name, sizeof(name), "%s: %s", program, test->name);
	api_name = name;
	fflush(stdout);

	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		alarm(TEST_SECONDS);
		test->run();
		printf("ok %s\n", api_name);
		fflush(stdout);
		_exit(EXIT_SUCCESS);
	}

	waitpid(pid, &status, 0);
	kill(-pid, SIGKILL);	/* what it may have forked */
	if (WIFSIGNALED(status))
		printf("FAIL %s: ended by signal %d%s\n", name, WTERMSIG(status),
		       WTERMSIG(status) == SIGALRM ? ", it hung" : "");
	api_clean_up();
	seconds = (now_ms() - began) / 1000;
	if (seconds >= TELL_SECONDS)
		printf("# %s: %llu s\n", name, seconds);
	return WIFEXITED(status) && (WEXITSTATUS(status) == EXIT_SUCCESS ||
				     WEXITSTATUS(status) == EXIT_SKIP);
}

/* Run those tests whose names contain @only, or all if it is NULL. */
static inline int api_run(const char *program, const struct api_test *tests,
			  size_t count, const char *only)
{
	int status = EXIT_SUCCESS;
	size_t i;

	for (i = 0; i < count; i++) {
		if (only && !strstr(tests[i].name, only))
			continue;
		if (!api_run_one(program, &tests[i]))
			status = EXIT_FAILURE;
	}
	fflush(stdout);
	return status;
}

#define API_MAIN(program, tests)					\
int main(int argc, char **argv)						\
{									\
	return api_run(program, tests, ARRAY_SIZE(tests),		\
		       argc > 1 ? argv[1] : NULL);			\
}

#endif /* FT_TESTS_API_H */
