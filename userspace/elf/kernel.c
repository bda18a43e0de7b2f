// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Triggers of the kernel and its modules. Each is a jump label: an entry of the jump
 * table says where it is and which key switches it. A key is the beginning of a
 * module's struct ft_event, or one of those that the kernel patch has for locks.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include <linux/feather_trace.h>

#include "base/mem.h"
#include "elf/sites.h"

#define SECTION		"__jump_table"

/* struct jump_entry: two distances of 32 bits, and one of 64 */
#define ENTRY_SIZE	16
#define ENTRY_KEY	8
#define KEY_FLAGS	3ull		/* in the distance of the key */

#define EVENT		"ft_event_"
#define LOCKS		"feather_keys"
#define KEY_SIZE	16		/* struct static_key */

struct key {
	struct place	at;
	const char	*event;		/* NULL: it is one of locks */
	unsigned int	lock;		/* which one */
};

struct kernel {
	struct key	*key;
	size_t		n;
	bool		relocatable;
	uint64_t	start, stop;	/* of the jump table */
	const char	*(*family)(unsigned int);
};

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->at.section != y->at.section)
		return x->at.section < y->at.section ? -1 : 1;
	return x->at.addr < y->at.addr ? -1 : x->at.addr > y->at.addr;
}

static void add_key(struct kernel *k, const GElf_Sym *sym, const char *event,
		    unsigned int lock)
{
	k->key = mem_resize(k->key, k->n + 1, sizeof(*k->key));
	k->key[k->n++] = (struct key){
		.at.section = k->relocatable ? sym->st_shndx : 0,
		.at.addr = sym->st_value + lock * KEY_SIZE,
		.event = event,
		.lock = lock,
	};
}

static bool is_event(const char *symbol)
{
	return !strncmp(symbol, EVENT, strlen(EVENT)) &&
	       sites_is_name(symbol + strlen(EVENT), strlen(symbol + strlen(EVENT)));
}

static bool each_symbol(void *arg, const char *name, const GElf_Sym *sym)
{
	struct kernel *k = arg;
	unsigned int i;

	if (!strcmp(name, "__start_" SECTION))
		k->start = sym->st_value;
	else if (!strcmp(name, "__stop_" SECTION))
		k->stop = sym->st_value;
	if (GELF_ST_TYPE(sym->st_info) != STT_OBJECT)
		return true;
	if (is_event(name))
		add_key(k, sym, name + strlen(EVENT), 0);
	for (i = 0; i < 2 * FT_LOCK_FAMILIES && !strcmp(name, LOCKS) &&
	     i < sym->st_size / KEY_SIZE; i++)
		add_key(k, sym, NULL, i);
	return true;
}

/* --- the jump table ------------------------------------------------------- */

static void add_site(struct sites *s, const struct kernel *k, struct place at,
		     const char *event, unsigned int lock)
{
	char name[FT_NAME_LEN];

	if (!event) {
		snprintf(name, sizeof(name), "%s_%s", k->family(lock / 2),
			 lock % 2 ? "release" : "acquire");
		event = name;
	}
	sites_add(s, at, event, strlen(event), 0);
}

/* Most entries belong to other keys than events. */
static void add_entry(struct sites *s, struct image *img, const struct kernel *k,
		      struct place at)
{
	struct place key_at = { at.section, at.addr + ENTRY_KEY };
	struct pointee target = image_distance(img, key_at, 8), code;
	struct key key = { .at = target.at };
	const struct key *found;
	const char *event = NULL;

	if (!target.known)
		return;
	key.at.addr &= ~KEY_FLAGS;
	found = k->n ? bsearch(&key, k->key, k->n, sizeof(key), compare_keys) : NULL;
	if (found)
		event = found->event;
	else if (img->relocatable && !target.at.section && is_event(target.symbol))
		event = target.symbol + strlen(EVENT);	/* of another module */
	else
		return;
	code = image_distance(img, at, 4);
	if (code.known && image_is_code(img, code.at))
		add_site(s, k, code.at, event, found ? found->lock : 0);
	else
		s->bad++;
}

static void add_table(struct sites *s, struct image *img, const struct kernel *k,
		      struct place at, uint64_t size)
{
	if (size > image_left(img, at)) {
		s->bad++;
		return;
	}
	for (; size >= ENTRY_SIZE; size -= ENTRY_SIZE) {
		add_entry(s, img, k, at);
		at.addr += ENTRY_SIZE;
	}
}

static bool has_section(const struct image *img, const char *name)
{
	for (size_t i = 0; i < img->n_sections; i++) {
		if (!strcmp(img->section[i].name, name))
			return true;
	}
	return false;
}

int sites_find_kernel(struct sites *s, struct image *img,
		      const char *(*family)(unsigned int))
{
	struct kernel k = { .relocatable = img->relocatable, .family = family };
	struct place at = { 0 };

	if (img->relocatable && !has_section(img, SECTION))
		return 0;
	image_each_symbol(img, each_symbol, &k);
	if (k.n)
		qsort(k.key, k.n, sizeof(*k.key), compare_keys);
	for (size_t i = 1; i < img->n_sections && img->relocatable; i++) {
		at.section = i;
		if (!strcmp(img->section[i].name, SECTION))
			add_table(s, img, &k, at, img->section[i].sh.sh_size);
	}
	at = (struct place){ .addr = k.start };
	if (!img->relocatable && k.start && k.start < k.stop)
		add_table(s, img, &k, at, k.stop - k.start);
	free(k.key);
	if (img->relocatable || k.start || !has_section(img, "__ksymtab"))
		return 0;
	warnx("%s: a kernel without symbols: name the vmlinux from before it was stripped",
	      img->path);
	return -1;
}
