// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which ELF files this process has loaded, and where: for names of its addresses. */
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libfeathertrace/unwind/cfi_known.h"
#include "libfeathertrace/loader.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/rings.h"

static void find_build_id(struct ft_user_object *o, const char *at, size_t len)
{
	while (len >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const void *)at;
		size_t name = (note->n_namesz + 3u) & ~3u;
		size_t desc = (note->n_descsz + 3u) & ~3u;

		if (sizeof(*note) + name + desc > len)
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(note + 1, "GNU", 4) &&
		    note->n_descsz <= sizeof(o->build_id)) {
			o->build_id_len = note->n_descsz;
			memcpy(o->build_id, (const char *)(note + 1) + name,
			       note->n_descsz);
			return;
		}
		at += sizeof(*note) + name + desc;
		len -= sizeof(*note) + name + desc;
	}
}

static void fill_object(struct ft_user_object *o,
			const struct dl_phdr_info *info)
{
	o->process = ft_process_index();
	o->bias = info->dlpi_addr;
	o->start = ULONG_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		__u64 at = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_NOTE && !o->build_id_len)
			find_build_id(o, (const char *)at, ph->p_memsz);
		if (ph->p_type != PT_LOAD)
			continue;
		if (at < o->start)
			o->start = at;
		if (at + ph->p_memsz > o->end)
			o->end = at + ph->p_memsz;
	}
	if (*info->dlpi_name) {
		strncpy(o->path, info->dlpi_name, sizeof(o->path) - 1);
	} else {
		ssize_t n = readlink("/proc/self/exe", o->path,
				     sizeof(o->path) - 1);

		o->path[n < 0 ? 0 : n] = '\0';
	}
}

/* Return: its index, or FT_SESSION_OBJECTS if the table is full. */
static __u32 enter_object(const struct ft_user_object *new)
{
	__u32 i = __atomic_fetch_add(&ft_session->objects, 1, __ATOMIC_RELAXED);
	struct ft_user_object *o;

	if (i >= FT_SESSION_OBJECTS) {
		__atomic_store_n(&ft_session->objects, FT_SESSION_OBJECTS,
				 __ATOMIC_RELAXED);
		return FT_SESSION_OBJECTS;
	}
	o = ft_session_object(ft_session, i);
	*o = *new;
	/* Pairs with the acquire in run_object() of ft run. */
	__atomic_store_n(&o->state, FT_ENTRY_READY, __ATOMIC_RELEASE);
	return i;
}

/* --- what comes and goes -------------------------------------------------- */

#define KNOWN	512u

/*
 * Objects that are entered and still loaded. Changed only under the lock of the loader's
 * list; a child inherits it.
 */
static struct {
	__u64	bias;
	__u64	name;
	__u32	index;
	bool	seen;
} known[KNOWN];
static __u32 n_known, n_seen;
static unsigned long long adds, subs;
static const struct ft_session *known_of;

static __u64 session_now(void)
{
	struct timespec now;

	if (ft_session->clock == FT_CLOCK_TSC)
		return ft_thread_clock();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000u + (__u64)now.tv_nsec;
}

static __u64 hash_name(const char *name)
{
	__u64 hash = 0xcbf29ce484222325ull;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 0x100000001b3ull;
	return hash;
}

static void load(const struct dl_phdr_info *info, __u64 name)
{
	struct ft_user_object o = { .time = session_now() };
	__u32 index;

	fill_object(&o, info);
	index = enter_object(&o);
	if (n_known == KNOWN || index == FT_SESSION_OBJECTS)
		return;
	known[n_known].bias = info->dlpi_addr;
	known[n_known].name = name;
	known[n_known].index = index;
	known[n_known++].seen = true;
}

/* @arg: set if the counters show no load or unload since the last time. */
static int look_at_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	bool *same = arg;
	__u64 name;

	if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof(info->dlpi_subs)) {
		if (!n_seen && info->dlpi_adds == adds &&
		    info->dlpi_subs == subs)
			*same = true;
		adds = info->dlpi_adds;
		subs = info->dlpi_subs;
	}
	if (*same)
		return 1;
	n_seen++;
	/* the kernel's page of code has no file */
	if (!strncmp(info->dlpi_name, "linux-vdso", 10))
		return 0;
	name = hash_name(info->dlpi_name);
	for (__u32 i = 0; i < n_known; i++) {
		if (known[i].bias != info->dlpi_addr || known[i].name != name)
			continue;
		known[i].seen = true;
		return 0;
	}
	load(info, name);
	return 0;
}

static void unload(__u32 i)
{
	struct ft_user_object o = *ft_session_object(ft_session, known[i].index);

	o.process = ft_process_index();
	o.unloaded = 1;
	o.time = session_now();
	enter_object(&o);
	known[i] = known[--n_known];
}

static void look_for_gone(void *arg)
{
	const bool *same = arg;

	n_seen = 0;
	if (*same)
		return;
	for (__u32 i = n_known; i-- > 0;) {
		if (known[i].seen)
			known[i].seen = false;
		else
			unload(i);
	}
}

void ft_process_objects(void)
{
	bool same = false, first = known_of != ft_session;

	ft_cfi_forget();
	if (!ft_session || !ft_process_joined() || ft_rings_are_shrunk() ||
	    ft_thread_is_stopped() || __atomic_load_n(&ft_session->closed, __ATOMIC_RELAXED))
		return;
	if (first) {
		known_of = ft_session;
		n_known = 0;
		adds = subs = 0;
	}
	if (ft_loader_is_known())
		ft_try_objects(look_at_object, look_for_gone, &same);
	else if (first)	/* a static program, or another C library */
		ft_all_objects(look_at_object, look_for_gone, &same);
}
