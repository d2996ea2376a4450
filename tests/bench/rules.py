#!/usr/bin/env python3
"""What rules cost that do not apply. Numbers are printed, never judged.

  load    a file of 1,000 rules for as many operations: seconds of CPU of the whole process, less those of one without
  visit   a program in which no rule applies, by a number of rules: millions of nodes a second in `innermost`
          (seconds of CPU as -stats=json tells them). `these`: rules for the operations of the program, each of which
          asks for two operations below the root, and finds one of them often; `others`: rules for operations that it
          does not have; `arith.rules`: a program that they have simplified already

Programs have functions of 1,000 operations, drawn with fixed seeds. Medians of runs by turns.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import dags

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LIMIT = 200  # seconds for one command
OPERATIONS = 10
NOTHING = "func @nothing() -> i64 { return 0 }\n"


def declarations():
    lines = ["type T", "op mark() -> T pure total", "op hide(T) -> T pure total"]
    return lines + [f"op g{i}(T, T) -> T pure total" for i in range(OPERATIONS)]


# Two for each pair of operations: mark() stands below hide() alone.
def these(count):
    patterns = [pattern for i in range(OPERATIONS) for j in range(OPERATIONS)
                for pattern in (f"g{i}(g{j}(?x, mark()), ?y)", f"g{i}(?x, g{j}(mark(), ?y))")]
    return [f"  these-{n}: {pattern} => ?x" for n, pattern in enumerate(patterns[:count])]


def others(count):
    return [f"  others-{n}: o{n}(o{(n * 7 + 1) % count}(?x, #a), #b) => o{n}(?x, #(#a + #b))" for n in range(count)]


def rule_file(rules, operations=0):
    lines = declarations() + [f"op o{n}(T, i64) -> T pure total" for n in range(operations)]
    # One rule that stands still, so that there is a phase where there are no others.
    return "\n".join(lines + ["rules generated {", "  mark: hide(hide(mark())) => mark()", *rules, "}",
                              "phase done = innermost(generated)", ""])


def program(operations, each=1000, seed=1):
    rng = random.Random(seed)
    out = []
    for number in range(operations // each):
        lines = [f"func @f{number}(%a: T, %b: T) -> T {{", "  %v0 = hide(mark())"]
        for i in range(1, each):
            below = rng.randrange(max(0, i - 30), i)
            lines.append(f"  %v{i} = g{rng.randrange(OPERATIONS)}(%v{i - 1}, %v{below})")
        out.append("\n".join(lines + [f"  return %v{each - 1}", "}", ""]))
    return "".join(out)


def run(command):
    """CPU seconds, standard error."""
    with tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    if child.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit code {child.returncode}\n{text[:2000]}")
    return usage.ru_utime + usage.ru_stime, text


class Bench:
    def __init__(self, options, folder):
        self.tool, self.runs, self.size = options.tool, options.runs, int(float(options.size))
        self.folder = pathlib.Path(folder)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def load(self):
        empty, rules = self.file("empty.ir", NOTHING), self.file("load.rules", rule_file(others(1000), 1000))
        spent = [(run([self.tool, "-rules", rules, empty])[0], run([self.tool, empty])[0]) for _ in range(self.runs)]
        print(f"{'load 1,000 rules':<34}{statistics.median(a - b for a, b in spent) * 1000:>8.1f} ms")

    # Nodes a second, of each of the rule files, by turns.
    def visit(self, file, rules):
        nodes = []
        for _ in range(self.runs):
            row = []
            for each in rules:
                _, report = run([self.tool, "-rules", each, "-stats=json", "-quiet", file])
                report = json.loads(report)
                if sum(report["rules"].values()):
                    sys.exit(f"{each}: a rule fired")
                row.append(sum(report["before"].values()) / 1e6 / sum(phase["seconds"] for phase in report["phases"]))
            nodes.append(row)
        return [statistics.median(column) for column in zip(*nodes)]

    def generated(self):
        file = self.file("program.ir", program(self.size))
        kinds = {"no rule": rule_file([])}
        kinds |= {f"{n:,} rules for these operations": rule_file(these(n)) for n in (20, 200)}
        kinds |= {f"{n:,} rules for others": rule_file(others(n), n) for n in (200, 1000)}
        rules = [self.file(f"{i}.rules", text) for i, text in enumerate(kinds.values())]
        for kind, speed in zip(kinds, self.visit(file, rules)):
            print(f"{kind:<34}{speed:>8.2f} M nodes/s", flush=True)

    def simplified(self):
        with (self.folder / "dag.ir").open("w") as out:
            dags.write_ir(out, self.size, 1000)
        for _ in range(2): # the second time nothing is left
            text = subprocess.run([self.tool, "-rules", "arith.rules", str(self.folder / "dag.ir")], cwd=ROOT, check=True,
                                  capture_output=True, text=True, timeout=LIMIT).stdout
            (self.folder / "dag.ir").write_text(text)
        speed, = self.visit(str(self.folder / "dag.ir"), ["arith.rules"])
        print(f"{'arith.rules':<34}{speed:>8.2f} M nodes/s", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measures loading rules, and visiting nodes at which none applies.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--size", default="1e6", help="number of operations")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).absolute())
    print(f"\nrules that do not apply; medians of {options.runs} runs")
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        bench.load()
        bench.generated()
        bench.simplified()
    return 0


if __name__ == "__main__":
    sys.exit(main())
