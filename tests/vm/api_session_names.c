// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sessions with a name: their devices, and when both go. */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "api.h"
#include "api_sessions.h"

static void test_named(void)
{
	struct ft_session_info info = { .number = 1 };
	char path[64], text[256];
	int session, other, reader, meta;

	pin(the_cpu());
	session = new_session("api_test");
	expect_error(request_session(open_control(), FT_SESSION_NEW, "api_test"), EEXIST);
	expect_error(request_session(open_control(), FT_SESSION_JOIN, "api_tes"), ENOENT);
	expect_ok(enable_flags(session, FT_IOC_ENABLE, FT_ID_MARK, FT_ENABLE_PERSIST));
	mark(session, 1, 3);
	close(session);

	other = open_control();
	expect_ok(ioctl(other, FT_IOC_SESSIONS, &info));
	expect(!strcmp(info.name, "api_test"));
	expect_eq(info.events, 1);
	expect_eq(info.joined, 0);
	expect_ok(request_session(other, FT_SESSION_JOIN, "api_test"));
	mark(other, 4, 3);
	snprintf(path, sizeof(path), "/dev/ft_trace_api_test_%u", the_cpu());
	reader = expect_ok(open(path, O_RDONLY));
	expect_error(try_open_ring(other, 0), EBUSY);
	meta = expect_ok(open("/dev/ft_trace_api_test_meta", O_RDONLY));
	expect(read(meta, text, sizeof(text)) > 0);
	expect_ok(ioctl(other, FT_IOC_SESSION_END));
	expect_error(ioctl(other, FT_IOC_SESSION_END), ESHUTDOWN);
	expect_error(enable_flags(other, FT_IOC_ENABLE, FT_ID_MARK, 0), ESHUTDOWN);
	expect_records(reader, FT_ID_MARK, 6);
	expect_error(open(path, O_RDONLY), ENOENT);
	expect_error(open("/dev/ft_trace_api_test_meta", O_RDONLY), ENOENT);
	expect_error(request_session(open_control(), FT_SESSION_JOIN, "api_test"), ENOENT);
	close(new_session("api_test"));
	session = open_control();
	expect_ok(request_session(session, FT_SESSION_JOIN, "api_test"));
	expect_eq(get_info(session).trace, 0);
	expect_ok(ioctl(session, FT_IOC_SESSION_END));
}

/* Its devices, its name and what was to persist in it go with who began it. */
static void test_ends_with_owner(void)
{
	int session, copy, other, reader;
	char path[64];

	pin(the_cpu());
	session = open_control();
	expect_ok(request_session(session, FT_SESSION_NEW | FT_SESSION_OWN, "api_test"));
	expect_error(request_session(open_control(), FT_SESSION_NEW | FT_SESSION_OWN, "api_test"),
		     EEXIST);
	expect_error(request_session(open_control(), FT_SESSION_NEW | FT_SESSION_OWN, ""), EINVAL);
	expect_error(request_session(open_control(), FT_SESSION_JOIN | FT_SESSION_OWN, "api_test"),
		     EINVAL);
	other = open_control();
	expect_ok(request_session(other, FT_SESSION_JOIN, "api_test"));
	expect_ok(enable_flags(other, FT_IOC_ENABLE, FT_ID_MARK, FT_ENABLE_PERSIST));
	snprintf(path, sizeof(path), "/dev/ft_trace_api_test_%u", the_cpu());
	reader = expect_ok(open(path, O_RDONLY));
	copy = dup(session);
	close(session);
	mark(other, 1, 3);
	close(copy);
	expect_eq(get_info(other).active, 0);
	expect_error(enable_flags(other, FT_IOC_ENABLE, FT_ID_MARK, 0), ESHUTDOWN);
	expect_error(ioctl(other, FT_IOC_SESSION_END), ESHUTDOWN);
	expect_records(reader, FT_ID_MARK, 3);
	expect_error(open(path, O_RDONLY), ENOENT);
	expect_error(request_session(open_control(), FT_SESSION_JOIN, "api_test"), ENOENT);

	/* the name may be another's by now: it stays */
	session = open_control();
	expect_ok(request_session(session, FT_SESSION_NEW | FT_SESSION_OWN, "api_test"));
	expect_ok(ioctl(session, FT_IOC_SESSION_END));
	copy = new_session("api_test");
	close(session);
	expect_eq(get_info(copy).trace, 0);
	expect_ok(enable_flags(copy, FT_IOC_ENABLE, FT_ID_MARK, 0));
	expect_ok(ioctl(copy, FT_IOC_SESSION_END));
}

/* Ends each session of this name as soon as the name is known. */
static void end_by_name(const char *name)
{
	for (;;) {
		int control = open_control();

		while (request_session(control, FT_SESSION_JOIN, name))
			;
		ioctl(control, FT_IOC_SESSION_END);
		close(control);
	}
}

/* A name is part of a file's, and of a trace: letters, digits and _, no digit first. */
static void test_no_identifier(void)
{
	static const char *const names[] = { "two words", "a/b", "..", "a-b", "1st", "tab\t", "\xe9t\xe9", "\xc3\xa9" };
	int control = open_control();
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_error(request_session(control, FT_SESSION_NEW, names[i]), EINVAL);
	close(control);
}

/* Whoever ends it, and when: the devices go before the name does. */
static void test_ends_early(void)
{
	pid_t child = expect_ok(fork());
	int control, status;

	if (!child) {
		end_by_name("early");
		_exit(0);
	}
	for (int i = 0; i < 50; i++) {
		control = open_control();
		request_session(control, FT_SESSION_NEW, "early");
		close(control);
		do {
			control = open_control();
			status = request_session(control, FT_SESSION_JOIN, "early");
			close(control);
		} while (!status);
		expect_error(access("/dev/ft_trace_early_meta", F_OK), ENOENT);
		expect_error(access("/dev/ft_trace_early_0", F_OK), ENOENT);
	}
	kill(child, SIGKILL);
	expect_eq(waitpid(child, &status, 0), child);
}

/* Not even for who knows its number. */
static void test_no_devices(void)
{
	const char *node = "/dev/ft_trace_no_device";
	int control, own, named;
	struct stat st;
	unsigned int n;

	pin(the_cpu());
	control = open_control();
	own = new_session("");
	enable(own);
	expect_ok(stat("/dev/ft_trace0", &st));
	for (n = 1; n < FT_SESSIONS_MAX; n++) {
		unlink(node);
		expect_ok(mknod(node, S_IFCHR | 0600,
				makedev(major(st.st_rdev), n * get_info(control).cpus +
					the_cpu())));
		expect_error(open(node, O_RDONLY), ENXIO);
	}
	unlink(node);
	named = new_session("shown");
	expect_ok(open("/dev/ft_trace_shown_0", O_RDONLY));
	expect_ok(ioctl(named, FT_IOC_SESSION_END));
}

static const struct api_test tests[] = {
	{ "a session with a name", test_named },
	{ "a name that ends with its descriptor", test_ends_with_owner },
	{ "a name that is no identifier", test_no_identifier },
	{ "a session without a name has no devices", test_no_devices },
	{ "a session is ended while it begins", test_ends_early },
};

API_MAIN("api_session_names", tests)
