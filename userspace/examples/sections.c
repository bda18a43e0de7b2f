// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The critical sections of a trace as CSV, as ft export -f csv writes them.
 *
 *	cc sections.c $(pkg-config --cflags --libs fttrace) -o sections
 *	./sections t
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <feather_trace/reader.h>

static const char *context_name(uint32_t context)
{
	return context & FT_READER_NMI ? "nmi" :
	       context & FT_READER_HARDIRQ ? "hardirq" :
	       context & FT_READER_SOFTIRQ ? "softirq" : "task";
}

/* Nanoseconds with three decimals, rounded down. */
static void put_ns(const struct ft_reader *r, uint64_t ticks)
{
	unsigned __int128 ps = (unsigned __int128)ticks * 1000000000000u /
			       ft_reader_frequency(r);

	printf("%" PRIu64 ".%03u,", (uint64_t)(ps / 1000), (unsigned int)(ps % 1000));
}

static void put_wall(const struct ft_reader *r, uint64_t ticks)
{
	char text[64] = "";
	struct tm tm;
	int64_t seconds;
	uint32_t ns;
	time_t t;

	if (ft_reader_wall(r, ticks, &seconds, &ns))
		return;
	t = (time_t)seconds;
	if (gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
		printf("%s.%09uZ", text, ns);
}

static void put_text(const char *s)
{
	if (!strpbrk(s, ",\"\r\n")) {
		fputs(s, stdout);
		return;
	}
	putchar('"');
	for (; *s; s++) {
		if (*s == '"')
			putchar('"');
		putchar(*s);
	}
	putchar('"');
}

static int put_address(struct ft_reader *r, uint64_t address, unsigned int what)
{
	char name[320];
	int ret = ft_reader_name(r, address, what, name, sizeof(name));

	printf(",0x%" PRIx64 ",", address);
	if (ret > 0)
		put_text(name);
	return ret < 0 ? ret : 0;
}

static int put_class(struct ft_reader *r, uint64_t lock)
{
	char class[320];
	int ret = ft_reader_class(r, lock, class, sizeof(class));

	if (ret > 0)
		put_text(class);
	return ret < 0 ? ret : 0;
}

static int put_section(struct ft_reader *r, const struct ft_reader_item *item)
{
	const struct ft_reader_section *s = &item->section;
	int ret;

	put_ns(r, s->start - ft_reader_start(r));
	put_ns(r, s->end - ft_reader_start(r));
	put_ns(r, s->length);
	put_wall(r, s->start);
	printf(",%s,%u,%u,%u,", s->family, s->depth_spinning, s->depth_sleeping,
	       s->depth_both);
	if (item->cpu >= 0)	/* a program does not know its CPU */
		printf("%d", item->cpu);
	printf(",%d,%s", item->tid, context_name(item->context));
	ret = put_address(r, s->lock, FT_READER_DATA);
	if (!ret)
		ret = put_address(r, s->site, FT_READER_CODE);
	printf(",%u,", s->depth_program);
	if (!ret)
		ret = put_class(r, s->lock);
	putchar('\n');
	return ret;
}

int main(int argc, char **argv)
{
	const struct ft_reader_item *item;
	struct ft_reader *r = ft_reader_new();
	int ret;

	if (argc != 2 || !r) {
		fprintf(stderr, r ? "Usage: sections TRACE\n" : "sections: no memory\n");
		ft_reader_free(r);
		return 2;
	}
	ret = ft_reader_open(r, argv[1], FT_READER_SECTIONS);
	if (!ret)
		printf("start_ns,end_ns,length_ns,start_time,family,depth_spinning,"
		       "depth_sleeping,depth_both,cpu,tid,context,lock,lock_symbol,"
		       "site,site_symbol,depth_program,class\n");
	while (!ret && (ret = ft_reader_next(r, &item)) > 0)
		ret = item->kind == FT_READER_SECTIONS ? put_section(r, item) : 0;
	if (ret)
		fprintf(stderr, "sections: %s\n", ft_reader_error(r));
	else if (ft_reader_lost(r))
		fprintf(stderr, "sections: %" PRIu64 " records were lost\n",
			ft_reader_lost(r));
	ft_reader_free(r);
	return ret ? 1 : 0;
}
