#!/usr/bin/env python3
"""Emitted CUDA at the sizes where kernels go wrong, and under nvcc.

  cuda.py                 tests/cuda/sizes.ir on the CPU, tests/cuda/cuda_runtime.h standing for the toolkit
  cuda.py --device        the same, compiled by nvcc and run on a device
  cuda.py --compile       every sample and workload through nvcc for sm_90, without a warning

What the emitted program prints is compared with -run. Without nvcc the last two fail.
"""

import argparse
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = [0, 1, 31, 32, 33, 1023, 1024, 1025, 2049]
SEVERAL_TILES = {"device": 2**20 + 1, "cpu": 2**14 + 1}  # evaluating is what takes long
ONLY_FUSED = {"table"}  # as it stands its rows are made again for each element: 54 s of a CPU for 4097 of them
STRICT = "-std=c++20 -fmad=false --extended-lambda --expt-relaxed-constexpr".split()
CPU = ["-std=c++20", "-O1", "-ffp-contract=off", "-pthread", f"-I{ROOT / 'tests' / 'cuda'}"]


def run(command, stdin=""):
    return subprocess.run([str(word) for word in command], input=stdin, cwd=ROOT, capture_output=True, text=True,
                          timeout=900)


@functools.cache
def evaluated(tool, call, source):
    return run([tool, "-run", call, source])


def find_nvcc():
    found = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not found:
        print("there is no nvcc\n0 passed, 1 failed")
        sys.exit(1)
    return found


def emit(tool, path, rules, driver, target):
    command = [tool, *rules, "-quiet", "-emit", "cuda", *(["-driver"] if driver else []), path, "-o", target]
    done = run(command)
    return done.stderr if done.returncode else ""


def compare(options, compiler, rules, folder):
    """What is wrong at any size, a line each, and how many comparisons there were."""
    source = ROOT / "tests" / "cuda" / "sizes.ir"
    name = "-".join(word for word in rules if not word.startswith("-")) or "plain"
    text, program = folder / f"{name}.{'cu' if options.device else 'cpp'}", folder / name
    wrong = emit(options.tool, source, rules, True, text)
    if not wrong:
        wrong = run([*compiler, text, "-o", program])
        wrong = wrong.stderr if wrong.returncode else ""
    if wrong:
        return [f"{name}: {wrong}"], 1
    problems, count = [], 0
    for function in re.findall(r"^func @(\w+)", source.read_text(), re.MULTILINE):
        for size in options.sizes if rules or function not in ONLY_FUSED else []:
            call = f"@{function}({size})"
            expected = evaluated(options.tool, call, source)
            found = run([program], call + "\n")
            count += 1
            if expected.returncode or found.returncode or expected.stdout != found.stdout:
                problems.append(f"{name}, {call}: expected {expected.stdout.split()} {expected.stderr}"
                                f"found {found.stdout.split()} {found.stderr}exit code {found.returncode}")
    return problems, count


def sanitize(program):
    """What compute-sanitizer finds in one run of each function at one size, where it is installed and works here."""
    tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    problems, count = [], 0
    for function in re.findall(r"^func @(\w+)", (ROOT / "tests" / "cuda" / "sizes.ir").read_text(), re.MULTILINE) if tool else []:
        done = run([tool, "--error-exitcode", "9", program], f"@{function}(1025)\n")
        if "ERROR SUMMARY" not in done.stdout + done.stderr:
            print("compute-sanitizer does not work here")
            break
        count += 1
        if done.returncode:
            problems.append(f"{program.name}, {function}: {done.stdout[-2000:]}")
    return problems, count


def rules_for(path):
    """The rules that samples/README.md reads a sample with; fusion.rules for workloads."""
    row = re.search(rf"^\| \[{path.stem}\].*", (ROOT / "samples" / "README.md").read_text(), re.MULTILINE)
    names = re.findall(r"-rules (\S+)", row[0]) if row and path.parent.name == "samples" else ["fusion.rules"]
    return [word for name in names for word in ("-rules", name)]


def programs():
    return sorted((ROOT / "samples").glob("*.ir")) + sorted((ROOT / "tests" / "bench" / "workloads").glob("*.ir"))


def compile_all(options, nvcc, folder):
    """One at a time: nvcc takes much memory."""
    problems = []
    paths = [path for path in programs() if options.only in str(path.relative_to(ROOT))]
    for path in paths:
        text = folder / f"{path.parent.name}-{path.stem}.cu"
        wrong = emit(options.tool, path, rules_for(path), True, text)
        if not wrong:
            done = run([nvcc, *STRICT, "-O1", "-arch=sm_90", "-Xcompiler=-Wall,-Wextra", "-c", text, "-o", text.with_suffix(".o")])
            wrong = done.stdout + done.stderr + (f"exit code {done.returncode}" if done.returncode else "")
        if wrong.strip():
            problems.append(f"{path.relative_to(ROOT)}:\n{wrong}")
    return problems, len(paths)


def main():
    parser = argparse.ArgumentParser(description="Emitted CUDA at many sizes, and under nvcc.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--sizes", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--only", default="", help="--compile: files whose path contains this")
    options = parser.parse_args()
    options.sizes = options.sizes or [*SIZES, SEVERAL_TILES["device" if options.device else "cpu"]]
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.compile:
            problems, count = compile_all(options, find_nvcc(), folder)
        else:
            compiler = [find_nvcc(), *STRICT, "-O3", "-arch=native"] if options.device else [options.cxx, *CPU]
            for rules in ([], ["-rules", "fusion.rules"]):
                found, more = compare(options, compiler, rules, folder)
                problems += found
                count += more
            if options.device:
                found, more = sanitize(folder / "fusion.rules")
                problems += found
                count += more
    for problem in problems:
        print(problem)
    print(f"{count - len(problems)} passed, {len(problems)} failed")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
