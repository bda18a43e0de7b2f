// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A CPU that comes up gets a ring and a device to read it. Both stay when it goes down.
 */
#include <linux/cdev.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/device.h>
#include <linux/fs.h>

#include "access.h"
#include "compat.h"
#include "reader/reader.h"
#include "ring/rings.h"
#include "trace/trace.h"

/* A minor number for each CPU of each session. */
#define FT_READER_MINORS	(FT_SESSIONS * nr_cpu_ids)

static dev_t ft_reader_devt;
static struct cdev ft_reader_cdev;
static struct class *ft_reader_class;
static int ft_reader_hp_state;

/* The sessions that have nodes. Hotplug is excluded, or is the reader. */
static struct {
	bool	shown;
	char	name[FT_NAME_LEN];
} ft_reader_nodes[FT_SESSIONS];

unsigned int ft_reader_session_of(unsigned int minor)
{
	return minor / nr_cpu_ids;
}

unsigned int ft_reader_cpu_of(unsigned int minor)
{
	return minor % nr_cpu_ids;
}

static dev_t ft_reader_dev(unsigned int session, unsigned int cpu)
{
	return ft_reader_devt + session * nr_cpu_ids + cpu;
}

static bool ft_reader_is_known(unsigned int session, unsigned int cpu)
{
	return ft_rings_get(&ft_sessions[session].rings, cpu);
}

static void ft_reader_show_one(unsigned int session, unsigned int cpu)
{
	const char *name = ft_reader_nodes[session].name;
	struct device *dev;

	dev = device_create(ft_reader_class, NULL, ft_reader_dev(session, cpu), NULL,
			    "ft_trace%s%s%s%u", name[0] ? "_" : "", name,
			    name[0] ? "_" : "", cpu);
	if (IS_ERR(dev))
		pr_warn("CPU %u: no memory for its device: its events cannot be read\n",
			cpu);
}

/* A CPU is about to come up. A failure here must not prevent that. */
static int ft_reader_prepare(unsigned int cpu)
{
	bool known[FT_SESSIONS];
	unsigned int i;

	for (i = 0; i < FT_SESSIONS; i++)
		known[i] = !ft_reader_nodes[i].shown || ft_reader_is_known(i, cpu);
	ft_rings_add(cpu);
	for (i = 0; i < FT_SESSIONS; i++)
		if (!known[i] && ft_reader_is_known(i, cpu))
			ft_reader_show_one(i, cpu);
	return 0;
}

bool ft_reader_is_shown(unsigned int session)
{
	return READ_ONCE(ft_reader_nodes[session].shown);
}

void ft_reader_show(struct ft_session *session, const char *name)
{
	unsigned int cpu, number = ft_session_number(session);

	cpus_read_lock();
	WRITE_ONCE(ft_reader_nodes[number].shown, true);
	strscpy(ft_reader_nodes[number].name, name ?: "", FT_NAME_LEN);
	for_each_possible_cpu(cpu)
		if (ft_reader_is_known(number, cpu))
			ft_reader_show_one(number, cpu);
	cpus_read_unlock();
}

void ft_reader_hide(struct ft_session *session)
{
	unsigned int cpu, number = ft_session_number(session);

	cpus_read_lock();
	WRITE_ONCE(ft_reader_nodes[number].shown, false);
	for_each_possible_cpu(cpu)
		if (ft_reader_is_known(number, cpu))
			device_destroy(ft_reader_class, ft_reader_dev(number, cpu));
	cpus_read_unlock();
}

static char *ft_reader_devnode(ft_devnode_device *dev, umode_t *mode)
{
	if (mode)
		*mode = FT_DEVICE_MODE;
	return NULL;
}

int ft_reader_init(void)
{
	int err;

	err = alloc_chrdev_region(&ft_reader_devt, 0, FT_READER_MINORS, "ft_trace");
	if (err)
		return err;

	ft_reader_class = ft_class_create("feather_trace");
	if (IS_ERR(ft_reader_class)) {
		err = PTR_ERR(ft_reader_class);
		goto err_free_region;
	}
	ft_reader_class->devnode = ft_reader_devnode;

	/* Calls ft_reader_prepare() for the CPUs that are up, too. */
	err = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "feather_trace:prepare",
				ft_reader_prepare, NULL);
	if (err < 0)
		goto err_destroy_class;
	ft_reader_hp_state = err;
	return 0;

err_destroy_class:
	class_destroy(ft_reader_class);
err_free_region:
	unregister_chrdev_region(ft_reader_devt, FT_READER_MINORS);
	return err;
}

void ft_reader_exit(void)
{
	cpuhp_remove_state_nocalls(ft_reader_hp_state);
	if (ft_reader_nodes[0].shown)
		ft_reader_hide(FT_SESSION_DEFAULT);
	class_destroy(ft_reader_class);
	unregister_chrdev_region(ft_reader_devt, FT_READER_MINORS);
}

int ft_reader_start(void)
{
	cdev_init(&ft_reader_cdev, &ft_reader_fops);
	ft_reader_cdev.owner = THIS_MODULE;
	return cdev_add(&ft_reader_cdev, ft_reader_devt, FT_READER_MINORS);
}

void ft_reader_stop(void)
{
	cdev_del(&ft_reader_cdev);
}
