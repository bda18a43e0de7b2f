// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What the words of a tracepoint's event are.
 *
 *	words NAME [EVENT]
 *
 * Prints the name and the bits of each, "signed" behind it if it is so; - and 0: there is none, or
 * it is not known. The event is made, if it is not there: as EVENT, whose one word is read where
 * the second argument points to.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/feather_trace.h>

int main(int argc, char **argv)
{
	struct ft_tracepoint point = { 0 };
	int control = open("/dev/ft_trace", O_RDWR);

	if (argc < 2 || argc > 3 || strlen(argv[1]) >= sizeof(point.name) ||
	    (argc == 3 && strlen(argv[2]) >= sizeof(point.event)))
		errx(EXIT_FAILURE, "usage: words NAME [EVENT]");
	strcpy(point.name, argv[1]);
	if (argc == 3) {
		strcpy(point.event, argv[2]);
		point.word[0] = (struct ft_word){ .arg = 2, .bits = 64, .loads = 1, .size = 8,
						  .field = "behind" };
		point.word[1] = (struct ft_word){ .arg = FT_WORD_NONE };
	}
	if (control < 0 || ioctl(control, FT_IOC_TRACEPOINT, &point))
		err(EXIT_FAILURE, "%s", argv[1]);
	for (int i = 0; i < 2; i++)
		printf("%s %u%s%s", *point.word[i].field ? point.word[i].field : "-",
		       point.word[i].bits, point.word[i].kind == FT_FIELD_SIGNED ? " signed" : "",
		       i ? "\n" : ", ");
	return EXIT_SUCCESS;
}
