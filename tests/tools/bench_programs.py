#!/usr/bin/env python3
"""The programs of all benchmarks, fused, as C++ and as CUDA: none is refused. They are larger than golden files, and of many fields.

What they compute is compared by `tests/bench/workloads.py --check`; `make check-long PART=workloads` does so for all sets.
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def emit(tool, program, kind):
    """What the tool says if it refuses the program."""
    done = subprocess.run([tool, "-rules", "library.rules", "-rules", "fusion.rules", "-emit", kind, "-o", os.devnull, program],
                          cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
    return "" if done.returncode == 0 else f"{program}, as {kind}: exit code {done.returncode}\n{done.stderr[:600]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).absolute())
    programs = sorted(str(file.relative_to(ROOT)) for file in (ROOT / "tests" / "bench").glob("*/*.ir"))
    said = [emit(tool, program, kind) for program in programs for kind in ("cpp", "cuda")]
    for text in filter(None, said):
        print(text)
    failed = sum(1 for text in said if text)
    print(f"{len(said) - failed} passed, {failed} failed")
    return 1 if failed or not said else 0


if __name__ == "__main__":
    sys.exit(main())
