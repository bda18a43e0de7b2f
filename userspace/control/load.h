/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Loading and unloading the kernel module. Both print what they did and return an exit status. */
#ifndef FT_CONTROL_LOAD_H
#define FT_CONTROL_LOAD_H

/**
 * module_load - load the module; one that is loaded is fine
 * @file:	or NULL: $FT_MODULE, the installed one, that of the build
 * @parameters:	"a=1 b=2"
 */
int module_load(const char *file, const char *parameters);

/** module_unload - unload the module, when the lock functions are unwrapped */
int module_unload(void);

#endif /* FT_CONTROL_LOAD_H */
