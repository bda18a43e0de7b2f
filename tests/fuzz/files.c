// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Files for the commands under test, and the commands. */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/options.h"
#include "files.h"
#include "default_metadata.h"	/* generated */

#define MAX_ARGS	16

static char dir[64];

static void remove_own(void)
{
	char other[80];

	files_remove(dir);
	snprintf(other, sizeof(other), "%s.fixed", dir);
	files_remove(other);
}

const char *files_dir(void)
{
	char info[80];

	if (dir[0])
		return dir;
	snprintf(dir, sizeof(dir), "%s/ft-fuzz-%d",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", getpid());
	snprintf(info, sizeof(info), "%s/info", dir);
	if (mkdir(dir, 0700) || mkdir(info, 0700))
		err(1, "cannot make %s", dir);
	atexit(remove_own);
	return dir;
}

static void remove_files(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char name[512];

	while (d && (e = readdir(d))) {
		snprintf(name, sizeof(name), "%s/%s", path, e->d_name);
		unlink(name);		/* not . and .. */
	}
	if (d)
		closedir(d);
}

void files_remove(const char *path)
{
	char info[160];

	snprintf(info, sizeof(info), "%s/info", path);
	remove_files(info);
	rmdir(info);
	remove_files(path);
	rmdir(path);
}

void files_write(const char *name, const uint8_t *data, size_t len)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", files_dir(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write_full(fd, data, len, NULL))
		err(1, "cannot write %s", path);
	close(fd);
}

size_t files_next(const uint8_t *data, size_t size, size_t *pos,
		  const uint8_t **content, unsigned int *entry)
{
	size_t rest = size - *pos;
	uint32_t len;

	if (rest < ENTRY_HEAD)
		return 0;
	*entry = data[*pos] % (ENTRY_LAST + 1);
	memcpy(&len, data + *pos + 1, sizeof(len));
	if (len > rest - ENTRY_HEAD)
		len = (uint32_t)(rest - ENTRY_HEAD);
	*content = data + *pos + ENTRY_HEAD;
	*pos += ENTRY_HEAD + len;
	return (size_t)len + 1;
}

void files_trace(const uint8_t *data, size_t size)
{
	static const char *const names[] = {
		"metadata", "info/session", "info/kallsyms", "info/modules",
		"cpu0", "cpu1", "cpu2", "cpu3", "thread0", "thread1",
	};
	const uint8_t *content;
	char info[80];
	unsigned int entry;
	size_t pos = 0, len;

	snprintf(info, sizeof(info), "%s/info", files_dir());
	remove_files(info);
	remove_files(files_dir());
	files_write("metadata", (const uint8_t *)default_metadata,
		    sizeof(default_metadata) - 1);
	while ((len = files_next(data, size, &pos, &content, &entry)))
		files_write(names[entry], content, len - 1);
}

/* What commands print is of no interest. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!freopen("/dev/null", "w", stdout))
		err(1, "cannot open /dev/null");
	return 0;
}

int files_run(const struct command *command, const char *const *args)
{
	char *argv[MAX_ARGS + 1];
	int argc = 0, ret;

	argv[argc++] = strdup(command->name);
	while (argc < MAX_ARGS && *args)
		argv[argc++] = strdup(*args++);
	argv[argc] = NULL;
	optind = 0;
	ret = command->main(argc, argv);
	while (argc)
		free(argv[--argc]);	/* getopt only moved them */
	return ret;
}
