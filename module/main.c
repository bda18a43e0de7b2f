// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Feather-Trace: events at the cost of reading the clock.
 *
 * Where things live:
 *	probe.c, context.h	the hot path
 *	<feather_trace/ring.h>	the ring and why it is correct
 *	rings.c			rings of all CPUs
 *	watch/			what looks at events as they happen: conditions, call stacks
 *	flight.c		rings that keep the latest records; snapshots
 *	table.c, event.c	events, their triggers, who wants them
 *	lock.c			lock events: triggers of a patched kernel, or
 *	attach/			wrapped functions of any kernel
 *	tracepoint.c		events from the kernel's tracepoints
 *	function.c		events of functions that are chosen at run time
 *	kprobe.c		events of points inside of functions
 *	trace.c, clock.c	sessions: start and end of a trace, its clock
 *	suspend.c		end of a trace in a suspend
 *	session.c		which sessions there are, and how long
 *	grace.c			until no task is on its way into an old probe
 *	sensor/			counters and histograms of events; what monitors map
 *	control*.c, meta.c	/dev/ft_trace, /dev/ft_trace_meta
 *	reader/, packet.c	/dev/ft_trace<cpu>, hotplug
 */
#include <linux/module.h>
#include <feather_trace/version.h>

#include "access.h"
#include "clock.h"
#include "control/control.h"
#include "event/function.h"
#include "event/kprobe.h"
#include "event/lock.h"
#include "event/table.h"
#include "event/tracepoint.h"
#include "reader/reader.h"
#include "ring/flight.h"
#include "sensor/device.h"
#include "sensor/sensor.h"
#include "suspend.h"
#include "trace/meta.h"
#include "trace/session.h"
#include "trace/trace.h"
#include "watch/watch.h"

static unsigned int slots = 1 << 17;
module_param(slots, uint, 0444);
MODULE_PARM_DESC(slots, "records (32 bytes) in the ring of a CPU, a power of two (default 131072)");

static unsigned int wake_us = 10000;
module_param(wake_us, uint, 0444);
MODULE_PARM_DESC(wake_us, "microseconds between two checks for records while a reader waits (default 10000)");

static char *clock = "auto";
module_param(clock, charp, 0444);
MODULE_PARM_DESC(clock, "clock of the records: auto, tsc or mono (default auto: tsc if it is reliable)");

static char *locks = "auto";
module_param(locks, charp, 0444);
MODULE_PARM_DESC(locks, "where lock events come from: auto, patch or attach (default auto: triggers of the kernel patch, else wrapped functions)");

bool ft_access_allowed;		/* see access.h */

static int __init ft_init(void)
{
	const struct ft_config config = { .slots = slots, .wake_us = wake_us };
	int err;

	err = ft_clock_init(clock);
	if (err)
		return err;
	err = ft_suspend_init();
	if (err)
		goto err_exit_clock;
	err = ft_session_init(&config);
	if (err)
		goto err_exit_suspend;
	err = ft_reader_init();
	if (err)
		goto err_exit_session;
	err = ft_flight_init();
	if (err)
		goto err_exit_reader;
	err = ft_lock_init(locks);
	if (err)
		goto err_exit_flight;
	err = ft_tracepoint_init();
	if (err)
		goto err_exit_lock;
	err = ft_function_init();
	if (err)
		goto err_exit_tracepoint;
	err = ft_meta_init();
	if (err)
		goto err_exit_kprobe;
	err = ft_control_init();
	if (err)
		goto err_exit_meta;
	err = ft_sensor_device_init();
	if (err)
		goto err_exit_control;
	/* An open descriptor would outlive the module, so nothing fails from here on. */
	err = ft_reader_start();
	if (err)
		goto err_exit_sensor;
	ft_access_allow();
	ft_reader_show(FT_SESSION_DEFAULT, NULL);
	return 0;

err_exit_sensor:
	ft_sensor_device_exit();
	ft_sensor_exit();
err_exit_control:
	ft_control_exit();
err_exit_meta:
	ft_meta_exit();
err_exit_kprobe:
	ft_kprobe_exit();
	ft_function_exit();
err_exit_tracepoint:
	ft_tracepoint_exit();
err_exit_lock:
	ft_lock_exit();
err_exit_flight:
	ft_flight_exit();
err_exit_reader:
	ft_reader_exit();
	ft_table_exit();
	ft_watch_exit();
err_exit_session:
	ft_session_exit();
err_exit_suspend:
	ft_suspend_exit();
err_exit_clock:
	ft_clock_exit();
	return err;
}

/* No descriptor is open any more; persistent events may still be on. */
static void __exit ft_exit(void)
{
	ft_reader_stop();
	ft_sensor_device_exit();
	ft_control_exit();
	ft_meta_exit();
	ft_kprobe_exit();
	ft_function_exit();
	ft_tracepoint_exit();
	ft_lock_exit();
	ft_flight_exit();
	ft_reader_exit();
	ft_table_exit();
	ft_watch_exit();
	ft_sensor_exit();
	ft_session_exit();
	ft_suspend_exit();
	ft_clock_exit();
}

module_init(ft_init);
module_exit(ft_exit);

MODULE_DESCRIPTION("Feather-Trace: wait-free event tracing in any context");
MODULE_AUTHOR("The Feather-Trace developers");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION(FEATHER_TRACE_VERSION);
