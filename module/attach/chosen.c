// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Functions that are chosen at run time. Each has a place: a hook in chosen_x86.S and three
 * static calls, which are pointed at the function's body and at the probes of its two events.
 */
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <feather_trace/event.h>

#include "attach/chosen.h"
#include "attach/functions.h"
#include "attach/hook.h"
#include "trace/trace.h"

#if FT_HAVE_ATTACH

static_assert(sizeof(struct ft_chosen_data) == 48);
static_assert(offsetof(struct ft_chosen_data, result) == 16);
static_assert(offsetof(struct ft_chosen_data, id) == 32);
static_assert(offsetof(struct ft_chosen_data, body) == 40);

struct ft_chosen_data ft_chosen_data[FT_CHOSEN_COUNT];

#define FT_CHOSEN_DEFINE(i)						\
	DEFINE_STATIC_CALL(ft_chosen_entry_##i, ft_probe_none);		\
	DEFINE_STATIC_CALL(ft_chosen_exit_##i, ft_probe_none);		\
	DEFINE_STATIC_CALL(ft_chosen_body_##i, ft_probe_none);
FT_EACH_CHOSEN(FT_CHOSEN_DEFINE)

struct ft_chosen_call {
	struct static_call_key	*key;
	void			*tramp;
};

#define FT_CHOSEN_CALL(name) \
	{ &STATIC_CALL_KEY(ft_chosen_##name), STATIC_CALL_TRAMP_ADDR(ft_chosen_##name) }
#define FT_CHOSEN_CALLS(i) {						\
	FT_CHOSEN_CALL(entry_##i), FT_CHOSEN_CALL(exit_##i), FT_CHOSEN_CALL(body_##i) },

#define FT_CHOSEN_BODY	2

static const struct ft_chosen_call ft_chosen_calls[FT_CHOSEN_COUNT][3] = {
	FT_EACH_CHOSEN(FT_CHOSEN_CALLS)
};

/*
 * A task that enters one of the first may never come back to the hook: it, or its CPU, may end
 * there. The others read the clock if that is not the TSC: a probe would call itself.
 */
static const char *const ft_chosen_refused[] = {
	"__do_sys_exit", "__do_sys_exit_group", "__do_sys_reboot", "__ia32_sys_exit",
	"__ia32_sys_exit_group", "__ia32_sys_reboot", "__module_put_and_kthread_exit",
	"__secure_computing", "__seccomp_filter", "__se_sys_exit", "__se_sys_exit_group",
	"__se_sys_reboot", "__stack_chk_fail", "__x64_sys_exit", "__x64_sys_exit_group",
	"__x64_sys_reboot", "acpi_idle_play_dead", "arch_cpu_idle_dead",
	"arch_do_signal_or_restart", "call_usermodehelper_exec_async", "cpu_startup_entry",
	"do_exit", "do_group_exit", "do_idle", "do_task_dead", "exit_to_user_mode_loop",
	"exit_to_user_mode_prepare", "get_signal", "ia32_sys_call", "io_sq_thread",
	"io_wq_worker", "kthread", "kthread_complete_and_exit", "kthread_exit",
	"make_task_dead", "native_play_dead", "nmi_panic", "panic", "play_dead_common",
	"rest_init", "ret_from_fork", "rewind_stack_and_make_dead", "start_kernel",
	"syscall_trace_enter", "vhost_task_fn", "vpanic", "x64_sys_call",

	"acpi_pm_read", "acpi_pm_read_slow", "acpi_pm_read_verified", "jiffies_read",
	"kvm_clock_get_cycles", "kvm_clock_read", "pvclock_clocksource_read",
	"pvclock_clocksource_read_nowd", "pvclock_touch_watchdogs", "read_hpet",
	"read_hv_clock_msr", "read_hv_clock_msr_cs", "read_hv_clock_tsc", "read_hv_clock_tsc_cs",
	"read_tsc", "xen_clocksource_get_cycles", "xen_clocksource_read",
};

/* The module whose function is being checked, or NULL: set while ft_trace_mutex is held. */
static struct module *ft_chosen_owner;
static DECLARE_WAIT_QUEUE_HEAD(ft_chosen_news);

static void ft_chosen_call(const struct ft_chosen_call *call, void *function)
{
	__static_call_update(call->key, call->tramp, function);
}

static struct ft_hook_fn *ft_chosen_hook(unsigned int place)
{
	return &ft_attach_hooks[ft_attach_lock_count + place];
}

int ft_chosen_find(const void *function)
{
	unsigned int i;

	for (i = 0; i < FT_CHOSEN_COUNT; i++)
		if (ft_chosen_hook(i)->name && ft_chosen_hook(i)->function == function)
			return i;
	return -ENOENT;
}

static bool ft_chosen_is_refused(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ft_chosen_refused); i++)
		if (!strcmp(name, ft_chosen_refused[i]))
			return true;
	return false;
}

/*
 * Threads of modules end so, inside of the function that they run; those of the kernel are in
 * the list. A call that the compiler has moved away from the function is not seen.
 */
static bool ft_chosen_ends_task(void *function)
{
	return ft_hook_calls(function, __module_put_and_kthread_exit) ||
	       ft_hook_calls(function, kthread_complete_and_exit);
}

static bool ft_chosen_is_lock(const void *function)
{
	unsigned int i;

	for (i = 0; i < ft_attach_lock_count; i++)
		if (ft_attach_hooks[i].function == function)
			return true;
	return false;
}

/*
 * A loaded module by its name. The kernel's functions that look for one are not exported, but
 * /sys/module is a set of objects: whoever holds one keeps the struct module in memory.
 *
 * A reference does not keep one that is removed by force, but ft_chosen_wait_for() does: it has
 * had the mutex before the look at the state, which then says that the module goes, or it gets the
 * mutex after, and finds the owner.
 *
 * Return: it, with a reference; NULL: it is not there, or not whole, or goes. Before it is live,
 * it can fail and go in spite of references.
 */
static struct module *ft_chosen_get_module(const char *name)
{
	struct kobject *kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
	struct module *mod;

	if (!kobj)
		return NULL;
	mod = container_of(kobj, struct module_kobject, kobj)->mod;
	mutex_lock(&ft_trace_mutex);
	if (mod && (READ_ONCE(mod->state) != MODULE_STATE_LIVE || !try_module_get(mod)))
		mod = NULL;
	ft_chosen_owner = mod;
	mutex_unlock(&ft_trace_mutex);
	kobject_put(kobj);
	return mod;
}

void ft_chosen_put(struct module *owner)
{
	module_put(owner);
	mutex_lock(&ft_trace_mutex);
	/* From here on it can go. */
	WRITE_ONCE(ft_chosen_owner, NULL);
	mutex_unlock(&ft_trace_mutex);
	wake_up_all(&ft_chosen_news);
}

void ft_chosen_wait_for(const struct module *owner)
{
	/* Those that read its state from here on see that it goes. */
	mutex_lock(&ft_trace_mutex);
	mutex_unlock(&ft_trace_mutex);
	wait_event(ft_chosen_news, READ_ONCE(ft_chosen_owner) != owner);
}

/* @name: "[MODULE]", which has the function; is cut. */
static int ft_chosen_check_module(char *name, void *function, struct module **owner)
{
	name[strcspn(name, "]")] = '\0';
	*owner = ft_chosen_get_module(name + 1);
	if (*owner == THIS_MODULE)
		return -EPERM;
	/* Not in its init section, which is freed. */
	return *owner && within_module_core((unsigned long)function, *owner) ? 0 : -ENOENT;
}

int ft_chosen_check(const char *name, void *function, struct module **owner)
{
	char text[KSYM_SYMBOL_LEN], *size, *module;
	int err;

	*owner = NULL;
	/* name+0x0/0x1f0, and [module] if it has one */
	sprint_symbol(text, (unsigned long)function);
	size = strstr(text, "+0x0/");
	if (!size)
		return -ENOENT;
	module = strchr(size, '[');
	err = module ? ft_chosen_check_module(module, function, owner) : 0;
	if (err)
		return err;
	/* It is held now; before, another module may have been at this address. */
	if (*owner) {
		sprint_symbol(text, (unsigned long)function);
		size = strstr(text, "+0x0/");
		if (!size)
			return -ENOENT;
	}
	/* One of several names of this place may be the caller's. */
	*size = '\0';
	/* The kernel's own do not move: there, the caller knows what it has looked up. */
	if (*owner && strcmp(text, name))
		return -ENOENT;
	if (ft_chosen_is_refused(text) || ft_chosen_is_refused(name) ||
	    (*owner && ft_chosen_ends_task(function)))
		return -EPERM;
	if (ft_chosen_is_lock(function))
		return -EBUSY;
	return ft_hook_body(function) ? ft_hook_is_known(function) : -ENOENT;
}

void ft_chosen_clear(unsigned int place)
{
	struct ft_hook_fn *fn = ft_chosen_hook(place);

	lockdep_assert_held(&ft_trace_mutex);

	fn->name = NULL;
	fn->owner = NULL;
	/* Works look at these meanwhile, for events of other functions. */
	WRITE_ONCE(fn->event, 0);
	WRITE_ONCE(fn->second, 0);
}

bool ft_chosen_is_of(unsigned int place, const struct module *owner)
{
	lockdep_assert_held(&ft_trace_mutex);

	return ft_chosen_hook(place)->owner == owner;
}

bool ft_chosen_is_attached(unsigned int place)
{
	return ft_hook_is_attached(ft_chosen_hook(place));
}

void ft_chosen_set(unsigned int place, const char *name, void *function, struct module *owner,
		   struct ft_chosen_word arg, struct ft_chosen_word result, const u32 id[2])
{
	struct ft_chosen_data *data = &ft_chosen_data[place];
	struct ft_hook_fn *fn = ft_chosen_hook(place);

	lockdep_assert_held(&ft_trace_mutex);

	fn->function = function;
	fn->owner = owner;
	fn->body = ft_hook_body(function);
	ft_hook_forget(fn);
	*data = (struct ft_chosen_data){ arg, result, { id[0], id[1] }, fn->body };
	ft_chosen_call(&ft_chosen_calls[place][FT_CHOSEN_BODY], fn->body);
	fn->name = name;
	WRITE_ONCE(fn->event, id[0]);
	WRITE_ONCE(fn->second, id[1]);
}

void ft_chosen_point(unsigned int place, unsigned int exit, ft_probe_t probe)
{
	ft_chosen_call(&ft_chosen_calls[place][exit], probe);
}

#endif /* FT_HAVE_ATTACH */
