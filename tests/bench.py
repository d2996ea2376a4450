#!/usr/bin/env python3
"""Measures the tool, and what it emits. Nothing here is a test: numbers are printed, never judged.

The tool, on generated programs and rules (fixed seeds), medians of several runs:
  parse   text to graph of a 10 MB IR file (what starting up takes is subtracted)
  fuse    operations a second through fusion.rules, for many small functions and for one long chain
  load    1,000 rules

The emitted C++, with and without fusion, one process for both, by turns: medians of several runs on
one thread and on two; the results are compared. Programs and calls are in PROGRAMS below, the rest is
tests/bench/harness.cpp.
"""

import argparse
import json
import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLAGS = "-std=c++20 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno".split()
LIMIT = 60  # seconds for one command
NOTHING = "func @nothing() -> i64 { return 0 }\n"

# Name, file, call, log2 of the number of elements.
PROGRAMS = [
    ("two statistics", "samples/stats.ir", "stats(xs)", 24),
    ("dot product", "samples/dot.ir", "dot(xs, ys)", 24),
    ("filter, map, sum", "tests/bench/filter_map_sum.ir", "filter_map_sum(xs)", 24),
    ("five statistics", "samples/five_statistics.ir", "describe(xs)", 24),
    ("histogram, 4096 bins", "tests/bench/histogram.ir", "histogram(xs)", 24),
    ("Black-Scholes", "samples/black_scholes.ir", "portfolio(xs, ys, zs, 0.02, 0.3)", 22),
]


# -- generated text --------------------------------------------------------------------------------


def arithmetic(megabytes, seed=1):
    """Functions of 1,000 integer operations each."""
    rng = random.Random(seed)
    parts, size, number = [NOTHING], 0, 0
    while size < megabytes * 1_000_000:
        lines, names = [f"func @f{number}(%a: i64, %b: i64) -> i64 {{"], ["%a", "%b"]
        for index in range(1000):
            x, y = rng.choice(names[-8:]), rng.choice(names[-8:])
            operation = rng.choice(["add", "sub", "mul", "xor", "min"])
            lines.append(f"  %v{index} = {operation}({x}, {y})")
            names.append(f"%v{index}")
        parts.append("\n".join(lines + [f"  return {names[-1]}", "}", ""]))
        size, number = size + len(parts[-1]), number + 1
    return "".join(parts)


def pipelines(functions):
    """Small functions as a person writes them: five traversals, one when they are fused."""
    return NOTHING + "".join(f"""func @f{i}(%xs: [n]f64, %ys: [n]f64) -> f64, f64, i64 {{
  %a = map(%xs, %ys) {{ |%x, %y| %x * %y + {i}.0 }}
  %b = map(%a) {{ |%x| sqrt(%x) - {i}.5 }}
  %c = filter(%b) {{ |%x| %x > 0.0 }}
  return reduce(%b, 0.0) {{add}}, reduce(%c, 0.0) {{add}}, len(%c)
}}
""" for i in range(functions))


def chain(length):
    lines = ["func @f(%xs: [n]f64) -> f64 {", "  %v0 = map(%xs) { |%x| %x + 1.0 }"]
    lines += [f"  %v{i} = map(%v{i - 1}) {{ |%x| %x * {i}.0 }}" for i in range(1, length)]
    return NOTHING + "\n".join(lines + [f"  return reduce(%v{length - 1}, 0.0) {{add}}", "}", ""])


def rule_file(rules):
    lines = ["type T"]
    lines += [f"op f{i}(T, i64) -> T pure total" for i in range(rules)]
    lines += ["rules generated {"]
    lines += [f"  rule-{i}: f{i}(f{(i * 7 + 1) % rules}(?x, #a), #b) => f{i}(?x, #(#a + #b)) where #a > {i}"
              for i in range(rules)]
    return "\n".join(lines + ["}", "phase done = innermost(generated)", ""])


# -- measuring -------------------------------------------------------------------------------------


def run(command):
    """Seconds, peak memory in MiB, and what was written on standard error."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=errors)
        watch = threading.Timer(LIMIT, child.kill)
        watch.start()
        _, status, usage = os.wait4(child.pid, 0)
        watch.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {child.returncode}\n{text}")
    return seconds, usage.ru_maxrss / 1024, text


class Bench:
    def __init__(self, tool, cxx, runs, folder):
        self.tool, self.cxx, self.runs, self.folder = tool, cxx, runs, pathlib.Path(folder)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def seconds(self, *arguments):
        return statistics.median(run([self.tool, *arguments])[0] for _ in range(self.runs))

    # Nothing is printed: a function of the program that does nothing is evaluated.
    def parse(self):
        text = arithmetic(10)
        large, small = self.file("large.ir", text), self.file("small.ir", NOTHING)
        seconds = self.seconds(large, "--run", "@nothing()") - self.seconds(small, "--run", "@nothing()")
        memory = run([self.tool, large, "--run", "@nothing()"])[1]
        operations = text.count(" = ")
        self.row("parse 10 MB", f"{len(text) / 1e6 / seconds:.1f} MB/s",
                 f"{operations / 1e6 / seconds:.2f} M operations/s, {memory:.0f} MiB")

    def fuse(self, name, text):
        file = self.file("program.ir", text)
        reports = [json.loads(run([self.tool, file, "--rules", "fusion.rules", "--stats=json",
                                   "--run", "@nothing()"])[2]) for _ in range(self.runs)]
        seconds = statistics.median(sum(p["seconds"] for p in r["phases"]) for r in reports)
        rewrites = sum(p["rewrites"] for p in reports[0]["phases"])
        operations = sum(reports[0]["before"].values())
        created = reports[0]["nodes_created"]
        self.row(f"fuse {name}", f"{operations / seconds:,.0f} operations/s",
                 f"{created / seconds:,.0f} nodes made/s, {rewrites / seconds:,.0f} rewrites/s, "
                 f"{seconds:.3f} s")

    def load(self):
        rules, empty = self.file("rules.rules", rule_file(1000)), self.file("empty.ir", "")
        seconds = self.seconds("--rules", rules, empty) - self.seconds(empty)
        self.row("load 1,000 rules", f"{seconds * 1000:.1f} ms", "as many operations")

    def row(self, what, value, more):
        print(f"{what:<28}{value:>24}   {more}", flush=True)

    def emitted(self, name, file, call, bits):
        work = self.folder / "emitted"
        work.mkdir(exist_ok=True)
        for variant, rules in (("fused", ["--rules", "fusion.rules"]), ("unfused", [])):
            run([self.tool, file, *rules, "--emit", "cpp", "--namespace", variant,
                 "-o", str(work / f"{variant}.cpp")])
        shutil.copy(ROOT / "tests/bench/harness.cpp", work)
        run([self.cxx, *FLAGS, f"-DN={1 << bits}", f"-DRUNS={self.runs}",
             f"-DPROGRAM(ns)=ns::{call}", str(work / "harness.cpp"), "-o", str(work / "harness")])
        done = subprocess.run([str(work / "harness")], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        one, two = (list(map(float, line.split()[1:])) for line in done.stdout.splitlines())
        print(f"{name:<24}{f'2^{bits}':>6}" + "".join(
            f"{fused:>11.1f}{unfused:>11.1f}{unfused / fused:>7.1f}x" for fused, unfused in (one, two)),
            flush=True)


def processor():
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def main():
    parser = argparse.ArgumentParser(description="Measures the tool and what it emits.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    peers = [peer for peer in ("mlir-opt-16", "maude") if shutil.which(peer)]
    print(f"{processor()}, {os.cpu_count()} cores, medians of {options.runs} runs")
    print(f"peers installed here: {', '.join(peers) or 'none'}\n")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(str(pathlib.Path(options.tool).absolute()), options.cxx, options.runs, folder)
        bench.parse()
        bench.fuse("1,000 small functions", pipelines(1000))
        for length in (25, 50, 100):
            bench.fuse(f"a chain of {length} maps", chain(length))
        bench.load()
        print(f"\n{options.cxx} {' '.join(FLAGS)}; milliseconds\n")
        print(f"{'':<30}{'one thread':>20}{'two threads':>30}")
        print(f"{'emitted C++':<24}{'size':>6}" + f"{'fused':>11}{'unfused':>11}{'gain':>8}" * 2)
        for program in PROGRAMS:
            bench.emitted(*program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
