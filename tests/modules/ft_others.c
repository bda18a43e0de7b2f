// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What spin_lock() and spin_unlock() cost when other means of the kernel record
 * them: for bench/kernel.
 *
 *	echo kretprobe >/sys/module/ft_others/parameters/use
 *	echo fprobe >/sys/module/ft_others/parameters/use	where there is one
 *	echo none >/sys/module/ft_others/parameters/use
 *	cat /sys/module/ft_others/parameters/records		since the last change
 *	cat /sys/module/ft_others/parameters/missed
 *
 * An acquisition is recorded when the function returns, a release when it begins:
 * 32 bytes each, as Feather-Trace's, into a buffer of the CPU. They are the least
 * that can be done with these means: nobody reads the buffer, and it is just full
 * at some time. That is counted as missed.
 */
#include <linux/errno.h>
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/msr.h>

#define OTHERS_RECORDS	131072

#define OTHERS_LOCK	"_raw_spin_lock"
#define OTHERS_UNLOCK	"_raw_spin_unlock"

enum { OTHERS_ACQUIRE, OTHERS_RELEASE };

struct others_record {
	u64	ts;
	u32	id;
	u32	tid;
	u64	lock;
	u64	caller;
};

struct others_buffer {
	struct others_record	*next;
	struct others_record	*end;
	struct others_record	*records;
	u64			missed;
};

static DEFINE_PER_CPU(struct others_buffer, others_buffers);

/* Preemption is off; interrupts would share places, but are off in ft_bench. */
static __always_inline void others_record(u32 id, unsigned long lock,
					  unsigned long caller)
{
	struct others_buffer *buffer = this_cpu_ptr(&others_buffers);
	struct others_record *record = buffer->next;

	if (record == buffer->end) {
		buffer->missed++;
		return;
	}
	buffer->next = record + 1;
	record->ts = rdtsc();
	record->id = id;
	record->tid = current->pid;
	record->lock = lock;
	record->caller = caller;
}

/* --- kretprobe and kprobe ---------------------------------------------------- */

#ifdef CONFIG_KRETPROBES

static int others_lock_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	*(unsigned long *)ri->data = regs_get_kernel_argument(regs, 0);
	return 0;
}

NOKPROBE_SYMBOL(others_lock_entry);

static int others_lock_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	others_record(OTHERS_ACQUIRE, *(unsigned long *)ri->data,
		      get_kretprobe_retaddr(ri));
	return 0;
}

NOKPROBE_SYMBOL(others_lock_return);

static int others_unlock(struct kprobe *kprobe, struct pt_regs *regs)
{
	others_record(OTHERS_RELEASE, regs_get_kernel_argument(regs, 0),
		      *(unsigned long *)kernel_stack_pointer(regs));
	return 0;
}

NOKPROBE_SYMBOL(others_unlock);

static struct kretprobe others_kretprobe;
static struct kprobe others_kprobe;

/* What was registered before cannot be registered again as it is. */
static int others_kretprobe_on(void)
{
	int err;

	others_kretprobe = (struct kretprobe) {
		.kp.symbol_name	= OTHERS_LOCK,
		.entry_handler	= others_lock_entry,
		.handler	= others_lock_return,
		.data_size	= sizeof(unsigned long),
	};
	others_kprobe = (struct kprobe) {
		.symbol_name	= OTHERS_UNLOCK,
		.pre_handler	= others_unlock,
	};
	err = register_kretprobe(&others_kretprobe);
	if (err)
		return err;
	err = register_kprobe(&others_kprobe);
	if (err)
		unregister_kretprobe(&others_kretprobe);
	return err;
}

static u64 others_kretprobe_off(void)
{
	unregister_kretprobe(&others_kretprobe);
	unregister_kprobe(&others_kprobe);
	return others_kretprobe.nmissed + others_kretprobe.kp.nmissed +
	       others_kprobe.nmissed;
}

#else

static int others_kretprobe_on(void)
{
	return -EOPNOTSUPP;
}

static u64 others_kretprobe_off(void)
{
	return 0;
}

#endif

/* --- fprobe ------------------------------------------------------------------ */

/* As in 6.12; or as since the function graph tracer does the work: with a limit. */
#ifdef CONFIG_FPROBE

#ifdef MAX_FPROBE_DATA_SIZE
#define others_regs			ftrace_regs
#define others_argument(regs, n)	ftrace_regs_get_argument(regs, n)
#else
#define others_regs			pt_regs
#define others_argument(regs, n)	regs_get_kernel_argument(regs, n)
#endif

static int others_fprobe_lock(struct fprobe *fprobe, unsigned long ip,
			      unsigned long caller, struct others_regs *regs,
			      void *data)
{
	*(unsigned long *)data = others_argument(regs, 0);
	return 0;
}

static void others_fprobe_locked(struct fprobe *fprobe, unsigned long ip,
				 unsigned long caller, struct others_regs *regs,
				 void *data)
{
	others_record(OTHERS_ACQUIRE, *(unsigned long *)data, caller);
}

static int others_fprobe_unlock(struct fprobe *fprobe, unsigned long ip,
				unsigned long caller, struct others_regs *regs,
				void *data)
{
	others_record(OTHERS_RELEASE, others_argument(regs, 0), caller);
	return 0;
}

static struct fprobe others_fprobes[2];

static int others_fprobe_on(void)
{
	const char *lock = OTHERS_LOCK, *unlock = OTHERS_UNLOCK;
	int err;

	others_fprobes[0] = (struct fprobe) {
		.entry_handler		= others_fprobe_lock,
		.exit_handler		= others_fprobe_locked,
		.entry_data_size	= sizeof(unsigned long),
	};
	others_fprobes[1] = (struct fprobe) {
		.entry_handler		= others_fprobe_unlock,
	};
	err = register_fprobe_syms(&others_fprobes[0], &lock, 1);
	if (err)
		return err;
	err = register_fprobe_syms(&others_fprobes[1], &unlock, 1);
	if (err)
		unregister_fprobe(&others_fprobes[0]);
	return err;
}

static u64 others_fprobe_off(void)
{
	unregister_fprobe(&others_fprobes[0]);
	unregister_fprobe(&others_fprobes[1]);
	return others_fprobes[0].nmissed + others_fprobes[1].nmissed;
}

#else

static int others_fprobe_on(void)
{
	return -EOPNOTSUPP;
}

static u64 others_fprobe_off(void)
{
	return 0;
}

#endif

/* --- parameters -------------------------------------------------------------- */

static const struct others {
	const char	*name;
	int		(*on)(void);
	u64		(*off)(void);
} others_known[] = {
	{ "kretprobe", others_kretprobe_on, others_kretprobe_off },
	{ "fprobe", others_fprobe_on, others_fprobe_off },
};

static const struct others *others_used;
static u64 others_missed;

static void others_stop(void)
{
	if (others_used)
		others_missed += others_used->off();
	others_used = NULL;
}

static void others_empty(void)
{
	struct others_buffer *buffer;
	int cpu;

	others_missed = 0;
	for_each_possible_cpu(cpu) {
		buffer = per_cpu_ptr(&others_buffers, cpu);
		buffer->next = buffer->records;
		buffer->end = buffer->records + OTHERS_RECORDS;
		buffer->missed = 0;
	}
}

/* Parameters of a module are set one at a time. */
static int others_set_use(const char *value, const struct kernel_param *param)
{
	int i, err;

	if (sysfs_streq(value, "none")) {
		others_stop();
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(others_known); i++)
		if (sysfs_streq(value, others_known[i].name))
			break;
	if (i == ARRAY_SIZE(others_known))
		return -EINVAL;
	others_stop();
	others_empty();
	err = others_known[i].on();
	if (!err)
		others_used = &others_known[i];
	return err;
}

static int others_get_records(char *buf, const struct kernel_param *param)
{
	struct others_buffer *buffer;
	u64 count = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		buffer = per_cpu_ptr(&others_buffers, cpu);
		count += READ_ONCE(buffer->next) - buffer->records;
	}
	return sysfs_emit(buf, "%llu\n", count);
}

static int others_get_missed(char *buf, const struct kernel_param *param)
{
	u64 count = others_missed;
	int cpu;

	for_each_possible_cpu(cpu)
		count += READ_ONCE(per_cpu_ptr(&others_buffers, cpu)->missed);
	return sysfs_emit(buf, "%llu\n", count);
}

static const struct kernel_param_ops others_use_ops = { .set = others_set_use };
static const struct kernel_param_ops others_records_ops = {
	.get = others_get_records,
};

static const struct kernel_param_ops others_missed_ops = {
	.get = others_get_missed,
};

module_param_cb(use, &others_use_ops, NULL, 0200);
module_param_cb(records, &others_records_ops, NULL, 0400);
module_param_cb(missed, &others_missed_ops, NULL, 0400);

static void others_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		vfree(per_cpu_ptr(&others_buffers, cpu)->records);
}

static int __init others_init(void)
{
	struct others_buffer *buffer;
	int cpu;

	for_each_possible_cpu(cpu) {
		buffer = per_cpu_ptr(&others_buffers, cpu);
		buffer->records = vzalloc(array_size(OTHERS_RECORDS,
						     sizeof(struct others_record)));
		if (!buffer->records) {
			others_free();
			return -ENOMEM;
		}
	}
	others_empty();
	return 0;
}

static void __exit others_exit(void)
{
	others_stop();
	others_free();
}

module_init(others_init);
module_exit(others_exit);

MODULE_DESCRIPTION("Feather-Trace benchmark: other ways to record a lock");
MODULE_LICENSE("Dual MIT/GPL");
