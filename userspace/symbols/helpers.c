// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The list of helper functions. See helpers.h. */
#include <string.h>

#include "base/array.h"
#include "symbols/helpers.h"

/* A name that ends with * stands for all that begin so. */
static const char *const helpers[] = {
	/* locks of the kernel */
	"_raw_spin_*", "_raw_read_*", "_raw_write_*", "__raw_spin_*", "__raw_read_*",
	"__raw_write_*", "queued_spin_*", "queued_read_*", "queued_write_*", "native_queued_spin_*",
	"__pv_queued_spin_*", "rt_spin_*", "rt_read_*", "rt_write_*", "rwbase_*", "rtlock_*",
	"__rt_mutex_*", "rt_mutex_*", "mutex_*", "__mutex_*", "ww_mutex_*", "down", "down_*", "__down*",
	"up", "up_*", "__up*", "rwsem_*", "percpu_down_*", "__percpu_down_*", "percpu_up_*",
	"lock_sock_nested", "release_sock", "__lock_task_sighand", "task_rq_lock",
	"raw_spin_rq_lock_nested", "raw_spin_rq_unlock", "double_rq_lock", "folio_lock_*",
	"__rcu_read_*",
	/* contention's own */
	"__traceiter_contention_*", "schedule_preempt_disabled", "schedule_timeout", "schedule",
	"__schedule",
	/* waking up */
	"try_to_wake_up", "wake_up_process", "wake_up_q", "wake_up_state", "default_wake_function",
	"autoremove_wake_function", "woken_wake_function", "pollwake", "ep_poll_callback",
	"__wake_up", "__wake_up_*", "complete", "complete_all", "complete_with_flags",
	"swake_up_*", "ttwu_*", "sched_ttwu_pending", "prepare_to_wait*", "finish_wait",
	"add_wait_queue", "remove_wait_queue",
	/* memory of a task */
	"lock_mm_and_find_vma", "lock_vma_under_rcu", "mmap_read_*", "mmap_write_*", "find_vma",
	"__pte_offset_map_lock", "pte_offset_map_*",
	/* slabs and pages */
	"___slab_alloc", "__slab_alloc*", "__slab_free", "get_partial_node*", "kmem_cache_alloc*",
	"kmem_cache_free*", "__kmem_cache_*", "kmalloc_trace*", "__kmalloc*", "kfree", "kvfree",
	"kvmalloc_node*", "__kvmalloc_*", "get_page_from_freelist", "__alloc_pages*",
	"__alloc_frozen_pages*", "alloc_pages*", "rmqueue*", "free_pcppages_bulk", "__rmqueue_*",
	"free_unref_*", "folio_batch_*", "lru_add_drain*", "folio_lruvec_*",
	/* timers and work */
	"mod_timer", "__mod_timer", "add_timer", "del_timer*", "timer_delete*", "hrtimer_start_*",
	"hrtimer_cancel", "hrtimer_try_to_cancel", "lock_timer_base", "lock_hrtimer_base",
	"queue_work_on", "__queue_work", "queue_delayed_work_on", "mod_delayed_work_on",
	/* references */
	"lockref_*", "refcount_dec_and_lock*", "refcount_dec_and_mutex_lock",
	"_atomic_dec_and_lock*", "dput", "iput",
	/* programs: of the C library, and of C++'s */
	"pthread_mutex_*", "__pthread_mutex_*", "___pthread_mutex_*", "pthread_rwlock_*",
	"__pthread_rwlock_*", "___pthread_rwlock_*", "pthread_spin_*", "pthread_cond_*",
	"___pthread_cond_*", "sem_wait", "sem_post", "sem_trywait", "sem_timedwait", "mtx_*",
	"__gthread_mutex_*", "std::mutex::*", "std::lock_guard<*", "std::unique_lock<*",
	"std::scoped_lock<*", "std::shared_lock<*",
};

bool helpers_has(const char *function)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(helpers); i++) {
		size_t len = strlen(helpers[i]);

		if (helpers[i][len - 1] == '*' ? !strncmp(helpers[i], function, len - 1) :
						 !strcmp(helpers[i], function))
			return true;
	}
	return false;
}
