// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Statically linked, without any library of ours. It does nothing until its input ends. */
#include <unistd.h>

int main(void)
{
	char c;

	return read(0, &c, 1) < 0;
}
