#!/usr/bin/env python3
"""Rewriting modulo associativity and commutativity, beside Maude: ten systems, each in tests/bench/ac/ as a rule file and
as a Maude module. Both rewrite the same term by turns; the normal forms are compared as multisets.

Columns: rewrites of Maude and of the tool; seconds of CPU that rewriting took, as both tell themselves, medians; Maude's
over the tool's. The numbers of rewrites differ: operands are taken in another order, and the tool keeps sets without a
rule."""

import argparse
import json
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

import rewriting
import results

SYSTEMS = pathlib.Path(__file__).resolve().parent / "ac"


def several(op, parts):
    return f"{op}({', '.join(parts)})"


def polynomial(n):
    return several("times", ["plus(x(1), x(2), x(3), num(1))"] * n)


def ring(n):
    steps = [f"implies(v({i}), v({i + 1}))" for i in range(n)]
    return f"implies({several('conj', steps)}, implies(v(0), v({n})))"


def coins(n):
    return several("soup", ["quarter()"] * (4 * n))


def sets(n):
    a, b = (several("set", [f"e({i * k % (2 * n)})" for i in range(n)]) for k in (3, 5))
    return f"minus({a}, {b})"


def vending(n):
    waiting = [f"wants.{'cake' if i % 3 else 'apple'}({i})" for i in range(n)]
    return several("soup", waiting + ["dollar()"] * (n // 2) + ["quarter()"] * n)


def philosophers(n):
    return several("soup", [part for i in range(n) for part in (f"hungry({i}, {(i + 1) % n}, 5)", f"fork({i})")])


def group(n):
    letters = [f"g({i % (n // 2)})" for i in range(n)]
    random.Random(1).shuffle(letters)
    return several("plus", [f"inv({letter})" if i % 2 else letter for i, letter in enumerate(letters)] + [f"inv({several('plus', letters)})"])


def sieve(n):
    return several("soup", [f"num({i})" for i in range(2, n)])


def largest(n):
    return several("soup", [f"num({i * 7919 % 10007})" for i in range(n)])


def paths(n):
    edges = [f"edge({i}, {i + 1})" for i in range(n)]
    random.Random(2).shuffle(edges)
    return several("soup", edges + ["path(-1, 0)"])


SIZES = {polynomial: ("P", 8), ring: ("B", 12), coins: ("S", 10000), sets: ("S", 800), vending: ("S", 2000),
         philosophers: ("S", 300), group: ("G", 600), sieve: ("S", 250), largest: ("S", 5000), paths: ("S", 1000)}
SMALL = {polynomial: 6, ring: 8, coins: 500, sets: 300, vending: 400, philosophers: 60, group: 300, largest: 1000, paths: 400}
MULTISETS = {"plus", "times", "exor", "conj", "soup", "set"}


def ours(tool, name, kind, term, folder):
    file = folder / "term.ir"
    file.write_text(f"func @main() -> {kind} {{ return {term} }}\n")
    text, errors, _, memory = rewriting.run(
        [tool, "-rules", str(SYSTEMS / f"{name}.rules"), "-quiet", "-stats=json", str(file)], folder)
    report = json.loads(errors)
    return sum(report["rules"].values()), sum(phase["seconds"] for phase in report["phases"]), text


def maudes(name, term, folder):
    file = folder / "term.maude"
    file.write_text((SYSTEMS / f"{name}.maude").read_text() + f"reduce {term.replace('()', '')} .\n")
    text, errors, _, _ = rewriting.run(["maude", "-no-banner", "-no-advise", "-no-wrap", "-batch", str(file)], folder)
    counts = re.search(r"^rewrites: (\d+) in (\d+)ms cpu", text, re.M)
    result = re.search(r"^result \w+: (.*)", text, re.M)
    if not counts or not result:
        sys.exit(f"maude, {name}: {text[:500]}{errors[:500]}")
    return int(counts[1]), max(int(counts[2]), 1) / 1000, result[1]


class Multisets(rewriting.NormalForms):
    """Normal forms as numbers, equal where the terms are modulo associativity and commutativity."""

    def __init__(self):
        super().__init__()
        self.parts = {}

    def number(self, operator, operands):
        if operator in MULTISETS:
            operands = sorted(inner for operand in operands for inner in
                              (self.parts[operand][1] if self.parts.get(operand, ("",))[0] == operator else [operand]))
        made = super().number(operator, operands)
        self.parts[made] = (operator, list(operands))
        return made


def row(system, kind, n, runs, tool, peer, folder):
    name, term = system.__name__, system(n)
    mine = [ours(tool, name, kind, term, folder) for _ in range(runs)]
    theirs = [maudes(name, term, folder) for _ in range(runs if peer else 0)]
    seconds = statistics.median(one[1] for one in mine)
    if not peer:
        print(f"{name:<13}{'':>10}{mine[0][0]:>10,}{seconds:>10.4f}", flush=True)
        return None
    forms = Multisets()
    if forms.of_program(mine[0][2]) != forms.read(theirs[0][2]):
        sys.exit(f"{name}: the normal forms differ:\n{mine[0][2][-2000:]}\n{theirs[0][2][-2000:]}")
    factor = statistics.median(one[1] for one in theirs) / seconds
    print(f"{name:<13}{theirs[0][0]:>10,}{mine[0][0]:>10,}{seconds:>10.4f}{factor * seconds:>10.4f}{factor:>8.1f}x", flush=True)
    results.ratio("Modulo associativity and commutativity, against Maude", name, "Maude", seconds, factor * seconds)
    return factor


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default=str(rewriting.ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="sizes for which Maude takes a few milliseconds or less")
    parser.add_argument("--only", default="", help="systems whose name contains this")
    options = parser.parse_args()
    tool, peer = str(pathlib.Path(options.tool).absolute()), shutil.which("maude")
    version = subprocess.run(["maude", "--version"], capture_output=True, text=True).stdout.strip() if peer else "not installed"
    print(f"\nmodulo associativity and commutativity; seconds of CPU, medians of {options.runs} runs; Maude {version}")
    print(f"{'':<13}{'Maude':>10}{'tool':>10}{'tool':>10}{'Maude':>10}{'factor':>9}")
    with tempfile.TemporaryDirectory() as folder:
        factors = [row(system, kind, SMALL.get(system, n) if options.small else n, options.runs, tool, peer, pathlib.Path(folder))
                   for system, (kind, n) in SIZES.items() if options.only in system.__name__]
    factors = [factor for factor in factors if factor]
    if factors:
        print(f"geometric mean {rewriting.mean(factors):.2f}x, least {min(factors):.2f}x")


if __name__ == "__main__":
    main()
