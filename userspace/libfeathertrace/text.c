// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Changing one byte of text, without ever making it writable.
 *
 * mprotect() does not do: other threads cannot run read-write text; read-write-execute
 * text helps an attacker, and hardened systems refuse it.
 *
 * 1. /proc/self/mem. The kernel writes to the page through an address of its own,
 *    as it does for debuggers; a page that is shared with the file is copied first.
 *    The mapping keeps its rights. Kernels can be told to refuse this
 *    (proc_mem.force_override=), and where /proc is not mounted, or the process
 *    not dumpable and not root, the file cannot be opened. Then:
 *
 * 2. A copy of the page, made elsewhere, changed while it is writable and not
 *    executable, made executable and not writable, and moved over the original
 *    with one mremap(). That unmaps and moves in one go: a thread that runs into
 *    the gap waits in its page fault until the move is done. The page no longer
 *    belongs to its file then: only debuggers notice.
 *
 * One byte is stored, so other CPUs see the old one or the new one. Both make whole
 * instructions of the same length. They may go on with the old one as long as they
 * do not serialise: ft_text_sync() makes them.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libfeathertrace/text.h"

int ft_text_write_mem(unsigned char *at, unsigned char byte)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	if (pwrite(fd, &byte, 1, (off_t)(uintptr_t)at) != 1)
		ret = errno ? -errno : -EIO;
	close(fd);
	return ret;
}

int ft_text_write_remap(unsigned char *at, unsigned char byte)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t offset = (uintptr_t)at & (page - 1);
	unsigned char *copy;
	int error;

	copy = mmap(NULL, page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return -errno;
	memcpy(copy, at - offset, page);
	copy[offset] = byte;
	if (!mprotect(copy, page, PROT_READ | PROT_EXEC) &&
	    mremap(copy, page, page, MREMAP_MAYMOVE | MREMAP_FIXED,
		   at - offset) != MAP_FAILED)
		return 0;
	error = errno;
	munmap(copy, page);
	return -error;
}

int ft_text_write(unsigned char *at, unsigned char byte)
{
	if (!ft_text_write_mem(at, byte) && *(volatile unsigned char *)at == byte)
		return 0;
	return ft_text_write_remap(at, byte);
}

#ifdef __x86_64__
/*
 * mov offset@gottpoff(%rip), %reg	48|4c 8b modrm	distance of the offset
 * mov $offset, %reg			48|49 c7 modrm	the offset itself
 */
static bool relaxed(const unsigned char *at, unsigned char *to)
{
	unsigned char reg = (at[2] >> 3) & 7;
	int32_t distance, offset;
	int64_t value;

	/* the linker of a static program has already relaxed it */
	if ((at[0] != 0x48 && at[0] != 0x4c) || at[1] != 0x8b ||
	    (at[2] & 0xc7) != 0x05)
		return false;
	memcpy(&distance, at + 3, sizeof(distance));
	memcpy(&value, at + 7 + distance, sizeof(value));
	offset = (int32_t)value;
	if (offset != value)
		return false;
	to[0] = at[0] == 0x4c ? 0x49 : 0x48;
	to[1] = 0xc7;
	to[2] = 0xc0 | reg;
	memcpy(to + 3, &offset, sizeof(offset));
	return true;
}

void ft_text_relax(const int32_t *begin, const int32_t *end)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	unsigned char to[7];

	for (; fd >= 0 && begin < end; begin++) {
		const unsigned char *at = (const unsigned char *)begin + *begin;

		/* all of it or nothing: a page of text does not end within */
		if (relaxed(at, to) &&
		    pwrite(fd, to, sizeof(to), (off_t)(uintptr_t)at) !=
		    (ssize_t)sizeof(to))
			break;
	}
	if (fd >= 0)
		close(fd);
}
#else
void ft_text_relax(const int32_t *begin, const int32_t *end)
{
	(void)begin;
	(void)end;
}
#endif

bool ft_text_order(const int32_t *begin, const int32_t *end)
{
	static const unsigned char rdtscp[] = { 0x0f, 0x01, 0xf9 };
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	bool ok = fd >= 0;

	for (; ok && begin < end; begin++) {
		const unsigned char *at = (const unsigned char *)begin + *begin;

		ok = pwrite(fd, rdtscp, sizeof(rdtscp), (off_t)(uintptr_t)at) ==
		     (ssize_t)sizeof(rdtscp);
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

static int membarrier(int command)
{
	return (int)syscall(SYS_membarrier, command, 0, 0);
}

void ft_text_sync(void)
{
	/* a child has to register again: it does not inherit this */
	if (!membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE))
		membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
}
