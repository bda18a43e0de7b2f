/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Our probes of tracepoints whose words the user describes: struct ft_word.
 */
#ifndef _FT_WORDS_H
#define _FT_WORDS_H

#include <linux/percpu.h>
#include <uapi/linux/feather_trace.h>

#include "event/typed.h"

/**
 * struct ft_words_way - how a word is made
 * @arg:	of the registers, from 0 on; behind them on the stack
 * @loads:	how often memory is read
 * @size:	how many bytes the last time; 0: none
 * @is_signed:	the value is
 * @up:		bits above the value
 * @down:	bits above and below it
 * @offset:	of each time
 * @unread:	how often memory could not be read, and the word was 0; of both words
 */
struct ft_words_way {
	u8	arg;
	u8	loads;
	u8	size;
	bool	is_signed;
	u8	up;
	u8	down;
	u32	offset[FT_WORD_LOADS];
	u64 __percpu	*unread;
};

/**
 * struct ft_words - what the kernel passes to the probes below as their first argument
 * @own:	the first member: the probes of typed.c take it, too
 * @way:	of each word; constant while a probe has it
 * @before:	what way[].unread had counted when it was to begin again
 */
struct ft_words {
	struct ft_typed_own	own;
	struct ft_words_way	way[2];
	u64			before;
};

/** ft_words_are_described() - does the user describe them? */
static inline bool ft_words_are_described(const struct ft_word word[2])
{
	return word[0].arg || word[1].arg;
}

/** ft_words_are_valid() - are they not described, or in a way that works? */
bool ft_words_are_valid(const struct ft_word word[2]);

/** ft_words_trim() - clear what is behind the end of a name, so that words can be compared */
void ft_words_trim(struct ft_word word[2]);

/**
 * ft_words_set() - fill in the ways, before a probe gets them: it may run after they have gone
 * @unread:	for its count
 */
void ft_words_set(struct ft_words *words, const struct ft_word word[2], u64 __percpu *unread);

/** ft_words_unread() - Return: how many words could not be read since ft_words_read_again() */
u64 ft_words_unread(const struct ft_words *words);
void ft_words_read_again(struct ft_words *words);

/**
 * ft_words_fields() - what such a record consists of: two fields of 64 bits
 * @word:	two words; a pointer, as gcc 12 with KASAN warns about an array: it takes the words
 *		of a struct ft_tracepoint for a part of its name
 */
void ft_words_fields(struct ft_field field[2], const struct ft_word *word);

/* The probe that writes a record, and the one for watches and sensors. Any context. */
extern void * const ft_words_record;
extern void * const ft_words_watch;

#endif /* _FT_WORDS_H */
