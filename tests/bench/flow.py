#!/usr/bin/env python3
"""What speculation costs: nests of loops, d deep, over k cells, through effects.rules. Numbers only.

  kept     no cell changes: each is assigned in a branch that is gone as long as it keeps its value
  chained  the first cell takes a counter, each other the one before it, last to first: each round of a loop finds
           one more cell that does not keep its value

Times are of the phase, CPU, medians; rounds are those of all loops together, and walks those of the innermost body.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def nest(depth, cells, chained):
    lines = ["func @f(%n: i64) {"] + [f"  %x{k} = ref(0)" for k in range(cells)]
    for level in range(depth):
        lines += [f"  %c{level} = ref(0)", f"  while {{ get(%c{level}) < %n }} do {{"]
    for k in reversed(range(cells)):
        source = f"%x{k - 1}" if k else "%c0"
        lines.append(f"  set(%x{k}, get({source}))" if chained else
                     f"  if (get(%x{k}) != 0) {{ set(%x{k}, get({source})) }}")
    for level in reversed(range(depth)):
        lines += [f"  set(%c{level}, get(%c{level}) + 1)", "  }"]
    return "func @nothing() -> i64 { return 0 }\n" + "\n".join(lines + ["  print(get(%x0))", "}", ""])


def phase_seconds(stats):
    return next(phase["seconds"] for phase in json.loads(stats)["phases"] if phase["name"] == "flowing")


def errors_of(command):
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stderr


def main():
    parser = argparse.ArgumentParser(description="Measures what speculation costs.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).absolute())
    print(f"\nspeculation, medians of {options.runs} runs\n")
    print(f"{'':<10}{'depth':>7}{'cells':>7}{'ms':>12}{'rounds':>9}{'innermost':>11}")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "nest.ir"
        for chained in (False, True):
            for depth in (1, 2, 4, 8):
                for cells in (1, 8, 64, 1000):
                    file.write_text(nest(depth, cells, chained))
                    command = [tool, str(file), "-rules", "effects.rules", "-run", "@nothing()"]
                    times = [phase_seconds(errors_of(command + ["-stats=json"]))
                             for _ in range(options.runs)]
                    # The place of a note is that of the loop: the innermost stands last.
                    places = [tuple(map(int, place)) for place in
                              re.findall(r":(\d+):(\d+): @f: flow: ", errors_of(command + ["-trace"]))]
                    results.growth("Speculation in loops inside each other", f"{'chained' if chained else 'kept'}, depth {depth}", cells,
                                   statistics.median(times), "cells")
                    print(f"{'chained' if chained else 'kept':<10}{depth:>7}{cells:>7}"
                          f"{statistics.median(times) * 1000:>12.1f}{len(places):>9}"
                          f"{places.count(max(places)):>11}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
