// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What ft npt says of turns that a trace explains:
 *
 *	npt_causes DIR CPU TID BEGIN END [BEGIN END]...
 *
 * A line for each turn, in ticks, in the order of time: what is known of it, in ticks; then
 * each cause with its depth, or "lost"; then the text for people.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "npt/causes.h"

#define HZ	1000000000

int main(int argc, char **argv)
{
	struct turns *turns = turns_new(1);
	struct causes causes = { 0 };

	if (argc < 6)
		return 2;
	for (int i = 4; i + 1 < argc; i += 2)
		turns_keep(turns, strtoull(argv[i], NULL, 10), strtoull(argv[i + 1], NULL, 10));
	turns_sort(turns);
	causes_begin(&causes, turns);
	if (!causes_find(&causes, argv[1], "tsc", (uint32_t)atoi(argv[2]), atoi(argv[3])))
		return 1;
	for (size_t i = 0; i < causes.n; i++) {
		const struct long_turn *turn = &causes.turn[i];
		char *text = causes_text(&causes, turn, HZ);

		printf("%" PRIu64 "%s", turn->known, turn->gap ? " lost" : "");
		for (size_t j = 0; j < turn->causes; j++)
			printf(" %u:%" PRIu64 "-%" PRIu64 ":%s", turn->cause[j].depth,
			       turn->cause[j].start, turn->cause[j].end, turn->cause[j].name);
		printf(" | %s\n", text);
		free(text);
	}
	causes_free(&causes);
	turns_free(turns);
	return 0;
}
