#!/usr/bin/env python3
"""Lengths for which there is no memory, in programs that are emitted: they end with exit code 4, and nothing is written where
it does not belong. The number of bytes does not fit 64 bits. C++ and C, fused or not, and CUDA on the CPU."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import cuda

PROGRAM = """
func @rep(%n: i64) -> []f64 { return replicate(%n, 1.5) }
func @pairs(%n: i64) -> [](i64, f64) { return replicate(%n, (1, 1.5)) }
func @hist(%n: i64, %k: [m]i64, %v: [m]i64) -> []i64 { return histogram(%n, %k, %v, 0) {add} }
func @rows(%n: i64, %m: i64) -> [][]f64 { return replicate(%n, replicate(%m, 1.5)) }
func @cell(%n: i64) -> f64 {
  %a = array(%n, 1.5)
  return load(%a, 0)
}
func @map(%n: i64) -> []f64 { return map(iota(%n)) { |%i| cast[f64](%i) } }
func @nest(%n: i64, %m: i64) -> [][]f64 { return map(iota(%n)) { |%i| map(iota(%m)) { |%j| cast[f64](%j) } } }
func @deep(%n: i64, %m: i64) -> [][][]f64 { return replicate(%n, replicate(%m, replicate(%m, 1.5))) }
"""
WRAPS = 2**61  # of eight bytes each: 2^64 bytes
CALLS = [f"@rep({WRAPS})", f"@rep({WRAPS + 1})", f"@rep({2**63 - 1})", f"@pairs({2**60 + 1})", f"@hist({WRAPS}, [1], [1])",
         f"@hist({2**63 - 1}, [], [])", f"@hist({2**63 - 1}, [1], [1])", f"@rows({2**60}, 16)", f"@rows(3, {WRAPS})", f"@cell({WRAPS})", f"@map({WRAPS + 1})", f"@nest({2**60}, 16)",
         f"@deep({2**60}, 4)"]
CPP = ["-std=c++20", "-O1", "-fopenmp"]
C = ["-std=c11", "-O1", "-fopenmp"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--cxx", default="g++")
    options = parser.parse_args()
    tool, passed, failed = str(pathlib.Path(options.tool).resolve()), 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "large.ir"
        source.write_text(PROGRAM)
        for kind, rules, flags in [("cpp", [], CPP), ("cpp", ["-rules", "fusion.rules"], CPP),
                                   ("c", [], C), ("c", ["-rules", "fusion.rules"], C),
                                   ("cuda", ["-rules", "fusion.rules", "-rules", "gpu.rules"], cuda.CPU)]:
            text, program = folder / f"{kind}{len(rules)}.{'c' if kind == 'c' else 'cpp'}", folder / f"{kind}{len(rules)}"
            subprocess.run([tool, *rules, "-quiet", "-emit", kind, "-driver", source, "-o", text], check=True)
            subprocess.run(["gcc" if kind == "c" else options.cxx, *flags, text, "-o", program, "-lm"], check=True)
            for call in CALLS:
                done = subprocess.run([program], input=call + "\n", capture_output=True, text=True, timeout=60)
                good = done.returncode == 4 and "out of memory" in done.stderr and not done.stdout
                passed, failed = passed + good, failed + (not good)
                if not good:
                    print(f"FAILED {kind} {' '.join(rules)}: {call}: exit code {done.returncode}: {done.stdout[:80]} {done.stderr[:200]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
