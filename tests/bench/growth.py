#!/usr/bin/env python3
"""How the time of the tool grows with the length of what it fuses and simplifies, on generated programs.

  chain    k maps, each over the one before, and a sum
  diamonds k maps of two arrays, each of one map of the input and one of the array before
  row      the same, each of two maps of the array before
  slices   k slices of one array, each summed
  sums     k reductions over one array
  filters  k / 10 filters of one array, each summed
  stages   k / 10 maps and filters in turn, each over the one before, in the body of a `for`
  rows     k / 10 flatmaps of one array, each summed
  nest     `reduce(map(…))`, d deep, over the same array: the innermost first
  functions 10 k functions of one line, which are only printed
  groupings k / 20 groupings of one array, each by another key
  escapes  k / 20 flatmaps, each over the one before, that emit one or several bytes for each
  products k / 10 products of matrices, each of the result of the one before after a `for` over its rows
  backward k / 10 products, each of the running sums of rows of the one before, from the last to the first
  choices  k / 10 conditionals, each by a sum of the array that the one before results in
  arith    one expression, d deep, that folds at every second level

Seconds of CPU of the phases (-stats=json), of functions those of the whole run, and the exponent against the size before: 1 is linear.
"""

import argparse
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 120  # seconds for one command


def chain(k):
    lines = ["  %v0 = map(%xs) { |%x| %x + 1.0 }"]
    lines += [f"  %v{i} = map(%v{i - 1}) {{ |%x| %x * {i}.0 }}" for i in range(1, k)]
    return "func @f(%xs: [n]f64) -> f64 {\n" + "\n".join(lines) + f"\n  return reduce(%v{k - 1}, 0.0) {{add}}\n}}\n"


def diamonds(k):
    lines = ["  %v0 = map(%xs) { |%x| %x + 1.0 }"]
    for i in range(1, k):
        lines += [f"  %l{i} = map(%v{i - 1}) {{ |%x| %x * {i}.0 }}", f"  %r{i} = map(%xs) {{ |%x| %x + {i}.5 }}",
                  f"  %v{i} = map(%l{i}, %r{i}) {{ |%x, %y| %x - %y }}"]
    return "func @f(%xs: [n]f64) -> [n]f64 {\n" + "\n".join(lines) + f"\n  return %v{k - 1}\n}}\n"


def row(k):
    lines = []
    for i in range(1, k):
        lines += [f"  %l{i} = map(%v{i - 1}) {{ |%x| %x * {i}.5 }}", f"  %r{i} = map(%v{i - 1}) {{ |%x| %x + {i}.5 }}",
                  f"  %v{i} = map(%l{i}, %r{i}) {{ |%x, %y| %x - %y }}"]
    return "func @f(%v0: [n]f64) -> [n]f64 {\n" + "\n".join(lines) + f"\n  return %v{k - 1}\n}}\n"


def slices(k):
    lines = [f"  %s{i} = reduce(slice(%xs, {i}, %n), 0.0) {{add}}" for i in range(k)]
    lines += ["  %t0 = %s0"] + [f"  %t{i} = max(%t{i - 1}, %s{i})" for i in range(1, k)]
    return "func @f(%xs: [n]f64) -> f64 {\n" + "\n".join(lines) + f"\n  return %t{k - 1}\n}}\n"


def sums(k):
    lines = [f"  %s{i} = reduce(map(%xs) {{ |%x| %x * {i}.5 }}, 0.0) {{add}}" for i in range(k)]
    lines += ["  %t0 = %s0"] + [f"  %t{i} = max(%t{i - 1}, %s{i})" for i in range(1, k)]
    return "func @f(%xs: [n]f64) -> f64 {\n" + "\n".join(lines) + f"\n  return %t{k - 1}\n}}\n"


def filters(k):
    lines = [f"  %s{i} = reduce(filter(%xs) {{ |%x| %x > {i}.5 }}, 0.0) {{add}}" for i in range(k // 10)]
    lines += ["  %t0 = %s0"] + [f"  %t{i} = max(%t{i - 1}, %s{i})" for i in range(1, k // 10)]
    return "func @f(%xs: [n]f64) -> f64 {\n" + "\n".join(lines) + f"\n  return %t{k // 10 - 1}\n}}\n"


def stages(k):
    lines = []
    for i in range(k // 10):
        operation = f"filter(%v{i}) {{ |%x| %x > {i}.5 }}" if i % 2 else f"map(%v{i}) {{ |%x| %x + {i}.5 }}"
        lines.append(f"    %v{i + 1} = {operation}")
    return ("func @f(%xs: []f64) -> []f64 {\n  %r = for(10, %xs) { |%i, %v0|\n" + "\n".join(lines) +
            f"\n    %v{k // 10}\n  }}\n  return %r\n}}\n")


def rows(k):
    lines = [f"  %s{i} = reduce(flatmap(%xs) {{ |%x| generate(%x) {{ |%j| %j * {i} }} }}, 0) {{add}}" for i in range(k // 10)]
    lines += ["  %t0 = %s0"] + [f"  %t{i} = max(%t{i - 1}, %s{i})" for i in range(1, k // 10)]
    return "func @f(%xs: [n]i64) -> i64 {\n" + "\n".join(lines) + f"\n  return %t{k // 10 - 1}\n}}\n"


def dependent(k):
    lines = [f"  %s{i} = reduce(map(%xs) {{ |%x| %x + {f'%s{i - 1}' if i else '1.0'} }}, 0.0) {{add}}" for i in range(k)]
    return "func @f(%xs: [n]f64) -> f64 {\n" + "\n".join(lines) + f"\n  return %s{k - 1}\n}}\n"


def nest(d):
    text = "%x0"
    for level in range(d, 0, -1):
        text = f"reduce(map(%xs) {{ |%x{level}| {text} + %x{level} }}, 0.0) {{add}}".replace("%x0", f"%x{level}")
    return f"func @f(%xs: [n]f64) -> f64 {{\n  return {text}\n}}\n"


def groupings(k):
    lines = []
    for i in range(k // 20):
        lines += [f"  %k{i}, %g{i} = groupby(map(%xs) {{ |%x| at(%ys, %x) % {i + 2} }}, %xs)",
                  f"  %s{i} = reduce(map(%g{i}) {{ |%g| reduce(%g, 0) {{add}} }}, 0) {{max}}"]
    lines += ["  %t0 = %s0"] + [f"  %t{i} = max(%t{i - 1}, %s{i})" for i in range(1, k // 20)]
    return "func @f(%xs: [n]i64, %ys: [m]i64) -> i64 {\n" + "\n".join(lines) + f"\n  return %t{k // 20 - 1}\n}}\n"


def escapes(k):
    lines = ["  %v0 = %xs"]
    lines += [f'  %v{i + 1} = flatmap(%v{i}) {{ |%c| if(%c == {i % 90 + 33}u8) {{ "&{i};" }} else {{ [%c] }} }}' for i in range(k // 20)]
    return "func @f(%xs: []u8) -> []u8 {\n" + "\n".join(lines) + f"\n  return %v{k // 20}\n}}\n"


def product(i):
    """Of a matrix %xi and %w."""
    return (f"generate(%n) {{ |%i| generate(%m) {{ |%j| reduce(generate(%m) "
            f"{{ |%k| at(%x{i}, %i, %k) * at(%w, %k, %j) }}, 0.0) {{add}} }} }}")


def products(k):
    lines = []
    for i in range(k // 10):
        lines += [f"  %y{i} = {product(i)}",
                  f"  %x{i + 1} = for(2, %y{i}) {{ |%t, %a| map(%a) {{ |%r|",
                  "    %q = reduce(%r, 0.0) {max}", "    map(%r) { |%v| %v - %q } } }"]
    return ("func @f(%x0: [n][m]f64, %w: [m][m]f64) -> [n][m]f64 {\n" + "\n".join(lines) + f"\n  return %x{k // 10}\n}}\n")


def backward(k):
    lines = ["  %z = replicate(%m, 0.0)"]
    for i in range(k // 10):
        lines += [f"  %y{i} = {product(i)}",
                  f"  %x{i + 1} = reverse(scan(%y{i}, %z) {{ |%p, %q| map(%p, %q) {{add}} }})"]
    return ("func @f(%x0: [n][m]f64, %w: [m][m]f64) -> [n][m]f64 {\n" + "\n".join(lines) + f"\n  return %x{k // 10}\n}}\n")


def choices(k):
    lines = []
    for i in range(k // 10):
        lines += [f"  %s{i} = reduce(%x{i}, 0.0) {{add}}",
                  f"  %x{i + 1} = if(%s{i} > 0.0) {{ map(%x{i}) {{ |%v| %v / %s{i} }} }} else {{ map(%x{i}) {{ |%v| %v - %s{i} }} }}"]
    return "func @f(%x0: [n]f64) -> [n]f64 {\n" + "\n".join(lines) + f"\n  return %x{k // 10}\n}}\n"


def arith(d):
    text = "%a"
    for level in range(d):
        text = f"({text} + 0)" if level % 2 else f"({text} * %b)"
    return f"func @f(%a: i64, %b: i64) -> i64 {{\n  return {text}\n}}\n"


def functions(k):
    return "\n".join(f"func @f{i}(%x: i64) -> i64 {{ return %x * {i} + 1 }}" for i in range(10 * k)) + "\n"


# Programs that are only printed: -emit instead of a rule file.
KINDS = [("10 k functions, as IR", functions, "ir"), ("10 k functions, as C++", functions, "cpp"),
         ("chain of k maps", chain, "fusion.rules"), ("k slices of one array", slices, "fusion.rules"),
         ("k diamonds of maps", diamonds, "fusion.rules"),
         ("k diamonds in a row", row, "fusion.rules"),
         ("k sums of one array", sums, "fusion.rules"),
         ("k / 10 sums of filters", filters, "fusion.rules"),
         ("k / 10 stages in a `for`", stages, "fusion.rules"),
         ("k / 10 sums of flatmaps", rows, "fusion.rules"),
         ("k sums, each needs the last", dependent, "fusion.rules"), ("nest, d deep", nest, "fusion.rules"),
         ("k / 20 groupings", groupings, "fusion.rules"), ("k / 20 escapes in a row", escapes, "fusion.rules"),
         ("k / 10 matrix products", products, "fusion.rules"),
         ("k / 10 products, backwards", backward, "fusion.rules"),
         ("k / 10 conditionals", choices, "fusion.rules"),
         ("expression, d deep", arith, "arith.rules")]


def seconds_of_process(tool, kind, file):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([tool, "-emit", kind, "-o", os.devnull, file], cwd=ROOT, stdin=subprocess.DEVNULL, check=True, timeout=LIMIT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seconds(tool, rules, file):
    if not rules.endswith(".rules"):
        return seconds_of_process(tool, rules, file)
    done = subprocess.run([tool, "-rules", rules, "-stats=json", "-quiet", "-o", os.devnull, file], cwd=ROOT,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LIMIT)
    if done.returncode != 0:
        sys.exit(f"{rules}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return sum(p["seconds"] for p in json.loads(done.stderr)["phases"])


def main():
    parser = argparse.ArgumentParser(description="Measures how fusing and simplifying grow.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sizes", default="1000,2000,4000,10000")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    options = parser.parse_args()
    tool, sizes = str(pathlib.Path(options.tool).absolute()), [int(size) for size in options.sizes.split(",")]
    print(f"\ngrowth: seconds of CPU (exponent); medians of {options.runs} runs")
    print(f"{'':<28}" + "".join(f"{size:>18,}" for size in sizes))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "program.ir"
        for name, generate, rules in KINDS:
            if options.only not in name:
                continue
            print(f"{name:<28}", end="", flush=True)
            before = None
            for size in sizes:
                file.write_text(generate(size))
                try:
                    spent = statistics.median(seconds(tool, rules, str(file)) for _ in range(options.runs))
                except subprocess.TimeoutExpired:
                    print(f"{f'more than {LIMIT} s':>18}", end="", flush=True)
                    break
                results.growth("Growth of fusing and simplifying", name, size, spent, "k, the size of the program")
                exponent = "" if before is None else f"{math.log(spent / before[1]) / math.log(size / before[0]):.2f}"
                print(f"{f'{spent:.3f}' + (f' ({exponent})' if exponent else ''):>18}", end="", flush=True)
                before = size, spent
            print(flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
