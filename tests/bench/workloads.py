#!/usr/bin/env python3
"""What is emitted as C++ against programs written by hand, for the workloads in tests/bench/workloads.

Each workload is NAME.ir, as a user writes it, and NAME.cpp with the hand-fused program. The emitted C++
with fusion, that without (a loop and an array for each operation) and the hand-written one are compiled
into one program, their results compared at the sizes in SIZES and at the full size, and timed by turns
on one thread and on two. numpy and Numba run beside them where Debian's packages are installed.
Times are the median of CPU time on one thread, and the least time by the clock on two: that is what a
machine that does other work as well disturbs least.

  workloads.py [--set first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth] [--only TEXT] [--runs N] [--cxx g++] [--check]

The second set (tests/bench/second) is of other fields. Its programs were written, and measured once,
before anything was done about them; tests/bench/README.md has those first numbers. The third set
(tests/bench/third) is 31 programs, examples of their classes: tables, text, stencils, sparse matrices, graphs.
The fourth to the twelfth (tests/bench/fourth …) were written, like the second, before their emitted code was read.

--check compares results at the small sizes only, and says how many workloads agree.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "tests" / "bench"
FLAGS = "-std=c++20 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno".split()
SIZES = [0, 1, 7, 1 << 10, 1 << 20]
# All programs have their memory on large pages, as numpy and emitted arrays ask for theirs (glibc 2.35 and later).
os.environ["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"

# Name, title, size, sizes at which results are compared.
FIRST = [
    ("dot", "dot product", 1 << 24, SIZES),
    ("sum_of_squares", "sum of squares", 1 << 24, SIZES),
    ("five_maps", "chain of five maps", 1 << 24, SIZES),
    ("filter_map_sum", "filter + map + sum", 1 << 24, SIZES),
    ("five_statistics", "five statistics", 1 << 24, SIZES),
    ("maximal_segment_sum", "maximal segment sum", 1 << 24, SIZES),
    ("histogram", "histogram, 4096 bins", 1 << 24, SIZES),
    ("black_scholes", "Black-Scholes, 2^22", 1 << 22, SIZES),
    ("mandelbrot", "Mandelbrot 1024 x 768", 1024 * 768, SIZES[:-1]),
    ("kmeans", "k-means, 10^6 x 4, k = 10", 1000000, SIZES),
    ("matrix_product", "matrix product 512", 512, [0, 1, 7, 65]),
    ("tpch_q6", "Q6, 6,001,215 rows", 6001215, SIZES),
    ("tpch_q1", "Q1, 6,001,215 rows", 6001215, SIZES),
    ("html", "rows to HTML, 500,000", 500000, SIZES[:-1]),
]
SECOND = [
    ("bodies", "gravity, 4096 bodies", 4096, SIZES[:-1]),
    ("letters", "letters and words", 1 << 24, SIZES),
    ("drawdown", "losses since the peak", 1 << 24, SIZES),
    ("page_rank", "PageRank, 2^19 pages", 1 << 19, SIZES),
    ("edges", "edges, 4096 x 4096", 1 << 24, SIZES),
    ("groups", "10,000 groups, 2^22", 1 << 22, SIZES),
]
THIRD = [
    ("atax", "A^T (A x), 3000 x 3000", 3000, [0, 1, 3, 100]),
    ("attention", "attention, 512 queries", 512, [1, 3, 100]),
    ("bfs", "breadth-first search, 2^19", 1 << 19, [0, 1, 7, 1000, 30001]),
    ("csrtrans", "transposed sparse, 2^18", 1 << 18, [0, 1, 7, 1000]),
    ("fir", "filter, 2,000,000", 2000000, [0, 1, 40, 1000]),
    ("hist", "bins of hashes, 2^24", 1 << 24, [0, 1, 7, 1000, 30001]),
    ("histeq", "histogram equalization, 2^24", 1 << 24, [1, 7, 1000]),
    ("hotspot", "heat, 2048 x 2048", 2048, [1, 2, 3, 100]),
    ("html", "escaped HTML, 500,000 rows", 500000, [0, 1, 7, 1000, 30001]),
    ("jacobi", "jacobi-1d, 200,000", 200000, [2, 3, 7, 1000]),
    ("join", "inner join, 2^20 rows", 1 << 20, [0, 1, 7, 500]),
    ("kmeans", "k-means, ties, 10^6 x 4", 1000000, [0, 1, 7, 1000, 30001]),
    ("logreg", "logistic regression, 10^5", 100000, [1, 3, 1000]),
    ("mandelbrot", "Mandelbrot 1024 x 768", 768, [0, 1, 7, 60]),
    ("partition", "stable partition, 2^22", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("pathfinder", "PathFinder, 4096 rows", 4096, [1, 2, 3, 100]),
    ("pivot", "pivot table, 2^22", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("q1", "Q1, 6,001,215 rows", 6001215, [0, 1, 7, 10000, 30001]),
    ("q12", "Q12, 2^22", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("q13", "Q13, 2^18 comments", 1 << 18, [0, 1, 7, 1000]),
    ("q3", "Q3, 2^22", 1 << 22, [0, 1, 7, 1000]),
    ("q5", "Q5, 2^22", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("q6", "Q6 on columns, 6,001,215", 6001215, [0, 1, 7, 10000]),
    ("report", "nested templates, 2^16 rows", 1 << 16, [0, 1, 7, 1000, 30001]),
    ("spmm", "sparse times dense, 2^17", 1 << 17, [0, 1, 7, 1000, 30001]),
    ("srad", "SRAD, 2048 x 2048", 2048, [1, 2, 3, 100]),
    ("tridag", "recurrences, 4096 x 1024", 4096, [0, 1, 3, 100]),
    ("urlescape", "percent encoding, 2^24", 1 << 24, [0, 1, 7, 1000, 30001]),
    ("viterbi", "Viterbi, 20,000", 20000, [1, 7, 1000]),
    ("welford", "Welford, 8,000,000", 8000000, [1, 7, 1000]),
    ("wordfreq", "word frequencies, 2^23", 1 << 23, [0, 1, 7, 1000, 30001]),
]
FOURTH = [
    ("components", "components, 2^19 vertices", 1 << 19, [0, 1, 7, 1000, 30001]),
    ("crossover", "trading rule, 2^23 days", 1 << 23, [0, 1, 50, 51, 1000, 30001]),
    ("downscale", "gray, half size, 4096 x 4096", 4096, [0, 1, 7, 100]),
    ("goertzel", "64 frequencies, 2^20", 1 << 20, [0, 1, 7, 1000]),
    ("parse", "decimal numbers, 2^24 bytes", 1 << 24, [0, 1, 7, 1000, 30001]),
]
FIFTH = [
    ("dates", "dates, 2^21 lines", 1 << 21, [0, 1, 7, 1000, 30001]),
    ("factors", "factorization, 2^17 users", 1 << 17, [0, 1, 7, 1000, 30001]),
    ("plasma", "particles in cells, 2^22", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("runs", "run lengths, 2^24 bytes", 1 << 24, [0, 1, 7, 1000, 30001]),
    ("spam", "scores of messages, 2^23", 1 << 23, [0, 1, 7, 1000, 30001]),
    ("spline", "cubic spline, 2^21 queries", 1 << 21, [0, 1, 7, 1000, 30001]),
]
SIXTH = [
    ("echo", "echo and filter, 2^22 samples", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("flight", "falls, 2^16 bodies", 1 << 16, [0, 1, 7, 1000]),
    ("stock", "goods by day, 2^22 movements", 1 << 22, [1, 7, 1000, 30001]),
    ("tokens", "tokens, 2^24 bytes", 1 << 24, [0, 1, 7, 1000, 30001]),
    ("wires", "Wireworld, 2048 x 2048", 2048, [0, 1, 2, 7, 100]),
]
SEVENTH = [
    ("base64", "Base 64, 3 * 2^22 bytes", 3 << 22, [0, 1, 7, 1000, 30001]),
    ("bigrams", "pairs of letters, 2^23", 1 << 23, [0, 1, 7, 1000, 30001]),
    ("bilateral", "bilateral filter, 1024 x 1024", 1024, [0, 1, 7, 100]),
    ("binomial", "binomial trees, 4096 options", 4096, [0, 1, 7, 1000, 30001]),
    ("bitonic", "bitonic sorting, 2^19", 1 << 19, [0, 1, 7, 1000, 30001]),
    ("blur", "separable blur, 2048 x 2048", 2048, [0, 1, 7, 100]),
    ("cholesky", "Cholesky, 2^16 of 6 x 6", 1 << 16, [0, 1, 7, 1000, 30001]),
    ("corr", "correlation, 2^15 x 32", 1 << 15, [1, 7, 1000]),
    ("crc", "CRC-32 of lines, 2^24 bytes", 1 << 24, [0, 1, 7, 1000, 30001]),
    ("csv", "amounts by name, 2^23 bytes", 1 << 23, [0, 1, 7, 1000, 30001]),
    ("dbscan", "dense points, 2^13", 1 << 13, [0, 1, 7, 1000]),
    ("edit", "edit distances, 2^17", 1 << 17, [0, 1, 7, 1000, 30001]),
    ("expand", "run lengths to a picture, 2^19", 1 << 19, [0, 1, 7, 1000, 30001]),
    ("floyd", "all shortest paths, 512", 512, [0, 1, 7, 100]),
    ("forest", "decision trees, 2^15 rows", 1 << 15, [0, 1, 7, 1000, 30001]),
    ("intervals", "union of intervals, 2^20", 1 << 20, [0, 1, 7, 1000, 30001]),
    ("kalman", "Kalman's filter, 2^13", 1 << 13, [0, 1, 7, 1000, 30001]),
    ("knn", "nearest three, 2^12", 4096, [0, 1, 7, 1000, 30001]),
    ("median5", "running median, 2^23", 1 << 23, [0, 1, 7, 1000, 30001]),
    ("noise", "value noise, 512 x 512", 512, [0, 1, 7, 100]),
    ("rays", "rays and spheres, 512 x 512", 512, [0, 1, 7, 100]),
    ("rowcol", "table and margins, 2048 x 2048", 2048, [0, 1, 7, 100]),
    ("sessions", "sessions, 2^22 events", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("smith", "local alignment, 1024 reads", 1024, [0, 1, 7, 1000, 30001]),
    ("utf8", "UTF-8, 2^23 bytes", 1 << 23, [0, 1, 7, 1000, 30001]),
    ("walks", "random walks, 2^15", 1 << 15, [0, 1, 7, 1000, 30001]),
    ("walsh", "Walsh transform, 2048 rows", 2048, [0, 1, 7, 1000, 30001]),
    ("window", "window functions, 2^21", 1 << 21, [0, 1, 7, 1000, 30001]),
    ("zscore", "rows beside their group, 2^21", 1 << 21, [0, 1, 7, 1000, 30001]),
]
EIGHTH = [
    ("actuary", "premiums, 2^19 policies", 1 << 19, [0, 1, 7, 1000, 30001]),
    ("bitsets", "sets as bits, 2^18", 1 << 18, [1, 7, 1000, 30001]),
    ("bloom", "Bloom filter, 2^22", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("book", "order book, 2^22 offers", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("cg", "conjugate gradients, 1024 x 1024", 1024, [7, 30, 100]),
    ("clenshaw", "Chebyshev's sums, 2^20", 1 << 20, [0, 1, 7, 1000, 30001]),
    ("kmers", "words of bases, 2^23", 1 << 23, [0, 1, 7, 1000, 30001]),
    ("logs", "lines of a log, 2^24 bytes", 1 << 24, [0, 1, 7, 1000, 30001]),
    ("morph", "gradient of a picture, 4096 x 4096", 4096, [1, 2, 7, 100]),
    ("resample", "another rate, 2^22 samples", 1 << 22, [10, 17, 1000, 30001]),
    ("triangles", "a mesh, 2^21 triangles", 1 << 21, [0, 1, 7, 1000, 30001]),
    ("weather", "weather stations, 2^22", 1 << 22, [0, 1, 7, 1000, 30001]),
]
NINTH = [
    ("bellman", "shortest paths, 2^17 vertices", 1 << 17, [0, 1, 7, 1000, 30001]),
    ("cohort", "cohorts of users, 2^22 visits", 1 << 22, [0, 1, 7, 1000, 30001]),
    ("hexdump", "hexadecimal dump, 2^23 bytes", 1 << 23, [0, 1, 16, 1000, 30001]),
    ("knapsack", "sack, 400 goods", 400, [0, 1, 7, 100]),
    ("lattice", "lattice Boltzmann, 512 x 512", 512, [1, 2, 3, 100]),
    ("ntt", "product of polynomials, 2^18", 1 << 18, [1, 2, 7, 1000, 30001]),
    ("svm", "hinge loss, 2^17 rows", 1 << 17, [1, 7, 1000, 30001]),
    ("trusses", "rods and points, 2^18", 1 << 18, [0, 1, 7, 1000, 30001]),
    ("wavelet", "Haar transform, 2048 rows", 2048, [0, 1, 7, 1000]),
    ("yuv", "YUV 4:2:0, 2048 x 2048", 2048, [0, 1, 2, 7, 100]),
]
TENTH = [
    ("adler", "Adler-32, 2^26 bytes", 1 << 26, [0, 1, 7, 4096, 30001]),
    ("averages", "crossing averages, 2^17 days", 1 << 17, [1, 2, 7, 1000]),
    ("collatz", "Collatz, 2^20 starts", 1 << 20, [0, 1, 7, 1000, 30001]),
    ("density", "density by kernels, 8192", 8192, [16, 17, 1000]),
    ("hamming", "fingerprints, 2^14", 1 << 14, [0, 1, 64, 1000]),
    ("nearest", "nearest vectors, 2^13 x 64", 1 << 13, [64, 129, 1000]),
    ("paths", "Asian option, 2^16 paths", 1 << 16, [0, 1, 7, 1000]),
    ("polygons", "polygons, 2^22 corners", 1 << 22, [8, 17, 1000, 30001]),
    ("rotate", "a picture turned, 2048 x 2048", 2048, [1, 2, 7, 100]),
    ("volatility", "implied volatility, 2^18", 1 << 18, [0, 1, 7, 1000]),
]
ELEVENTH = [
    ("blocks", "error of bytes with a scale, 2^24", 1 << 24, [0, 1, 31, 33, 1000, 30001]),
    ("carving", "seam carving, 2048 x 2048", 2048, [1, 2, 7, 100]),
    ("having", "best purchases, 2^21", 1 << 21, [0, 1, 7, 1000, 30001]),
    ("principal", "principal component, 2^16 x 64", 1 << 16, [1, 2, 7, 1000]),
    ("variation", "total variation, 2048 x 2048", 2048, [0, 1, 2, 7, 100]),
]
TWELFTH = [
    ("contacts", "discs that touch, 2^13", 1 << 13, [0, 1, 7, 1000]),
    ("crossings", "crossing averages, 2^22 days", 1 << 22, [1, 7, 1000, 30001]),
    ("decimate", "every fourth sample, 2^22", 1 << 22, [0, 64, 129, 1000, 30001]),
    ("feed", "two layers, 2^13 x 64 x 256", 1 << 13, [0, 1, 7, 1000]),
    ("labels", "components by labels, 2^19", 1 << 19, [1, 7, 1000, 30001]),
    ("mixture", "mixture of 8 normals, 2^20", 1 << 20, [1, 7, 1000, 30001]),
    ("ranks", "correlation of ranks, 2^20", 1 << 20, [2, 7, 1000, 30001]),
    ("wave", "wave equation, 1024 x 1024", 1024, [1, 2, 7, 100]),
]
SETS = {"first": (BENCH / "workloads", FIRST), "second": (BENCH / "second", SECOND),
        "third": (BENCH / "third", THIRD), "fourth": (BENCH / "fourth", FOURTH), "fifth": (BENCH / "fifth", FIFTH),
        "sixth": (BENCH / "sixth", SIXTH), "seventh": (BENCH / "seventh", SEVENTH), "eighth": (BENCH / "eighth", EIGHTH),
        "ninth": (BENCH / "ninth", NINTH), "tenth": (BENCH / "tenth", TENTH),
        "eleventh": (BENCH / "eleventh", ELEVENTH), "twelfth": (BENCH / "twelfth", TWELFTH)}


def command(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)


def must(done, what):
    if done.returncode != 0:
        raise RuntimeError(f"{what}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(name, programs, tool, cxx, folder, flags=FLAGS):
    """The program with all three, in a folder of its own."""
    folder = folder / name
    folder.mkdir(parents=True)
    library = ["-rules", "library.rules"]
    for variant, rules in (("fused", [*library, "-rules", "fusion.rules"]), ("unfused", library)):
        must(command(tool, programs / f"{name}.ir", *rules, "-emit", "cpp", "-namespace", variant,
                     "-o", folder / f"{variant}.cpp", cwd=ROOT, timeout=120), f"{name}, {variant}")
    must(command(cxx, *flags, f"-I{folder}", f"-I{BENCH / 'workloads'}", programs / f"{name}.cpp", "-o",
                 folder / "program", timeout=600), f"compiling {name}")
    return folder / "program"


def check(program, sizes):
    for size in sizes:
        must(command(program, "check", size, timeout=600), program.parent.name)


def peak(program, which, size):
    """MiB of memory at its highest, and what the input alone takes."""
    child = subprocess.Popen([str(program), "once", which, str(size)])
    _, _, usage = os.wait4(child.pid, 0)
    return usage.ru_maxrss / 1024


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def peers(name, size, runs):
    """Milliseconds of numpy and of Numba, where they are there and the workload has them."""
    for python in ("python3", "/usr/bin/python3"):
        done = command(python, ROOT / "tests/bench/peers.py", name, size, runs, timeout=900)
        if done.returncode == 0 and done.stdout:
            return dict(line.split() for line in done.stdout.splitlines())
    return {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--set", default="first", choices=SETS)
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    where, table = SETS[options.set]
    chosen = [row for row in table if options.only in row[0]]
    if not chosen:
        parser.error(f"no workload of the {options.set} set has '{options.only}' in its name")
    tool = pathlib.Path(options.tool).absolute()
    with tempfile.TemporaryDirectory() as folder:
        folder, programs, bad = pathlib.Path(folder), {}, 0
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = {row[0]: pool.submit(build, row[0], where, tool, options.cxx, folder) for row in chosen}
        for name, _, full, sizes in chosen:
            try:
                programs[name] = jobs[name].result()
                check(programs[name], sizes if options.check else [*sizes, full])
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                bad += 1
                print(f"FAILED {name}: {error}", flush=True)
        if options.check:
            print(f"{len(chosen) - bad} passed, {bad} failed")
            return 1 if bad else 0
        print(f"{'':<28}{'one thread':>27}{'two threads':>27}{'MiB':>14}{'one thread':>20}")
        print(f"{'milliseconds':<28}" + f"{'hand':>9}{'emitted':>9}{'ratio':>9}" * 2 +
              f"{'hand':>7}{'emit':>7}{'unfused':>9}{'numpy':>9}{'Numba':>8}")
        ratios = {1: [], 2: []}
        for name, title, full, _ in chosen:
            if name not in programs:
                continue
            lines = must(command(programs[name], "time", full, options.runs), name).splitlines()
            row, unfused = f"{title:<28}", 0.0
            for line in lines:
                threads, hand, fused, plain = line.split()
                hand, fused = float(hand), float(fused)
                ratios[int(threads)].append(fused / hand)
                unfused = unfused or float(plain)
                row += f"{hand:>9.2f}{fused:>9.2f}{fused / hand:>8.2f}x"
                results.ratio("Emitted C++ against programs by hand", title, f"{threads} thread{'s' if threads != '1' else ''}", fused, hand)
                if threads == "1":
                    alone = fused
            row += "".join(f"{peak(programs[name], which, full):>7.0f}" for which in ("hand", "fused"))
            other = peers(name, full, options.runs)
            for peer, time in {"without fusion": unfused, "numpy": other.get("numpy"), "Numba": other.get("numba")}.items():
                if time:
                    results.ratio("Emitted C++ against other ways, one thread", title, peer, alone, float(time))
            print(row + f"{unfused:>9.1f}{other.get('numpy', '-'):>9}{other.get('numba', '-'):>8}",
                  flush=True)
        print(f"{'geometric mean':<28}" + "".join(
            f"{'':>18}{geometric_mean(ratios[threads]):>8.2f}x" for threads in (1, 2)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
