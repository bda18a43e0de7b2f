// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads /proc/kcore: see kcore.h. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "names/kcore.h"

#define KCORE		"/proc/kcore"
#define SEGMENTS_MAX	4096u

static bool is_ours(const Elf64_Ehdr *h)
{
	return !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
	       h->e_ident[EI_DATA] == ELFDATA2LSB && h->e_machine == EM_X86_64 &&
	       h->e_phentsize == sizeof(Elf64_Phdr) && h->e_phnum && h->e_phnum <= SEGMENTS_MAX;
}

static int read_segments(struct kcore *k)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	ssize_t got = read_full_at(k->fd, &h, sizeof(h), 0);
	unsigned int i;

	if (got < 0)
		return (int)got;
	if (got != sizeof(h) || !is_ours(&h))
		return -ENODEV;
	k->segment = calloc(h.e_phnum, sizeof(*k->segment));
	if (!k->segment)
		return -ENOMEM;
	for (i = 0; i < h.e_phnum; i++) {
		if (read_full_at(k->fd, &p, sizeof(p), h.e_phoff + i * sizeof(p)) != sizeof(p))
			return -ENODEV;
		if (p.p_type != PT_LOAD || p.p_vaddr + p.p_memsz < p.p_vaddr)
			continue;
		k->segment[k->n++] = (struct kcore_segment){ p.p_vaddr, p.p_memsz, p.p_offset };
	}
	return k->n ? 0 : -ENODEV;
}

int kcore_open(struct kcore *k)
{
	int ret;

	k->fd = open(KCORE, O_RDONLY | O_CLOEXEC);
	if (k->fd < 0)
		return -errno;
	ret = read_segments(k);
	if (ret)
		kcore_close(k);
	return ret;
}

void kcore_close(struct kcore *k)
{
	if (k->fd >= 0)
		close(k->fd);
	free(k->segment);
	*k = (struct kcore)KCORE_INIT;
}

static const struct kcore_segment *find(const struct kcore *k, uint64_t addr)
{
	for (size_t i = 0; i < k->n; i++) {
		if (addr - k->segment[i].start < k->segment[i].len)
			return &k->segment[i];
	}
	return NULL;
}

bool kcore_has(const struct kcore *k, uint64_t addr)
{
	return find(k, addr);
}

bool kcore_read(const struct kcore *k, uint64_t addr, void *buf, size_t len)
{
	const struct kcore_segment *s = find(k, addr);

	return s && len <= s->len - (addr - s->start) &&
	       read_full_at(k->fd, buf, len, s->at + (addr - s->start)) == (ssize_t)len;
}
