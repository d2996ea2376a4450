#!/usr/bin/env python3
"""How long emitted C++ takes to compile, by the number of functions in one file.

Each function is of four traversals that become one loop, with constants of its own.

  compile_time.py [--functions 125,250,500,1000] [--cxx g++] [--flags "-std=c++20 -O3 …"]

Prints the seconds of CPU that emitting and compiling took, and compiling for each function.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FLAGS = "-std=c++20 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno"
FUNCTION = """func @f{k}(%xs: [n]f64) -> f64, f64, i64, [n]f64 {{
  %scaled  = map(%xs) {{ |%x| %x * {k}.5 + 1.0 }}
  %squares = reduce(map(%scaled) {{ |%x| %x * %x }}, 0.0) {{add}}
  return %squares, reduce(%scaled, inf) {{min}}, len(filter(%xs) {{ |%x| %x > {k}.0 }}), %scaled
}}
"""


def seconds(*command):
    """Of CPU, of a command that must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in command], check=True, cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--flags", default=FLAGS)
    parser.add_argument("--functions", default="125,250,500,1000")
    options = parser.parse_args()
    print(f"{'functions':>10}{'lines':>10}{'emit, s':>10}{'compile, s':>12}{'ms each':>10}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for count in map(int, options.functions.split(",")):
            program, text = folder / "many.ir", folder / "many.cpp"
            program.write_text("".join(FUNCTION.format(k=k) for k in range(count)))
            emitting = seconds(options.tool, "-rules", "fusion.rules", "-emit", "cpp", program, "-o", text)
            compiling = seconds(options.cxx, *options.flags.split(), "-c", text, "-o", folder / "many.o")
            lines = text.read_text().count("\n")
            print(f"{count:>10}{lines:>10}{emitting:>10.2f}{compiling:>12.1f}{1000 * compiling / count:>10.1f}", flush=True)


main()
