// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft run: the memory that is shared with the programs. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/capability.h>
#include <unistd.h>

#include "run.h"
#include "../lib/session_init.h"
#include "run_reader.h"
#include "util.h"

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

/*
 * Programs open the memory by our number. The kernel lets them if we are no more
 * than they are: an ft that has its rights from its file has no use for them here.
 */
static void drop_rights(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { 0 };

	if (!geteuid())
		return;
	syscall(SYS_capset, &head, none);
	prctl(PR_SET_DUMPABLE, 1);
}

static void init_rings(struct run *run)
{
	struct ft_session *s = run->session;

	for (__u32 i = 0; i < s->rings; i++) {
		ft_session_init_ring(s, i, &run->streams[i].ring);
		run->streams[i].fd = -1;
	}
}

bool run_session_make(struct run *run)
{
	__u32 rings = count_rings(run);
	uint64_t size = ft_session_size(rings, run->slots);
	struct ft_session *s;

	drop_rights();
	run->streams = calloc(rings, sizeof(*run->streams));
	run->packets = malloc(RUN_PACKETS);
	run->memory = memfd_create(FT_SESSION_MEMORY, MFD_CLOEXEC);
	if (!run->streams || !run->packets || run->memory < 0 ||
	    ftruncate(run->memory, (off_t)size))
		goto err;
	s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
		 run->memory, 0);
	if (s == MAP_FAILED)
		goto err;
	run->session = s;
	s->version = FT_SESSION_VERSION;
	s->clock = run->clock.source;
	s->locks = run->locks;
	s->slots = run->slots;
	s->rings = rings;
	s->size = size;
	memcpy(s->patterns, run->patterns, sizeof(s->patterns));
	init_rings(run);
	ft_session_publish(s);
	snprintf(run->name, sizeof(run->name), "/proc/%d/fd/%d", getpid(),
		 run->memory);
	return true;
err:
	warn("no memory to share with the programs (%" PRIu64 " MiB, most of "
	     "which would not be used)", size >> 20);
	warnx("smaller rings need less: ft run --slots %u ...",
	      run->slots > 1024 ? run->slots / 8 : FT_SLOTS_MIN);
	return false;
}

void run_session_free(struct run *run)
{
	if (run->session)
		munmap(run->session, run->session->size);
	if (run->memory >= 0)
		close(run->memory);
	run->session = NULL;
	run->memory = -1;
	free(run->streams);
	free(run->packets);
}
