#!/bin/busybox sh
# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# The first process of the guest of scripts/vm, run by busybox from the
# initramfs.  It makes a root out of the host's (read-only, over 9p) and a tmpfs
# on top of it, and goes on in there with vm-run.sh.

/bin/busybox mkdir -p /proc /sys /dev /lower /upper /newroot
/bin/busybox --install -s /bin
export PATH=/bin

# fail TEXT...: the reason goes to the console, which is all that the host sees.
fail()
{
	echo "ft-vm: FAILED: $*" >/dev/kmsg
	echo "ft-vm: FAILED: $*"
	sleep 1
	reboot -f
}

mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys

# In the order in which they need each other.  Empty where all is built in.
while read -r module; do
	insmod "/modules/$module" || echo "ft-vm: cannot load $module" >/dev/kmsg
done </modules/order

p9=trans=virtio,version=9p2000.L,msize=512000
mount -t 9p -o "$p9,ro,cache=loose" ft-host /lower ||
	fail 'cannot mount the host file system (does the kernel have 9p over virtio?)'
mount -t tmpfs -o size=75% upper /upper || fail 'no tmpfs'
mkdir /upper/data /upper/work
mount -t overlay -o lowerdir=/lower,upperdir=/upper/data,workdir=/upper/work root /newroot ||
	fail 'cannot mount the overlay'

# Files that most programs need come into the tmpfs: whoever changes a file of the
# overlay gets a copy, and its owner is changed here to what it is. Without one it
# works as well.
sed 's,^,/newroot,' </near | xargs chown -h 0:0 2>/dev/null

mkdir -p /newroot/run /newroot/proc /newroot/sys /newroot/dev
mount -t tmpfs -o mode=755 run /newroot/run
mkdir -p /newroot/run/ft/job
cp /bin/busybox /vm-run.sh /newroot/run/ft/
# Not cached: what the host writes there must be seen, and the other way round.
mount -t 9p -o "$p9,cache=none" ft-job /newroot/run/ft/job || fail 'cannot mount the job directory'
for dir in proc sys dev; do
	mount -o move "/$dir" "/newroot/$dir"
done
exec switch_root /newroot /run/ft/busybox sh /run/ft/vm-run.sh
