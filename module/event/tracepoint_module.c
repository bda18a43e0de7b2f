// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The tracepoints of modules: which exist, and which are being removed.
 *
 * The kernel calls a notifier for each module with tracepoints: when it is loaded, for
 * those already loaded when the notifier is registered, and when it is unloaded, before
 * the kernel checks whether any of its tracepoints still has a probe.
 *
 * Locks: the kernel holds the lock of its list of these modules during the call;
 * ft_trace_mutex nests inside.
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "compat.h"
#include "event/tracepoint.h"
#include "trace/trace.h"

#if FT_HAVE_MODULE_TRACEPOINTS

struct ft_tracepoint_module {
	struct list_head	list;	/* guarded by ft_trace_mutex */
	struct module		*mod;
};

static LIST_HEAD(ft_tracepoint_modules);

static struct tracepoint *ft_tracepoint_of(const struct module *mod,
					   unsigned int i)
{
	return tracepoint_ptr_deref(&mod->tracepoints_ptrs[i]);
}

struct tracepoint *ft_tracepoint_module_find(const char *name)
{
	struct ft_tracepoint_module *m;
	struct tracepoint *tp;
	unsigned int i;

	lockdep_assert_held(&ft_trace_mutex);

	list_for_each_entry(m, &ft_tracepoint_modules, list) {
		for (i = 0; i < m->mod->num_tracepoints; i++) {
			tp = ft_tracepoint_of(m->mod, i);
			if (!strcmp(tp->name, name))
				return tp;
		}
	}
	return NULL;
}

static void ft_tracepoint_module_comes(struct module *mod)
{
	struct ft_tracepoint_module *m = kzalloc(sizeof(*m), GFP_KERNEL);

	/* Without memory its tracepoints are not found; others are. */
	if (!m)
		return;
	m->mod = mod;
	mutex_lock(&ft_trace_mutex);
	list_add_tail(&m->list, &ft_tracepoint_modules);
	mutex_unlock(&ft_trace_mutex);
}

static void ft_tracepoint_module_goes(struct module *mod)
{
	struct ft_tracepoint_module *m, *next;
	unsigned int i;

	mutex_lock(&ft_trace_mutex);
	list_for_each_entry_safe(m, next, &ft_tracepoint_modules, list) {
		if (m->mod != mod)
			continue;
		for (i = 0; i < mod->num_tracepoints; i++)
			ft_tracepoint_retire(ft_tracepoint_of(mod, i));
		list_del(&m->list);
		kfree(m);
	}
	mutex_unlock(&ft_trace_mutex);
}

static int ft_tracepoint_module_notify(struct notifier_block *nb,
				       unsigned long action, void *data)
{
	struct tp_module *tp_module = data;

	if (action == MODULE_STATE_COMING)
		ft_tracepoint_module_comes(tp_module->mod);
	else if (action == MODULE_STATE_GOING)
		ft_tracepoint_module_goes(tp_module->mod);
	return NOTIFY_OK;
}

static struct notifier_block ft_tracepoint_module_nb = {
	.notifier_call = ft_tracepoint_module_notify,
};

int __init ft_tracepoint_module_init(void)
{
	return register_tracepoint_module_notifier(&ft_tracepoint_module_nb);
}

/* The kernel calls the notifier again for all of them, as if they were unloaded. */
void ft_tracepoint_module_exit(void)
{
	unregister_tracepoint_module_notifier(&ft_tracepoint_module_nb);
}

#endif /* FT_HAVE_MODULE_TRACEPOINTS */
