// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The loop in the kernel: see loop_kernel.h. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/feather_trace_npt.h>

#include "base/end_signals.h"
#include "base/mem.h"
#include "npt/loop_kernel.h"

#define DEVICE	"/dev/ft_npt"

_Static_assert(TURNS_BITS == FT_NPT_BITS && TURNS_BINS == FT_NPT_BINS, "bins are the same");

struct part {
	struct ft_npt_turn	longs[FT_NPT_ROOM_MAX];
	uint64_t		bins[FT_NPT_BINS];
};

int loop_kernel_open(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		warnx("there is no " DEVICE ": load the module feather_trace_npt (modprobe, or insmod "
		      "build/module/feather_trace_npt.ko)");
	else if (fd < 0)
		warn("cannot open " DEVICE);
	return fd;
}

static void add(struct turns *t, const struct ft_npt *call, const struct part *part)
{
	uint32_t kept = call->n_long < call->room ? call->n_long : call->room;

	for (uint32_t i = 0; i < FT_NPT_BINS; i++)
		t->bin[i] += part->bins[i];
	t->count += call->turns;
	t->sum += call->sum;
	t->squares += ((unsigned __int128)call->squares[1] << 64) + call->squares[0];
	t->min = call->min < t->min ? call->min : t->min;
	t->max = call->max > t->max ? call->max : t->max;
	for (uint32_t i = 0; i < kept; i++)
		turns_keep(t, part->longs[i].begin, part->longs[i].end);
	if (kept < call->n_long)
		turns_keep(t, call->max_begin, call->max_begin + call->max);
	t->long_count += call->n_long;
	t->long_sum += call->long_sum;
}

bool loop_kernel_run(int fd, const struct loop *l, uint64_t hz, struct turns *t, uint64_t *begin)
{
	struct part *part = mem_zalloc(1, sizeof(*part));
	uint64_t end = 0;
	bool ok = true;

	*begin = 0;
	while (ok && t->count < l->turns && end - *begin < l->ticks && !end_signals_came()) {
		uint64_t left = (uint64_t)((double)(l->ticks - (end - *begin)) * 1e9 / (double)hz);
		struct ft_npt call = {
			.ns = left < FT_NPT_NS_MAX ? left + 1 : FT_NPT_NS_MAX,
			.turns = l->turns - t->count, .limit = t->limit,
			.longs = (uintptr_t)part->longs, .room = FT_NPT_ROOM_MAX,
			.bins = (uintptr_t)part->bins,
		};

		ok = !ioctl(fd, FT_IOC_NPT, &call);
		if (!ok) {
			warn(DEVICE);
		} else {
			add(t, &call, part);
			*begin = *begin ? *begin : call.begin;
			end = call.begin + call.sum;
		}
	}
	free(part);
	return ok;
}
