// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft study: its options, and which of its ways is gone. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/config.h"
#include "ft/commands.h"
#include "ft/study.h"

#define PATH_LEN	4096
#define SECONDS_HERE	60	/* as in the paper */

static const char help[] =
	"Usage: ft study [--here | --vm] [OPTION]...\n"
	"       ft study --page DIR\n"
	"\n"
	"Repeats the study of critical sections in the Linux kernel that\n"
	"Feather-Trace was made for: records all lock events of an idle system, of\n"
	"a parallel compile and of a stress test, and writes a page with the\n"
	"paper's numbers beside those of this machine.\n"
	"\n"
	"      --here           on this kernel (default); needs root and the module\n"
	"      --vm             in a virtual machine with a patched kernel, which is\n"
	"                       built first if need be; needs the source tree\n"
	"      --page DIR       write the page anew from what DIR has\n"
	"  -w, --workloads LIST of idle,compile,stress (default: these), and of the\n"
	"                       programs ffplay,mplayer,doom: two video players, a game\n"
	"  -d, --duration SECONDS\n"
	"                       of each workload (default: 60; in the VM 20)\n"
	"  -o, --output DIR     write here (default: study)\n"
	"      --sources DIR    compile this C project (default: this tool)\n"
	"  -s, --slots N        size of the ring of each CPU in records (default: as\n"
	"                       memory allows, 1M at most)\n"
	"      --work DIR       where workloads write (default: DIR/work)\n"
	"      --record-only    do not write the page\n"
	"      --force          replace what DIR has\n"
	"      --help           show this text\n"
	"\n"
	"Exit status: 0 all well, 1 error, 2 usage, 3 records were lost.\n";

struct options {
	struct study	study;
	bool		here, vm, record_only;
	const char	*page;
	const char	*workloads;
	const char	*seconds;
};

/* Return: false with a message */
static bool parse_workloads(const char *text, unsigned int *mask)
{
	size_t len;

	for (*mask = 0; *text; text += len + (text[len] == ',')) {
		unsigned int w;

		len = strcspn(text, ",");
		for (w = 0; w < STUDY_WORKLOADS; w++) {
			if (strlen(study_names[w]) == len &&
			    !strncmp(text, study_names[w], len))
				break;
		}
		if (w == STUDY_WORKLOADS) {
			usage_error("study", "no workload '%.*s': there are idle, "
				    "compile, stress, ffplay, mplayer and doom", (int)len, text);
			return false;
		}
		*mask |= 1u << w;
	}
	if (!*mask)
		usage_error("study", "which workloads? idle, compile, stress, "
			    "ffplay, mplayer, doom");
	return *mask;
}

/* Return: exit status, or -1 to go on */
static int apply_option(struct options *o, int c, char **argv)
{
	struct study *s = &o->study;
	const char *bad;

	switch (c) {
	case 'w':
		o->workloads = optarg;
		return parse_workloads(optarg, &s->workloads) ? -1 : FT_EXIT_USAGE;
	case 'd':
		o->seconds = optarg;
		if (parse_seconds(optarg, &s->seconds))
			return usage_error("study", "not a number of seconds: '%s'",
					   optarg);
		return -1;
	case 's':
		bad = config_parse_slots(optarg, &s->slots);
		if (bad)
			return usage_error("study", "%s: '%s'", bad, optarg);
		return -1;
	case 'o':
		s->dir = optarg;
		return -1;
	case 'S':
		s->sources = optarg;
		return -1;
	case 'W':
		s->work = optarg;
		return -1;
	case 'p':
		o->page = optarg;
		return -1;
	case 'H':
		o->here = true;
		return -1;
	case 'V':
		o->vm = true;
		return -1;
	case 'r':
		o->record_only = true;
		return -1;
	case 'f':
		s->force = true;
		return -1;
	case 'h':
		fputs(help, stdout);
		return flush_output(FT_EXIT_OK);
	}
	return usage_bad_option(c, argv);
}

/* Return: exit status, or -1 to go on */
static int parse_options(struct options *o, int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "here", no_argument, NULL, 'H' },
		{ "vm", no_argument, NULL, 'V' },
		{ "page", required_argument, NULL, 'p' },
		{ "workloads", required_argument, NULL, 'w' },
		{ "duration", required_argument, NULL, 'd' },
		{ "output", required_argument, NULL, 'o' },
		{ "sources", required_argument, NULL, 'S' },
		{ "slots", required_argument, NULL, 's' },
		{ "work", required_argument, NULL, 'W' },
		{ "record-only", no_argument, NULL, 'r' },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c, ret;

	while ((c = getopt_long(argc, argv, ":w:d:o:s:h", longopts, NULL)) != -1) {
		ret = apply_option(o, c, argv);
		if (ret >= 0)
			return ret;
	}
	if (optind < argc)
		return usage_error("study", "what is '%s'? Workloads are named with "
				   "--workloads, the directory with -o", argv[optind]);
	if (o->here + o->vm + !!o->page > 1)
		return usage_error("study", "--here, --vm and --page exclude each other");
	if (!*o->study.dir)
		return usage_error("study", "the name of the directory (-o) is empty");
	return -1;
}

/* scripts/study does it, and calls us in the VM, and again for the page. */
static int run_in_vm(const struct options *o)
{
	char tree[PATH_LEN], script[PATH_LEN + 32];
	const char *argv[16] = { script, "-o", o->study.dir };
	size_t n = 3;

	if (!study_tree(tree, sizeof(tree))) {
		warnx("--vm needs the source tree of Feather-Trace, which is not where "
		      "this ft is: name it with FT_TREE=DIR");
		return FT_EXIT_ERROR;
	}
	snprintf(script, sizeof(script), "%s/scripts/study", tree);
	if (o->seconds) {
		argv[n++] = "-d";
		argv[n++] = o->seconds;
	}
	if (o->workloads) {
		argv[n++] = "--workloads";
		argv[n++] = o->workloads;
	}
	if (o->study.sources) {
		argv[n++] = "--sources";
		argv[n++] = o->study.sources;
	}
	if (o->study.force)
		argv[n++] = "--force";
	execv(script, (char *const *)argv);
	warn("cannot run %s", script);
	return FT_EXIT_ERROR;
}

int study_main(int argc, char **argv)
{
	struct options o = {
		.study = {
			.dir = "study",
			.workloads = (1u << STUDY_PAPER) - 1,
			.seconds = SECONDS_HERE,
		},
	};
	int ret = parse_options(&o, argc, argv), page;

	if (ret >= 0)
		return ret;
	if (o.page)
		return study_page(o.page);
	if (o.vm)
		return run_in_vm(&o);
	ret = study_record(&o.study);
	if (ret == FT_EXIT_ERROR || o.record_only)
		return ret;
	page = study_page(o.study.dir);
	return page == FT_EXIT_OK ? ret : page;
}
