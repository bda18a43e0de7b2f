// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Who may open the devices. File permissions are out of the way here, so that
 * the module's own check shows.
 */
#include <grp.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <linux/capability.h>

#include "api.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON	38
#endif

#define NOBODY		65534
#define CAP(n)		(1ull << (n))

static void chmod_all(mode_t mode)
{
	char path[64];

	cpu_path(path, sizeof(path), the_cpu());
	expect_ok(chmod(CONTROL, mode));
	expect_ok(chmod(META, mode));
	expect_ok(chmod(path, mode));
}

/* Open each device in each way that it can be opened. */
static void expect_opens(bool may)
{
	static const int flags[] = { O_RDONLY, O_RDWR, O_WRONLY };
	char path[64];
	const char *const paths[] = { CONTROL, META, path };
	unsigned int i, j;
	int fd;

	cpu_path(path, sizeof(path), the_cpu());
	for (i = 0; i < ARRAY_SIZE(paths); i++) {
		for (j = 0; j < ARRAY_SIZE(flags); j++) {
			fd = open(paths[i], flags[j]);
			if (may && fd < 0)
				fail("%s: %s", paths[i], strerror(errno));
			if (!may && (fd >= 0 || errno != EPERM))
				fail("%s: %s, expected EPERM", paths[i],
				     fd >= 0 ? "open" : strerror(errno));
			close(fd);
		}
	}
}

static void become_nobody(unsigned long long capabilities)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .permitted = capabilities, .effective = capabilities },
		{ .permitted = capabilities >> 32, .effective = capabilities >> 32 },
	};

	expect_ok(prctl(PR_SET_KEEPCAPS, 1));
	expect_ok(setgroups(0, NULL));
	expect_ok(setresgid(NOBODY, NOBODY, NOBODY));
	expect_ok(setresuid(NOBODY, NOBODY, NOBODY));
	expect_ok(syscall(SYS_capset, &header, data));
}

static void expect_opens_with(unsigned long long capabilities, bool may)
{
	pid_t pid = fork();

	if (!pid) {
		become_nobody(capabilities);
		expect_opens(may);
		_exit(EXIT_SUCCESS);
	}
	join(pid);
}

static void test_capabilities(void)
{
	const unsigned long long all = (CAP(CAP_PERFMON + 1)) - 1;

	chmod_all(0666);
	expect_opens_with(0, false);
	expect_opens_with(CAP(CAP_PERFMON), false);
	expect_opens_with(CAP(CAP_SYSLOG), false);
	expect_opens_with(CAP(CAP_PERFMON) | CAP(CAP_SYSLOG), true);
	/* CAP_SYS_ADMIN stands in for CAP_PERFMON, as in perf. */
	expect_opens_with(CAP(CAP_SYS_ADMIN), false);
	expect_opens_with(CAP(CAP_SYS_ADMIN) | CAP(CAP_SYSLOG), true);
	expect_opens_with(all & ~CAP(CAP_SYSLOG), false);
	expect_opens_with(all & ~CAP(CAP_PERFMON) & ~CAP(CAP_SYS_ADMIN), false);
	chmod_all(0640);
}

/* The mode of the nodes comes before all that. */
static void test_mode(void)
{
	pid_t pid;

	chmod_all(0640);
	pid = fork();
	if (!pid) {
		become_nobody(CAP(CAP_PERFMON) | CAP(CAP_SYSLOG));
		expect_error(open(CONTROL, O_RDWR), EACCES);
		expect_error(open(META, O_RDONLY), EACCES);
		expect_error(try_open_cpu(the_cpu(), O_RDONLY), EACCES);
		_exit(EXIT_SUCCESS);
	}
	join(pid);
}

/* Capabilities in a namespace are none here. */
static void test_namespace(void)
{
	pid_t pid;

	chmod_all(0666);
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWUSER)) {
			if (errno == EINVAL || errno == ENOSYS || errno == EPERM)
				skip("no user namespaces");
			fail("unshare: %s", strerror(errno));
		}
		expect_opens(false);
		_exit(EXIT_SUCCESS);
	}
	join(pid);
	chmod_all(0640);
}

/* Rights are asked at open(): who is given a descriptor may use it. */
static void test_handed_down(void)
{
	int control = start(FT_SLOTS_MIN), reader = open_cpu(O_RDONLY);
	struct packet packet;
	pid_t pid = fork();

	if (!pid) {
		become_nobody(0);
		mark(control, 1, 2);
		expect_eq(read_packet(reader, &packet), 2);
		_exit(EXIT_SUCCESS);
	}
	join(pid);
}

static const struct api_test tests[] = {
	{ "opening needs CAP_PERFMON and CAP_SYSLOG", test_capabilities },
	{ "opening needs the permission of the node", test_mode },
	{ "root in a user namespace: EPERM", test_namespace },
	{ "a descriptor can be handed down", test_handed_down },
};

API_MAIN("api_access", tests)
