// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The module's devices, played by a library that is preloaded: what ft record --user
 * does can be tested where there is no module. Records come from FT_IOC_MARK alone, of
 * whatever process: an event with the id of the mark's second word, if that is not 0,
 * else a mark; its time and task are real.
 *
 * All that the processes share is in the file that FT_DEVICES names, one CPU with it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <feather_trace/tsdl.h>
#include <linux/feather_trace.h>

#define SLOTS	(1u << 16)
#define FILES	1024

enum kind { NONE, CONTROL, RING };

struct shared {
	__u64			w, r, lost, seq;
	__u32			slots, trace, enabled;
	__u8			losing, gap;
	struct ft_record	record[SLOTS];	/* an id of 0: not there yet */
};

static struct shared *shared;
static __u8 kinds[FILES];
static __u32 enabled_by[FILES];

static const char *const families[] = {
	"spin", "rwlock_read", "rwlock_write", "mutex", "semaphore",
	"rwsem_read", "rwsem_write",
};

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

__attribute__((constructor))
static void devices_init(void)
{
	const char *path = getenv("FT_DEVICES"), *slots = getenv("FT_DEVICES_SLOTS");
	int (*real_open)(const char *, int, ...) = real("open");
	int fd = path ? real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (fd < 0)
		return;
	if (ftruncate(fd, sizeof(*shared)))
		abort();
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	close(fd);
	if (shared == MAP_FAILED)
		abort();
	if (!shared->slots)
		shared->slots = slots ? (__u32)atoi(slots) : SLOTS;
}

/* --- the trace ------------------------------------------------------------- */

static __u64 now(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (__u64)t.tv_sec * 1000000000u + t.tv_nsec;
#endif
}

static void fill_uuid(__u8 uuid[16])
{
	memset(uuid, 0x5a, 16);
	memcpy(uuid, &shared->trace, sizeof(shared->trace));
}

static __u64 clock_hz(void)
{
	return 2000000000;
}

static void mark(const struct ft_mark *m)
{
	struct ft_record *to;
	__u64 pos;

	if (!shared->enabled)
		return;
	if (__atomic_load_n(&shared->w, __ATOMIC_RELAXED) -
	    __atomic_load_n(&shared->r, __ATOMIC_RELAXED) >= shared->slots - 8) {
		__atomic_fetch_add(&shared->lost, 1, __ATOMIC_RELAXED);
		shared->losing = 1;
		return;
	}
	if (__atomic_exchange_n(&shared->losing, 0, __ATOMIC_RELAXED))
		shared->gap++;
	pos = __atomic_fetch_add(&shared->w, 1, __ATOMIC_RELAXED);
	to = &shared->record[pos % SLOTS];
	to->ts = now();
	to->gap = shared->gap;
	to->tid = (__s32)syscall(SYS_gettid);
	to->a = m->a;
	to->b = m->b ? 0xffffffff81000010 : 0;
	__atomic_store_n(&to->id, m->b ? (__u16)m->b : FT_ID_MARK, __ATOMIC_RELEASE);
}

static ssize_t read_ring(void *buf, size_t len)
{
	struct ft_packet_header *h = buf;
	struct ft_record *to = (void *)(h + 1);
	size_t n = 0, most = (len - sizeof(*h)) / sizeof(*to);

	if (most > FT_PACKET_RECORDS)
		most = FT_PACKET_RECORDS;
	for (; n < most; n++) {
		struct ft_record *from = &shared->record[(shared->r + n) % SLOTS];

		if (!__atomic_load_n(&from->id, __ATOMIC_ACQUIRE))
			break;
		to[n] = *from;
		from->id = 0;
		/* two processes, one ring: their order is not that of their clock */
		if (n && to[n].ts < to[n - 1].ts)
			to[n].ts = to[n - 1].ts;
	}
	if (!n && shared->enabled) {
		errno = EAGAIN;
		return -1;
	}
	if (!n)
		return 0;
	__atomic_fetch_add(&shared->r, n, __ATOMIC_RELEASE);
	memset(h, 0, sizeof(*h));
	h->magic = FT_PACKET_MAGIC;
	fill_uuid(h->uuid);
	h->ts_begin = to[0].ts;
	h->ts_end = to[n - 1].ts;
	h->content_bits = h->packet_bits = (sizeof(*h) + n * sizeof(*to)) * 8;
	h->seq = shared->seq++;
	h->discarded = shared->lost;
	h->clock_hz = clock_hz();
	return (ssize_t)(h->content_bits / 8);
}

static void put_events(FILE *f)
{
	fprintf(f, FT_TSDL_EVENT("0"), FT_ID_MARK, "mark", "a", "b");
	for (unsigned int i = 0; i < 2 * FT_LOCK_FAMILIES; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s_%s", families[i / 2],
			 i % 2 ? "release" : "acquire");
		fprintf(f, FT_TSDL_EVENT("0"), FT_ID_LOCK + i, name, "lock", "caller");
	}
}

static int open_metadata(void)
{
	static const char hex[] = "0123456789abcdef";
	int fd = memfd_create("metadata", MFD_CLOEXEC);
	FILE *f = fdopen(dup(fd), "w");
	char text[37] = "";
	__u8 uuid[16];

	fill_uuid(uuid);
	for (unsigned int i = 0, n = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text[n++] = '-';
		text[n++] = hex[uuid[i] >> 4];
		text[n++] = hex[uuid[i] & 15];
	}
	fputs("/* CTF 1.8 */\n\n" FT_TSDL_TYPES, f);
	fprintf(f, FT_TSDL_TRACE("%s"), text);
	fputs("\nenv {\n\tdomain = \"kernel\";\n\ttracer_name = \"feather-trace\";\n};\n", f);
	fprintf(f, FT_TSDL_CLOCK, "TSC", clock_hz(), 1700000000ll, 0ull);
	fputs(FT_TSDL_STAMP FT_TSDL_STREAM("0", FT_TSDL_CPU, "_gap"), f);
	put_events(f);
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* --- the calls -------------------------------------------------------------- */

static int open_device(const char *path)
{
	int (*real_open)(const char *, int, ...) = real("open");
	enum kind kind = !strcmp(path, "/dev/ft_trace") ? CONTROL :
			 !strcmp(path, "/dev/ft_trace0") ? RING : NONE;
	int fd;

	if (!strcmp(path, "/dev/ft_trace_meta"))
		return open_metadata();
	if (kind == NONE) {
		errno = ENOENT;
		return -1;
	}
	fd = real_open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd >= 0 && fd < FILES)
		kinds[fd] = (__u8)kind;
	return fd;
}

static bool is_ours(int fd, enum kind kind)
{
	return shared && fd >= 0 && fd < FILES && kinds[fd] == kind;
}

static int info(struct ft_info *i)
{
	memset(i, 0, sizeof(*i));
	i->abi = FT_ABI_VERSION;
#ifndef __x86_64__
	i->clock = FT_CLOCK_MONO;
#endif
	i->clock_hz = clock_hz();
	fill_uuid(i->uuid);
	i->trace = shared->trace;
	i->active = !!shared->enabled;
	/* of which only the first is there */
	i->cpus = (__u32)sysconf(_SC_NPROCESSORS_CONF);
	i->lock_source = FT_LOCKS_PATCH;
	return 0;
}

static int event(struct ft_event_info *e)
{
	__u32 id = e->id;

	if (id > FT_ID_MARK && id < FT_ID_LOCK)
		id = FT_ID_LOCK;
	if (id >= FT_ID_ACQUIRE(FT_LOCK_FAMILIES)) {
		errno = ENOENT;
		return -1;
	}
	memset(e, 0, sizeof(*e));
	e->id = id < FT_ID_MARK ? FT_ID_MARK : id;
	e->triggers = 1;
	if (e->id == FT_ID_MARK)
		strcpy(e->name, "mark");
	else
		snprintf(e->name, sizeof(e->name), "%s_%s",
			 families[(id - FT_ID_LOCK) / 2],
			 id % 2 ? "release" : "acquire");
	strcpy(e->owner, "vmlinux");
	return 0;
}

static int enable(int fd)
{
	if (!shared->enabled++) {
		shared->trace++;
		shared->w = shared->r = shared->lost = shared->seq = 0;
		memset(shared->record, 0, sizeof(shared->record));
	}
	enabled_by[fd]++;
	return 0;
}

static int stats(struct ft_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->written = shared->w;
	s->read = shared->r;
	s->lost = shared->lost;
	s->slots = shared->slots;
	s->online = 1;
	return 0;
}

static int control(int fd, unsigned long request, void *arg)
{
	switch (request) {
	case FT_IOC_INFO:
		return info(arg);
	case FT_IOC_EVENT:
		return event(arg);
	case FT_IOC_ENABLE:
		return enable(fd);
	case FT_IOC_GET_CONFIG:
		*(struct ft_config *)arg = (struct ft_config){
			.slots = shared->slots, .wake_us = 10000,
		};
		return 0;
	case FT_IOC_MARK:
		mark(arg);
		return 0;
	case FT_IOC_PAUSE:
	case FT_IOC_RESUME:
	case FT_IOC_DETACH:
		return 0;
	case FT_IOC_STATS:
		return stats(arg);
	}
	errno = request == FT_IOC_HOOK ? ENOENT : ENOTTY;
	return -1;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real_ioctl)(int, unsigned long, ...) = real("ioctl");
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (is_ours(fd, CONTROL) || is_ours(fd, RING))
		return control(fd, request, arg);
	return real_ioctl(fd, request, arg);
}

static int open_any(const char *name, const char *path, int flags, mode_t mode)
{
	int (*real_open)(const char *, int, ...) = real(name);

	if (shared && !strncmp(path, "/dev/ft_trace", 13))
		return open_device(path);
	return real_open(path, flags, mode);
}

#define DEFINE_OPEN(name)						\
int name(const char *path, int flags, ...)				\
{									\
	va_list ap;							\
	mode_t mode;							\
									\
	va_start(ap, flags);						\
	mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;		\
	va_end(ap);							\
	return open_any(#name, path, flags, mode);			\
}

DEFINE_OPEN(open)
DEFINE_OPEN(open64)

ssize_t read(int fd, void *buf, size_t len)
{
	ssize_t (*real_read)(int, void *, size_t) = real("read");

	return is_ours(fd, RING) ? read_ring(buf, len) : real_read(fd, buf, len);
}

int close(int fd)
{
	int (*real_close)(int) = real("close");

	if (is_ours(fd, CONTROL)) {
		shared->enabled -= enabled_by[fd];
		enabled_by[fd] = 0;
	}
	if (fd >= 0 && fd < FILES)
		kinds[fd] = NONE;
	return real_close(fd);
}
