// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Reading unwind tables: see cfi_table.h.
 *
 * A file's .eh_frame_hdr has the addresses of its functions, sorted, each with the place of its
 * entry (FDE) in .eh_frame. The entry names another one that it shares with others (CIE). Both
 * have instructions: see cfi.c.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "libfeathertrace/unwind/cfi.h"
#include "libfeathertrace/unwind/cfi_table.h"

#if defined(__x86_64__) && defined(DLFO_STRUCT_HAS_EH_DBASE)

/* Of glibc 2.35: async-signal-safe, no lock. An older one lets this library load, without it. */
extern int _dl_find_object(void *pc, struct dl_find_object *result) __attribute__((weak));

bool ft_cfi_is_there(void)
{
	return _dl_find_object;
}

/* --- reading tables ------------------------------------------------------- */

uint64_t ft_cfi_get(struct ft_cfi_table *t, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(t->end - t->at) < bytes) {
		t->bad = true;
		t->at = t->end;
		return 0;
	}
	memcpy(&value, t->at, bytes);
	t->at += bytes;
	return value;
}

/* Seven bits a byte; the topmost bit of the last one is a negative number's sign. */
static uint64_t leb(struct ft_cfi_table *t, bool is_signed)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)ft_cfi_get(t, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= ~0ull << shift;
	return value;
}

uint64_t ft_cfi_uleb(struct ft_cfi_table *t)
{
	return leb(t, false);
}

int64_t ft_cfi_sleb(struct ft_cfi_table *t)
{
	return (int64_t)leb(t, true);
}

/* How pointers are written. */
enum {
	ENC_ABS = 0x00, ENC_UDATA4 = 0x03, ENC_UDATA8 = 0x04, ENC_SDATA4 = 0x0b,
	ENC_SDATA8 = 0x0c, ENC_FORMAT = 0x0f, ENC_RELATIVE = 0x70, ENC_PC = 0x10, ENC_DATA = 0x30,
	ENC_OMITTED = 0xff,
};

uintptr_t ft_cfi_pointer(struct ft_cfi_table *t, uint8_t encoding)
{
	uintptr_t from = (encoding & ENC_RELATIVE) == ENC_PC ? (uintptr_t)t->at : 0;
	uint64_t value = 0;

	switch (encoding & ENC_FORMAT) {
	case ENC_ABS:
	case ENC_UDATA8:
	case ENC_SDATA8:
		value = ft_cfi_get(t, 8);
		break;
	case ENC_UDATA4:
		value = ft_cfi_get(t, 4);
		break;
	case ENC_SDATA4:
		value = (uint64_t)(int64_t)(int32_t)ft_cfi_get(t, 4);
		break;
	default:
		t->bad = true;
	}
	return from + value;
}

/* --- a function's entry --------------------------------------------------- */

/* Nothing outside of a file's own memory is read, whatever its tables say. */
static bool is_inside(const struct dl_find_object *o, uintptr_t at, uint64_t len)
{
	const uintptr_t begin = (uintptr_t)o->dlfo_map_start, end = (uintptr_t)o->dlfo_map_end;

	return at >= begin && at <= end && len <= end - at;
}

static void skip(struct ft_cfi_table *t, uint64_t len)
{
	if (len > (uint64_t)(t->end - t->at))
		t->bad = true;
	else
		t->at += len;
}

/* An entry of .eh_frame, which begins with its length. Return: false: none is there. */
static bool open_entry(struct ft_cfi_table *t, const struct dl_find_object *object, uintptr_t at)
{
	uint32_t len;

	if (!is_inside(object, at, sizeof(len)))
		return false;
	memcpy(&len, (const void *)at, sizeof(len));
	t->at = (const uint8_t *)at + sizeof(len);
	t->end = t->at + len;
	t->bad = false;
	/* ~0: 64 bits, which nobody writes there */
	return len && len != UINT32_MAX && is_inside(object, at + sizeof(len), len);
}

static void read_augmentation(struct ft_cfi_function *f, struct ft_cfi_table *t, const char *what)
{
	uint64_t len = ft_cfi_uleb(t);
	struct ft_cfi_table data = *t;

	skip(t, len);
	data.end = t->at;
	for (what++; *what; what++) {
		if (*what == 'R')
			f->encoding = (uint8_t)ft_cfi_get(&data, 1);
		else if (*what == 'P')
			ft_cfi_pointer(&data, (uint8_t)ft_cfi_get(&data, 1) & ENC_FORMAT);
		else if (*what == 'L')
			ft_cfi_get(&data, 1);
		else if (*what == 'S')
			f->is_signal = true;
		else
			break;
	}
	t->bad |= data.bad;
}

static bool read_common(struct ft_cfi_function *f, const struct dl_find_object *object,
			uintptr_t at)
{
	const char *augmentation;
	struct ft_cfi_table t;

	if (!open_entry(&t, object, at) || ft_cfi_get(&t, 4))
		return false;
	if (ft_cfi_get(&t, 1) != 1)
		return false;
	augmentation = (const char *)t.at;
	while (ft_cfi_get(&t, 1))
		;
	if (t.bad || *augmentation != 'z')
		return false;
	f->code_factor = ft_cfi_uleb(&t);
	f->data_factor = ft_cfi_sleb(&t);
	if (ft_cfi_uleb(&t) != FT_CFI_RIP)
		return false;
	read_augmentation(f, &t, augmentation);
	f->common = t;
	return !t.bad;
}

static bool read_function(struct ft_cfi_function *f, const struct dl_find_object *object,
			  uintptr_t at)
{
	struct ft_cfi_table t;
	uintptr_t common;

	memset(f, 0, sizeof(*f));
	if (!open_entry(&t, object, at))
		return false;
	common = (uintptr_t)t.at;
	common -= ft_cfi_get(&t, 4);
	if (t.bad || common == at + 4 || !read_common(f, object, common))
		return false;
	f->begin = ft_cfi_pointer(&t, f->encoding);
	f->size = ft_cfi_pointer(&t, f->encoding & ENC_FORMAT);
	skip(&t, ft_cfi_uleb(&t));
	f->own = t;
	/* code of the function is read, too */
	return !t.bad && is_inside(object, f->begin, f->size);
}

/* A row of .eh_frame_hdr: relative to its beginning. */
struct row {
	int32_t	begin, entry;
};

/* Return: false: the tables know no function at @pc. */
bool ft_cfi_function_at(struct ft_cfi_function *f, uintptr_t pc)
{
	struct dl_find_object object;
	const struct row *row;
	const uint8_t *head;
	uint32_t low = 0, high;
	uintptr_t base;

	if (_dl_find_object((void *)pc, &object) || !object.dlfo_eh_frame)
		return false;
	head = object.dlfo_eh_frame;
	base = (uintptr_t)head;
	if (!is_inside(&object, base, 12))
		return false;
	/* version, and how the rest is written: as every linker does */
	if (head[0] != 1 || (head[1] & ENC_FORMAT) != ENC_SDATA4 || head[2] != ENC_UDATA4 ||
	    head[3] != (ENC_DATA | ENC_SDATA4))
		return false;
	memcpy(&high, head + 8, sizeof(high));
	if (!is_inside(&object, base + 12, (uint64_t)high * sizeof(*row)))
		return false;
	row = (const struct row *)(head + 12);
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (base + (uintptr_t)(intptr_t)row[mid].begin <= pc)
			low = mid + 1;
		else
			high = mid;
	}
	return low &&
	       read_function(f, &object, base + (uintptr_t)(intptr_t)row[low - 1].entry) &&
	       pc >= f->begin && pc - f->begin < f->size;
}

#else

bool ft_cfi_is_there(void)
{
	return false;
}

bool ft_cfi_function_at(struct ft_cfi_function *f, uintptr_t pc)
{
	(void)f;
	(void)pc;
	return false;
}

/* Not called, where no function is found. */
uint64_t ft_cfi_get(struct ft_cfi_table *t, size_t bytes)
{
	(void)bytes;
	t->bad = true;
	return 0;
}

uint64_t ft_cfi_uleb(struct ft_cfi_table *t)
{
	return ft_cfi_get(t, 1);
}

int64_t ft_cfi_sleb(struct ft_cfi_table *t)
{
	return (int64_t)ft_cfi_get(t, 1);
}

uintptr_t ft_cfi_pointer(struct ft_cfi_table *t, uint8_t encoding)
{
	(void)encoding;
	return ft_cfi_get(t, 8);
}

#endif
