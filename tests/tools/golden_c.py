#!/usr/bin/env python3
"""Emitted C of the golden files: what `check:` and `cpp:` say of a program holds of its C, too.

A program that `-emit c` refuses is counted, and its reason has to name C; one with `c:` lines must be accepted (golden.py
checks these). `--sample N`: every N-th program; `--sanitize`: with the sanitizers for addresses, leaks and undefined behaviour.
Every text is compiled by itself: it includes little, and C has no namespaces.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import re
import sys
import tempfile

import golden
import kept

FLAGS = "-std=c11 -pedantic -Wall -Wextra -Werror -fopenmp -ffp-contract=off -fno-math-errno".split()
SANITIZERS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# The thread library of OpenMP keeps what it allocated; memory that a fault leaves behind is none of the program's.
REFUSAL = re.compile(r"(?:no text|not|at too many places) for C(?: here)?$")


class Programs:
    """Emits, compiles and runs programs as C."""

    def __init__(self, tool, folder, flags):
        self.tool, self.flags = tool, [*FLAGS, *flags]
        self.kept = kept.Kept(folder, golden.execute(["gcc", "--version"]).stdout, *self.flags)

    def emission(self, options, inputs):
        return [self.tool, *options, "-emit", "c", "-driver", *inputs]

    def check(self, command, calls, must=True):
        """False: the program is refused, which it may not be if it `must` be accepted."""
        done = golden.execute(command)
        errors = re.findall(r"^(?:.*: )?error: (.*)", done.stderr, re.MULTILINE)
        if done.returncode == 1 and not must and errors and all(REFUSAL.search(error) for error in errors):
            return False
        if done.returncode != 0:
            golden.complain(command, f"exit code {done.returncode}", done)
        program = self.compile(done.stdout)
        for call, expected in calls:
            # Of several threads that fault, one says so, and nobody says which.
            env = {**golden.ENVIRONMENT, "OMP_NUM_THREADS": "1"} if expected[0].startswith("fault at") else golden.ENVIRONMENT
            golden.check_results([*command, "|", "gcc"], golden.execute([program], call + "\n", env=env), expected, f"c {call}")
        return True

    def compile(self, text):
        def compiled(program):
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "emitted.c").write_text(text)
                command = ["gcc", *self.flags, "emitted.c", "-o", program, "-lm"]
                done = golden.execute(command, cwd=folder, timeout=golden.COMPILER_TIMEOUT)
                if done.returncode != 0:
                    golden.complain(command, "the emitted text does not compile:\n" + golden.indented(text), done)
        return self.kept.program(text, compiled)


def is_of_sample(path, count):
    digest = hashlib.sha256(str(path.relative_to(golden.GOLDEN)).encode()).digest()
    return int.from_bytes(digest[:4], "big") % count == 0


def test(programs, path, counts):
    """What is wrong with the file's programs, or None."""
    try:
        file = golden.parse(path)
        with tempfile.TemporaryDirectory() as folder:
            for run in file.runs:
                if run.cpps:
                    command = programs.emission(*golden.words(file, run, pathlib.Path(folder)))
                    counts["accepted" if programs.check(command, run.cpps, must=False) else "refused"] += 1
    except golden.Failure as failure:
        return str(failure)
    return None


def test_helpers():
    """What is wrong with the helpers by themselves, or None: tests/c/runtime.c, under the sanitizers."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "runtime"
        command = ["gcc", "-std=c11", "-D_DEFAULT_SOURCE", "-I.", "-Wall", "-Wno-clobbered", "-Werror", "-O1", "-fopenmp", *SANITIZERS, "tests/c/runtime.c",
                   "-o", program, "-lm"]
        for step in (command, [program]):
            done = golden.execute(step)
            if done.returncode != 0:
                return f"{golden.shown(step)}\n{golden.indented(done.stdout + done.stderr)}"
    return None


def main():
    parser = argparse.ArgumentParser(description="Runs the golden files as emitted C.")
    parser.add_argument("--tool", default=str(golden.ROOT / "build" / "irrewrite"))
    parser.add_argument("--filter", default="", help="only files whose path contains this")
    parser.add_argument("--sample", type=int, default=1, help="only every N-th file")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--cflags", default="-O1", help="further flags")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    tool = pathlib.Path(options.tool).absolute()
    flags = options.cflags.split() + (SANITIZERS if options.sanitize else [])
    programs = Programs(tool, tool.parent / ("golden-c-sanitized" if options.sanitize else "golden-c"), flags)
    files = sorted(path for path in golden.GOLDEN.rglob("*")
                   if path.suffix in (".ir", ".rules") and options.filter in str(path) and is_of_sample(path, options.sample))
    counts, passed, failed = collections.Counter(), 0, 0
    if not options.filter:
        wrong = test_helpers()
        passed, failed = passed + (wrong is None), failed + (wrong is not None)
        if wrong is not None:
            print(f"FAILED tests/c/runtime.c\n{golden.indented_all(wrong)}\n", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, wrong in zip(files, pool.map(lambda path: test(programs, path, counts), files)):
            passed, failed = passed + (wrong is None), failed + (wrong is not None)
            if wrong is not None:
                print(f"FAILED {path.relative_to(golden.ROOT)}\n{golden.indented_all(wrong)}\n", flush=True)
    if not options.filter and not failed:
        programs.kept.forget_unused()
    print(f"programs as C: {counts['accepted']} accepted, {counts['refused']} refused")
    print(f"{passed} passed, {failed} failed")
    return 0 if not failed and (counts["accepted"] or options.filter) else 1


if __name__ == "__main__":
    sys.exit(main())
