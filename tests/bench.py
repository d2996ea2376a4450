#!/usr/bin/env python3
"""Measures the tool: generated graphs of doubling size (fixed seed), and the samples.

One line for each program: the median over the runs of wall-clock time, peak memory, rewrites per
second, and the seconds of each phase, from -stats=json.
"""

import argparse
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def generated(size, seed=1):
    """A function of `size` integer operations, a third of which the arithmetic rules remove."""
    rng = random.Random(seed)
    lines = ["func @f(%a: i64, %b: i64) -> i64 {"]
    names = ["%a", "%b"]
    for index in range(size):
        x, y = rng.choice(names[-8:]), rng.choice(names[-8:])
        right = [f"add({x}, 0)", f"mul({x}, 1)", f"sub({x}, {y})", f"add({x}, {y})",
                 f"mul({x}, {rng.randint(2, 9)})", f"xor({x}, {y})"][rng.randrange(6)]
        lines.append(f"  %v{index} = {right}")
        names.append(f"%v{index}")
    return "\n".join(lines + [f"  return {names[-1]}", "}", ""])


def measure(command):
    """Seconds, peak memory in MiB, and the statistics of one run."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {child.returncode}\n{text}")
    return seconds, usage.ru_maxrss / 1024, json.loads(text[text.index("{"):])


def report(name, command, runs):
    results = [measure(command) for _ in range(runs)]
    seconds = statistics.median(result[0] for result in results)
    memory = statistics.median(result[1] for result in results)
    phases = results[0][2]["phases"]
    rewrites = sum(phase["rewrites"] for phase in phases)
    times = ", ".join(
        f"{phase['name']} {statistics.median(r[2]['phases'][i]['seconds'] for r in results):.3f}"
        for i, phase in enumerate(phases))
    print(f"{name:<24} {seconds:9.3f} s {memory:9.1f} MiB {rewrites / seconds:12.0f} rewrites/s   "
          f"{times}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measures the tool.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--largest", type=int, default=128000, help="nodes of the largest graph")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).absolute())
    print(f"{platform.platform()}, {os.cpu_count()} cores, median of {options.runs} runs")
    with tempfile.TemporaryDirectory() as folder:
        size = 1000
        while size <= options.largest:
            file = pathlib.Path(folder) / f"generated-{size}.ir"
            file.write_text(generated(size))
            report(file.stem, [tool, "-rules", "arith.rules", "-stats=json", str(file)],
                   options.runs)
            size *= 2
    for sample in sorted((ROOT / "samples").glob("*.ir")):
        report(sample.name, [tool, "-rules", "fusion.rules", "-stats=json", str(sample)],
               options.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
