#!/usr/bin/env python3
"""Measures the tool. Nothing here is a test: numbers are printed, never judged.

On generated programs and rules (fixed seeds), medians of several runs:
  parse   text to graph of a 10 MB IR file (what starting up takes is subtracted)
  fuse    operations a second through fusion.rules, for many small functions and for one long chain
  load    1,000 rules
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from page import processor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 60  # seconds for one command
NOTHING = "func @nothing() -> i64 { return 0 }\n"


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
    def __init__(self, tool, runs, folder):
        self.tool, self.runs, self.folder = tool, runs, pathlib.Path(folder)

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


def main():
    parser = argparse.ArgumentParser(description="Measures the tool.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    peers = [peer for peer in ("mlir-opt-16", "maude") if shutil.which(peer)]
    print(f"{processor()}, {os.cpu_count()} cores, medians of {options.runs} runs")
    print(f"peers installed here: {', '.join(peers) or 'none'}\n")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(str(pathlib.Path(options.tool).absolute()), options.runs, folder)
        bench.parse()
        bench.fuse("1,000 small functions", pipelines(1000))
        for length in (25, 50, 100):
            bench.fuse(f"a chain of {length} maps", chain(length))
        bench.load()
    return 0


if __name__ == "__main__":
    sys.exit(main())
