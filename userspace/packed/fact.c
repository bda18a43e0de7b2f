// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Files beside the streams. See fact.h. */
#include <err.h>
#include <errno.h>
#include <string.h>
#include <zstd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/visible.h"
#include "packed/fact.h"

size_t packed_fact(const void *text, size_t len, int level, void **out)
{
	ZSTD_CCtx *zstd;
	size_t n;

	*out = NULL;
	if (len < PACKED_FACT_LEAST || len > PACKED_FACT_MAX)
		return 0;
	zstd = ZSTD_createCCtx();
	if (!zstd)
		return 0;
	*out = mem_try_resize(NULL, len, 1);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	n = *out ? ZSTD_compress2(zstd, *out, len - 1, text, len) : 0;
	ZSTD_freeCCtx(zstd);
	if (n && !ZSTD_isError(n))
		return n;
	mem_free(*out);
	*out = NULL;
	return 0;
}

/* @text becomes plain. Return: its length, or -EBADMSG, and it is freed then */
static ssize_t expand(char **text, size_t len)
{
	unsigned long long size = ZSTD_getFrameContentSize(*text, len);
	char *plain = NULL;
	size_t n = 0;

	/* one frame and nothing behind it */
	if (size && size <= PACKED_FACT_MAX && ZSTD_findFrameCompressedSize(*text, len) == len) {
		plain = mem_resize(NULL, size + 1, 1);
		n = ZSTD_decompress(plain, size, *text, len);
	}
	mem_free(*text);
	*text = NULL;
	if (!plain || n != size) {
		mem_free(plain);
		return -EBADMSG;
	}
	plain[n] = '\0';
	*text = plain;
	return (ssize_t)n;
}

ssize_t packed_read_path(const char *path, char **text)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	ssize_t len = read_path(path, text);

	if (len < (ssize_t)sizeof(magic) || memcmp(*text, magic, sizeof(magic)))
		return len;
	return expand(text, (size_t)len);
}

const char *packed_why(ssize_t error)
{
	return error == -EBADMSG ? "what is compressed there is damaged" : strerror((int)-error);
}

char *packed_visible_file(const char *dir, const char *name)
{
	char *path = mem_format("%s/%s", dir, name), *text;
	ssize_t len = packed_read_path(path, &text);

	if (len == -EBADMSG)
		warnx("%s: %s: no name is taken from it", path, packed_why(len));
	mem_free(path);
	if (len < 0)
		return NULL;
	visible_lines(&text);
	return text;
}
