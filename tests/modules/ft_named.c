// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Locks whose names are known: variables, objects of an own cache and of the kernel's, and
 * memory of each kind. Each is taken by its own line of code.
 *
 *	echo 1 >/sys/module/ft_named/parameters/take	take each once
 *	cat /sys/module/ft_named/parameters/locks
 *		lines of: address, kind, class; "-" is for what the source does not know
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

struct named_box {
	u64		id[5];
	spinlock_t	spin;		/* protects nothing */
	struct mutex	mutex;		/* nor does it */
};

/* Whoever takes the lock of its queue knows the queue, and not what that is a part of. */
struct named_queue {
	u64			id[9];
	wait_queue_head_t	queue;
	u64			rest[3];
};

static DEFINE_SPINLOCK(named_static);
static struct named_box named_member;
static DEFINE_PER_CPU(spinlock_t, named_percpu);

static struct kmem_cache *cache;
static struct named_box *from_cache, *from_kmalloc, *from_vmalloc;
static struct named_box __percpu *from_percpu;
static struct named_queue *with_queue;

/* Where the last one on a stack was, and of which task. */
static unsigned long on_stack, of_task, of_mm, of_dentry;

/* A cache with a constructor is merged with no other one. */
static void named_init(void *object)
{
	struct named_box *box = object;

	spin_lock_init(&box->spin);
	mutex_init(&box->mutex);
}

static noinline void take_spin(spinlock_t *lock)
{
	spin_lock(lock);
	spin_unlock(lock);
}

static noinline void take_mutex(struct mutex *lock)
{
	mutex_lock(lock);
	mutex_unlock(lock);
}

static void take_kernels(void)
{
	struct dentry *dentry = current->fs->pwd.dentry;

	of_task = (unsigned long)&current->alloc_lock;
	task_lock(current);
	task_unlock(current);
	of_dentry = (unsigned long)&dentry->d_lock;
	spin_lock(&dentry->d_lock);
	spin_unlock(&dentry->d_lock);
	if (!current->mm)
		return;
	of_mm = (unsigned long)&current->mm->mmap_lock;
	mmap_read_lock(current->mm);
	mmap_read_unlock(current->mm);
}

static int take_all(const char *val, const struct kernel_param *kp)
{
	struct named_box box;
	unsigned int cpu;

	named_init(&box);
	on_stack = (unsigned long)&box.spin;
	take_spin(&box.spin);
	take_spin(&named_static);
	take_mutex(&named_member.mutex);
	for_each_possible_cpu(cpu)
		take_spin(per_cpu_ptr(&named_percpu, cpu));
	take_spin(&from_cache->spin);
	take_mutex(&from_cache->mutex);
	take_spin(&from_kmalloc->spin);
	take_spin(&from_vmalloc->spin);
	take_spin(&per_cpu_ptr(from_percpu, 0)->spin);
	wake_up(&with_queue->queue);
	take_kernels();
	/* so that the stack is there while it is asked */
	fsleep(500000);
	return 0;
}

/* The addresses are what the test is about, so they are shown as they are. */
#define TELL(address, format, ...)						\
	sysfs_emit_at(buf, n, "%lx " format "\n", (unsigned long)(address), ##__VA_ARGS__)

static int tell(char *buf, const struct kernel_param *kp)
{
	size_t spin = offsetof(struct named_box, spin), mutex = offsetof(struct named_box, mutex);
	unsigned int cpu;
	int n = 0;

	n += TELL(&named_static, "module named_static [ft_named]");
	n += TELL(&named_member.mutex, "module named_member+%#zx [ft_named]", mutex);
	for_each_possible_cpu(cpu)
		n += TELL(per_cpu_ptr(&named_percpu, cpu), "percpu named_percpu [ft_named]");
	n += TELL(&from_cache->spin, "slab ft_named_box+%#zx", spin);
	n += TELL(&from_cache->mutex, "slab ft_named_box+%#zx", mutex);
	n += TELL(&from_kmalloc->spin, "kmalloc kmalloc-%zu+%#zx", ksize(from_kmalloc), spin);
	n += TELL(&with_queue->queue.lock, "part -");
	n += TELL(&from_vmalloc->spin, "vmalloc -");
	n += TELL(&per_cpu_ptr(from_percpu, 0)->spin, "percpu_alloc (percpu_alloc)");
	n += TELL(on_stack, "stack (stack)");
	n += TELL(of_task, "slab task_struct.alloc_lock");
	n += TELL(of_dentry, "slab dentry.d_lockref.lock");
	n += TELL(of_mm, "slab mm_struct.mmap_lock");
	return n;
}

static const struct kernel_param_ops take_ops = { .set = take_all };
static const struct kernel_param_ops tell_ops = { .get = tell };
module_param_cb(take, &take_ops, NULL, 0200);
module_param_cb(locks, &tell_ops, NULL, 0400);

static void free_all(void)
{
	free_percpu(from_percpu);
	vfree(from_vmalloc);
	kfree(from_kmalloc);
	kfree(with_queue);
	if (from_cache)
		kmem_cache_free(cache, from_cache);
	kmem_cache_destroy(cache);
}

static int __init ft_named_init(void)
{
	unsigned int cpu;

	cache = kmem_cache_create("ft_named_box", sizeof(struct named_box), 0, 0, named_init);
	if (!cache)
		return -ENOMEM;
	from_cache = kmem_cache_alloc(cache, GFP_KERNEL);
	from_kmalloc = kmalloc(sizeof(*from_kmalloc), GFP_KERNEL);
	with_queue = kmalloc(sizeof(*with_queue), GFP_KERNEL);
	from_vmalloc = vmalloc(sizeof(*from_vmalloc));
	from_percpu = alloc_percpu(struct named_box);
	if (!from_cache || !from_kmalloc || !with_queue || !from_vmalloc || !from_percpu) {
		free_all();
		return -ENOMEM;
	}
	named_init(&named_member);
	named_init(from_kmalloc);
	init_waitqueue_head(&with_queue->queue);
	named_init(from_vmalloc);
	for_each_possible_cpu(cpu) {
		named_init(per_cpu_ptr(from_percpu, cpu));
		spin_lock_init(per_cpu_ptr(&named_percpu, cpu));
	}
	return 0;
}

static void __exit ft_named_exit(void)
{
	free_all();
}

module_init(ft_named_init);
module_exit(ft_named_exit);
MODULE_DESCRIPTION("Feather-Trace test: locks whose names are known");
MODULE_LICENSE("Dual MIT/GPL");
