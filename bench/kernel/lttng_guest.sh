# SPDX-License-Identifier: GPL-2.0-only OR MIT
# shellcheck shell=bash
# LTTng's daemon in the VM of a benchmark.

# lttng_begin MODULES: it loads modules by their names, from where there are no others.
lttng_begin() {
	local dir
	dir=/lib/modules/$(uname -r)
	mount -t tmpfs none "$dir"
	cp "$1"/*.ko "$dir"
	touch "$dir"/modules.{order,builtin,builtin.modinfo}
	depmod
	export LTTNG_HOME=/tmp
	lttng-sessiond --daemonize --kmod-probes=ft-points,irq,sched
}
