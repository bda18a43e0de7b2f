// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Where sleeping locks take locks inside themselves: see sensors_sites.h. */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>

#include <linux/feather_trace_sensor.h>

#include "ft/sensors_sites.h"
#include "locks/internal.h"

/* A call site is an address of return: it is behind the call. */
static struct ft_sensor_range sites_of(const struct symbols_range *function)
{
	return (struct ft_sensor_range){
		function->low + 1,
		function->high < UINT64_MAX ? function->high + 1 : UINT64_MAX,
	};
}

bool sensors_sites(struct ft_sensor *sensor)
{
	static struct ft_sensor_range sites[FT_SENSOR_RANGES_MAX];
	struct symbols *symbols = symbols_load("/proc/kallsyms", "/proc/modules");
	struct symbols_range *functions;
	size_t n = internal_functions(symbols, &functions);

	for (size_t i = 0; i < n && i < FT_SENSOR_RANGES_MAX; i++)
		sites[i] = sites_of(&functions[i]);
	free(functions);
	symbols_free(symbols);
	if (!n) {
		warnx("sensor '%s': /proc/kallsyms does not tell where the functions of sleeping locks are: does kernel.kptr_restrict hide it?",
		      sensor->name);
		return false;
	}
	if (n > FT_SENSOR_RANGES_MAX) {
		warnx("sensor '%s': this kernel's functions of sleeping locks lie in more than %d places",
		      sensor->name, FT_SENSOR_RANGES_MAX);
		return false;
	}
	sensor->n_ranges = (__u32)n;
	sensor->ranges = (uintptr_t)sites;
	return true;
}
