# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The tests that a mutant names, as short as they can be run alone.

A killer's command runs at the top of a copy of the tree, with its arguments in
"$@"; builds go to build/, and are incremental. A killer `vm KERNEL SCRIPT` is no
command: those share a VM, see vm.py.
"""
from collections import namedtuple

# family: killers that share what they build; seconds: what one usually takes;
# limit: seconds after which it is stuck
Killer = namedtuple("Killer", "family seconds limit command")

# The compiler has nothing to say about a mistake, and is quick.
QUICK = "CFLAGS='-O1 -g -w'"
USER = "make -s -C tests/user O=$PWD/build/user SAN= %s all >&2 && " % QUICK
ANALYSIS = "make -s -C tests/analysis check SAN= %s O=$PWD/build/analysis " % QUICK
STRESS = "make -s -C tests/stress CPPFLAGS=-w O=$PWD/build/stress $PWD/build/stress/%s >&2 && "
TOOL = "make -s -C userspace O=$PWD/build/userspace %s >&2 && " % QUICK

KILLERS = {
    # The ring, sentence by sentence, and interrupted at every instruction.
    "unit": Killer("ring", 4, 120, "make -s -C tests/unit SANITIZED= SAN= %s O=$PWD/build/unit check" % QUICK),
    "steps": Killer("ring", 6, 300, STRESS % "ring_stress" + "build/stress/ring_stress --mode steps"),
    "tsan": Killer("ring", 8, 120, STRESS % "ring_stress.tsan" +
                   "build/stress/ring_stress.tsan --mode threads --seconds 3"),
    "fifo": Killer("ring", 3, 120, "mkdir -p build && gcc -w -O1 -Iinclude -D_DEFAULT_SOURCE "
                   "tests/embed/fifo_steps.c tests/embed/fifo_main.c -o build/fifo_steps && "
                   "{ timeout 60 build/fifo_steps || { echo FAIL fifo; exit 1; }; }"),
    "fifo-tsan": Killer("ring", 8, 120, STRESS % "fifo_stress.tsan" +
                        "build/stress/fifo_stress.tsan --seconds 3"),
    # Checks of tests/analysis/report_test.py that have a word in their name.
    "report": Killer("analysis", 5, 240, ANALYSIS + "UNITS= TESTS=\"$*\""),
    # Its cmocka programs.
    "units": Killer("analysis", 5, 120, ANALYSIS + "UNITS=\"$*\" TESTS=@"),
    # Functions test_NAME of tests/user/*.py.
    "cases": Killer("user", 12, 240, USER +
                    "python3 tests/user/cases.py build/user build/user/userspace/ft \"$@\""),
    "alone": Killer("user", 12, 240, USER +
                    "python3 tests/user/alone.py build/user build/user/userspace/ft \"$@\""),
    "recorder": Killer("user", 12, 240, USER +
                       "python3 tests/user/recorder.py build/user build/user/userspace/ft \"$@\""),
    "flight": Killer("user", 12, 240, USER +
                     "python3 tests/user/flight.py build/user build/user/userspace/ft \"$@\""),
    "sensors": Killer("user", 12, 240, USER +
                      "python3 tests/user/sensors.py build/user build/user/userspace/ft \"$@\""),
    "monitors": Killer("user", 12, 240, USER +
                       "python3 tests/user/monitors.py build/user build/user/userspace/ft \"$@\""),
    "block": Killer("user", 12, 240, USER +
                    "python3 tests/user/block.py build/user build/user/userspace/ft \"$@\""),
    "rotate": Killer("user", 12, 240, USER +
                     "python3 tests/user/rotate.py build/user build/user/userspace/ft \"$@\""),
    "send": Killer("user", 12, 240, USER +
                   "python3 tests/user/send.py build/user build/user/userspace/ft \"$@\""),
    "names": Killer("user", 12, 240, USER +
                    "python3 tests/user/names.py build/user build/user/userspace/ft \"$@\""),
    "heap": Killer("user", 12, 240, USER +
                   "python3 tests/user/heap.py build/user build/user/userspace/ft \"$@\""),
    "heap_time": Killer("user", 8, 240, USER +
                        "python3 tests/user/heap_time.py build/user build/user/userspace/ft \"$@\""),
    "stacks": Killer("user", 15, 240, USER +
                     "python3 tests/user/stacks.py build/user build/user/userspace/ft \"$@\""),
    "served": Killer("user", 12, 240, USER +
                     "python3 tests/user/served.py build/user build/user/userspace/ft \"$@\""),
    "when": Killer("user", 12, 240, USER +
                   "python3 tests/user/when.py build/user build/user/userspace/ft \"$@\""),
    "npt": Killer("user", 12, 240, USER +
                  "python3 tests/user/npt.py build/user build/user/userspace/ft \"$@\""),
    "clock": Killer("user", 12, 240, USER +
                    "python3 tests/user/clock.py build/user build/user/userspace/ft"),
    "attach": Killer("user", 12, 240, USER +
                     "python3 tests/user/attach.py build/user build/user/userspace/ft \"$@\""),
    "sites": Killer("user", 8, 240, USER +
                    "python3 tests/user/sites.py build/user build/user/userspace/ft \"$@\""),
    # A cmocka program of tests/user.
    "cmocka": Killer("user", 8, 120, USER + "set -o pipefail; CMOCKA_MESSAGE_OUTPUT=TAP "
                     "build/user/$1_test | sed \"s/^not ok [0-9]* - /FAIL $1: /\""),
    # As compiled for use.
    "stamps": Killer("preload", 8, 120, "make -s -C userspace O=$PWD/build/fast CFLAGS='-O2 -g -w' >&2 && "
                     "tests/user/stamps build/fast/libfeathertrace-pthread.so"),
    # libfttrace, as programs use it: checks of tests/library/cases.py, and of what is exported.
    "library": Killer("tool", 10, 240, QUICK + " tests/library/check build/userspace \"$@\""),
    "cli": Killer("tool", 6, 120, TOOL + "bash tests/unit/ft_cli.sh build/userspace/ft"),
    "monitoring": Killer("tool", 6, 120, TOOL + "tests/unit/monitoring.sh"),
    "options": Killer("tool", 6, 120, TOOL + "tests/unit/options.sh build/userspace/ft"),
    "completion": Killer("tool", 4, 120, TOOL + "tests/unit/completion.sh build/userspace/ft"),
    "install": Killer("tool", 4, 240, QUICK + " tests/unit/install.sh"),
    # Builds it; the kernel of a mutant does not stay in the cache.
    "kernel": Killer("kernel", 300, 3600, "tests/host/kernel patched; status=$?; "
                     "[ -z \"$MUTANT\" ] || rm -rf \"$(scripts/build-kernel --where)\"; exit $status"),
    "patches": Killer("patches", 30, 1200, "tests/host/patches 6.1"),
    # Functions test_NAME of tests/vmrun/test-vm.
    "test-vm": Killer("scripts", 60, 600, "FT_TESTS=\"$*\" tests/vmrun/test-vm"),
    "layers": Killer("scripts", 1, 60, "tests/host/layers"),
    "models": Killer("scripts", 1, 60, "tests/host/models"),
    # Of a kernel with IBT, as the stages with VMs have it.
    "endbr": Killer("module", 60, 600, "kdir=$(scripts/kdir stock 6.12 rt-amd64) && "
                    "scripts/build-module \"$kdir\" build/modules/ibt >&2 && "
                    "tests/host/endbr.py build/modules/ibt/feather_trace.ko | sed -n 's/^ft_/FAIL endbr: &/p'"),
    "module": Killer("module", 40, 300, "tests/host/module"),
}
