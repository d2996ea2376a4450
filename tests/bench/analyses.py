#!/usr/bin/env python3
"""What analyses cost: bits that are known along a chain of operations, asked for at every link.

Columns: links; CPU seconds of a whole run, medians: with the analysis of rules/examples/bits.rules; and of mlir-opt's analysis
of integer ranges (`--int-range-optimizations`, where it is installed) on a chain of as many operations, whose last comparison
it decides."""

import argparse
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

def chain(links):
    steps = ["or(and(%x{0}, 1020), shl(%y, 2))", "xor(%x{0}, shl(%z, 3))", "and(%x{0}, -4)"]
    lines = [f"  %x{i + 1} = " + steps[i % 3].format(i) for i in range(links)]
    return "func @f(%x0: i64, %y: i64, %z: i64) -> i64 {\n" + "\n".join(lines) + f"\n  return and(%x{links}, 3)\n}}\n"


def chain_in_mlir(links):
    steps = ["arith.ori %x{0}, %y", "arith.xori %x{0}, %z", "arith.andi %x{0}, %m"]
    lines = [f"  %x{i + 1} = " + steps[i % 3].format(i) + " : i64" for i in range(links)]
    return ("func.func @f(%a: i64, %b: i64, %c: i64) -> i1 {\n  %m = arith.constant 1020 : i64\n  %top = arith.constant 1024 : i64\n"
            "  %x0 = arith.andi %a, %m : i64\n  %y = arith.andi %b, %m : i64\n  %z = arith.andi %c, %m : i64\n"
            + "\n".join(lines) + f"\n  %r = arith.cmpi ult, %x{links}, %top : i64\n  return %r : i1\n}}\n")


def seconds(command, runs, expected):
    took = []
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert expected in done.stdout, f"{command}: no '{expected}'"
        took.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return statistics.median(took)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    mlir = shutil.which("mlir-opt") or shutil.which("mlir-opt-16")
    print(f"{'links':>8} {'analysis':>9} {'mlir-opt':>9}")
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        for links in (200, 1600, 12800, 102400):
            (at / "chain.ir").write_text(chain(links))
            (at / "chain.mlir").write_text(chain_in_mlir(links))
            ours = [arguments.tool, "-rules", str(ROOT / "rules/examples/bits.rules"), str(at / "chain.ir")]
            row = [seconds(ours, arguments.runs, "return 0"),
                   seconds([mlir, "--int-range-optimizations", str(at / "chain.mlir")], arguments.runs, "true")
                   if mlir and links <= 12800 else None]
            print(f"{links:>8}" + "".join(f" {value:>9.3f}" if value is not None else f" {'-':>9}" for value in row), flush=True)


if __name__ == "__main__":
    main()
