#!/usr/bin/env python3
"""Random programs of straight lines (tests/bench/dags.py) through the tool and through mlir-opt-16.

For functions of 1,000 operations and for one function, by number of operations:
  parse     text to graph, megabytes of text a second
  simplify  the phases of arith.rules, millions of operations a second (folding and sharing happen
            while the text is read)
  text      text to text with and without arith.rules; mlir-opt --canonicalize --cse
  bytes     peak memory for each operation, with arith.rules
Seconds are of CPU (user and system), medians; the exponent says how the time of text to text grows
from the size before. The peer reads the same program in the arith dialect. Nothing is judged.
"""

import argparse
import json
import math
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import dags
import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 400  # seconds for one command
PEER_AT_MOST = 1_000_000  # operations: more take it minutes
MLIR = "mlir-opt-16"


def run(command):
    """CPU seconds, peak bytes, standard error."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (LIMIT, LIMIT)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {child.returncode}\n{text[:2000]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, text


def median(runs, measure):
    """Of each of the numbers that `measure` gives."""
    return [statistics.median(column) for column in zip(*(measure() for _ in range(runs)))]


class Bench:
    def __init__(self, options, folder):
        self.tool, self.parse, self.runs = options.tool, options.parse, options.runs
        self.folder = pathlib.Path(folder)
        self.peer = shutil.which(MLIR)
        self.before = {}

    def write(self, suffix, writer, size, each):
        path = self.folder / f"dag.{suffix}"
        with path.open("w") as out:
            writer(out, size, each)
        return str(path)

    def row(self, name, size, each):
        file = self.write("ir", dags.write_ir, size, each)
        runs = self.runs if size <= 1_000_000 else 1
        megabytes = float(run_output([self.parse, file, str(runs)]).split()[0])

        def measure():
            plain, _, _ = run([self.tool, file])
            seconds, memory, _ = run([self.tool, "-rules", "arith.rules", file])
            _, _, stats = run([self.tool, "-rules", "arith.rules", "-stats=json", "-quiet", file])
            phases = sum(phase["seconds"] for phase in json.loads(stats)["phases"])
            return plain, seconds, memory, phases

        plain, seconds, memory, phases = median(runs, measure)
        self.show(name, size, megabytes, size / 1e6 / max(phases, 1e-6), plain, seconds, memory)
        if self.peer and size <= PEER_AT_MOST:
            self.peer_row(name, size, each)
        elif self.peer:
            print(f"{'':<24}{MLIR} not run: it takes minutes")

    def peer_row(self, name, size, each):
        file = self.write("mlir", dags.write_mlir, size, each)

        def measure():
            seconds, memory, _ = run([MLIR, "--canonicalize", "--cse", file])
            whole, _, report = run([MLIR, "--mlir-timing", "--mlir-disable-threading", "--canonicalize", "--cse", file])
            share = {key: float(re.search(rf"\(\s*([\d.]+)%\)\s+{key}", report)[1]) / 100
                     for key in ("Parser", "Canonicalizer", "CSE")}
            return seconds, memory, whole * share["Parser"], whole * (share["Canonicalizer"] + share["CSE"])

        runs = self.runs if size <= 100_000 else min(self.runs, 3)
        seconds, memory, parser, passes = median(runs, measure)
        megabytes = os.path.getsize(file) / 1e6 / max(parser, 1e-6)
        self.show(f"  {MLIR}", size, megabytes, size / 1e6 / max(passes, 1e-6), None, seconds, memory, name)

    def show(self, name, size, megabytes, simplified, plain, seconds, memory, series=""):
        key = (series, name)
        grown = ""
        if key in self.before:
            old_size, old_seconds = self.before[key]
            grown = f"{math.log(seconds / old_seconds) / math.log(size / old_size):.2f}"
        self.before[key] = (size, seconds)
        label = f"{series}, {name.strip()}" if series else name
        results.growth("Reading, simplifying and printing straight lines", label, size, seconds)
        print(f"{name:<24}{size:>10,}{megabytes:>9.1f}{simplified:>10.2f}{'' if plain is None else f'{plain:.2f}':>9}"
              f"{seconds:>9.2f}{grown:>8}{memory / size:>9.0f}", flush=True)


def run_output(command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description="Measures reading, simplifying and printing straight lines.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--parse", default=str(ROOT / "build" / "bench-parse"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default="1e5,1e6,1e7", help="numbers of operations")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).absolute())
    options.parse = str(pathlib.Path(options.parse).absolute())
    print(f"\nstraight lines; MB/s, M op/s, seconds of CPU, bytes; medians of {options.runs} runs (of one at 1e7)")
    print(f"{'':<24}{'op':>10}{'parse':>9}{'simplify':>10}{'text':>9}{'+ arith':>9}{'growth':>8}{'bytes/op':>9}")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        if not bench.peer:
            print(f"{MLIR} is not installed: its rows are left out")
        for name, each in (("functions of 1,000", lambda size: 1000), ("one function", lambda size: size)):
            for size in (int(float(text)) for text in options.sizes.split(",")):
                bench.row(name, size, each(size))
    return 0


if __name__ == "__main__":
    sys.exit(main())
