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
#include "reader.h"
#include "rings.h"
#include "trace.h"

static dev_t ft_reader_devt;	/* the minor number is the CPU's */
static struct cdev ft_reader_cdev;
static struct class *ft_reader_class;
static int ft_reader_hp_state;
static bool ft_reader_shown;	/* hotplug is excluded, or is what reads it */

static void ft_reader_show_one(unsigned int cpu)
{
	struct device *dev;

	dev = device_create(ft_reader_class, NULL, ft_reader_devt + cpu, NULL,
			    "ft_trace%u", cpu);
	if (IS_ERR(dev))
		pr_warn("CPU %u: no memory for its device, its events cannot be read\n",
			cpu);
}

static bool ft_reader_is_known(unsigned int cpu)
{
	return ft_rings_get(&FT_SESSION_DEFAULT->rings, cpu);
}

/* A CPU is about to come up. A failure here must not prevent that. */
static int ft_reader_prepare(unsigned int cpu)
{
	bool known = ft_reader_is_known(cpu);

	ft_rings_add(cpu);
	if (!known && ft_reader_shown && ft_reader_is_known(cpu))
		ft_reader_show_one(cpu);
	return 0;
}

void ft_reader_show(void)
{
	unsigned int cpu;

	cpus_read_lock();
	ft_reader_shown = true;
	for_each_possible_cpu(cpu)
		if (ft_reader_is_known(cpu))
			ft_reader_show_one(cpu);
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

	err = alloc_chrdev_region(&ft_reader_devt, 0, nr_cpu_ids, "ft_trace");
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
	unregister_chrdev_region(ft_reader_devt, nr_cpu_ids);
	return err;
}

void ft_reader_exit(void)
{
	unsigned int cpu;

	cpuhp_remove_state_nocalls(ft_reader_hp_state);
	for_each_possible_cpu(cpu)
		if (ft_reader_is_known(cpu))
			device_destroy(ft_reader_class, ft_reader_devt + cpu);
	class_destroy(ft_reader_class);
	unregister_chrdev_region(ft_reader_devt, nr_cpu_ids);
}

int ft_reader_start(void)
{
	cdev_init(&ft_reader_cdev, &ft_reader_fops);
	ft_reader_cdev.owner = THIS_MODULE;
	return cdev_add(&ft_reader_cdev, ft_reader_devt, nr_cpu_ids);
}

void ft_reader_stop(void)
{
	cdev_del(&ft_reader_cdev);
}
