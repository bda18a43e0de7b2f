// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A library that is loaded while the program runs, with much of each thread's own: the loader
 * allocates that when the thread first asks for it, and frees it after the thread's end.
 */
#include <string.h>

#define OWN	100000

int tls(int value);

static __thread unsigned char own[OWN];

/* Return: what each byte is, or -1 if a thread does not begin with zeros. */
int tls(int value)
{
	unsigned char *volatile at = own;

	if (at[0] || at[OWN - 1])
		return -1;
	memset(at, value, OWN);
	return at[OWN / 2];
}
