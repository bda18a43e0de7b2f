// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which ELF files this process has loaded, and where: for names of its addresses. */
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

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
	o->process = ft_private->index;
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

static int enter_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct ft_user_object *o;
	__u32 i;

	(void)size;
	(void)arg;
	/* the kernel's page of code has no file */
	if (!strncmp(info->dlpi_name, "linux-vdso", 10))
		return 0;
	i = __atomic_fetch_add(&ft_session->objects, 1, __ATOMIC_RELAXED);
	if (i >= FT_SESSION_OBJECTS) {
		__atomic_store_n(&ft_session->objects, FT_SESSION_OBJECTS,
				 __ATOMIC_RELAXED);
		return 1;
	}
	o = ft_session_object(ft_session, i);
	fill_object(o, info);
	__atomic_store_n(&o->state, FT_ENTRY_READY, __ATOMIC_RELEASE);
	return 0;
}

void ft_process_objects(void)
{
	ft_each_object(enter_object, NULL);
}
