#!/usr/bin/env python3
"""Whole modules through the tool, text to text, with arith.rules: many operations, many functions, one large function.

The functions are those of tests/bench/dags.py; of as many as are different, under names of their own. For each size:

  seconds  of CPU (user and system), the median
  ns/op    of that, for each operation
  MiB      peak memory of the largest process
  -j 2     seconds by the clock, beside those with one process; and whether it gave the same bytes

A row that takes longer than its limit is given up. Nothing is judged.
"""

import argparse
import hashlib
import io
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import dags
import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DIFFERENT = 200  # functions
LIMIT = 100  # seconds for one command

# Name, operations of a function, functions; of the two numbers of functions the first is a quick one.
ROWS = [("functions of 1,000", 1000, 500, 10_000), ("functions of 10", 10, 20_000, 1_000_000)]
ONE = ("one function", 200_000, 1_000_000)


def write(path, each, functions):
    texts = []
    for number in range(min(DIFFERENT, functions)):
        text = io.StringIO()
        dags.write_ir(text, each, each, seed=number)
        texts.append(text.getvalue().removeprefix("func @f0("))
    with path.open("w") as out:
        for number in range(functions):
            out.write(f"func @f{number}({texts[number % len(texts)]}")


class Run:
    """One run of the tool: what came out, and what it took."""

    def __init__(self, command, output):
        start = time.monotonic()
        with output.open("wb") as out:
            child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)))
            errors = child.stderr.read().decode(errors="replace")
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        self.clock = time.monotonic() - start
        self.seconds = usage.ru_utime + usage.ru_stime
        self.bytes = usage.ru_maxrss * 1024
        self.given_up = child.returncode < 0
        if child.returncode > 0:
            sys.exit(f"{' '.join(command)}: exit code {child.returncode}\n{errors[:2000]}")
        with output.open("rb") as out:
            self.digest = hashlib.file_digest(out, "sha256").digest() if hasattr(hashlib, "file_digest") else hashlib.sha256(out.read()).digest()


def row(options, folder, name, each, functions):
    program, output = folder / "scale.ir", folder / "out.ir"
    write(program, each, functions)
    command = [options.tool, "-rules", "arith.rules", str(program)]
    runs = [Run(command, output) for _ in range(options.runs)]
    if any(run.given_up for run in runs):
        print(f"{name:<20}{functions:>10,}{each * functions:>12,}  given up after {LIMIT} s", flush=True)
        return
    both = Run(command[:1] + ["-j", "2"] + command[1:], output)
    seconds = statistics.median(run.seconds for run in runs)
    clock = statistics.median(run.clock for run in runs)
    results.growth("Modules, text to text", name, each * functions, seconds)
    same = "the same bytes" if both.digest == runs[0].digest else "OTHER BYTES"
    print(f"{name:<20}{functions:>10,}{each * functions:>12,}{seconds:>9.2f}{seconds / (each * functions) * 1e9:>8.0f}"
          f"{max(run.bytes for run in runs) / 2**20:>8.0f}{clock:>9.2f} s -> {both.clock:.2f} s, {same}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measures whole modules, text to text.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--full", action="store_true", help="1e7 operations, a million functions, a function of 1e6")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).absolute())
    print(f"\nmodules, text to text, with arith.rules; medians of {options.runs} runs")
    print(f"{'':<20}{'functions':>10}{'operations':>12}{'seconds':>9}{'ns/op':>8}{'MiB':>8}{'':>9}-j 1 -> -j 2, by the clock")
    with tempfile.TemporaryDirectory() as folder:
        for name, each, quick, full in ROWS:
            row(options, pathlib.Path(folder), name, each, full if options.full else quick)
        name, quick, full = ONE
        row(options, pathlib.Path(folder), name, full if options.full else quick, 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
