/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Tracepoints for the places of the kernel patch's triggers: see tracepoints. */
#ifndef LOCK_POINTS_H
#define LOCK_POINTS_H

#include <linux/tracepoint.h>

#define LOCK_POINT(name)						\
TRACE_EVENT(name,							\
	TP_PROTO(const void *lock, unsigned long ip),			\
	TP_ARGS(lock, ip),						\
	TP_STRUCT__entry(__field(const void *, lock) __field(unsigned long, ip)), \
	TP_fast_assign(__entry->lock = lock; __entry->ip = ip;),	\
	TP_printk("lock=%p ip=%lx", __entry->lock, __entry->ip))

LOCK_POINT(feather_spin_acquire);
LOCK_POINT(feather_spin_release);
LOCK_POINT(feather_rwlock_read_acquire);
LOCK_POINT(feather_rwlock_read_release);
LOCK_POINT(feather_rwlock_write_acquire);
LOCK_POINT(feather_rwlock_write_release);
LOCK_POINT(feather_mutex_acquire);
LOCK_POINT(feather_mutex_release);
LOCK_POINT(feather_semaphore_acquire);
LOCK_POINT(feather_semaphore_release);
LOCK_POINT(feather_rwsem_read_acquire);
LOCK_POINT(feather_rwsem_read_release);
LOCK_POINT(feather_rwsem_write_acquire);
LOCK_POINT(feather_rwsem_write_release);

#endif
