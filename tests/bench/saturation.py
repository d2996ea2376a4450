#!/usr/bin/env python3
"""Equality saturation beside egglog: the same rules, terms and costs, by turns.

Rules are written once, as s-expressions, and become a rule file and an egglog program. `saturate` runs until the rules show no
more or its limit is reached; egglog the number of iterations that stands beside the term, or until nothing is left (0). For each:

  cost     of the term that is found, what it uses twice counted once; in brackets that of the term that was given
  seconds  of CPU: `saturate` as -stats=json tells it; egglog's run and extraction. Medians
  nodes    that the tool made

egglog is in PyPI; without it only the tool is run.
"""

import argparse
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# The arithmetic of egg's tests (tests/math.rs), but for what needs conditions.
MATH = """
(comm-add      (add ?a ?b)                  (add ?b ?a))
(comm-mul      (mul ?a ?b)                  (mul ?b ?a))
(assoc-add     (add ?a (add ?b ?c))         (add (add ?a ?b) ?c))
(assoc-mul     (mul ?a (mul ?b ?c))         (mul (mul ?a ?b) ?c))
(sub-canon     (sub ?a ?b)                  (add ?a (mul (num -1) ?b)))
(zero-add      (add ?a (num 0))             ?a)
(zero-mul      (mul ?a (num 0))             (num 0))
(one-mul       (mul ?a (num 1))             ?a)
(cancel-sub    (sub ?a ?a)                  (num 0))
(distribute    (mul ?a (add ?b ?c))         (add (mul ?a ?b) (mul ?a ?c)))
(factor        (add (mul ?a ?b) (mul ?a ?c)) (mul ?a (add ?b ?c)))
(pow-mul       (mul (pow ?a ?b) (pow ?a ?c)) (pow ?a (add ?b ?c)))
(pow1          (pow ?x (num 1))             ?x)
(pow2          (pow ?x (num 2))             (mul ?x ?x))
(d-variable    (d (x) (x))                  (num 1))
(d-constant    (d (x) (y))                  (num 0))
(d-number      (d ?x (num ?i))              (num 0))
(d-add         (d ?x (add ?a ?b))           (add (d ?x ?a) (d ?x ?b)))
(d-mul         (d ?x (mul ?a ?b))           (add (mul ?a (d ?x ?b)) (mul ?b (d ?x ?a))))
(d-sin         (d ?x (sin ?x))              (cos ?x))
(d-cos         (d ?x (cos ?x))              (mul (num -1) (sin ?x)))
(add-numbers   (add (num ?i) (num ?j))      (num (+ ?i ?j)))
(mul-numbers   (mul (num ?i) (num ?j))      (num (* ?i ?j)))
"""
MATH_OPS = {"add": (2, 1), "mul": (2, 1), "sub": (2, 1), "pow": (2, 1), "d": (2, 100), "sin": (1, 1), "cos": (1, 1),
            "x": (0, 1), "y": (0, 1), "z": (0, 1)}

POWERS = """
(comm-add   (add ?a ?b)                   (add ?b ?a))
(comm-mul   (mul ?a ?b)                   (mul ?b ?a))
(assoc-add  (add (add ?a ?b) ?c)          (add ?a (add ?b ?c)))
(assoc-mul  (mul (mul ?a ?b) ?c)          (mul ?a (mul ?b ?c)))
(factor     (add (mul ?a ?b) (mul ?a ?c)) (mul ?a (add ?b ?c)))
"""

# Graphs of tensors, in the style of TASO (Jia et al., 2019): products that share an operand are done at once.
TENSORS = """
(comm-add      (add ?a ?b)                             (add ?b ?a))
(assoc-add     (add ?a (add ?b ?c))                    (add (add ?a ?b) ?c))
(assoc-mm      (mm ?a (mm ?b ?c))                      (mm (mm ?a ?b) ?c))
(assoc-mm-2    (mm (mm ?a ?b) ?c)                      (mm ?a (mm ?b ?c)))
(mm-add        (add (mm ?a ?b) (mm ?a ?c))             (mm ?a (add ?b ?c)))
(add-mm        (mm ?a (add ?b ?c))                     (add (mm ?a ?b) (mm ?a ?c)))
(mm-beside     (beside (mm ?a ?b) (mm ?a ?c))          (mm ?a (beside ?b ?c)))
(beside-mm     (mm ?a (beside ?b ?c))                  (beside (mm ?a ?b) (mm ?a ?c)))
(relu-beside   (beside (relu ?a) (relu ?b))            (relu (beside ?a ?b)))
(add-beside    (beside (add ?a ?b) (add ?c ?d))        (add (beside ?a ?c) (beside ?b ?d)))
(t-t           (t (t ?a))                              ?a)
(t-mm          (t (mm ?a ?b))                          (mm (t ?b) (t ?a)))
(mm-t          (mm (t ?b) (t ?a))                      (t (mm ?a ?b)))
(t-add         (t (add ?a ?b))                         (add (t ?a) (t ?b)))
(t-relu        (t (relu ?a))                           (relu (t ?a)))
(scale-mm      (scale ?s (mm ?a ?b))                   (mm (scale ?s ?a) ?b))
(mm-scale      (mm (scale ?s ?a) ?b)                   (scale ?s (mm ?a ?b)))
(scale-scale   (scale ?s (scale ?s2 ?a))               (scale (times ?s ?s2) ?a))
(scale-relu    (relu (scale ?s ?a))                    (relu (scale ?s ?a)))
"""
TENSOR_OPS = {"add": (2, 10), "mm": (2, 100), "beside": (2, 1), "relu": (1, 10), "t": (1, 12), "scale": (2, 10), "times": (2, 1),
              "a": (0, 0), "b": (0, 0), "c": (0, 0), "u": (0, 0), "v": (0, 0), "w": (0, 0), "s": (0, 0), "r": (0, 0)}


def parse(text):
    """All s-expressions of the text, as lists and words."""
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            last = stack.pop()
            stack[-1].append(last)
        else:
            stack[-1].append(token)
    return stack[0]


def polynomial(degree):
    """The sum of a_i x^i, each power a product."""
    terms = []
    for i in range(degree, -1, -1):
        term = f"(a{i})"
        for _ in range(i):
            term = f"(mul {term} (x))"
        terms.append(term)
    total = terms[0]
    for term in terms[1:]:
        total = f"(add {total} {term})"
    return total


def polynomial_ops(degree):
    return {"add": (2, 1), "mul": (2, 4), "x": (0, 0)} | {f"a{i}": (0, 0) for i in range(degree + 1)}


# Name: rules, operations (operands, cost), the term, our limit of nodes, egglog's iterations.
SYSTEMS = {
    "powers 3": (POWERS, polynomial_ops(3), polynomial(3), 100000, 0),
    "powers 5": (POWERS, polynomial_ops(5), polynomial(5), 100000, 0),
    "powers 6": (POWERS, polynomial_ops(6), polynomial(6), 100000, 0),
    "factors": (MATH, MATH_OPS, "(add (mul (x) (x)) (add (mul (num 4) (x)) (num 3)))", 2000, 7),
    "product": (MATH, MATH_OPS, "(d (x) (mul (x) (add (x) (mul (y) (x)))))", 350, 7),
    "sine": (MATH, MATH_OPS, "(d (x) (add (num 1) (mul (num 2) (sin (x)))))", 200, 5),
    "layers": (TENSORS, TENSOR_OPS, "(beside (relu (mm (a) (u))) (relu (mm (a) (beside (v) (w)))))", 2000, 6),
    "transposed": (TENSORS, TENSOR_OPS, "(add (t (mm (t (u)) (t (a)))) (scale (s) (mm (a) (scale (r) (v)))))", 2000, 6),
    "branches": (TENSORS, TENSOR_OPS, "(add (mm (a) (u)) (add (mm (b) (u)) (add (mm (a) (v)) (scale (s) (scale (r) (mm (a) (w)))))))",
                 4000, 6),
}


# -- the tool ---------------------------------------------------------------------------------------

def our_term(tree, left):
    if isinstance(tree, str):
        return tree
    name, *parts = tree
    if name == "num":
        value = parts[0]
        if isinstance(value, str):
            return f"num[#{value[1:]}]()" if value.startswith("?") else f"num[{value}]()"
        return f"num[#(#{value[1][1:]} {value[0]} #{value[2][1:]})]()"
    return f"o.{name}({', '.join(our_term(part, left) for part in parts)})"


def our_rules(rules, ops, limit):
    lines = ["type T", "op num[value: i64]() -> T  pure total", "cost op num 1"]
    trees = parse(rules)
    commutative = {rule[1][0] for rule in trees if rule[0].startswith("comm-")}
    for name, (operands, cost) in ops.items():
        traits = "pure total" + (" commutative" if name in commutative else "")
        lines += [f"op o.{name}({', '.join(['T'] * operands)}) -> T  {traits}", f"cost op o.{name} {cost}"]
    lines.append("rules r {")
    for name, left, right in trees:
        if not name.startswith("comm-") and left != right:
            lines.append(f"  {name}:  {our_term(left, True)}  =>  {our_term(right, False)}")
    return "\n".join([*lines, "}", f"phase p = saturate(r, {limit})"]) + "\n"


def run_ours(tool, system, folder):
    rules, ops, term, limit, _ = SYSTEMS[system]
    (folder / "r.rules").write_text(our_rules(rules, ops, limit))
    (folder / "t.ir").write_text(f"func @f() -> T {{ return {our_term(parse(term)[0], False)} }}\n")
    done = subprocess.run([tool, "-rules", folder / "r.rules", "-stats=json", folder / "t.ir"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{system}: {done.stderr}")
    stats = json.loads(done.stderr.strip().splitlines()[-1])
    cost, calls = 0, re.findall(r"(?:o\.(\w+)|num\[)", done.stdout)
    for name in calls:
        cost += ops[name][1] if name else 1
    return cost, stats["phases"][0]["seconds"], stats["nodes_created"]


# -- egglog -----------------------------------------------------------------------------------------

def their_term(tree):
    if isinstance(tree, str):
        return tree
    name, *parts = tree
    if name in "+*":
        return f"({name} {' '.join(parts)})"
    return f"({'Num' if name == 'num' else 'O' + name}{''.join(' ' + their_term(part) for part in parts)})"


def their_program(system):
    rules, ops, term, _, iterations = SYSTEMS[system]
    lines = ["(datatype T (Num i64 :cost 1)"]
    lines += [f"(O{name}{' T' * operands} :cost {cost})" for name, (operands, cost) in ops.items()]
    lines.append(")")
    lines += [f"(rewrite {their_term(left)} {their_term(right)})" for _, left, right in parse(rules) if left != right]
    lines += [f"(let $t {their_term(parse(term)[0])})",
              f"(run {iterations})" if iterations else "(run-schedule (saturate (run)))", "(extract $t)"]
    return "\n".join(lines)


def cost_of(text, ops):
    """Of an s-expression, equal parts counted once."""
    seen, total = set(), 0

    def visit(tree):
        nonlocal total
        key = json.dumps(tree)
        if key in seen or isinstance(tree, str):
            return
        seen.add(key)
        total += 1 if tree[0] == "Num" else ops[tree[0][1:]][1]
        for part in tree[1:]:
            visit(part)
    visit(parse(text)[0])
    return total


CHILD = """
import sys, time
from egglog.bindings import EGraph
text = sys.stdin.read()
begin = time.process_time()
graph = EGraph()
out = graph.run_program(*graph.parse_program(text))
print(time.process_time() - begin)
print(str(out[-1]).strip())
"""


def run_theirs(python, system):
    done = subprocess.run([python, "-c", CHILD], input=their_program(system), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{system}: {done.stderr}")
    seconds, term = done.stdout.split("\n", 1)
    return cost_of(term, SYSTEMS[system][1]), float(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--python", default=sys.executable, help="one that has egglog")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    peer = subprocess.run([options.python, "-c", "import egglog.bindings"], capture_output=True).returncode == 0
    print("| term | cost (given) | irrewrite | nodes | egglog's cost | egglog | factor |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        for system in SYSTEMS:
            if options.filter not in system:
                continue
            ours, theirs = [], []
            for _ in range(options.runs):
                ours.append(run_ours(options.tool, system, pathlib.Path(name)))
                if peer:
                    theirs.append(run_theirs(options.python, system))
            cost, _, nodes = ours[0]
            seconds = statistics.median(run[1] for run in ours)
            given = cost_of(their_term(parse(SYSTEMS[system][2])[0]), SYSTEMS[system][1])
            row = f"| {system} | {cost} ({given}) | {seconds:.4f} | {nodes:,} | "
            if theirs:
                other = statistics.median(run[1] for run in theirs)
                results.ratio("Equality saturation, against egglog", system, "egglog", seconds, other)
                row += f"{theirs[0][0]} | {other:.4f} | {other / seconds:.1f}x |"
            print(row if theirs else row + "| | |", flush=True)


if __name__ == "__main__":
    main()
