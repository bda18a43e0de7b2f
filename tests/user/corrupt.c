// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * corrupt SEED PART: writes nonsense over a part of the memory that it shares with
 * ft run, again and again while that reads it: header, rings, larger (the rings that busy
 * threads take), events, processes, objects, locks, stacks, slots. In a child, so that what is overwritten
 * there is not its own.
 * Or, as PART: "parent" makes the first process the child of itself, "size" cuts the
 * memory off, which must be refused, "full" leaves no room for another process, "late"
 * writes records of a time that no clock will ever show.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libfeathertrace/session.h"

#define WRITES	200000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct ft_session *find_session(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start = 0;
	char line[512];

	while (f && !start && fgets(line, sizeof(line), f)) {
		if (strstr(line, FT_SESSION_MEMORY))
			sscanf(line, "%lx-", &start);
	}
	if (f)
		fclose(f);
	return (struct ft_session *)start;
}

/* What is at the edge of something is worth more than what is anywhere. */
static __u64 nonsense(void)
{
	static const __u64 edges[] = { 0, 1, 2, 0x7fffffff, 0xffffffff, ~0ull,
				       1ull << 63, FT_SESSION_RINGS, FT_ID_DYNAMIC };

	return random() % 2 ? edges[(unsigned long)random() %
				    (sizeof(edges) / sizeof(edges[0]))] :
			      (__u64)random() << 33 ^ (__u64)random();
}

static void scribble(char *at, size_t size)
{
	static const size_t length[] = { 1, 4, 8 };

	for (int i = 0; i < WRITES; i++) {
		size_t len = length[random() % 3];
		__u64 value = nonsense();

		memcpy(at + (size_t)random() % (size / len) * len, &value, len);
	}
}

static int cut_off(void)
{
	int fd = open(getenv(FT_SESSION_ENV), O_RDWR);

	return fd < 0 ? 3 : ftruncate(fd, 4096) && errno == EPERM ? 0 : 4;
}

/* No mistake: as if so many processes had been traced already. */
static int fork_beyond(struct ft_session *session)
{
	session->processes = FT_SESSION_PROCESSES;
	if (!fork()) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		_exit(0);
	}
	return wait(NULL) < 0;
}

static void turns(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

/*
 * Of all slots of the first ring, as a time that is later than the next record's is mended
 * (ft_ring_ready()). The reader may be quicker some of the times, but not each time.
 */
static void late(struct ft_session *session)
{
	struct ft_record *slots = (void *)((char *)session + FT_SESSION_AT_SLOTS);

	for (int i = 0; i < 100; i++) {
		turns(1);
		for (__u32 slot = 0; slot < session->rings[FT_RINGS_FIRST].slots; slot++)
			slots[slot].ts = ~0ull - 1000;
	}
}

int main(int argc, char **argv)
{
	struct {
		const char *name;
		size_t at, size;
	} parts[] = {
		{ "larger", FT_SESSION_AT_RINGS, 4 * sizeof(struct ft_user_ring) },
		/* not the size of files: few are used, and only these are read */
		{ "header", 0, offsetof(struct ft_session, patterns) },
		{ "rings", FT_SESSION_AT_RINGS, 4 * sizeof(struct ft_user_ring) },
		{ "events", FT_SESSION_AT_EVENTS, 4 * sizeof(struct ft_user_event) },
		{ "processes", FT_SESSION_AT_PROCESSES,
		  4 * sizeof(struct ft_user_process) },
		{ "objects", FT_SESSION_AT_OBJECTS, 8 * sizeof(struct ft_user_object) },
		{ "locks", FT_SESSION_AT_LOCKS,
		  FT_SESSION_LOCKS * sizeof(struct ft_user_lock) },
		{ "stacks", FT_SESSION_AT_STACKS,
		  FT_SESSION_STACKS * sizeof(struct ft_user_stack) },
		{ "slots", FT_SESSION_AT_SLOTS, 64 * sizeof(struct ft_record) },
	};
	struct ft_session *session;

	turns(1);
	session = find_session();
	if (argc != 3 || !session)
		return 2;
	parts[0].at += session->rings[FT_RINGS_FIRST].rings * sizeof(struct ft_user_ring);
	if (!strcmp(argv[2], "size"))
		return cut_off();
	if (!strcmp(argv[2], "parent")) {
		ft_session_process(session, 0)->parent = 1;
		return 0;
	}
	if (!strcmp(argv[2], "full"))
		return fork_beyond(session);
	if (!strcmp(argv[2], "late")) {
		late(session);
		return 0;
	}
	srandom((unsigned int)atoi(argv[1]));
	if (strstr(argv[2], parts[0].name))
		turns(1000);
	if (!fork()) {
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
			if (strstr(argv[2], parts[i].name))
				scribble((char *)session + parts[i].at, parts[i].size);
		}
		_exit(0);
	}
	wait(NULL);
	return 0;
}
