#!/usr/bin/env python3
"""What is emitted as CUDA on a device, against kernels written by hand and CUB's, for workloads in tests/bench/gpu.

For each workload: bytes that have to move, time, share of the bandwidth that a copy on the device reaches (of the
arithmetic peak for the matrix product), times the peers' time. Results are compared first, at several sizes.

  gpu.py [--only TEXT] [--runs N]     needs nvcc and a device
  gpu.py --compile                    only compiles, for sm_90 and without a warning: needs nvcc
"""

import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "tools"))
import cuda  # noqa: E402
import device  # noqa: E402

GPU = ROOT / "tests" / "bench" / "gpu"
WORKLOADS = ROOT / "tests" / "bench" / "workloads"
# Where programs are looked for, in turn.
SOURCES = [WORKLOADS, ROOT / "tests" / "bench" / "second", ROOT / "samples"]
FLAGS = [f"-I{GPU}", f"-I{WORKLOADS}", "-Xcompiler=-Wall,-Wextra,-fopenmp"]
COPY = 1 << 30
# Name, size, sizes at which results are compared.
TABLE = [
    ("dot", 1 << 27, [0, 1, 1000, (1 << 20) + 1]),
    ("sum_of_squares", 1 << 27, [0, 1, 1000, (1 << 20) + 1]),
    ("five_maps", 1 << 27, [0, 1, 1000, (1 << 20) + 1]),
    ("filter_map_sum", 1 << 27, [0, 1, 1000, (1 << 20) + 1]),
    ("five_statistics", 1 << 27, [0, 1, 1000, (1 << 20) + 1]),
    ("maximal_segment_sum", 1 << 27, [0, 1, 1000, (1 << 20) + 1]),
    ("histogram", 1 << 27, [1, 1000, (1 << 20) + 1]),
    ("black_scholes", 1 << 26, [0, 1, 1000, (1 << 20) + 1]),
    ("tpch_q6", 1 << 25, [0, 1, 1000, (1 << 20) + 1]),
    ("tpch_q1", 1 << 24, [0, 1, 1000, (1 << 20) + 1]),
    ("kmeans", 1 << 24, [1, 1000, (1 << 20) + 1]),
    ("kmeans_update", 1 << 26, [0, 1, 1000, (1 << 20) + 1]),
    ("mandelbrot", 1 << 24, [0, 1, 1000, (1 << 20) + 1]),
    ("page_rank", 1 << 22, [0, 1, 1000, (1 << 20) + 1]),
    ("letters", 1 << 30, [0, 1, 15, 1000, (1 << 20) + 1]),
    ("word_count", 1 << 24, [0, 1, 1000, (1 << 20) + 1]),
    ("matrix_product", 4096, [0, 1, 65, 513]),
]


def emitted(name, tool, folder):
    """Emits the program; what went wrong, if anything."""
    source = next(path for path in (under / f"{name}.ir" for under in SOURCES) if path.exists())
    return cuda.emit(tool, source, cuda.FUSED, False, folder / "fused.cu", "fused")


def build(name, options, nvcc, folder):
    """The program, and what went wrong with it."""
    folder = folder / name
    folder.mkdir()
    wrong = "" if name == "copy" else emitted(name, options.tool, folder)
    program = folder / "program"
    if not wrong:
        done = cuda.run([*nvcc, *FLAGS, *(["-c"] if options.compile else []), f"-I{folder}", GPU / f"{name}.cu", "-o", program])
        wrong = done.stdout + done.stderr + (f"exit code {done.returncode}" if done.returncode else "")
    return program, wrong.strip()


def output(program, *words):
    done = subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        raise RuntimeError(f"{program.parent.name} {words}: {done.stdout}{done.stderr}")
    return done.stdout


def measure(name, size, program, runs, bandwidth, peak):
    lines = output(program, "time", size, runs).splitlines()
    moved, operations, time = map(float, lines[0].split())
    share = max(moved / time * 1e3 / bandwidth, operations / time * 1e3 / peak)
    peers = [f"{time / float(took):.2f}x {name}" for name, took in (line.rsplit(" ", 1) for line in lines[1:])]
    print(f"{name:<22}{moved / 1e6:>10.1f}{time:>10.3f}{100 * share:>8.1f} %   {', '.join(peers)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--jobs", "-j", type=int, default=device.jobs(), help="so many are compiled at a time")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--peak", type=float, default=33.5e12, help="operations a second of 64-bit floats, without tensor cores")
    options = parser.parse_args()
    nvcc = device.compiler(not options.compile)
    chosen = [row for row in TABLE if options.only in row[0]]
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        names = ["copy", *(row[0] for row in chosen)]
        programs = {}
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for name, (program, wrong) in zip(names, pool.map(lambda name: build(name, options, nvcc, folder), names)):
                programs[name] = program
                if wrong:
                    bad += 1
                    print(f"{name}: {wrong}", flush=True)
        if options.compile or bad:
            print(f"{len(programs) - bad} passed, {bad} failed")
            return 1 if bad else 0
        bandwidth = float(output(programs["copy"], "copy", COPY))
        print(f"a copy on the device moves {bandwidth / 1e9:.0f} GB/s")
        print(f"{'':<22}{'MB':>10}{'ms':>10}{'share':>10}   time by that of")
        for name, size, sizes in chosen:
            try:
                for small in sizes:
                    output(programs[name], "check", small)
                measure(name, size, programs[name], options.runs, bandwidth, options.peak)
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                bad += 1
                print(f"FAILED {error}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
