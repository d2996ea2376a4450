#!/usr/bin/env python3
"""Random programs with a recursive local function, whose parameters rules change: what they compute and print stays.

Parameters are numbers and pairs; operands of calls are parameters, terms, and calls, which may print.
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "rules/examples/parameters.rules"


class Program:
    def __init__(self, seed):
        self.choices = random.Random(seed)
        self.types = [self.choices.choice(["i64", "(i64, i64)"]) for _ in range(self.choices.randint(2, 5))]

    def parameter(self):
        i = self.choices.randrange(len(self.types))
        return f"%p{i}" if self.types[i] == "i64" else f"%p{i}.{self.choices.randint(0, 1)}"

    def term(self, depth):
        kind = self.choices.random()
        if depth == 0 or kind < 0.3:
            return str(self.choices.randint(0, 9)) if self.choices.random() < 0.3 else self.parameter()
        if kind < 0.4:
            return self.call(depth - 1)
        return f"({self.term(depth - 1)} {self.choices.choice('+-*')} {self.term(depth - 1)})"

    def operand(self, i, depth):
        if self.choices.random() < 0.5:
            return f"%p{i}"
        return self.term(depth) if self.types[i] == "i64" else f"({self.term(depth)}, {self.term(depth)})"

    def call(self, depth):
        return "@g(" + ", ".join(self.operand(i, depth) for i in range(len(self.types))) + ", %k - 1)"

    def entry(self, type):
        if type != "i64":
            return f"(%b, {self.choices.randint(0, 5)})"
        return "%a" if self.choices.random() < 0.7 else str(self.choices.randint(0, 5))

    def text(self):
        params = ", ".join(f"%p{i}: {type}" for i, type in enumerate(self.types))
        effect = "  print(%k)\n" if self.choices.random() < 0.3 else ""
        body = f"if(%k <= 0) {{ {self.choices.randint(0, 9)} }} else {{ {self.term(2)} + {self.call(1)} }}"
        calls = ["@g(" + ", ".join(self.entry(type) for type in self.types) + f", {k})" for k in (3, 2)]
        return (
            f"local func @g({params}, %k: i64) -> i64 {{\n{effect}  return {body}\n}}\n"
            f"func @f(%a: i64, %b: i64) -> i64 {{ return {calls[0]} + {calls[1]} }}\n"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    wrong, changed = set(), 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "program.ir")

        def run(*arguments):
            done = subprocess.run([tool, *arguments, path], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

        for seed in range(options.seed, options.seed + options.files):
            path.write_text(Program(seed).text())
            due = run("-run", "@f(3, 4)")
            for phases in (["-until", "unboxed"], []):
                given = run("-rules", RULES, *phases, "-run", "@f(3, 4)")
                if due != given or due[0] != 0:
                    wrong.add(seed)
                    print(f"FAILED seed {seed}\n{path.read_text()}due {due}\ngiven {given}\n")
            header = [run(*rules)[1].split("\n", maxsplit=1)[0] for rules in ([], ["-rules", RULES])]
            changed += header[0] != header[1]
    print(f"{changed} of {options.files} programs got other parameters")
    few = changed < options.files // 2
    print(f"{options.files - len(wrong)} passed, {len(wrong) + few} failed")
    return 1 if wrong or few else 0


if __name__ == "__main__":
    sys.exit(main())
