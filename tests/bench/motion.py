#!/usr/bin/env python3
"""What putting a graph back into blocks costs: time to read and print functions of about n nodes, nested d deep. Numbers only.

  loops       loops in loops: each body computes from its own index, from outer indices, and from nothing of the loop
  branches    conditionals in conditionals, each branch with uses of what was computed outside
  both        loops and conditionals in turn

What reading and printing straight lines of as many nodes takes is shown beside it.
"""

import argparse
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORK = 10  # lines in each block


def nest(kinds, prefix="", outer="%y"):
    """One nest: a block for each letter of `kinds`, l a loop, b a conditional."""
    lines, value = [], outer
    for level, kind in enumerate(kinds):
        name = f"{prefix}{level}"
        if kind == "l":
            lines.append(f"%r{name} = for(%n, {value}) {{ |%i{name}, %a{name}|")
            lines.append(f"%v{name}_0 = mul(cast[f64](%i{name}), %a{name})")
        else:
            lines.append(f"%r{name} = if(%y > {level}.5) {{")
            lines.append(f"%v{name}_0 = add({value}, {level}.25)")
        for k in range(1, WORK):
            source = f"%y, {level}.{k}" if k % 3 == 0 else f"%v{name}_{k - 1}, {value if k % 3 == 1 else '%y'}"
            lines.append(f"%v{name}_{k} = {'add' if k % 2 else 'mul'}({source})")
        sums = "add(" * (WORK - 1) + f"%v{name}_0" + "".join(f", %v{name}_{k})" for k in range(1, WORK))
        lines.append(f"%s{name} = {sums}")
        value = f"%s{name}"
    result = value
    for level in reversed(range(len(kinds))):
        lines.append(f"{result} }}" if kinds[level] == "l" else f"{result} }} else {{ %y }}")
        result = f"%r{prefix}{level}"
    return lines, result


def program(shape, nodes, depth):
    blocks = max(1, nodes // (2 * WORK))
    if shape == "lines":
        lines = ["%v0 = add(%y, 0.5)"] + [f"%v{k} = {'mul' if k % 2 else 'add'}(%v{k - 1}, %y)" for k in range(1, nodes)]
        result = f"%v{nodes - 1}"
    else:
        kinds = {"loops": "l", "branches": "b", "both": "lb"}[shape]
        lines, result, count = [], "%y", max(1, blocks // depth)
        for k in range(count):
            more, result = nest((kinds * depth)[:depth], f"{k}_", result)
            lines += more
    return "func @f(%n: i64, %y: f64) -> f64 {\n" + "\n".join(lines) + f"\nreturn {result}\n}}\n"


def seconds(tool, text, runs, folder):
    file = pathlib.Path(folder) / "nest.ir"
    file.write_text(text)
    times = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([tool, str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description="Measures code motion.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).absolute())
    print(f"\ncode motion: reading and printing, seconds of CPU, medians of {options.runs} runs\n")
    sizes = (12_500, 25_000, 50_000, 100_000)
    print(f"{'nested':<12}{'depth':>7}" + "".join(f"{n:>10,}" for n in sizes))
    with tempfile.TemporaryDirectory() as folder:
        for shape, depths in (("lines", (0,)), ("loops", (2, 8, 40, 200)), ("branches", (2, 40, 200)), ("both", (8, 40, 200))):
            for depth in depths:
                row = [seconds(tool, program(shape, n, depth), options.runs, folder) for n in sizes]
                for n, spent in zip(sizes, row):
                    results.growth("Code motion", f"{shape}, depth {depth}" if depth else shape, n, spent)
                print(f"{shape:<12}{depth:>7}" + "".join(f"{t:>10.3f}" for t in row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
