/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Others who trace what the round traces. */
#ifndef FT_TORTURE_SESSIONS_H
#define FT_TORTURE_SESSIONS_H

#include "torture.h"

/** sessions_conditions - conditions of the round's session come and go */
void sessions_conditions(struct rng *rng, uint32_t fire);

/** sessions_come_and_go - a session, with conditions that stop it, and snapshots */
void sessions_come_and_go(struct rng *rng, uint32_t fire, unsigned int cpus);

#endif /* FT_TORTURE_SESSIONS_H */
