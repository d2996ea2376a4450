#!/usr/bin/env python3
"""Fusion, text to text: `irrewrite -rules fusion.rules` beside mlir-opt-16 on the same programs.

  chain     maps, each over the one before
  diamond   maps of one input that meet in maps of two arrays
  shared    two maps of an array that is itself computed, and a map of both
  filter    filter, map, filter, map, …, and a sum at the end (no counterpart)
  sums      reductions over one input (mlir-opt does not join them)
  nest      maps of matrices, element by element
  group     sums over the groups of a grouping (no counterpart)

in 1,000 functions of 6 operations, 10 of 1,000 and one of 10,000 (or other --sizes). The peer runs
--linalg-fuse-elementwise-ops --canonicalize --cse on linalg.generic. Seconds of CPU (user and system) and peak
memory, medians of runs that alternate; "loops" are those of the first function afterwards, in the order of the columns.
With --before TOOL an earlier build takes part, with its rules in ../share/irrewrite/rules. Nothing is judged.
"""

import argparse
import math
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MLIR = "mlir-opt-16"
PASSES = ["--linalg-fuse-elementwise-ops", "--canonicalize", "--cse"]
OPERATIONS = ("add", "mul", "sub", "max")
PEERS = {"add": "arith.addf", "mul": "arith.mulf", "sub": "arith.subf", "max": "arith.maxf"}


# A program is a list of steps: (name, operation, operands), where an operand is the name of an array or a number.


def operation(i):
    return OPERATIONS[i % len(OPERATIONS)]


def number(function, i):
    return float(1 + (function * 7 + i * 3) % 97) + 0.5


def chain(function, k):
    return [(f"v{i}", operation(i), [f"v{i - 1}" if i else "xs", number(function, i)]) for i in range(k)]


def diamond(function, k):
    steps, last = [], "xs"
    while len(steps) < k:
        i = len(steps)
        steps += [(f"v{i}", operation(i), [last, number(function, i)]),
                  (f"v{i + 1}", operation(i + 1), ["xs", number(function, i + 1)]),
                  (f"v{i + 2}", operation(i + 2), [f"v{i}", f"v{i + 1}"])]
        last = f"v{i + 2}"
    return steps


def shared(function, k):
    steps, last = [], "xs"
    while len(steps) < k:
        i = len(steps)
        steps += [(f"v{i}", operation(i), [last, number(function, i)]),
                  (f"v{i + 1}", operation(i + 1), [last, number(function, i + 1)]),
                  (f"v{i + 2}", operation(i + 2), [f"v{i}", f"v{i + 1}"])]
        last = f"v{i + 2}"
    return steps


def maps(steps, function):
    lines = []
    for name, op, operands in steps:
        arrays = [operand for operand in operands if isinstance(operand, str)]
        block = f"|{', '.join(f'%a{i}' for i in range(len(arrays)))}|"
        values = [f"%a{arrays.index(operand)}" if isinstance(operand, str) else str(operand) for operand in operands]
        lines.append(f"  %{name} = map({', '.join('%' + array for array in arrays)}) {{ {block} {op}({', '.join(values)}) }}")
    return f"func @f{function}(%xs: [n]f64) -> [n]f64 {{\n" + "\n".join(lines) + f"\n  return %{steps[-1][0]}\n}}\n"


def nested_maps(steps, function):
    lines = []
    for name, op, (array, constant) in steps:
        lines.append(f"  %{name} = map(%{array}) {{ |%r| map(%r) {{ |%a| {op}(%a, {constant}) }} }}")
    return f"func @f{function}(%xs: [n][m]f64) -> [n][m]f64 {{\n" + "\n".join(lines) + f"\n  return %{steps[-1][0]}\n}}\n"


def filters(function, k):
    lines, last = [], "xs"
    for i in range(0, k, 2):
        lines += [f"  %v{i} = filter(%{last}) {{ |%a| gt(%a, {number(function, i)}) }}",
                  f"  %v{i + 1} = map(%v{i}) {{ |%a| {operation(i)}(%a, {number(function, i + 1)}) }}"]
        last = f"v{i + 1}"
    return f"func @f{function}(%xs: [n]f64) -> f64 {{\n" + "\n".join(lines) + f"\n  return reduce(%{last}, 0.0) {{add}}\n}}\n"


def sums(function, k):
    lines = []
    for i in range(0, k, 2):
        lines += [f"  %v{i} = map(%xs) {{ |%a| {operation(i)}(%a, {number(function, i)}) }}",
                  f"  %s{i} = reduce(%v{i}, 0.0) {{add}}"]
    results = [f"%s{i}" for i in range(0, k, 2)]
    return f"func @f{function}(%xs: [n]f64) -> {', '.join(['f64'] * len(results))} {{\n" + "\n".join(lines) + \
        f"\n  return {', '.join(results)}\n}}\n"


def groups(function, k):
    lines = ["  %keys, %groups = groupby(map(%xs) { |%x| cast[i64](%x) }, %xs)"]
    results = []
    for i in range(0, k, 2):
        lines += [f"  %s{i} = map(%groups) {{ |%g| reduce(map(%g) {{ |%a| {operation(i)}(%a, {number(function, i)}) }}, 0.0) {{add}} }}"]
        results.append(f"%s{i}")
    types = ", ".join(["[]i64"] + ["[]f64"] * len(results))
    return f"func @f{function}(%xs: [n]f64) -> {types} {{\n" + "\n".join(lines) + f"\n  return %keys, {', '.join(results)}\n}}\n"


# -- the peer's text -------------------------------------------------------------------------------


def generic(name, op, operands, rank, out, accumulator=""):
    """One linalg.generic, whose body holds its constants; with an accumulator a sum of its array."""
    arrays = [operand for operand in operands if isinstance(operand, str)]
    kind = f"tensor<{'?x' * rank}f64>"
    target = "tensor<f64>" if accumulator else kind
    iterator = '"reduction"' if accumulator else '"parallel"'
    body, values = [], []
    for i, operand in enumerate(operands):
        if isinstance(operand, str):
            values.append(f"%b{arrays.index(operand)}")
        else:
            body.append(f"    %c{i} = arith.constant {operand} : f64")
            values.append(f"%c{i}")
    body.append(f"    %r = {op} {', '.join(values + ['%o'] if accumulator else values)} : f64")
    indexing = ", ".join([f"#id{rank}"] * len(arrays) + ["#none" if accumulator else f"#id{rank}"])
    return "\n".join(
        [f"  %{name} = linalg.generic {{indexing_maps = [{indexing}], iterator_types = [{', '.join([iterator] * rank)}]}}"
         f" ins({', '.join('%' + array for array in arrays)} : {', '.join([kind] * len(arrays))})"
         f" outs(%{accumulator or out} : {target}) {{",
         f"  ^bb0({', '.join(f'%b{i}: f64' for i in range(len(arrays)))}, %o: f64):", *body,
         f"    linalg.yield %r : f64", f"  }} -> {target}"])


PEER_HEADER = """#id1 = affine_map<(i) -> (i)>
#id2 = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i) -> ()>
"""


def peer_function(function, rank, body, results, types):
    sizes = [f"  %i{i} = arith.constant {i} : index\n  %n{i} = tensor.dim %xs, %i{i} : tensor<{'?x' * rank}f64>" for i in range(rank)]
    empty = f"  %e = tensor.empty({', '.join(f'%n{i}' for i in range(rank))}) : tensor<{'?x' * rank}f64>"
    return "\n".join([f"func.func @f{function}(%xs: tensor<{'?x' * rank}f64>) -> ({', '.join(types)}) {{", *sizes, empty, *body,
                      f"  return {', '.join('%' + name for name in results)} : {', '.join(types)}", "}", ""])


def peer_maps(steps, function, rank=1):
    body = [generic(name, PEERS[op], operands, rank, "e") for name, op, operands in steps]
    return peer_function(function, rank, body, [steps[-1][0]], [f"tensor<{'?x' * rank}f64>"])


def peer_sums(function, k):
    body, results = ["  %zero = arith.constant dense<0.0> : tensor<f64>"], []
    for i in range(0, k, 2):
        body.append(generic(f"v{i}", PEERS[operation(i)], ["xs", number(function, i)], 1, "e"))
        body.append(generic(f"s{i}", "arith.addf", [f"v{i}"], 1, "e", "zero"))
        results.append(f"s{i}")
    return peer_function(function, 1, body, results, ["tensor<f64>"] * len(results))


# Of each shape: our function, and the peer's, by number and operations.
SHAPES = {
    "chain": (lambda f, k: maps(chain(f, k), f), lambda f, k: peer_maps(chain(f, k), f)),
    "diamond": (lambda f, k: maps(diamond(f, k), f), lambda f, k: peer_maps(diamond(f, k), f)),
    "shared": (lambda f, k: maps(shared(f, k), f), lambda f, k: peer_maps(shared(f, k), f)),
    "filter": (filters, None),
    "sums": (sums, peer_sums),
    "nest": (lambda f, k: nested_maps(chain(f, k), f), lambda f, k: peer_maps(chain(f, k), f, 2)),
    "group": (groups, None),
}


def run(command, limit):
    """Seconds of CPU, peak MiB; infinitely many seconds where there are more than the limit."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return math.inf, usage.ru_maxrss / 1024
        if child.returncode:
            errors.seek(0)
            sys.exit(f"{' '.join(command)}: exit code {child.returncode}\n{errors.read().decode(errors='replace')[:2000]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def loops(command, word):
    """How many the first function of the result has."""
    text = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
    return text.split("func ")[1].count(word)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--before", default="", help="an earlier build, with its rules beside it")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sizes", default="1000x6,10x1000,1x10000", help="functions x operations")
    parser.add_argument("--limit", type=int, default=300, help="seconds of CPU for one command")
    parser.add_argument("--only", default="", help="these shapes, with commas")
    options = parser.parse_args()
    sizes = [tuple(map(int, size.split("x"))) for size in options.sizes.split(",")]
    tools = {"irrewrite": options.tool, **({"before": options.before} if options.before else {})}
    peer = shutil.which(MLIR)
    names = [*tools, *([MLIR] if peer else [])]
    print(f"{'functions x operations':<26}" + "".join(f"{name + ', s':>15}{'MiB':>6}" for name in names) + "  ratios      loops")
    with tempfile.TemporaryDirectory() as folder:
        for shape, (ours, theirs) in SHAPES.items():
            if options.only and shape not in options.only.split(","):
                continue
            for count, k in sizes:
                program, other = pathlib.Path(folder) / "p.ir", pathlib.Path(folder) / "p.mlir"
                program.write_text("".join(ours(f, k) for f in range(count)))
                commands = {name: [tool, "-rules", "fusion.rules", str(program)] for name, tool in tools.items()}
                if peer and theirs:
                    other.write_text(PEER_HEADER + "".join(theirs(f, k) for f in range(count)))
                    commands[MLIR] = [peer, *PASSES, str(other)]
                measured = {name: [] for name in commands}
                for _ in range(options.runs):
                    for name, command in commands.items():
                        measured[name].append(run(command, options.limit))
                late = [name for name in commands if math.isinf(measured[name][0][0])]
                medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in measured.items()}
                text = f"{f'{shape} {count:,} x {k:,}':<26}"
                for name in names:
                    text += f"{medians[name][0]:>15.3f}{medians[name][1]:>6.0f}" if name in medians else f"{'':>21}"
                text += "  " + " ".join(f"{medians[name][0] / medians['irrewrite'][0]:.2f}x" for name in names[1:] if name in medians)
                left = ["-" if name in late else str(loops(commands[name], "linalg.generic {" if name == MLIR else "loop("))
                        for name in commands]
                print(f"{text}  {'/'.join(left)}", flush=True)


main()
