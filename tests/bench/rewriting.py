#!/usr/bin/env python3
"""The tool's rewriting of terms beside Maude's: systems of rules in the style of the Rewrite Engines Competition.

Each system stands in tests/bench/rec/ twice, as a rule file and as a Maude module with the same rules (`owise`
where the order of the rules decides). Both rewrite the same term, by turns; the normal forms are compared. For each:

  rewrites   those of Maude, and those of the tool where that makes fewer: equal terms are one node while it
             works on the graph, which it leaves after a few hundred rewrites
  seconds    of CPU that rewriting took, as both tell themselves (-stats=json; "rewrites: N in T ms cpu"), medians
  factor     Maude's seconds over the tool's; in brackets over all the CPU time of the tool's process, which reads
             the files and prints as well (Maude's is not compared: it takes long to read deep terms)
  MiB        peak memory of both processes

`--ways` compares the ways in which the tool itself rewrites terms, by turns: as machine code, interpreted (-no-jit), and on the graph
(IRREWRITE_MACHINE_CODE=graph), which gives up on long runs. Normal forms are compared, and the counts of rewrites of the first two.
"""

import argparse
import json
import math
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SYSTEMS = ROOT / "tests" / "bench" / "rec"
LIMIT = 200  # seconds for one command

# Name, result type, term; {n} is a number of Peano, {bits} one in binary, lowest digit outside; of the two sizes the
# first is a quick one.
TERMS = {
    "ackermann": ("Nat", "ack({3}, {n})", 6, 9),
    "automaton": ("Cells", "run(double(double({n})), blank(double(double({n}))))", 50, 750),
    "binary": ("Bits", "factorial({n}, one(end()))", 60, 300),
    "bubble_sort": ("List", "sort(down({n}))", 200, 720),
    "combinators": ("Term", "run({n})", 14, 18),
    "derivatives": ("Bits", "run({n}, {5})", 6, 10),
    "evaluation": ("Nat", "run({n})", 12, 16),
    "fib": ("Truth", "even(fib({n}))", 20, 25),
    "hanoi": ("Truth", "even(hanoi({n}, left(), middle(), right()))", 14, 18),
    "merge_sort": ("List", "sort(mix(down(double(double({n}))), nil(), nil()))", 100, 750),
    "queens": ("Nat", "queens({n})", 6, 8),
    "quick_sort": ("List", "sort(mix(down({n}), nil(), nil()))", 150, 600),
    "reverse": ("List", "turned(down(double(double(double({n})))))", 60, 625),
    "sieve": ("Truth", "even(sieve(upto({n}, {2})))", 299, 1999),
    "tautology": ("Formula", "tautology({n})", 9, 15),
    "tree": ("Keys", "run({bits})", 2000, 40000),
}


def term(text, n):
    def number(match):
        if match[1] == "bits":
            return "".join(("zero(", "one(")[n >> i & 1] for i in range(n.bit_length())) + "end()" + ")" * n.bit_length()
        k = n if match[1] == "n" else int(match[1])
        return "s(" * k + "z()" + ")" * k
    return re.sub(r"\{(n|bits|\d+)\}", number, text)


def program(name, n):
    kind, text, _, _ = TERMS[name]
    text = re.sub(r"\bsort\(", "list.sort(", text) # `sort` is that of arrays
    return f"func @main() -> {kind} {{\n  return {term(text, n)}\n}}\n"


# -- running ---------------------------------------------------------------------------------------


def deep_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def run(command, folder, environment=None, may_fail=False):
    """Standard output, standard error, CPU seconds, peak bytes."""
    # A child of ours starts with our own peak as its; one of a small process does not.
    measured = ["/usr/bin/time", "-q", "-o", str(folder / "time"), "-f", "%M", *command]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(folder / "out", "w+") as out, open(folder / "err", "w+") as errors:
        done = subprocess.run(measured, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                              preexec_fn=deep_stack, timeout=LIMIT, env=environment)
        out.seek(0), errors.seek(0)
        if done.returncode != 0 and may_fail:
            return None
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{errors.read()[-2000:]}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return out.read(), errors.read(), seconds, int((folder / "time").read_text()) * 1024


class NormalForms:
    """Terms as numbers, equal where the terms are."""

    def __init__(self):
        self.numbers = {}

    def read(self, text, names=None):
        stack, made = [], []  # of operators: name, length of `made` before
        for name, opens, closes in re.findall(r"([^\s(),]+)(\(?)|(\))", text):
            if closes:
                operator, below = stack.pop()
                made[below:] = [self.number(operator, made[below:])]
            elif opens:
                stack.append((name, len(made)))
            else:
                made.append(names[name] if names and name in names else self.number(name, []))
        assert len(made) == 1 and not stack
        return made[0]

    def number(self, operator, operands):
        return self.numbers.setdefault((operator, *operands), len(self.numbers))

    def of_program(self, text):
        names = {}
        for line in text.splitlines():
            if match := re.match(r"\s+(%\w+) = (.*)", line):
                names[match[1]] = self.read(match[2], names)
            elif match := re.match(r"\s+return (.*)", line):
                return self.read(match[1], names)


def ours(tool, name, n, folder, way=None):
    file = folder / "term.ir"
    file.write_text(program(name, n))
    measured = run([tool, "-rules", str(SYSTEMS / f"{name}.rules"), "-quiet", "-stats=json", str(file)], folder,
                   {**os.environ, "IRREWRITE_MACHINE_CODE": way or "on"}, may_fail=way == "graph")
    if not measured:
        return None
    text, errors, whole, memory = measured
    report = json.loads(errors)
    return {"rewrites": sum(report["rules"].values()), "seconds": sum(p["seconds"] for p in report["phases"]),
            "whole": whole, "memory": memory, "text": text}


def maudes(name, n, folder):
    file = folder / "term.maude"
    text = term(TERMS[name][1], n).replace("()", "")
    file.write_text((SYSTEMS / f"{name}.maude").read_text() + f"reduce {text} .\n")
    text, errors, whole, memory = run(["maude", "-no-banner", "-no-advise", "-no-wrap", "-batch", str(file)], folder)
    counts = re.search(r"^rewrites: (\d+) in (\d+)ms cpu", text, re.M)
    result = re.search(r"^result \w+: (.*)", text, re.M)
    if not counts or not result:
        sys.exit(f"maude, {name}: {text[:500]}{errors[:500]}")
    return {"rewrites": int(counts[1]), "seconds": max(int(counts[2]), 1) / 1000, "whole": whole, "memory": memory,
            "text": result[1]}


def middle(runs, key):
    return statistics.median(r[key] for r in runs)


def row(name, n, runs, tool, peer, folder):
    a, b = [], []
    for _ in range(runs):
        a.append(ours(tool, name, n, folder))
        if peer:
            b.append(maudes(name, n, folder))
    mine, whole = middle(a, "seconds"), middle(a, "whole")
    if not peer:
        print(f"{name:<13}{a[0]['rewrites']:>12,}{'':>12}{mine:>9.3f}{'':>25}{middle(a, 'memory') / 2**20:>6.0f}", flush=True)
        return None
    forms = NormalForms()
    if forms.of_program(a[0]["text"]) != forms.read(b[0]["text"]):
        sys.exit(f"{name}: the normal forms differ")
    theirs, factor = middle(b, "seconds"), middle(b, "seconds") / mine
    equal = a[0]["rewrites"] == b[0]["rewrites"]
    print(f"{name:<13}{b[0]['rewrites']:>12,}{'' if equal else format(a[0]['rewrites'], ','):>12}{mine:>9.3f}{theirs:>9.3f}"
          f"{factor:>7.1f}x {f'({theirs / whole:.1f}x)':>8}{middle(a, 'memory') / 2**20:>6.0f}{middle(b, 'memory') / 2**20:>6.0f}",
          flush=True)
    results.ratio("Rewriting terms, against Maude", name, "Maude", mine, theirs)
    return factor, equal


# -- the tool's own ways ---------------------------------------------------------------------------


def compare_ways(name, n, runs, tool, folder):
    """The interpreter's seconds over those of machine code."""
    ways = {way: [] for way in ("on", "off", "graph")}
    for turn in range(runs):
        for way, measured in ways.items():
            if way != "graph" or turn == 0:
                measured.append(ours(tool, name, n, folder, way))
    code, interpreted, graph = ways["on"], ways["off"], ways["graph"][0]
    compiled = not graph or code[0]["rewrites"] != graph["rewrites"] # else too large for machine code: on the graph as well
    if compiled and code[0]["rewrites"] != interpreted[0]["rewrites"]:
        sys.exit(f"{name}: numbers of rewrites differ: {code[0]['rewrites']}, {interpreted[0]['rewrites']}")
    for other in filter(None, (interpreted[0], graph)):
        if other["text"] != code[0]["text"]:
            sys.exit(f"{name}: the normal forms differ")
    a, b = middle(code, "seconds"), middle(interpreted, "seconds")
    on_graph = f"{graph['seconds']:>9.3f}{graph['seconds'] / a:>8.1f}x" if graph else f"{'gave up':>9}{'':>9}"
    factor = f"{b / a:>7.2f}x" if compiled else f"{'':>8}"
    print(f"{name:<13}{interpreted[0]['rewrites']:>12,}{a:>9.3f}{b:>13.3f}{factor}{on_graph}"
          f"{middle(code, 'memory') / 2**20:>6.0f}{middle(interpreted, 'memory') / 2**20:>6.0f}", flush=True)
    return b / a if compiled else None


def ways_of_the_tool(options, tool):
    print(f"\nterms; seconds of CPU, medians of {options.runs} runs by turns (on the graph one run); MiB as machine code, interpreted")
    print(f"{'':<13}{'rewrites':>12}{'code':>9}{'interpreted':>13}{'':>8}{'graph':>9}{'':>9}{'MiB':>6}")
    factors = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, _, small, full) in TERMS.items():
            if options.only in name:
                factors[name] = compare_ways(name, small if options.small else full, options.runs, tool, pathlib.Path(folder))
    factors = {name: factor for name, factor in factors.items() if factor}
    if factors:
        print(f"interpreted, geometric mean {mean(factors.values()):.2f}x; most {max(factors.values()):.2f}x")
    return 0


def mean(factors):
    return math.exp(statistics.fmean(map(math.log, factors))) if factors else float("nan")


def main():
    parser = argparse.ArgumentParser(description="Rewrites terms, and has Maude do the same.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--small", action="store_true", help="small terms")
    parser.add_argument("--ways", action="store_true", help="machine code, the interpreter and the graph instead of Maude")
    parser.add_argument("--only", default="", help="systems whose name contains this")
    options = parser.parse_args()
    tool, peer = str(pathlib.Path(options.tool).absolute()), shutil.which("maude")
    if not os.path.exists("/usr/bin/time"):
        print("\nterms: /usr/bin/time is not installed (Debian's time), which measures memory")
        return 0
    if options.ways:
        return ways_of_the_tool(options, tool)
    version = subprocess.run(["maude", "--version"], capture_output=True, text=True).stdout.strip() if peer else ""
    print(f"\nterms; seconds of CPU, medians of {options.runs} runs by turns; MiB" + (f"; Maude {version}" if peer else ""))
    if not peer:
        print("maude is not installed: only the tool's own numbers")
    print(f"{'':<13}{'rewrites':>12}{'of the tool':>12}{'tool':>9}{'Maude':>9}{'factor':>8}{'':>9}{'tool':>6}{'Maude':>6}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (_, _, small, full) in TERMS.items():
            if options.only in name:
                rows.append(row(name, small if options.small else full, options.runs, tool, peer, pathlib.Path(folder)))
    rows = [r for r in rows if r]
    if rows:
        equal = [factor for factor, same in rows if same]
        print(f"geometric mean {mean([factor for factor, _ in rows]):.2f}x; of the {len(equal)} with equal numbers of "
              f"rewrites {mean(equal):.2f}x; least {min(factor for factor, _ in rows):.2f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
