// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Loading and unloading the kernel module, through libkmod. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <libkmod.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "control/device.h"
#include "control/holders.h"
#include "control/load.h"
#include "control/sensors.h"

/* Where the build leaves the module, seen from the directory of ft. */
static const char *const build_places[] = {
	"feather_trace.ko",
	"../feather_trace.ko",
	"../module/feather_trace.ko",
	"../../feather_trace.ko",
};

static bool find_in_build(char path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n <= 0)
		return false;
	self[n] = '\0';
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(build_places); i++) {
		n = snprintf(path, PATH_MAX, "%s/%s", self, build_places[i]);
		if (n < PATH_MAX && !access(path, F_OK))
			return true;
	}
	return false;
}

static struct kmod_module *module_from_path(struct kmod_ctx *ctx,
					    const char *path)
{
	struct kmod_module *mod;
	int ret;

	/* libkmod's own error for a missing file is not always errno's */
	if (access(path, R_OK)) {
		warn("cannot load %s", path);
		return NULL;
	}
	ret = kmod_module_new_from_path(ctx, path, &mod);
	if (!ret)
		return mod;
	if (ret == -EEXIST)
		warnx("cannot load %s: a module of that name is installed",
		      path);
	else
		warnx("cannot load %s: %s", path, strerror(-ret));
	return NULL;
}

static struct kmod_module *module_installed(struct kmod_ctx *ctx)
{
	struct kmod_module *mod = NULL;
	struct kmod_list *list = NULL;

	if (!kmod_module_new_from_lookup(ctx, DEVICE_MODULE, &list) && list)
		mod = kmod_module_get_module(list);
	kmod_module_unref_list(list);
	return mod;
}

static struct kmod_module *module_find(struct kmod_ctx *ctx, const char *file)
{
	struct kmod_module *mod;
	char path[PATH_MAX];
	struct utsname uts;

	if (!file)
		file = getenv("FT_MODULE");
	if (file && *file)
		return module_from_path(ctx, file);
	mod = module_installed(ctx);
	if (mod)
		return mod;
	if (find_in_build(path))
		return module_from_path(ctx, path);
	uname(&uts);
	warnx("no module " DEVICE_MODULE " is installed for the running kernel "
	      "%s: build and install it, or name the file: "
	      "ft load --module FILE.ko", uts.release);
	return NULL;
}

/* For which kernel was the file built? The first word of its vermagic. */
static bool module_built_for(struct kmod_module *mod, char *buf, size_t len)
{
	struct kmod_list *info = NULL, *i;
	bool found = false;

	if (kmod_module_get_info(mod, &info) < 0)
		return false;
	kmod_list_foreach(i, info) {
		const char *value = kmod_module_info_get_value(i);

		if (strcmp(kmod_module_info_get_key(i), "vermagic"))
			continue;
		snprintf(buf, len, "%.*s", (int)strcspn(value, " "), value);
		found = true;
	}
	kmod_module_info_free_list(info);
	return found;
}

static void explain_load(struct kmod_module *mod, const char *path, int error)
{
	char built[128];
	struct utsname uts;

	switch (error) {
	case EPERM:
	case EACCES:
		warnx("cannot load %s: %s: be root (sudo ft load)%s", path,
		      strerror(error), geteuid() ? "" :
		      "; root may be barred by lockdown, by a container, or by "
		      "kernel.modules_disabled");
		break;
	case ENOEXEC:
		uname(&uts);
		if (module_built_for(mod, built, sizeof(built)) &&
		    strcmp(built, uts.release))
			warnx("cannot load %s: it was built for %s, running is "
			      "%s: build it for the running kernel", path,
			      built, uts.release);
		else
			warnx("cannot load %s: %s: not a module for this "
			      "kernel; see dmesg", path, strerror(error));
		break;
	case ENOENT:
		warnx("cannot load %s: a symbol or parameter that the kernel "
		      "does not know; see dmesg", path);
		break;
	case EKEYREJECTED:
	case ENOKEY:
		warnx("cannot load %s: %s: this kernel takes only signed "
		      "modules: sign it, or turn Secure Boot off", path,
		      strerror(error));
		break;
	default:
		warnx("cannot load %s: %s; see dmesg", path, strerror(error));
	}
}

static struct kmod_ctx *kmod_open(void)
{
	struct kmod_ctx *ctx = kmod_new(NULL, NULL);

	if (!ctx)
		err(FT_EXIT_ERROR, "cannot use libkmod");
	/* errors are printed here, once */
	kmod_set_log_priority(ctx, 0);
	return ctx;
}

static bool is_loaded(struct kmod_ctx *ctx)
{
	struct kmod_module *mod;
	int state;

	if (kmod_module_new_from_name(ctx, DEVICE_MODULE, &mod))
		return false;
	state = kmod_module_get_initstate(mod);
	kmod_module_unref(mod);
	return state == KMOD_MODULE_LIVE || state == KMOD_MODULE_BUILTIN;
}

static int already_loaded(const char *options)
{
	printf(DEVICE_MODULE " is already loaded%s\n", options[0] ?
	       ": its parameters stay as they are" : "");
	return flush_output(FT_EXIT_OK);
}

static int load_module(struct kmod_ctx *ctx, const char *file,
		       const char *options)
{
	struct kmod_module *mod;
	int ret;

	if (is_loaded(ctx))
		return already_loaded(options);
	mod = module_find(ctx, file);
	if (!mod)
		return FT_EXIT_ERROR;
	ret = kmod_module_insert_module(mod, 0, options);
	if (!ret)
		printf("loaded %s\n", kmod_module_get_path(mod));
	else if (ret != -EEXIST)
		explain_load(mod, kmod_module_get_path(mod), -ret);
	kmod_module_unref(mod);
	if (ret == -EEXIST)
		return already_loaded(options);
	return ret ? FT_EXIT_ERROR : flush_output(FT_EXIT_OK);
}

static void explain_unload(struct kmod_module *mod, int error)
{
	struct kmod_list *users, *i;
	char who[HOLDERS_LEN];

	if (error == EPERM || error == EACCES) {
		warnx("cannot unload " DEVICE_MODULE ": %s: be root "
		      "(sudo ft unload)", strerror(error));
		return;
	}
	warnx("cannot unload " DEVICE_MODULE ": %s", error == EAGAIN ?
	      "it is in use" : strerror(error));
	users = kmod_module_get_holders(mod);
	kmod_list_foreach(i, users) {
		struct kmod_module *user = kmod_module_get_module(i);

		warnx("the module %s depends on it: sudo rmmod %s first",
		      kmod_module_get_name(user), kmod_module_get_name(user));
		kmod_module_unref(user);
	}
	if (holders_of_devices(who, sizeof(who)))
		warnx("its devices are open in %s: end that first", who);
	else if (sensors_word(0))
		warnx("there are sensors: see ft sensors list; to remove them all: "
		      "ft sensors end '*'");
	else if (!users && (error == EAGAIN || error == EBUSY))
		warnx("events may be on, or a device open in another container: "
		      "see: ft status; ft disable --all; ft session end NAME");
	kmod_module_unref_list(users);
}

/* Return: what still uses the module: tasks asleep in wrapped functions, stuck functions. */
static struct ft_detach unwrap(void)
{
	struct ft_detach left = { 0 };
	int control = open(DEVICE_CONTROL, O_RDWR | O_CLOEXEC);

	if (control >= 0) {
		left = device_detach(control, DEVICE_DETACH_SECONDS);
		close(control);
	}
	return left;
}

static int unload_module(struct kmod_ctx *ctx)
{
	struct kmod_module *mod;
	struct ft_detach left;
	int ret;

	if (!is_loaded(ctx)) {
		puts(DEVICE_MODULE " is not loaded");
		return flush_output(FT_EXIT_OK);
	}
	ret = kmod_module_new_from_name(ctx, DEVICE_MODULE, &mod);
	if (ret) {
		warnx("cannot unload " DEVICE_MODULE ": %s", strerror(-ret));
		return FT_EXIT_ERROR;
	}
	left = unwrap();
	/* do not wait for its users */
	ret = kmod_module_remove_module(mod, KMOD_REMOVE_NOWAIT);
	if (ret && left.stuck)
		warnx("cannot unload " DEVICE_MODULE ": ftrace does not let go of %u "
		      "function%s: the module stays until the machine is "
		      "restarted; see: ft functions, dmesg",
		      left.stuck, left.stuck == 1 ? "" : "s");
	else if (ret && left.inside)
		warnx("cannot unload " DEVICE_MODULE ": %u task%s still asleep in a "
		      "wrapped function: try again when %s returned",
		      left.inside, left.inside == 1 ? " is" : "s are",
		      left.inside == 1 ? "it has" : "they have");
	else if (ret)
		explain_unload(mod, -ret);
	else
		puts("unloaded " DEVICE_MODULE);
	kmod_module_unref(mod);
	return ret ? FT_EXIT_ERROR : flush_output(FT_EXIT_OK);
}

int module_load(const char *file, const char *parameters)
{
	struct kmod_ctx *ctx = kmod_open();
	int status = load_module(ctx, file, parameters);

	kmod_unref(ctx);
	return status;
}

int module_unload(void)
{
	struct kmod_ctx *ctx = kmod_open();
	int status = unload_module(ctx);

	kmod_unref(ctx);
	return status;
}
