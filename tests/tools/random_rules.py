#!/usr/bin/env python3
"""Random rule files: well-typed rules over random operations, applied to programs in which their left sides stand.

A run either gives a program that the tool reads again, or stops with a message that names a rule or a line of the rule file;
it never ends in another way (a crash, a broken invariant, an endless run), and neither do -check and -lint. A file that fails
is kept, with the seed that makes it again: --seed N --files 1."""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCALARS = ["i64", "f64", "bool", "u8"]
TYPES = SCALARS + ["[]i64", "[]f64", "(i64, f64)", "ref i64"]
VALUES = [t for t in TYPES if not t.startswith("ref")]
# Operations of core.rules: name, operands, result.
CORE = [("add", ["i64", "i64"], "i64"), ("mul", ["i64", "i64"], "i64"), ("div", ["i64", "i64"], "i64"),
        ("sub", ["f64", "f64"], "f64"), ("mul", ["f64", "f64"], "f64"), ("min", ["u8", "u8"], "u8"),
        ("shl", ["u8", "u8"], "u8"), ("lt", ["i64", "i64"], "bool"), ("eq", ["f64", "f64"], "bool"),
        ("and", ["bool", "bool"], "bool"), ("not", ["bool"], "bool"), ("select", ["bool", "i64", "i64"], "i64"),
        ("select", ["bool", "[]f64", "[]f64"], "[]f64"), ("len", ["[]i64"], "i64"), ("at", ["[]f64", "i64"], "f64"),
        ("at", ["[]i64", "i64"], "i64"), ("iota", ["i64"], "[]i64"), ("concat", ["[]i64", "[]i64"], "[]i64"),
        ("replicate", ["i64", "f64"], "[]f64"), ("reverse", ["[]f64"], "[]f64"), ("get", ["ref i64"], "i64"),
        ("ref", ["i64"], "ref i64"), ("slice", ["[]i64", "i64", "i64"], "[]i64")]


class File:
    """One rule file and its program."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.declared, self.lines = [], []
        for k in range(self.random.randint(1, 4)):
            self.declare(f"r.op{k}")
        self.operations = CORE + self.declared
        self.rules, self.functions = [], []
        for k in range(self.random.randint(1, 5)):
            self.rule(k)
        while not self.rules:
            self.rule(0)

    # -- operations

    def declare(self, name):
        draw = self.random
        operands = [draw.choice(TYPES if draw.random() < 0.2 else VALUES) for _ in range(draw.randint(1, 3))]
        result = draw.choice(VALUES)
        memory = [i for i, operand in enumerate(operands) if operand.startswith("ref")]
        traits = " ".join(f"reads({i})" for i in memory) if memory else "pure"
        if not memory:
            traits += draw.choice([" total", " partial"])
            if len(operands) == 2 and operands[0] == operands[1] and draw.random() < 0.4:
                traits += " commutative"
        line = f"op {name}({', '.join(operands)}) -> {result} {traits}"
        if draw.random() < 0.5:
            names = [f"%p{i}" for i in range(len(operands))]
            self.operations = CORE
            body = self.term(result, dict(zip(names, operands)), 2)
            if not memory or "get(" in body:
                line += f"  = {{ |{', '.join(names)}| {body} }}"
        self.lines.append(line)
        self.declared.append((name, operands, result))

    # -- terms

    def leaf(self, wanted, variables):
        found = [name for name, of in variables.items() if of == wanted]
        if found and self.random.random() < 0.85:
            return self.random.choice(found)
        return self.literal(wanted, variables)

    def literal(self, wanted, variables):
        k = self.random.choice([0, 1, 2, 7])
        return {"i64": f"{k}", "f64": f"{k}.0", "bool": self.random.choice(["true", "false"]), "u8": f"{k}u8",
                "[]i64": f"iota({k})", "[]f64": f"replicate({k}, 1.0)", "(i64, f64)": f"({k}, 1.0)",
                "ref i64": f"ref({k})"}[wanted]

    def term(self, wanted, variables, depth):
        if depth == 0 or self.random.random() < 0.2:
            return self.leaf(wanted, variables)
        makers = [o for o in self.operations if o[2] == wanted]
        if wanted == "[]f64" and self.random.random() < 0.3:
            inner = {**variables, "%e": "f64"}
            return f"map({self.term('[]f64', variables, depth - 1)}) {{ |%e| {self.term('f64', inner, depth - 1)} }}"
        if wanted in SCALARS and self.random.random() < 0.15:
            parts = [self.term(of, variables, depth - 1) for of in ("bool", wanted, wanted)]
            return "if({}) {{ || {} }} else {{ || {} }}".format(*parts)
        if not makers:
            return self.leaf(wanted, variables)
        name, operands, _ = self.random.choice(makers)
        return f"{name}({', '.join(self.term(of, variables, depth - 1) for of in operands)})"

    # -- rules, and a function in which each left side stands

    def rule(self, k):
        draw = self.random
        kind = draw.choice(VALUES)
        variables = {f"?{c}": draw.choice(TYPES if draw.random() < 0.2 else VALUES) for c in "abcd"}
        left = self.term(kind, variables, 3)
        if not re.match(r"[a-z]", left) or left in ("true", "false"):
            return
        used = {name: of for name, of in variables.items() if name in left}
        right = self.term(kind, used, 2)
        typed, seen = left, set()
        for name, of in used.items():
            typed = re.sub(re.escape(name) + r"\b", f"{name}: {of}" if name not in seen else name, typed, count=1)
        self.rules.append(f"  rule{k}:  {typed}  =>  {right}")
        names = {name: f"%{name[1]}" for name in used}
        body = re.sub(r"\?([a-d])\b", r"%\1", left).replace("{ ||", "{")
        parameters = ", ".join(f"{names[name]}: {of}" for name, of in used.items())
        self.functions.append(f"func @f{k}({parameters}) -> {kind} {{\n  return {body}\n}}")

    def operations_text(self):
        return "\n".join(self.lines) + "\n"

    def rules_text(self):
        # Few rewrites: a rule that doubles its argument makes programs whose running takes exponentially long.
        strategy = self.random.choice(["innermost(all)", "outermost(all)", "topdown(try(all))", "bottomup(try(all))",
                                       "repeat(oncetd(all))", "flow(all)"])
        strategy = strategy.replace("(all)", "(random)")
        return "rules random {\n" + "\n".join(self.rules) + f"\n}}\nphase done = limit(12, {strategy})\n"

    def program_text(self):
        return "\n".join(self.functions) + "\n"


def run(tool, arguments):
    try:
        done = subprocess.run([tool, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return 124, "", "it does not end"
    return done.returncode, done.stdout, done.stderr


def attempt(tool, seed, folder):
    """What is wrong with this file; nothing if all is well."""
    made = File(seed)
    operations, rules, program = (folder / f"{seed}.{end}" for end in ("ops.rules", "rules", "ir"))
    operations.write_text(made.operations_text())
    rules.write_text(f'import "{operations.name}"\n' + made.rules_text())
    program.write_text(made.program_text())
    code, out, error = run(tool, ["-rules", str(rules), "-fuel", "3000", str(program)])
    outcome = "rewritten"
    if code == 0:
        again = folder / f"{seed}.again.ir"
        again.write_text(out)
        code, _, error = run(tool, ["-rules", str(operations), str(again)])
        if code != 0:
            return f"the program that it gives is invalid:\n{out}{error}", outcome
    elif code not in (1, 4):
        return f"exit code {code}:\n{error}", outcome
    elif "rule" not in error and rules.name not in error and operations.name not in error:
        return f"the message names no rule:\n{error}", outcome
    else:
        outcome = "refused: " + error.split("error: ")[-1].split("\n")[0]
    for questions in (["-check", "-instances", "40"], ["-lint"], ["-emit", "cpp", "-fuel", "3000", str(program)]):
        code, _, error = run(tool, [*questions, "-rules", str(rules)])
        if code not in (0, 1, 3, 4):
            return f"{questions[0]}: exit code {code}:\n{error}", outcome
    for file in (operations, rules, program, folder / f"{seed}.again.ir"):
        file.unlink(missing_ok=True)
    return None, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first file")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("-v", action="store_true", help="what became of each file")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="random-rules-"))
    failed, rewritten = 0, 0
    with ThreadPoolExecutor(options.j) as pool:
        seeds = range(options.seed, options.seed + options.files)
        for seed, (wrong, outcome) in zip(seeds, pool.map(lambda s: attempt(tool, s, folder), seeds)):
            rewritten += outcome == "rewritten"
            if options.v:
                print(f"{seed}: {outcome}")
            if wrong:
                failed += 1
                print(f"FAILED seed {seed}, {folder}/{seed}.rules: {wrong}")
    # A generator whose files are all refused tests nothing.
    few = rewritten * 4 < options.files
    if few:
        print(f"only {rewritten} of {options.files} files gave a program")
    print(f"{rewritten} gave a program")
    print(f"{options.files - failed} passed, {failed} failed")
    return 1 if failed or few else 0


if __name__ == "__main__":
    sys.exit(main())
