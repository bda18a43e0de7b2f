// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a process does with a descriptor, and what it may get. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"

#define PAGE	4096u

/* An argument lies against the end of memory: a byte too many is a fault. */
void *argument(struct fuzzer *f, size_t size, bool *good)
{
	char *end = f->page + PAGE;

	*good = size <= PAGE;
	if (*good && !rng_one_in(&f->rng, 10))
		return end - size;

	*good = false;
	switch (rng_below(&f->rng, 6)) {
	case 0:
		return NULL;
	case 1:
		return end;
	case 2:
		return end - size / 2 - 1;	/* the rest is missing */
	case 3:
		return f->read_only;
	case 4:
		return (void *)(uintptr_t)(0xffffffff80000000u | rng_next(&f->rng));
	default:
		return (void *)(uintptr_t)rng_next(&f->rng);
	}
}

/* --- open ------------------------------------------------------------------- */

static void choose_path(struct fuzzer *f, struct file *file, char *path, size_t size)
{
	switch (rng_below(&f->rng, 6)) {
	case 0:
		file->device = DEVICE_META;
		snprintf(path, size, "/dev/ft_trace_meta");
		break;
	case 1: case 2: case 3:
		file->device = DEVICE_CPU;
		snprintf(path, size, "/dev/ft_trace%u", rng_below(&f->rng, f->cpus));
		break;
	default:
		file->device = DEVICE_CONTROL;
		snprintf(path, size, "/dev/ft_trace");
	}
}

/* A ring has one reader, from open() on. */
static bool may_be_reader(const struct fuzzer *f)
{
	return f->season == ALL_READ || (f->season == ROOT_READS && !f->stranger);
}

void fuzz_open(struct fuzzer *f, struct file *file)
{
	static const int access[] = { O_RDWR, O_RDWR, O_RDONLY, O_WRONLY };
	int flags = O_CLOEXEC;
	char path[64];

	f->doing = "open";
	choose_path(f, file, path, sizeof(path));
	file->access = access[rng_below(&f->rng, ARRAY_SIZE(access))];
	if (file->device == DEVICE_CPU && !may_be_reader(f))
		file->access = O_WRONLY;
	file->enabled = FT_ID_MARK;
	memset(&file->taken, 0, sizeof(file->taken));
	if (rng_one_in(&f->rng, 2))
		flags |= O_NONBLOCK;
	if (rng_one_in(&f->rng, 8))
		flags |= O_TRUNC | O_APPEND;
	file->fd = open(path, file->access | flags);

	if (f->locked_out) {
		if (file->fd >= 0)
			wrong(f, "%s could be opened without a right to", path);
		if (errno != EPERM && errno != EACCES)
			wrong(f, "%s: %s", path, strerror(errno));
	} else if (file->fd < 0 && errno != EINTR &&
		   /* one to read the records; nobody writes to the metadata */
		   (file->device == DEVICE_CONTROL || errno != EBUSY) &&
		   (file->device != DEVICE_META || errno != EACCES)) {
		wrong(f, "%s, flags %#x: %s", path, file->access | flags,
		      strerror(errno));
	}
}

/* --- ioctl ------------------------------------------------------------------ */

/* Another size, direction or number: Return: a request that nobody knows. */
static unsigned int mangle(struct fuzzer *f, unsigned int request)
{
	unsigned int other;

	do {
		other = request ^ (rng_one_in(&f->rng, 3) ? (unsigned int)rng_next(&f->rng) :
							     1u << rng_below(&f->rng, 32));
		for (unsigned int i = 0; i < calls_count; i++) {
			if (other == calls[i].request)
				other = request;
		}
	} while (other == request || _IOC_TYPE(other) != FT_IOC_TYPE);
	return other;
}

static void expect_unknown(struct fuzzer *f, const struct file *file,
			   unsigned int request)
{
	bool good;
	void *arg = argument(f, 256, &good);

	if (!ioctl(file->fd, request, arg) || errno != ENOTTY)
		wrong(f, "request %#x, which there is not: %s", request,
		      strerror(errno));
}

static bool may_fail(const struct file *file, const struct call *call, bool good,
		     int error)
{
	if (!(file->device & call->devices))
		return error == ENOTTY;
	/* Who may not read may ask for statistics, and since when the ring has all. */
	if (file->device == DEVICE_CPU && file->access == O_WRONLY &&
	    call->request != FT_IOC_STATS && call->request != FT_IOC_WINDOW)
		return error == EBADF;
	if (error == EFAULT)
		return !good || call->request == FT_IOC_READ_SLOTS ||
		       call->request == FT_IOC_START || call->request == FT_IOC_STOP;
	return call_allows(call, error);
}

static void check_success(struct fuzzer *f, const struct file *file,
			  const struct call *call, const void *arg, bool good)
{
	if (!(file->device & call->devices))
		wrong(f, "%s on a device that has no such call", call->name);
	/* What is only read may lie in memory that is. */
	if (!good && arg != f->read_only)
		wrong(f, "%s from %p", call->name, arg);
	if (!good && _IOC_DIR(call->request) & _IOC_READ)
		wrong(f, "%s wrote to memory that is read-only", call->name);
	if (good && call->sane && !call->sane(arg))
		wrong(f, "%s left what cannot be", call->name);
	__atomic_fetch_add(&f->done[call - calls], 1, __ATOMIC_RELAXED);
}

/* Some calls undo what another one did: most of them should find it. */
static void recall(struct fuzzer *f, const struct file *file, const struct call *call,
		   void *arg)
{
	if (rng_one_in(&f->rng, 4))
		return;
	if (call->request == FT_IOC_DISABLE)
		((struct ft_enable *)arg)->id = file->enabled;
	else if (call->request == FT_IOC_STOP)
		*(struct ft_set *)arg = (struct ft_set){
			.ids = (uintptr_t)&file->enabled, .count = 1,
		};
	else if (call->request == FT_IOC_GIVE_BACK)
		memcpy(arg, &file->taken, sizeof(file->taken));
}

static void remember(struct file *file, const struct call *call, const void *arg)
{
	if (call->request == FT_IOC_ENABLE)
		file->enabled = ((const struct ft_enable *)arg)->id;
	else if (call->request == FT_IOC_TAKE && ((const struct ft_range *)arg)->count)
		memcpy(&file->taken, arg, sizeof(file->taken));
}

static void fill(struct fuzzer *f, const struct file *file, const struct call *call,
		 void *arg)
{
	struct ft_slots *slots = arg;

	call->fill(&f->rng, arg);
	recall(f, file, call, arg);
	if (call->request == FT_IOC_READ_SLOTS)
		slots->buf = rng_one_in(&f->rng, 8) ? rng_next(&f->rng) :
						      (uintptr_t)f->page;
}

static const struct call *choose_call(struct fuzzer *f, const struct file *file)
{
	const struct call *call;

	do
		call = &calls[rng_below(&f->rng, calls_count)];
	while (!(file->device & call->devices) && !rng_one_in(&f->rng, 16));
	return call;
}

/* There would be hardly a record if everybody ended the traces of the others. */
static bool is_time_for(struct fuzzer *f, const struct call *call)
{
	switch (call->request) {
	case FT_IOC_DISABLE_ALL:
		return rng_one_in(&f->rng, 20);
	case FT_IOC_PAUSE:
		return rng_one_in(&f->rng, 10);
	case FT_IOC_ENABLE:
	case FT_IOC_START:
		return f->season != NO_TRACE;
	default:
		return true;
	}
}

/* What readers read. */
static void more_marks(struct fuzzer *f, const struct file *file)
{
	const struct ft_mark mark = { f->number, f->step };

	for (unsigned int i = rng_below(&f->rng, 500); i; i--)
		ioctl(file->fd, FT_IOC_MARK, &mark);
}

void fuzz_ioctl(struct fuzzer *f, struct file *file)
{
	const struct call *call = choose_call(f, file);
	bool good = true;
	void *arg = NULL;

	f->doing = call->name;
	if (rng_one_in(&f->rng, 10)) {
		expect_unknown(f, file, mangle(f, call->request));
		return;
	}
	if (!is_time_for(f, call))
		return;
	if (call->fill) {
		arg = argument(f, call_size(call), &good);
		if (good)
			fill(f, file, call, arg);
	}
	if (!ioctl(file->fd, call->request, arg)) {
		check_success(f, file, call, arg, good);
		if (good)
			remember(file, call, arg);
		if (call->request == FT_IOC_MARK)
			more_marks(f, file);
	} else if (!may_fail(file, call, good, errno)) {
		wrong(f, "%s, memory %s: %s", call->name, good ? "good" : "bad",
		      strerror(errno));
	}
}

/* --- all other calls of a file ------------------------------------------------ */

static void expect_packets(struct fuzzer *f, const char *buf, size_t bytes)
{
	struct ft_packet_header header;

	for (size_t at = 0; at < bytes; at += header.packet_bits / 8) {
		if (bytes - at < sizeof(header))
			wrong(f, "%zu bytes are left for a packet's header", bytes - at);
		memcpy(&header, buf + at, sizeof(header));
		if (header.magic != FT_PACKET_MAGIC || header.packet_bits % 8 ||
		    header.packet_bits / 8 < sizeof(header) ||
		    header.packet_bits / 8 > bytes - at)
			wrong(f, "read() gave what is no packet");
	}
}

static void do_read(struct fuzzer *f, struct file *file)
{
	size_t size = rng_one_in(&f->rng, 3) ? rng_below(&f->rng, 2 * PAGE) : PAGE;
	bool good;
	void *buf = argument(f, size, &good);
	ssize_t n = read(file->fd, buf, size);

	if (n > (ssize_t)size)
		wrong(f, "read(%zu) gave %zd bytes", size, n);
	if (n > 0 && !good && buf == f->read_only)
		wrong(f, "read() wrote to memory that is read-only");
	if (n > 0 && good && file->device == DEVICE_CPU)
		expect_packets(f, buf, n);
	if (n > 0 && file->device == DEVICE_CONTROL)
		wrong(f, "read() gave something of the control device");
	if (n < 0 && errno != EAGAIN && errno != EINTR && errno != EINVAL &&
	    errno != EBADF && errno != EBUSY && !(errno == EFAULT && !good))
		wrong(f, "read(%zu), memory %s: %s", size, good ? "good" : "bad",
		      strerror(errno));
}

static void do_write(struct fuzzer *f, struct file *file)
{
	if (write(file->fd, f->page, rng_below(&f->rng, PAGE)) >= 0)
		wrong(f, "write() wrote something");
}

static void do_poll(struct fuzzer *f, struct file *file)
{
	struct pollfd fd = { .fd = file->fd, .events = (short)rng_next(&f->rng) };

	if (poll(&fd, 1, rng_below(&f->rng, 3)) < 0 && errno != EINTR)
		wrong(f, "poll: %s", strerror(errno));
}

static void do_seek(struct fuzzer *f, struct file *file)
{
	static char buf[PAGE];
	off_t at = (off_t)(rng_next(&f->rng) >> rng_below(&f->rng, 64));

	/* The metadata is a text like any other. */
	if (lseek(file->fd, at, rng_below(&f->rng, 5)) >= 0 &&
	    file->device == DEVICE_CPU)
		wrong(f, "lseek() in a stream");
	if (pread(file->fd, buf, sizeof(buf), at) > 0 && file->device == DEVICE_CPU)
		wrong(f, "pread() from a stream");
	if (sendfile(file->fd, file->fd, NULL, PAGE) > 0)
		wrong(f, "sendfile() into a device");
	ftruncate(file->fd, at);
	fsync(file->fd);
}

static void do_map(struct fuzzer *f, struct file *file)
{
	static const int prots[] = { PROT_READ, PROT_READ, PROT_READ | PROT_WRITE,
				     PROT_NONE, PROT_READ | PROT_EXEC };
	static volatile char sum;
	size_t size = PAGE << rng_below(&f->rng, 10);
	int prot = prots[rng_below(&f->rng, ARRAY_SIZE(prots))];
	off_t at = rng_one_in(&f->rng, 8) ? PAGE * rng_below(&f->rng, 100) : 0;
	char *map = mmap(NULL, size, prot, rng_one_in(&f->rng, 2) ? MAP_SHARED : MAP_PRIVATE,
			 file->fd, at);

	if (map == MAP_FAILED)
		return;
	if (file->device != DEVICE_CPU)
		wrong(f, "mmap() of a device that has no ring");
	if (at)
		wrong(f, "mmap() from %ld on", (long)at);
	if (!mprotect(map, size, PROT_READ | PROT_WRITE))
		wrong(f, "a ring could be made writable");
	if (prot & PROT_READ) {
		for (size_t i = 0; i < size; i += PAGE)
			sum += map[i];
	}
	munmap(map, rng_one_in(&f->rng, 8) && size > PAGE ? PAGE : size);
	munmap(map, size);
}

/* Another process closes it, perhaps while we go on. */
static void do_fork(struct fuzzer *f, struct file *file)
{
	pid_t pid = fork();

	if (!pid) {
		alarm(5);
		fuzz_ioctl(f, file);
		_exit(0);
	}
	if (pid > 0 && rng_one_in(&f->rng, 2)) {
		close(file->fd);
		file->fd = -1;
	}
}

static void do_flags(struct fuzzer *f, struct file *file)
{
	int fd = dup(file->fd);

	if (fd >= 0) {
		close(file->fd);
		file->fd = fd;
	}
	fcntl(file->fd, F_SETFL, rng_one_in(&f->rng, 2) ? O_NONBLOCK : 0);
}

void fuzz_file(struct fuzzer *f, struct file *file)
{
	static const struct {
		const char *name;
		void (*call)(struct fuzzer *f, struct file *file);
	} rest[] = {
		{ "read", do_read },	{ "read", do_read },	{ "write", do_write },
		{ "poll", do_poll },	{ "lseek", do_seek },	{ "mmap", do_map },
		{ "dup", do_flags },
	};
	unsigned int which;

	if (rng_one_in(&f->rng, 50)) {
		f->doing = "fork";
		do_fork(f, file);
		return;
	}
	which = rng_below(&f->rng, ARRAY_SIZE(rest));
	f->doing = rest[which].name;
	rest[which].call(f, file);
}
