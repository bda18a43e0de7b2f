// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Distributions: growing, merging, asking. See histogram.h. */
#include "base/distribution/histogram.h"
#include "base/mem.h"

/* Whole powers of two at a time, so that growing stays rare. */
void histogram_widen(struct histogram *h, uint32_t bin)
{
	uint32_t first = bin & ~(HISTOGRAM_SUB - 1);
	uint32_t end = first + HISTOGRAM_SUB;
	uint64_t *bins;

	if (h->n_bins) {
		if (h->first < first)
			first = h->first;
		if (h->first + h->n_bins > end)
			end = h->first + h->n_bins;
	} else {
		h->min = UINT64_MAX;
	}
	bins = mem_zalloc(end - first, sizeof(*bins));
	if (h->n_bins)
		memcpy(bins + (h->first - first), h->bins,
		       h->n_bins * sizeof(*bins));
	free(h->bins);
	h->bins = bins;
	h->first = first;
	h->n_bins = end - first;
}

void histogram_merge(struct histogram *h, const struct histogram *from)
{
	uint32_t i;

	if (!from->count)
		return;
	if (from->first - h->first >= h->n_bins)
		histogram_widen(h, from->first);
	if (from->first + from->n_bins - 1 - h->first >= h->n_bins)
		histogram_widen(h, from->first + from->n_bins - 1);
	for (i = 0; i < from->n_bins; i++)
		h->bins[from->first - h->first + i] += from->bins[i];
	if (from->min < h->min)
		h->min = from->min;
	if (from->max > h->max)
		h->max = from->max;
	h->count += from->count;
	h->sum += from->sum;
}

uint64_t histogram_quantile(const struct histogram *h, unsigned int permille)
{
	uint64_t rank, seen = 0, v;
	uint32_t i;

	if (!h->count)
		return 0;
	rank = ((unsigned __int128)h->count * permille + 999) / 1000;
	if (rank <= 1)
		return h->min;
	for (i = 0; i < h->n_bins; i++) {
		seen += h->bins[i];
		if (seen >= rank)
			break;
	}
	v = loglinear_middle(h->first + i, HISTOGRAM_BITS);
	if (v > h->max)
		return h->max;
	return v < h->min ? h->min : v;
}

void histogram_free(struct histogram *h)
{
	free(h->bins);
	*h = (struct histogram){ 0 };
}
