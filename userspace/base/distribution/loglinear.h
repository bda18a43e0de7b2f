/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Log-linear bins for values of 64 bits: each power of two is cut into 2^bits
 * equal ones; values below twice that have a bin each. They are numbered without
 * gaps.
 */
#ifndef FT_BASE_LOGLINEAR_H
#define FT_BASE_LOGLINEAR_H

#include <stdint.h>

/** loglinear_bin - the number of a value's bin */
static inline uint32_t loglinear_bin(uint64_t v, unsigned int bits)
{
	unsigned int shift;

	if (v < 1u << bits)
		return v;
	shift = 63 - __builtin_clzll(v) - bits;
	return (shift << bits) + (v >> shift);
}

/** loglinear_low - the least value of a bin */
static inline uint64_t loglinear_low(uint32_t bin, unsigned int bits)
{
	uint32_t sub = 1u << bits;

	if (bin < 2 * sub)
		return bin;
	return (uint64_t)(sub + bin % sub) << ((bin >> bits) - 1);
}

/** loglinear_middle - of a bin: what it answers for its values */
static inline uint64_t loglinear_middle(uint32_t bin, unsigned int bits)
{
	if (bin < 2u << bits)
		return bin;
	return loglinear_low(bin, bits) + ((1ull << ((bin >> bits) - 1)) - 1) / 2;
}

#endif /* FT_BASE_LOGLINEAR_H */
