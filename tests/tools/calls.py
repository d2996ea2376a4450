#!/usr/bin/env python3
"""Hostile calls of emitted programs, compiled with the address and undefined-behaviour sanitizers: calls with tokens dropped, doubled,
replaced, with numbers at the ends of their types, with lengths that have no memory. A program ends with exit code 0, 2, 4 or 5, and
with a message where that is not 0; no sanitizer has anything to say.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PROGRAM = """
struct P { a: i64, b: f64 }
func @scalars(%a: i8, %b: u64, %c: f32, %d: bool) -> i8, u64, f32, bool { return %a + 1, %b * %b, %c / 0.0, !%d }
func @quotient(%a: i64, %b: i64) -> i64, i64 { return div(%a, %b), rem(%a, %b) }
func @sum(%xs: [n]f64) -> f64, i64 { return reduce(%xs, 0.0) {add}, %n }
func @matrix(%a: [n][m]f64, %x: [m]f64) -> [n]f64 {
  return map(%a) { |%row| reduce(map(%row, %x) { |%p, %q| %p * %q }, 0.0) {add} }
}
func @rows(%a: [n][]i64) -> [n]i64 { return map(%a) { |%row| len(%row) } }
func @structs(%ps: [n]P, %i: i64) -> P, [n]i64 { return at(%ps, %i), map(%ps) { |%p| %p.a } }
func @tuple(%t: (i64, f64), %b: [n](u8, bool)) -> f64, [n]u8 { return %t.1, map(%b) { |%x| %x.0 } }
func @rep(%n: i64) -> []f64 { return replicate(%n, 1.5) }
func @hist(%n: i64, %k: [m]i64, %v: [m]i64) -> []i64 { return histogram(%n, %k, %v, 0) {add} }
func @gather(%xs: [n]i64, %is: [m]i64) -> [m]i64 { return gather(%xs, %is) }
func @slice(%xs: [n]i64, %a: i64, %b: i64) -> []i64 { return slice(%xs, %a, %b) }
func @set(%xs: [n]i64, %i: i64) -> [n]i64 { return update(%xs, %i, 7) }
func @deep(%n: i64) -> i64 { return if(le(%n, 0)) { 0 } else { add(%n, @deep(sub(%n, 1))) } }
"""
CALLS = ["@scalars(1, 2, 3.5, true)", "@quotient(7, 2)", "@sum([1.0, 2.5, -3.0])", "@matrix([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])",
         "@rows([[1, 2], [], [3]])", "@structs([P{a = 1, b = 2.0}, P{a = 3, b = 4.0}], 1)", "@tuple((1, 2.0), [(1, true), (2, false)])", "@rep(3)",
         "@hist(3, [0, 1, 2, 1], [1, 1, 1, 1])", "@gather([1, 2, 3], [2, 0])", "@slice([1, 2, 3, 4], 1, 2)", "@set([1, 2, 3], 1)", "@deep(5)"]
HOSTILE = ["0", "-1", "1", "127", "128", "-129", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "2305843009213693952",
           "6148914691236517206", "4294967296", "1e308", "1e400", "-0.0", "nan", "inf", "1e-320", "true", "[]", "[[]]", "()", "(", ")", "[", "]",
           "{", "}", ",", "@", "P{", "=", "\x00", "\xff", '"', "'a'", "_", "0x", "1.", ".5", "--1", "+"]


def mutated(rng):
    tokens = re.findall(r"@\w+|-?\d+(?:\.\d+)?|\w+|.", rng.choice(CALLS))
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        at = rng.randrange(len(tokens))
        change = rng.randrange(4)
        if change == 0:
            del tokens[at]
        elif change == 1:
            tokens.insert(at, tokens[rng.randrange(len(tokens))])
        else:
            numbers = [i for i, token in enumerate(tokens) if token[-1].isdigit()]
            at = rng.choice(numbers) if numbers and change == 2 else at
            tokens[at] = rng.choice(HOSTILE)
        if not tokens:
            break
    return "".join(tokens) * rng.choice([1] * 20 + [2])


def wrong(program, call):
    # Large blocks are refused at once, as a machine with little memory does.
    options = {"ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=512:exitcode=99:detect_leaks=0", "UBSAN_OPTIONS": "exitcode=98"}
    try:
        done = subprocess.run([program], input=call.encode("latin-1"), capture_output=True, timeout=60, env=os.environ | options | {"OMP_NUM_THREADS": "2"})
    except subprocess.TimeoutExpired:
        return f"{call!r}: still running"
    errors = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 2, 4, 5) or "runtime error" in errors or "ERROR: AddressSanitizer" in errors:
        return f"{call!r}: exit code {done.returncode}: {errors[:600]}"
    if done.returncode and not errors:
        return f"{call!r}: no message"
    return f"{call!r}: output beside an error" if done.returncode and done.stdout else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--compilers", default="g++")
    parser.add_argument("--calls", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    passed, failures = 0, []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        folder = pathlib.Path(name)
        (folder / "calls.ir").write_text(PROGRAM)
        for rules in [], ["-rules", "fusion.rules"]:
            text = folder / "calls.cpp"
            subprocess.run([options.tool, *rules, "-quiet", "-emit", "cpp", "-driver", folder / "calls.ir", "-o", text], check=True)
            for compiler in options.compilers.split(","):
                program = folder / "calls"
                subprocess.run([compiler, "-std=c++20", "-O1", "-fopenmp", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", text, "-o", program],
                               check=True)
                rng = random.Random(options.seed)
                calls = CALLS + [mutated(rng) for _ in range(options.calls)]
                found = [what for what in pool.map(lambda call: wrong(program, call), calls) if what]
                passed += len(calls) - len(found)
                failures += [f"{compiler} {' '.join(rules)}: {what}" for what in found]
    for failure in failures:
        print("FAILED", failure)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
