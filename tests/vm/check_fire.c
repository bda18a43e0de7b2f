// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * check_fire FILE... ATTEMPTS: does a stream of "fire" events (tests/modules) from
 * one CPU account for every attempt? It may be in several files, each of which counts
 * its packets and losses anew (ft record --rotate).
 *
 * Packets are well formed and in order; every record is whole, and none comes
 * twice; timestamps never decrease; records + losses = attempts; what is missing
 * is missing where a gap says so, and gaps are only where something is missing.
 * Prints the counts; exit status 0 or 1, with the reason on stderr.
 */
#include <err.h>
#include <stdlib.h>

#include "torture/books.h"

int main(int argc, char **argv)
{
	struct books books = { 0 };
	unsigned long long attempts, lost = 0;
	const char *wrong;

	if (argc < 3)
		errx(2, "usage: check_fire FILE... ATTEMPTS");
	attempts = strtoull(argv[argc - 1], NULL, 10);
	for (int i = 1; i < argc - 1; i++) {
		lost += books.lost;
		books.lost = books.seq = 0;
		books_file(&books, argv[i], false, false);
	}
	books.lost += lost;
	books_tell(&books, attempts);
	wrong = books_balance(&books, attempts, true);
	if (wrong)
		errx(1, "%s: %s", argv[1], wrong);
	return 0;
}
