#!/usr/bin/env python3
"""Random rule files: well-typed rules over random operations and on functions, applied to programs in which their left sides stand.

A run either gives a program that the tool reads again and prints as C++, or stops with a message that names a rule or a line of
the rule file; it never ends in another way (a crash, a broken invariant, an endless run). Neither does -check, asked for every
file whose seed is a multiple of --check, nor -lint, for multiples of --lint. A file that fails is kept, with the seed that makes
it again: --seed N --files 1 --check 1 --lint 1."""

import argparse
import pathlib
import random
import re
import subprocess
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from function_rules import file_of_functions

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
        self.types, self.literals, self.becomes = list(VALUES), {}, {}
        self.function, self.effects = None, True
        self.delays = self.random.random() < 0.3
        if self.random.random() < 0.25:
            self.declare_type()
        for k in range(self.random.randint(1, 4)):
            self.declare(f"r.op{k}")
        self.operations = CORE + self.declared
        self.rules, self.late, self.facts, self.functions = [], [], [], []
        for k in range(self.random.randint(1, 5)):
            self.any_rule(k)
        while not self.rules:
            self.rule(len(self.functions))
        self.shapes, functions = "", ""
        if self.random.random() < 0.4:
            self.effects = False
            self.shapes, functions = file_of_functions(self.random, lambda of, names: self.term(of, names, 2))
            self.functions.append(functions)

    # -- operations and types

    def declare_type(self):
        late = " as []f64 at lowered" if self.delays and self.random.random() < 0.5 else ""
        self.lines.append(f"type R{late}")
        self.types.append("R")
        self.becomes = {"R": "[]f64"} if late else {}
        meaning = "  = { |%x| replicate(2, %x) } at lowered" if late else ""
        self.lines.append(f"op r.new(f64) -> R pure total{meaning}")
        self.declared.append(("r.new", ["f64"], "R"))
        self.literals["R"] = "r.new(1.0)"

    def declare(self, name):
        draw = self.random
        if draw.random() < 0.15:
            return self.declare_with_block(name)
        operands = [draw.choice(TYPES if draw.random() < 0.2 else self.types) for _ in range(draw.randint(1, 3))]
        result = draw.choice(self.types)
        memory = [i for i, operand in enumerate(operands) if operand.startswith("ref")]
        traits = " ".join(f"reads({i})" for i in memory) if memory else "pure"
        if not memory:
            traits += draw.choice([" total", " partial"])
            if len(operands) == 2 and operands[0] == operands[1] and draw.random() < 0.4:
                traits += " commutative"
        line = f"op {name}({', '.join(operands)}) -> {result} {traits}"
        lowered = bool({*operands, result} & set(self.becomes))
        if lowered or draw.random() < 0.5 and "R" not in operands + [result]:
            names = [f"%p{i}" for i in range(len(operands))]
            body = self.meaning(result, dict(zip(names, operands)))
            if not memory or "get(" in body:
                late = " at lowered" if lowered or self.delays and draw.random() < 0.3 else ""
                line += f"  = {{ |{', '.join(names)}| {body} }}{late}"
        self.lines.append(line)
        self.declared.append((name, operands, result))
        return None

    def meaning(self, result, operands):
        """In an expansion, types are what they become, and no other operation of the file occurs."""
        self.operations = CORE
        becomes = lambda of: self.becomes.get(of, of)
        return self.term(becomes(result), {name: becomes(of) for name, of in operands.items()}, 2)

    def declare_with_block(self, name):
        """An operation with a block, or one that changes a cell."""
        if self.random.random() < 0.5:
            meaning = "  = { |%p0, ?f| map(%p0) { |%x| ?f(%x) } }" if self.random.random() < 0.5 else ""
            self.lines.append(f"op {name}([?n]f64) {{f64 -> f64}} hot -> [?n]f64 pure partial{meaning}")
            self.blocks = name
        else:
            self.lines.append(f"op {name}(ref i64, i64) -> i64 reads(0) writes(0)  = "
                              "{ |%r, %x| %old = get(%r) set(%r, %x) %old }")
            self.declared.append((name, ["ref i64", "i64"], "i64"))

    blocks = "map"

    # -- terms

    def leaf(self, wanted, variables):
        found = [name for name, of in variables.items() if of == wanted]
        if found and self.random.random() < 0.85:
            return self.random.choice(found)
        return self.literal(wanted)

    def literal(self, wanted):
        k = self.random.choice([0, 1, 2, 7])
        return {"i64": f"{k}", "f64": f"{k}.0", "bool": self.random.choice(["true", "false"]), "u8": f"{k}u8",
                "[]i64": f"iota({k})", "[]f64": f"replicate({k}, 1.0)", "(i64, f64)": f"({k}, 1.0)",
                "ref i64": f"ref({k})", **self.literals}[wanted]

    def term(self, wanted, variables, depth):
        draw = self.random
        if depth == 0 or draw.random() < 0.2:
            return self.leaf(wanted, variables)
        below = depth - 1
        if wanted == "f64" and self.function and draw.random() < 0.4:
            return f"{self.function}({self.term('f64', variables, below)})"
        if wanted == "[]f64" and draw.random() < 0.3:
            inner = {**variables, "%e": "f64"}
            name = draw.choice(["map", self.blocks])
            return f"{name}({self.term('[]f64', variables, below)}) {{ |%e| {self.term('f64', inner, below)} }}"
        if wanted == "[]f64" and draw.random() < 0.15:
            inner = {**variables, "%g": "i64"}
            return f"generate({self.term('i64', variables, below)}) {{ |%g| {self.term('f64', inner, below)} }}"
        if wanted == "[]i64" and draw.random() < 0.2:
            inner = {**variables, "%k": "i64"}
            return f"filter({self.term('[]i64', variables, below)}) {{ |%k| {self.term('bool', inner, below)} }}"
        if wanted == "i64" and draw.random() < 0.1:
            return f"reduce({self.term('[]i64', variables, below)}, 0) {{add}}"
        if wanted in SCALARS and draw.random() < 0.15:
            parts = [self.term(of, variables, below) for of in ("bool", wanted, wanted)]
            return "if({}) {{ || {} }} else {{ || {} }}".format(*parts)
        if wanted in ("i64", "f64") and draw.random() < 0.1:
            inner = {**variables, "%i": "i64", "%a": wanted}
            count, first = self.term("i64", variables, below), self.term(wanted, variables, below)
            return f"for({count}, {first}) {{ |%i, %a| {self.term(wanted, inner, below)} }}"
        makers = [o for o in self.operations if o[2] == wanted and (self.effects or "ref i64" not in o[1] + [o[2]])]
        if not makers:
            return self.leaf(wanted, variables)
        name, operands, _ = draw.choice(makers)
        return f"{name}({', '.join(self.term(of, variables, below) for of in operands)})"

    # -- rules, and a function in which each left side stands

    def any_rule(self, k):
        kinds = [self.rule] * 6 + [self.rule_of_literals, self.rule_of_block, self.rule_of_roots, self.rule_of_cells,
                                   self.rule_of_sequence, self.fact]
        self.random.choice(kinds)(k)

    def variables(self):
        draw = self.random
        return {f"?{c}": draw.choice(TYPES if draw.random() < 0.2 else self.types) for c in "abcd"}

    def right(self, kind, used, left):
        """A right side; only in place of an effect it has one."""
        self.effects = "ref" in left or any(name in left for name, operands, _ in self.declared if "ref i64" in operands)
        made = self.term(kind, used, 2)
        self.effects = True
        return made

    def add(self, left, right, variables, kind, where="", body=None):
        """The rule, in which each variable has its type, and a function of its variables."""
        used = {name: of for name, of in variables.items() if name in left}
        typed = left
        for name, of in used.items():
            typed = re.sub(re.escape(name) + r"\b", f"{name}: {of}", typed, count=1)
        rules = self.late if self.delays and self.random.random() < 0.2 else self.rules
        k = len(self.functions)
        rules.append(f"  rule{k}:  {typed}  =>  {right}{where}")
        body = re.sub(r"\?([a-z])\b", r"%\1", body or f"return {left}").replace("{ ||", "{")
        parameters = ", ".join(f"%{name[1]}: {of}" for name, of in used.items())
        self.functions.append(f"func @f{k}({parameters}) -> {kind} {{\n  {body}\n}}")

    def rule(self, _):
        kind, variables = self.random.choice(self.types), self.variables()
        left = self.term(kind, variables, 3)
        if not re.match(r"[a-z]", left) or left in ("true", "false"):
            return
        used = {name: of for name, of in variables.items() if name in left}
        where = self.condition(used)
        self.add(left, self.right(kind, used, left), variables, kind, where)

    def condition(self, used):
        draw = self.random
        if not used or draw.random() < 0.7:
            return ""
        name = draw.choice(list(used))
        other = draw.choice(list(used))
        facts = [f"total({name})", f"pure({name})", f"not literal({name})", f"uses({name}) < 3", f"closed({name})",
                 f"parameter({name})", f"once({name})", f"type({name}) == type({other})"]
        return f"  where {draw.choice(facts)}"

    def rule_of_literals(self, _):
        draw = self.random
        name = draw.choice(["add", "sub", "mul", "div", "min", "shl"])
        test = draw.choice(["#k > 1", "#k != 0", "#k == 7 or #k < 2", "#k >= 0, #k < 8"])
        right = draw.choice(["?a", f"{name}(?a, #(#k - 1))", f"{name}(?a, {name}(?a, #(#k / 2)))", "#(#k * 2)", "#k"])
        body = f"return {name}(%a, {draw.choice([0, 1, 2, 7, 8])})"
        self.add(f"{name}(?a, #k)", right, {"?a": draw.choice(["i64", "u8"])}, "i64", f"  where {test}",
                 body.replace("%a", "?a"))
        if "?a: u8" in (self.late + self.rules)[-1] or "%a: u8" in self.functions[-1]:
            self.functions[-1] = self.functions[-1].replace("-> i64", "-> u8")

    def rule_of_block(self, _):
        """A left side with any block, which the right side puts elsewhere."""
        name = self.random.choice(["map", self.blocks])
        variables = {"?b": "[]f64"}
        self.function = "?f"
        right = self.right("[]f64", variables, "")
        self.function = None
        block = self.term("f64", {"%e": "f64"}, 2)
        self.add(f"{name}(?b) {{ |%e| ?f(%e) }}", right, variables, "[]f64", "", f"return {name}(?b) {{ |%e| {block} }}")

    def rule_of_roots(self, _):
        kinds = [self.random.choice(self.types) for _ in range(2)]
        self.effects = False
        variables = {name: of for name, of in self.variables().items() if of != "ref i64"}
        left = [self.term(kind, variables, 2) for kind in kinds]
        used = {name: of for name, of in variables.items() if any(name in root for root in left)}
        right = [self.term(kind, used, 2) for kind in kinds]
        self.effects = True
        if all(re.match(r"[a-z]", root) and root not in ("true", "false") for root in left) and left[0] != left[1]:
            self.add(" & ".join(left), ", ".join(right), variables, ", ".join(kinds), "", f"return {', '.join(left)}")

    def rule_of_cells(self, _):
        variables = {"?r": "ref i64", "?a": "i64", "?b": "i64"}
        self.effects = False
        first, second, third = (self.term("i64", {"?a": "i64", "?b": "i64"}, 2) for _ in range(3))
        self.effects = True
        left, body = self.random.choice([
            (f"set(?r, {first}) & set(?r, {second})", f"set(?r, {first})  set(?r, {second})  return get(?r)"),
            (f"set(?r, {first}) & get(?r)", f"set(?r, {first})  return get(?r)")])
        right = self.random.choice([f"(), set(?r, {third})", f"set(?r, {third}), ()", f"set(?r, {third}), set(?r, 1)"])
        if left.endswith("get(?r)"):
            right = f"set(?r, {third}), {self.random.choice(['1', third])}"
        variables = {name: of for name, of in variables.items() if name in left}
        if all(name in left for name in ("?a", "?b") if name in right):
            self.add(left, right, variables, "i64", "", body)

    def rule_of_sequence(self, _):
        left = f"concat(?x..., {self.term('[]i64', {'?a': 'i64'}, 2)}, ?y...)"
        right = self.random.choice(["concat(?y..., ?x...)", "concat(?x..., ?y...)", "iota(count(?x))",
                                    "concat(?x..., reverse(concat(?y...)))"])
        variables = {"?a": "i64"}
        body = left.replace("?x...", "iota(2)").replace(", ?y...", ", iota(1)")
        self.add(left, right, variables, "[]i64", "", f"return {body}")

    def fact(self, k):
        self.effects = False
        known = self.term("i64", {"?x": "i64"}, 2)
        self.effects = True
        self.facts.append(self.random.choice([f"fact after set(?r: ref i64, ?x): get(?r) => {known}",
                                              "fact in then of if(?c): ?c => true",
                                              f"fact in then of if(eq(?x: i64, #k)): ?x => {self.random.choice(['#k', '7'])}"]))
        self.functions.append(f"func @f{k}_{len(self.functions)}(%r: ref i64, %x: i64, %c: bool) -> i64 {{\n"
                              "  set(%r, %x)\n  return if(%c) { if(%x == 2) { get(%r) } else { add(%x, get(%r)) } } else { %x }\n}")

    def operations_text(self):
        """The declarations for what a run gives: behind the phase `lowered`, each R is a []f64."""
        lines = self.lines
        if self.lines[0].startswith("type R as"):
            lines = [re.sub(r"\bR\b", "[]f64", line) for line in self.lines[1:]]
        return "\n".join(lines) + "\n" + ("phase lowered\n" if self.delays else "")

    def rules_text(self):
        # Few rewrites: a rule that doubles its argument makes programs whose running takes exponentially long.
        strategy = self.random.choice(["innermost(all)", "outermost(all)", "topdown(try(all))", "bottomup(try(all))",
                                       "repeat(oncetd(all))", "flow(all)"])
        strategy = strategy.replace("(all)", "(random)")
        text = "\n".join(self.facts) + "\nrules random {\n" + "\n".join(self.rules) + "\n}\n"
        if self.late:
            text += "rules late at lowered {\n" + "\n".join(self.late) + "\n}\n"
        late = "phase lowered\n" if self.delays else ""
        done = f"phase done = limit(12, {strategy})\n"
        return "\n".join(self.lines) + "\n" + text + self.shapes + done + late

    def program_text(self):
        return "\n".join(self.functions) + "\n"


def run(tool, arguments):
    try:
        done = subprocess.run([tool, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return 124, "", "it does not end"
    return done.returncode, done.stdout, done.stderr


def attempt(tool, seed, folder, every):
    """What is wrong with this file; nothing if all is well. `every`: which seeds -check and -lint are asked about."""
    made = File(seed)
    operations, rules, program, again = (folder / f"{seed}.{end}" for end in ("ops.rules", "rules", "ir", "again.ir"))
    operations.write_text(made.operations_text())
    rules.write_text(made.rules_text())
    program.write_text(made.program_text())
    code, out, error = run(tool, ["-rules", str(rules), "-fuel", "300", str(program)])
    outcome = "rewritten"
    if code == 0:
        again.write_text(out)
        code, _, error = run(tool, ["-emit", "cpp", "-rules", str(operations), str(again)])
        if code != 0 and "has no text for" not in error:
            return f"the program that it gives is invalid:\n{out}{error}", outcome
    elif code not in (1, 4):
        return f"exit code {code}:\n{error}", outcome
    elif "rule" not in error and rules.name not in error:
        return f"the message names no rule:\n{error}", outcome
    else:
        outcome = "refused: " + error.split("error: ")[-1].split("\n")[0]
    for question, nth in every.items():
        if nth and seed % nth == 0:
            code, _, error = run(tool, [question, "-instances", "40", "-rules", str(rules)])
            if code not in (0, 1, 3, 4):
                return f"{question}: exit code {code}:\n{error}", outcome
    for file in (operations, rules, program, again):
        file.unlink(missing_ok=True)
    return None, outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first file")
    parser.add_argument("--check", type=int, default=4, help="-check of every so manieth file; 0: of none")
    parser.add_argument("--lint", type=int, default=8, help="the same of -lint")
    parser.add_argument("--progress", action="store_true", help="a line for every thousand files")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("-v", action="store_true", help="what became of each file")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="random-rules-"))
    failed, rewritten, began = 0, 0, time.monotonic()
    every = {"-check": options.check, "-lint": options.lint}
    with ThreadPoolExecutor(options.j) as pool:
        seeds = range(options.seed, options.seed + options.files)
        results = pool.map(lambda s: attempt(tool, s, folder, every), seeds)
        for done, (seed, (wrong, outcome)) in enumerate(zip(seeds, results), 1):
            rewritten += outcome == "rewritten"
            if options.v:
                print(f"{seed}: {outcome}")
            if wrong:
                failed += 1
                print(f"FAILED seed {seed}, {folder}/{seed}.rules: {wrong}", flush=True)
            if options.progress and done % 1000 == 0:
                print(f"{done} files, {failed} failed, {time.monotonic() - began:.0f} s", flush=True)
    if not failed:
        shutil.rmtree(folder)
    # A generator whose files are all refused tests nothing.
    few = rewritten * 4 < options.files
    if few:
        print(f"only {rewritten} of {options.files} files gave a program")
    print(f"{rewritten} gave a program")
    print(f"{options.files - failed} passed, {failed} failed")
    return 1 if failed or few else 0


if __name__ == "__main__":
    sys.exit(main())
