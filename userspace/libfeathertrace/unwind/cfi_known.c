// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What was found out about addresses: see cfi_known.h. */
#include "libfeathertrace/unwind/cfi_known.h"

#define RULES	1024u	/* powers of two */
#define RETURNS	4096u

/*
 * The part of a key that no address of a program uses counts how often all was forgotten, in
 * steps of two: it is odd, so that no key is that of an entry that was never written.
 */
#define AGE_SHIFT	48

#define WORDS	3

/* A value as words; each is read and written in one access. */
union words {
	struct ft_cfi_rules	rules;
	uint64_t		word[WORDS];
};

/* @turn: odd while it is written, which others then leave alone. */
struct entry {
	uint32_t	turn;
	uint64_t	key;
	uint64_t	word[WORDS];
};

static struct entry entries[RULES];
static uint64_t returns[RETURNS];	/* keys */
static uint64_t age = 1;

static uint64_t key_of(uintptr_t addr)
{
	return addr ^ __atomic_load_n(&age, __ATOMIC_RELAXED) << AGE_SHIFT;
}

static uint32_t hash_of(uintptr_t addr)
{
	return (uint32_t)(addr * 0x9e3779b97f4a7c15ull >> 40);
}

bool ft_cfi_known_rules(uintptr_t pc, struct ft_cfi_rules *rules)
{
	const struct entry *e = &entries[hash_of(pc) & (RULES - 1)];
	/* Pairs with the release in ft_cfi_keep_rules(): the entry was written before it. */
	uint32_t turn = __atomic_load_n(&e->turn, __ATOMIC_ACQUIRE);
	uint64_t key = __atomic_load_n(&e->key, __ATOMIC_ACQUIRE);
	union words w;

	/* Acquire: each is read before @turn is read again. */
	for (unsigned int i = 0; i < WORDS; i++)
		w.word[i] = __atomic_load_n(&e->word[i], __ATOMIC_ACQUIRE);
	*rules = w.rules;
	return key == key_of(pc) && !(turn & 1) &&
	       turn == __atomic_load_n(&e->turn, __ATOMIC_RELAXED);
}

void ft_cfi_keep_rules(uintptr_t pc, const struct ft_cfi_rules *rules)
{
	struct entry *e = &entries[hash_of(pc) & (RULES - 1)];
	uint32_t turn = __atomic_load_n(&e->turn, __ATOMIC_RELAXED);
	union words w = { .word = { 0 } };

	/* Another thread, or what this handler has interrupted, writes it: leave it to that. */
	if (turn & 1 || !__atomic_compare_exchange_n(&e->turn, &turn, turn + 1, false,
						     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	w.rules = *rules;
	/* Release: a reader of one of these then reads an odd or a new @turn. */
	__atomic_store_n(&e->key, key_of(pc), __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < WORDS; i++)
		__atomic_store_n(&e->word[i], w.word[i], __ATOMIC_RELEASE);
	__atomic_store_n(&e->turn, turn + 2, __ATOMIC_RELEASE);
}

bool ft_cfi_known_return(uintptr_t addr)
{
	return __atomic_load_n(&returns[hash_of(addr) & (RETURNS - 1)], __ATOMIC_RELAXED) ==
	       key_of(addr);
}

void ft_cfi_keep_return(uintptr_t addr)
{
	__atomic_store_n(&returns[hash_of(addr) & (RETURNS - 1)], key_of(addr),
			 __ATOMIC_RELAXED);
}

void ft_cfi_forget(void)
{
	__atomic_fetch_add(&age, 2, __ATOMIC_RELAXED);
}
