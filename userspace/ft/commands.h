/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The subcommands of ft. */
#ifndef FT_FT_COMMANDS_H
#define FT_FT_COMMANDS_H

/* Each takes its own arguments, argv[0] being the subcommand's name. */
int attach_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int config_main(int argc, char **argv);
int disable_main(int argc, char **argv);
int dump_main(int argc, char **argv);
int enable_main(int argc, char **argv);
int export_main(int argc, char **argv);
int fix_main(int argc, char **argv);
int list_main(int argc, char **argv);
int functions_main(int argc, char **argv);
int load_main(int argc, char **argv);
int mark_main(int argc, char **argv);
int record_main(int argc, char **argv);
int report_main(int argc, char **argv);
int run_main(int argc, char **argv);
int script_main(int argc, char **argv);
int sites_main(int argc, char **argv);
int status_main(int argc, char **argv);
int study_main(int argc, char **argv);
int unload_main(int argc, char **argv);

#endif /* FT_FT_COMMANDS_H */
