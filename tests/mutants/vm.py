# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Mutants whose killers run in a VM: `vm KERNEL TEST`, TEST a script of tests/vm, or
a program api_NAME of it. KERNEL is as scripts/kdir takes it: stock, stock/6.12/rt-amd64.

The mutants are built one after the other, in one copy, and their modules and tool put
aside. Then a VM loads them one after the other. One that ends the VM has not been
found, unless its test has reported the mistake before; those behind it get another VM.
"""
import os
import re
import shutil
import subprocess
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# Whole: also what a mistake in a .c file of the module leaves as it is.
BUILD = r"""
kernel=${1//\//-} to=$2 whole=$3 healthy=$4
IFS=/ read -r -a words <<<"$1"
kdir=$(scripts/kdir "${words[@]}") && mkdir -p "$to/tests" || exit
if [ "$whole" ]; then
	scripts/build-module --tests "$kdir" "build/modules/$kernel" &&
		make -s -C userspace O=$PWD/build/userspace && make -s -C tests/vm O=$PWD/build/tests/vm &&
		mkdir "$to/tests/modules" && cp build/modules/$kernel/tests/modules/*.ko "$to/tests/modules/" &&
		cp build/userspace/ft build/userspace/ft-* build/userspace/*.so* "$to/" &&
		make -s -C userspace O=$PWD/build/userspace DESTDIR="$to/installed" install >&2 || exit
else
	scripts/build-module "$kdir" "build/modules/$kernel" &&
		ln -s "$healthy/tests/modules" "$to/tests/" && ln -s "$healthy"/ft "$healthy"/ft-* "$healthy"/*.so* "$healthy/installed" "$to/" || exit
fi
cp build/modules/$kernel/feather_trace.ko "$to/"
"""


class Job:
    """What a VM does: one test with the modules in a directory."""

    def __init__(self, mutant, directory):
        self.mutant, self.directory = mutant, directory
        self.test = mutant.killer[2]
        self.output, self.begun, self.ended, self.seconds = [], False, False, 0


def build(copy, mutant, to):
    """Returns whether there is something to run, and what was said."""
    undo = copy.apply(mutant) if mutant.old else (lambda: None)
    try:
        whole = not re.match(r"module/.*[.][cS]$", mutant.file or "")
        status, output = copy.run(BUILD, [mutant.killer[1], to, "whole" if whole else "",
                                          os.path.join(os.path.dirname(to), "healthy")], 900)
    finally:
        undo()
    return status == 0, output


def servers(copy):
    """Where Prometheus is; empty if it is nowhere."""
    return subprocess.run(["scripts/monitoring-servers", "--print-bin"], cwd=copy.path, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.strip()


def boot(copy, kernel, jobs, number, done):
    """One VM, as far as it comes with these jobs; @done is called for each that was begun."""
    listing = os.path.join(copy.path, "build", "jobs%d" % number)
    with open(listing, "w", encoding="utf-8") as f:
        f.writelines("%d %s %s\n" % (i, job.test, job.directory) for i, job in enumerate(jobs))
    words = kernel.split("/")
    options = [part for pair in zip(("--kernel", "--series", "--flavour"), words) for part in pair]
    command = ["scripts/vm", *options, "--time", str(300 + 960 * len(jobs)),
               "--memory", "3072", "--allow", ".",
               "--out", os.path.join(copy.path, "build", "vm%d" % number), "--",
               "env", "FT_TOP=" + copy.path, "FT_PROGRAMS=" + os.path.join(copy.path, "build/tests/vm"),
               "FT_KERNEL=" + words[0], "FT_SHORT=1", "FT_SERVERS=" + servers(copy), "bash", os.path.join(HERE, "guest"), listing]
    now, start = None, time.time()
    with subprocess.Popen(command, cwd=copy.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace") as vm:
        for line in vm.stdout:
            words = line.split()
            if words[:1] == ["@begin"]:
                now, start = jobs[int(words[1])], time.time()
                now.begun = True
            elif words[:1] == ["@end"] and now:
                now.ended, now.seconds = True, time.time() - start
                done(now)
                now = None
            elif now:
                now.output.append(line.rstrip("\n"))
    if not any(job.begun for job in jobs):
        now = jobs[0]
        now.begun = True
        now.output.append("the VM did not come so far")
    if now:
        done(now)


def run_all(copy, kernel, jobs, number, done):
    """VMs until each job was begun."""
    while jobs:
        boot(copy, kernel, jobs, number, done)
        jobs = [job for job in jobs if not job.begun]


def run(mutants, make_copy, judge, results, vms):
    """Each kernel's mutants; the healthy module passes each test first."""
    for kernel in sorted({m.killer[1] for m in mutants}):
        copy = make_copy("vm")
        try:
            run_kernel(copy, kernel, [m for m in mutants if m.killer[1] == kernel], judge, results, vms)
        finally:
            copy.end()
            shutil.rmtree(copy.tmp, ignore_errors=True)


def run_kernel(copy, kernel, mutants, judge, results, vms):
    aside = os.path.join(copy.path, "build", "aside")
    shutil.rmtree(aside, ignore_errors=True)
    jobs, healthy = [], {}
    for test in sorted({m.killer[2] for m in mutants}):
        control = type(mutants[0])("", killer=["vm", kernel, test])
        job = Job(control, os.path.join(aside, "healthy"))
        if not jobs and not build(copy, control, job.directory)[0]:
            raise SystemExit("the tree does not build for %s" % kernel)
        jobs.append(job)
    for mutant in mutants:
        job = Job(mutant, os.path.join(aside, mutant.name))
        built, output = build(copy, mutant, job.directory)
        if built:
            jobs.append(job)
        else:
            results.tell(mutant, False, "does not compile", 0, output)

    def done(job):
        if not job.mutant.name:
            healthy[job.test] = "\n".join(job.output)
            return
        found, why = judge(job.mutant, 0 if job.ended else None, "\n".join(job.output))
        if found and judge(job.mutant, 0, healthy.get(job.test, ""))[0]:
            found, why = False, "fails without the mistake, too: " + why
        elif not found and not job.ended:
            why = "the VM ended: " + why
        results.tell(job.mutant, found, why, job.seconds, "\n".join(job.output))

    # The healthy ones first, and in each VM as many of the others.
    controls = [job for job in jobs if not job.mutant.name]
    others = [job for job in jobs if job.mutant.name]
    run_all(copy, kernel, controls, 0, done)
    threads = [threading.Thread(target=run_all, args=(copy, kernel, others[i::vms], i, done))
               for i in range(vms)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
