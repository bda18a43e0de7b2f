// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Statically linked, without any library of ours. It does nothing for a second. */
#include <unistd.h>

int main(void)
{
	return (int)sleep(1);
}
