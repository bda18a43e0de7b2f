// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The memory that is shared with the programs. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"
#include "../lib/session_init.h"
#include "run_reader.h"

/* Rings may take this share of the memory that is free at the start. */
#define MEMORY_SHARE	2

static uint64_t memory_available(void)
{
	char line[128];
	uint64_t kib = 0;
	FILE *f = fopen("/proc/meminfo", "re");

	if (!f)
		return 0;
	while (!kib && fgets(line, sizeof(line), f))
		sscanf(line, "MemAvailable: %" SCNu64, &kib);
	fclose(f);
	return kib << 10;
}

static __u32 count_rings(const struct run *run)
{
	uint64_t size = (uint64_t)run->slots * sizeof(struct ft_record);
	uint64_t n = memory_available() / MEMORY_SHARE / size;

	return n < 2 ? 2 : n > FT_SESSION_RINGS ? FT_SESSION_RINGS : (__u32)n;
}

static void init_rings(struct run *run)
{
	struct ft_session *s = run->session;

	for (__u32 i = 0; i < run->rings; i++) {
		ft_session_init_ring(s, i, &run->streams[i].ring);
		run->streams[i].fd = -1;
	}
}

bool run_session_make(struct run *run)
{
	__u32 rings = count_rings(run);
	uint64_t size = ft_session_size(rings, run->slots);
	struct ft_session *s;

	run->streams = calloc(rings, sizeof(*run->streams));
	run->packets = malloc(RUN_PACKETS);
	run->events = calloc(FT_SESSION_EVENTS, sizeof(*run->events));
	run->memory = memfd_create(FT_SESSION_MEMORY, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* sealed: a program that cuts it off would be our SIGBUS */
	if (!run->streams || !run->packets || !run->events || run->memory < 0 ||
	    ftruncate(run->memory, (off_t)size) ||
	    fcntl(run->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL))
		goto err;
	s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		 run->memory, 0);
	if (s == MAP_FAILED)
		goto err;
	run->session = s;
	run->size = size;
	run->rings = rings;
	s->version = FT_SESSION_VERSION;
	s->clock = run->clock.source;
	s->locks = run->locks;
	s->slots = run->slots;
	s->rings = rings;
	s->size = size;
	memcpy(s->patterns, run->patterns, sizeof(s->patterns));
	init_rings(run);
	ft_session_publish(s);
	return true;
err:
	warn("no memory to share with the programs (%" PRIu64 " MiB, most of "
	     "which would not be used)", size >> 20);
	warnx("smaller rings need less: %s %u ...", run->slots_option,
	      run->slots > 1024 ? run->slots / 8 : FT_SLOTS_MIN);
	return false;
}

static void free_values(struct map *map)
{
	struct map_slot *slot;

	map_for_each(map, slot)
		free(slot->value);
	map_free(map);
}

void run_free(struct run *run)
{
	if (run->session)
		munmap(run->session, run->size);
	if (run->memory >= 0)
		close(run->memory);
	if (run->held >= 0)
		close(run->held);
	if (run->holder)
		waitpid(run->holder, NULL, 0);
	run->session = NULL;
	run->memory = run->held = -1;
	run->holder = 0;
	free(run->streams);
	free(run->packets);
	free(run->events);
	free_values(&run->tasks);
	free_values(&run->mappings);
	free_values(&run->untraced_seen);
	map_free(&run->untraced_told);
}

const char *run_add_patterns(struct run *run, const char *patterns)
{
	size_t len = strlen(run->patterns);

	if (!*patterns)
		return "the name of an event is empty";
	if (len + strlen(patterns) + 2 > sizeof(run->patterns))
		return "these are too many events: use a pattern ('*')";
	if (len)
		run->patterns[len++] = ',';
	strcpy(run->patterns + len, patterns);
	return NULL;
}
