# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# make help lists the targets.

KDIR	?= /lib/modules/$(shell uname -r)/build
PREFIX	?= /usr/local
DESTDIR	?=
O	?= build
KERNEL	?= stock
HOURS	?= 1
MUTANTS	?=

export PREFIX
override DESTDIR := $(abspath $(DESTDIR))
TOOLS = -C userspace O=$(abspath $(O))/userspace DESTDIR=$(DESTDIR)

# Where kernels of different age put modules of others.
INSTALLED_MODULES = $(wildcard $(foreach dir,extra updates,\
	$(DESTDIR)/lib/modules/*/$(dir)/feather_trace*.ko*))

all: tools module ## build the tool and the module for the running kernel

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18
	@echo
	@echo 'Variables: KDIR=DIR (kernel headers), PREFIX=DIR, DESTDIR=DIR, V=1'

setup: ## install what building and testing need (Debian, Ubuntu)
	scripts/setup all

tools: ## build the tool and the libraries for programs: build/userspace/
	@$(MAKE) --no-print-directory $(TOOLS)

module: ## build feather_trace.ko and feather_trace_npt.ko for the kernel of KDIR: build/module/
	@scripts/build-module $(KDIR) $(O)/module
	@echo '  MODULE  $(O)/module/feather_trace.ko'

install-tools: tools ## install the tool, the libraries and their man pages
	$(MAKE) $(TOOLS) install

install: all install-tools ## install these and the module
	$(MAKE) -C $(KDIR) M=$(abspath $(O))/module INSTALL_MOD_PATH=$(DESTDIR) modules_install
	[ -n "$(DESTDIR)" ] || depmod "$$($(MAKE) -s -C $(KDIR) kernelrelease)"

uninstall: ## remove what install and install-tools install
	$(MAKE) $(TOOLS) uninstall
	@for module in $(INSTALLED_MODULES); do \
		echo "rm $$module"; rm "$$module" || exit; \
		kernel=$${module#"$(DESTDIR)"/lib/modules/}; \
		[ -n "$(DESTDIR)" ] || depmod "$${kernel%%/*}" || exit; \
	done

demo: ## trace the locks of a kernel in a VM, write demo/report.{txt,html}, demo/trace
	@scripts/demo --kernel $(KERNEL)

study: ## the paper's study in a VM: study/study.html, its numbers beside these
	@scripts/study --kernel $(KERNEL) --force

check: ## run every test (30 to 60 minutes the first time)
	@tests/run

check-quick: ## run the tests that need no VM and no kernel build
	@tests/run --quick

check-matrix: ## run the tests of locks on each kernel supported, and build each step of its patches (an hour)
	@tests/vm/matrix && tests/vm/lockdep && tests/host/patch_steps

mutants: ## plant mistakes, each to be found by the test it names: MUTANTS=OPTIONS
	@tests/mutants/run $(MUTANTS)

torture: ## everything at once, for HOURS, with a new seed every ten minutes; first all models, and what reads traces, with sanitizers
	@scripts/setup --quiet all
	@tests/model/check -l
	@$(MAKE) -s -C tests/analysis check O=$(CURDIR)/build/tests/analysis OBJ=$(CURDIR)/build/tests/sanitized
	@tests/vm/torture-hours $(HOURS)

rounds: ## the tests of programs fifty times, three at once: on a busy machine
	@tests/user/rounds

bench: ## measure, write bench/results.tsv
	@bench/run

bench-programs: ## trace unmodified programs under load (installs them)
	@bench/user/programs

bench-peers: ## events beside ftrace, perf, BPF and LTTng, in bench/results.tsv
	@bench/peers

clean: ## remove what was built here; kernels in the cache stay
	rm -rf $(O) demo study

.PHONY: all help setup tools module install install-tools uninstall demo study check
.PHONY: check-quick check-matrix mutants torture rounds bench bench-programs bench-peers clean
