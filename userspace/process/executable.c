// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* How a program can be traced, from its ELF file. */
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "libfeathertrace/notes.h"
#include "process/executable.h"

/* Does the file name a loader? @ph: where it does; its type is another if that is damaged */
static bool find_loader(int fd, const Elf64_Ehdr *head, Elf64_Phdr *ph)
{
	for (unsigned int i = 0; i < head->e_phnum; i++) {
		off_t at = (off_t)(head->e_phoff + i * sizeof(*ph));

		ph->p_type = PT_NULL;
		if (pread(fd, ph, sizeof(*ph), at) != sizeof(*ph))
			return true;	/* damaged: leave the decision to the kernel */
		if (ph->p_type == PT_INTERP)
			return true;
	}
	return false;
}

bool run_elf_is_musl(int fd, const Elf64_Ehdr *head)
{
	char path[256] = "";
	Elf64_Phdr ph;

	if (!find_loader(fd, head, &ph) || ph.p_type != PT_INTERP)
		return false;
	return pread(fd, path, sizeof(path) - 1, (off_t)ph.p_offset) > 0 &&
	       strstr(path, "/ld-musl-");
}

enum run_elf run_elf_kind(int fd, Elf64_Ehdr *head)
{
	Elf64_Phdr ph;

	*head = (Elf64_Ehdr){ 0 };
	if (pread(fd, head, sizeof(*head), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(head->e_ident, ELFMAG, SELFMAG))
		return RUN_ELF_NONE;
	if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != FT_ELF_MACHINE)
		return RUN_ELF_FOREIGN;
	return find_loader(fd, head, &ph) ? RUN_ELF_DYNAMIC : RUN_ELF_STATIC;
}

static bool is_lock(const char *name)
{
	static const char *const functions[] = {
		"pthread_mutex_", "pthread_rwlock_", "pthread_spin_", "pthread_cond_",
		"sem_wait", "sem_post", "mtx_", "cnd_",
	};

	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!strncmp(name, functions[i], strlen(functions[i])))
			return true;
	}
	return false;
}

/* A text of @at's table of names, or NULL. Its end was looked at once, not for each. */
static const char *name_at(const Elf_Data *names, size_t at)
{
	return names && at < names->d_size ? (const char *)names->d_buf + at : NULL;
}

static const Elf_Data *names_of(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf_getscn(elf, section);
	const Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	const char *text = data ? data->d_buf : NULL;

	return text && data->d_size && !text[data->d_size - 1] ? data : NULL;
}

static void look_at_calls(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct run_elf_calls *calls)
{
	size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0;
	const Elf_Data *names = names_of(elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (size_t i = 0; data && i < n && gelf_getsym(data, (int)i, &sym); i++) {
		const char *name = name_at(names, sym.st_name);

		if (sym.st_shndx != SHN_UNDEF || !name)
			continue;
		calls->locks |= is_lock(name);
		calls->threads |= !strcmp(name, "pthread_create") || !strcmp(name, "thrd_create");
	}
}

struct run_elf_calls run_elf_calls(int fd)
{
	struct run_elf_calls calls = { 0 };
	const Elf_Data *names = NULL;
	Elf_Scn *scn = NULL;
	size_t section;
	GElf_Shdr sh;
	bool symbols = false;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return calls;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && !elf_getshdrstrndx(elf, &section))
		names = names_of(elf, section);
	while (elf && (scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = name_at(names, sh.sh_name);
		calls.go |= name && !strcmp(name, ".note.go.buildid");
		if (sh.sh_type == SHT_DYNSYM && !symbols) {	/* the loader knows one */
			symbols = true;
			look_at_calls(elf, scn, &sh, &calls);
		}
	}
	elf_end(elf);
	return calls;
}

bool run_elf_has_build_id(int fd, const void *id, size_t len)
{
	const void *own;
	bool same = false;
	ssize_t n;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf) {
		n = dwelf_elf_gnu_build_id(elf, &own);
		same = n > 0 ? n == (ssize_t)len && !memcmp(own, id, len) : !len;
	}
	elf_end(elf);
	return same;
}
