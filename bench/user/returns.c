// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What it costs to come back from a wrapped lock function, on this CPU.
 *
 *	returns [--check] [ROUNDS]
 *
 * A lock function is called at the end of a chain of 1 to 13 calls (returns_x86.S).
 * When it is wrapped, one return address is left on the stack that nobody wants
 * to return to. Prints lines of name, value, unit, with tabs between: the cycles
 * of the time stamp counter that the whole chain takes more than with a lock
 * function that is not wrapped.
 *
 *	returns.depthN.balanced		the address is replaced by that of another
 *					return, as in module/attach/hooks_x86.S
 *	returns.depthN.discarded	it is dropped from the stack
 *
 * The CPU keeps a stack of return addresses, by which it predicts returns. A
 * dropped address stays there, and all who called the lock function, and who
 * called these, return to elsewhere than predicted.
 *
 * A round is CALLS calls of one chain. The kinds and depths take turns, so that
 * what else happens on the machine meets all alike; of each, the median counts.
 *
 * --check: exit status 0 if the cost with the address replaced hardly grows with
 * the depth: at most a fourth as much as with the address dropped; 1 if it does;
 * 77 if this CPU cannot tell: what is dropped costs it nothing, or after one return
 * that it has predicted wrong it does so with all (AMD's family 17h, model 1: 16 cycles
 * a level either way).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __x86_64__
#error "the chains are in x86-64's assembly language"
#endif

#define DEPTHS	13
#define CALLS	1000
#define SKIPPED	77

/* A return that is predicted wrong costs ten cycles and more on any CPU. */
#define CYCLES_OF_A_LEVEL	3

enum kind { PLAIN, BALANCED, DISCARDED, KINDS };

typedef void (*chain_fn)(void);
extern const chain_fn returns_plain[DEPTHS], returns_balanced[DEPTHS];
extern const chain_fn returns_discarded[DEPTHS];

static const chain_fn *const chains[KINDS] = {
	[PLAIN]		= returns_plain,
	[BALANCED]	= returns_balanced,
	[DISCARDED]	= returns_discarded,
};

static const char *const names[KINDS] = {
	[BALANCED]	= "balanced",
	[DISCARDED]	= "discarded",
};

static double *cycles[KINDS][DEPTHS];	/* of a chain, by round */
static double extra[KINDS][DEPTHS];	/* more than PLAIN, medians */

static double round_of(chain_fn chain)
{
	uint64_t start = __builtin_ia32_rdtsc();
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		chain();
	return (double)(__builtin_ia32_rdtsc() - start) / CALLS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), compare);
	return values[count / 2];
}

static bool allocate(unsigned int rounds)
{
	unsigned int kind, depth;

	for (kind = 0; kind < KINDS; kind++)
		for (depth = 0; depth < DEPTHS; depth++) {
			cycles[kind][depth] = calloc(rounds, sizeof(double));
			if (!cycles[kind][depth])
				return false;
		}
	return true;
}

static void measure(unsigned int rounds)
{
	unsigned int round, kind, depth;
	double plain;

	for (round = 0; round < rounds; round++)
		for (depth = 0; depth < DEPTHS; depth++)
			for (kind = 0; kind < KINDS; kind++)
				cycles[kind][depth][round] = round_of(chains[kind][depth]);

	for (depth = 0; depth < DEPTHS; depth++) {
		plain = median(cycles[PLAIN][depth], rounds);
		for (kind = BALANCED; kind < KINDS; kind++)
			extra[kind][depth] = median(cycles[kind][depth], rounds) - plain;
	}
}

static void print(void)
{
	unsigned int kind, depth;

	for (kind = BALANCED; kind < KINDS; kind++)
		for (depth = 0; depth < DEPTHS; depth++)
			printf("returns.depth%u.%s\t%.2f\tcycles\n", depth + 1,
			       names[kind], extra[kind][depth]);
}

/* How much a level more costs, in the mean: the slope of the line of best fit. */
static double slope(const double *values)
{
	const double middle = (DEPTHS - 1) / 2.0;
	double above = 0, below = 0;
	int depth;

	for (depth = 0; depth < DEPTHS; depth++) {
		above += (depth - middle) * values[depth];
		below += (depth - middle) * (depth - middle);
	}
	return above / below;
}

static int check(void)
{
	double balanced = slope(extra[BALANCED]), discarded = slope(extra[DISCARDED]);
	int status = balanced <= discarded / 4 ? 0 : 1;

	if (discarded < CYCLES_OF_A_LEVEL || balanced > discarded * 0.8)
		status = SKIPPED;
	fprintf(stderr, "each call more costs %.2f cycles with the address replaced, %.2f with it dropped\n",
		balanced, discarded);
	return status;
}

static int usage(void)
{
	fprintf(stderr, "usage: returns [--check] [ROUNDS], 1 or more\n");
	return 2;
}

int main(int argc, char **argv)
{
	unsigned long rounds = 1000;
	bool checks = argc > 1 && !strcmp(argv[1], "--check");
	char *rest = NULL;

	argc -= checks;
	argv += checks;
	if (argc > 1)
		rounds = strtoul(argv[1], &rest, 10);
	if (argc > 2 || (rest && *rest) || rounds < 1 || rounds > 1000000)
		return usage();
	if (!allocate((unsigned int)rounds)) {
		fprintf(stderr, "returns: out of memory\n");
		return 1;
	}
	measure((unsigned int)rounds);
	print();
	return checks ? check() : 0;
}
