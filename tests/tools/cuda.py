#!/usr/bin/env python3
"""Emitted CUDA at the sizes where kernels go wrong, and under nvcc.

  cuda.py                 tests/cuda/sizes.ir on the CPU, tests/cuda/cuda_runtime.h standing for the toolkit
  cuda.py --huge          tests/cuda/huge.ir on the CPU: more indices than 32 bits count (minutes)
  cuda.py --device        all of these, compiled by nvcc and run on a device
  cuda.py --compile       these, every sample and workload, tests/golden/cuda and gpu through nvcc for sm_90, without a warning;
                          those that stream with wide loads

What the emitted program prints is compared with -run; where evaluating would take too long, with emitted C++.
Without nvcc the last two fail, without a device --device.
"""

import argparse
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import device
import golden

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "tests" / "bench" / "workloads"
CASES = ROOT / "tests" / "cuda"
SIZES = [0, 1, 31, 32, 33, 1023, 1024, 1025, 2049]
SEVERAL_TILES = {"device": 2**20 + 1, "cpu": 2**14 + 1}  # evaluating is what takes long
LARGER, HUGE = 2**24 + 1, 2**31 + 33
# Wide loads and stores in the kernels of workloads that stream: two of each array, four where an order is kept; bins are filled in.
WIDE = {"dot": (4, 0), "sum_of_squares": (2, 0), "five_maps": (2, 2), "filter_map_sum": (2, 0), "five_statistics": (2, 0),
        "maximal_segment_sum": (4, 0), "histogram": (2, 2), "black_scholes": (6, 2)}
IN_ORDER = {"ordered", "scanned", "filtered", "grouped"}  # whose kernels take turns too often for a huge size on a CPU
FUSED = ["-rules", "fusion.rules"]
FOR_DEVICES = [*FUSED, "-rules", "gpu.rules"]
CPP = "-std=c++20 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno".split()
CPU = ["-std=c++20", "-O1", "-ffp-contract=off", "-pthread", *golden.ALIGNED, "-DCUDA_APART", f"-I{CASES}"]


def run(command, stdin=""):
    return subprocess.run([str(word) for word in command], input=stdin, cwd=ROOT, capture_output=True, text=True,
                          timeout=device.TIMEOUT)


@functools.cache
def evaluated(tool, call, source):
    return run([tool, "-run", call, source])


def emit(tool, path, rules, driver, target, namespace="ir"):
    command = [tool, *rules, "-quiet", "-emit", "cuda", "-namespace", namespace, *(["-driver"] if driver else []), path,
               "-o", target]
    done = run(command)
    return done.stderr if done.returncode else ""


def functions_of(source):
    return re.findall(r"^func @(\w+)", source.read_text(), re.MULTILINE)


def build(options, source, rules, folder):
    """The program that CUDA's text becomes, or None, and what is wrong."""
    name = "-".join([source.stem, *(word for word in rules if not word.startswith("-"))])
    text, program = folder / f"{name}.{'cu' if options.device else 'cpp'}", folder / name
    wrong = emit(options.tool, source, rules, True, text)
    if not wrong:
        done = run([*options.compiler, text, "-o", program])
        wrong = done.stderr if done.returncode else ""
    return (None, f"{name}: {wrong}") if wrong else (program, "")


def differs(call, program, expected):
    """What the program prints otherwise, if anything."""
    found = run([program], call + "\n")
    if expected.returncode or found.returncode or expected.stdout != found.stdout:
        return [f"{program.name}, {call}: expected {expected.stdout.split()} {expected.stderr}"
                f"found {found.stdout.split()} {found.stderr}exit code {found.returncode}"]
    return []


def compare(options, rules, folder):
    """What is wrong at any size, a line each, and how many comparisons there were."""
    source = CASES / "sizes.ir"
    program, wrong = build(options, source, rules, folder)
    if program is None:
        return [wrong], 1
    calls = [f"@{function}({size})" for function in functions_of(source) for size in options.sizes]
    return [line for call in calls for line in differs(call, program, evaluated(options.tool, call, source))], len(calls)


def compare_with_cpp(options, source, functions, size, folder):
    """The same beside emitted C++, both fused."""
    rules = FUSED
    program, wrong = build(options, source, rules, folder)
    text, cpp = folder / f"{source.stem}-cpp.cpp", folder / f"{source.stem}-cpp"
    run([options.tool, *rules, "-quiet", "-emit", "cpp", "-driver", source, "-o", text])
    done = run([options.cxx, *CPP, text, "-o", cpp])
    if program is None or done.returncode:
        return [wrong + done.stderr], 1
    calls = [f"@{function}({size})" for function in functions]
    return [line for call in calls for line in differs(call, program, run([cpp], call + "\n"))], len(calls)


def sanitize(program):
    """What compute-sanitizer finds in one run of each function at one size, where it is installed and works here."""
    tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    problems, count = [], 0
    for function in functions_of(CASES / "sizes.ir") if tool else []:
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
    return [path for folder in (ROOT / "samples", BENCH, BENCH.parent / "second") for path in sorted(folder.glob("*.ir"))]


def narrow(tool, nvcc, name, expected, folder):
    """What of a workload's kernel does not move in words of 16 bytes."""
    text = folder / f"{name}.cu"
    wrong = emit(tool, BENCH / f"{name}.ir", FUSED, False, text)
    done = run([nvcc, *device.STRICT, "-O3", f"-arch={device.ARCHITECTURE}", "-ptx", text, "-o", text.with_suffix(".ptx")])
    if wrong or done.returncode:
        return [f"{name}: {wrong}{done.stderr}"]
    found = tuple(len(re.findall(rf"\b{way}\.global(?:\.nc)?\.v[24]\.", text.with_suffix(".ptx").read_text())) for way in ("ld", "st"))
    return [] if found == expected else [f"{name}: {found} wide loads and stores, expected {expected}"]


def golden_programs(folder):
    """What golden files about CUDA and rules for it are emitted with: a file and its options, once each."""
    found = {}
    for path in sorted(path for name in ("cuda", "gpu") for path in (golden.GOLDEN / name).glob("*.ir")):
        parsed = golden.parse(path)
        for run_line in parsed.runs:
            options, _ = golden.words(parsed, run_line, folder)
            found[path, *re.sub(r"-emit \w+", "", " ".join(options)).split()] = parsed.input
    return [(path, source, rules) for (path, *rules), source in found.items()]


def compile_all(options, nvcc, folder):
    """What is wrong, a text each, and how many programs there were."""
    problems, texts = [], []
    chosen = [(path, path, rules_for(path)) for path in programs()]
    chosen += [(CASES / "sizes.ir", CASES / "sizes.ir", rules) for rules in (FUSED, FOR_DEVICES)]
    chosen = [row for row in [*chosen, *golden_programs(folder)] if options.only in str(row[0].relative_to(ROOT))]
    for number, (path, source, rules) in enumerate(chosen):
        name = "-".join([*path.relative_to(ROOT).with_suffix("").parts, *(pathlib.Path(word).stem for word in rules[1::2])])
        text = folder / f"{name}.cu"
        wrong = emit(options.tool, source, rules, True, text, f"program_{number}")
        if wrong:
            problems.append(f"{name}: {wrong}")
        else:
            texts.append(text)
    problems += [f"{name}:\n{wrong}" for name, wrong in device.compile_all(nvcc, texts, folder, options.jobs).items()]
    streams = [name for name in WIDE if options.only in name]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(lambda name: narrow(options.tool, nvcc, name, WIDE[name], folder), streams):
            problems += found
    return problems, len(chosen) + len(streams)


def trespass(options, folder):
    """Whether the header that keeps memory of the two sides apart notices who reads the other's."""
    program = str(folder / "trespass")
    run([options.cxx, *CPU, CASES / "trespass.cpp", "-o", program])
    problems = []
    for who, code, said in (("nobody", 0, "16\n"), ("freed", 0, None), ("host", -signal.SIGSEGV, ""), ("kernel", -signal.SIGSEGV, "")):
        done = subprocess.run([program, who], capture_output=True, text=True, check=False)
        if done.returncode != code or (said is not None and done.stdout != said) or (said is None and done.stdout == "16\n"):
            problems.append(f"trespass {who}: exit code {done.returncode}, {done.stdout}")
    return problems, 4


def run_all(options, folder):
    huge = CASES / "huge.ir"
    if options.huge:
        options.compiler += ["-O2", "-UCUDA_APART"]  # which takes no address twice
        yield compare_with_cpp(options, huge, [name for name in functions_of(huge) if name not in IN_ORDER], HUGE, folder)
        return
    if not options.device:
        yield trespass(options, folder)
    for rules in ([], FUSED, *([FOR_DEVICES] if options.device else [])):
        yield compare(options, rules, folder)
    if options.device:
        yield compare_with_cpp(options, CASES / "sizes.ir", functions_of(CASES / "sizes.ir"), LARGER, folder)
        yield compare_with_cpp(options, huge, functions_of(huge), HUGE, folder)
        yield sanitize(folder / "sizes-fusion.rules")


def main():
    parser = argparse.ArgumentParser(description="Emitted CUDA at many sizes, and under nvcc.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--huge", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--sizes", type=lambda text: [int(word) for word in text.split(",")])
    parser.add_argument("--jobs", "-j", type=int, default=device.jobs(), help="--compile: so many at a time")
    parser.add_argument("--only", default="", help="--compile: files whose path contains this")
    options = parser.parse_args()
    options.sizes = options.sizes or [*SIZES, SEVERAL_TILES["device" if options.device else "cpu"]]
    problems, count = [], 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.compile:
            problems, count = compile_all(options, device.find_nvcc(), folder)
        else:
            options.compiler = device.compiler() if options.device else [options.cxx, *CPU]
            for found, more in run_all(options, folder):
                problems += found
                count += more
    for problem in problems:
        print(problem)
    print(f"{count - len(problems)} passed, {len(problems)} failed")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
