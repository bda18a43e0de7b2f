// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Hypervisors and emulators, and how they show themselves. See virtual.h. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/array.h"
#include "base/virtual.h"

#define TCG	"QEMU TCG"

static const struct {
	const char *vendor;	/* shorter ones are filled with zeros */
	const char *name;
} vendors[] = {
	{ "TCGTCGTCGTCG", TCG },
	{ "KVMKVMKVM", "KVM" },
	{ "Linux KVM Hv", "KVM" },
	{ "Microsoft Hv", "Hyper-V" },
	{ "VMwareVMware", "VMware" },
	{ "XenVMMXenVMM", "Xen" },
	{ "VBoxVBoxVBox", "VirtualBox" },
	{ "bhyve bhyve ", "bhyve" },
	{ "ACRNACRNACRN", "ACRN" },
	{ " prl hyperv ", "Parallels" },
	{ "QNXQVMBSQG", "QNX" },
};

void virtual_vendor(const char vendor[12], char *buf, size_t len)
{
	char text[13] = "";
	unsigned int i;

	memcpy(text, vendor, 12);
	for (i = 0; i < ARRAY_SIZE(vendors); i++) {
		if (!strcmp(text, vendors[i].vendor)) {
			snprintf(buf, len, "%s", vendors[i].name);
			return;
		}
	}
	for (i = 0; text[i]; i++) {
		if (!isprint((unsigned char)text[i]))
			text[i] = '?';
	}
	snprintf(buf, len, "hypervisor '%s'", text);
}

static bool find_cpuid(char *buf, size_t len)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d, word[3];
	char vendor[12];

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 31))
		return false;
	__cpuid(0x40000000, a, word[0], word[1], word[2]);
	memcpy(vendor, word, sizeof(vendor));
	virtual_vendor(vendor, buf, len);
	return true;
#else
	(void)buf;
	(void)len;
	return false;
#endif
}

/* The first line of a file of /sys. Return: is there one? */
static bool read_line(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, len - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return buf[0] != '\0';
}

static bool find_dmi(char *buf, size_t len)
{
	static const char *const makers[] = {
		"QEMU", "Bochs", "VMware", "innotek", "Xen", "Parallels", "BHYVE",
	};
	char text[128];

	if (!read_line("/sys/class/dmi/id/sys_vendor", text, sizeof(text)) &&
	    !read_line("/sys/class/dmi/id/bios_vendor", text, sizeof(text)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(makers); i++) {
		if (!strncmp(text, makers[i], strlen(makers[i]))) {
			snprintf(buf, len, "%s", text);
			return true;
		}
	}
	return false;
}

bool virtual_find(char *buf, size_t len)
{
	char text[64];

	if (find_cpuid(buf, len))
		return true;
	if (read_line("/sys/hypervisor/type", text, sizeof(text))) {
		snprintf(buf, len, "%s", text);
		return true;
	}
	if (find_dmi(buf, len))
		return true;
	buf[0] = '\0';
	return false;
}

/* QEMU that hides its CPUID may use KVM: it does not count as an emulator. */
bool virtual_is_emulator(const char *name)
{
	return !strcmp(name, TCG) || !strncmp(name, "Bochs", 5);
}
