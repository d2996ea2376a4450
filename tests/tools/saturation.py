#!/usr/bin/env python3
"""`saturate` beside a plain reference, on random rules and terms.

The operations are addition, multiplication and negation modulo 7, under names that the tool knows nothing of; rules are random
pairs of terms with equal values. For each case the reference rewrites the term by every rule at every place, until it finds no
other term, and takes the least cost as a tree. The tool must find a term that costs no more, equal parts counted once, and that
has the same values.
"""

import collections
import functools
import itertools
import random
import re
import subprocess

import random_cases

OPERATIONS = {"zero": 0, "one": 0, "two": 0, "neg": 1, "plus": 2, "times": 2}
MODULUS = 7
MOST_NODES = 40    # of a term
MOST_TERMS = 4000  # that the reference looks at; a case with more is left out


def value(term, names):
    """A term is a name of a variable, or a tuple (operation, operand…)."""
    if isinstance(term, str):
        return names[term]
    parts = [value(part, names) for part in term[1:]]
    return {"zero": lambda: 0, "one": lambda: 1, "two": lambda: 2, "neg": lambda a: -a, "plus": lambda a, b: a + b,
            "times": lambda a, b: a * b}[term[0]](*parts) % MODULUS


def leaves(term):
    if isinstance(term, str):
        return collections.Counter([term])
    return sum((leaves(part) for part in term[1:]), collections.Counter())


def size(term):
    return 1 if isinstance(term, str) else 1 + sum(size(part) for part in term[1:])


def random_term(rng, names, depth):
    if depth == 0 or rng.random() < 0.25:
        return rng.choice([*names, ("zero",), ("one",), ("two",)])
    name = rng.choice(["neg", "plus", "times", "plus", "times"])
    return (name, *(random_term(rng, names, depth - 1) for _ in range(OPERATIONS[name])))


@functools.cache
def equal_terms():
    """Groups of random terms that have equal values, whatever stands for their variables."""
    rng = random.Random(0)
    names = ["x", "y", "z"]
    all_values = [dict(zip(names, each)) for each in itertools.product(range(MODULUS), repeat=3)][::5]
    by_values = collections.defaultdict(set)
    for _ in range(6000):
        term = random_term(rng, names, rng.choice([1, 2, 2, 3]))
        by_values[tuple(value(term, each) for each in all_values)].add(term)
    return [sorted(group, key=repr) for group in by_values.values() if len(group) > 1]


def equations(rng, count):
    """Pairs of equal terms, the right one no larger; often the left side of one is the right side of another."""
    groups, found = equal_terms(), []
    while len(found) < count:
        group = rng.choice(groups)
        chain = sorted(rng.sample(group, min(len(group), rng.choice([2, 3, 4]))), key=size, reverse=True)
        for left, right in zip(chain, chain[1:]):
            fits = not isinstance(left, str) and size(left) <= 9 and leaves(right) <= leaves(left)
            if fits and (left, right) not in found:
                found.append((left, right))
    return found[:count]


# -- the reference ----------------------------------------------------------------------------------

def match(pattern, term, names):
    if isinstance(pattern, str):
        if pattern in names:
            return names if names[pattern] == term else None
        return names | {pattern: term}
    if isinstance(term, str) or term[0] != pattern[0]:
        return None
    for a, b in zip(pattern[1:], term[1:]):
        names = match(a, b, names)
        if names is None:
            return None
    return names


def put(pattern, names):
    return names[pattern] if isinstance(pattern, str) else (pattern[0], *(put(part, names) for part in pattern[1:]))


def steps(term, rules):
    for left, right in rules:
        names = match(left, term, {})
        if names is not None:
            yield put(right, names)
    if not isinstance(term, str):
        for i, part in enumerate(term[1:], 1):
            for made in steps(part, rules):
                yield (*term[:i], made, *term[i + 1:])


def cost_of(term, costs):
    """As a tree."""
    return 0 if isinstance(term, str) else costs[term[0]] + sum(cost_of(part, costs) for part in term[1:])


def dearer(rng, term, rules):
    """The term with the left side of a rule somewhere: before its right side, if that stands there, else with new terms."""
    if not isinstance(term, str) and len(term) > 1 and rng.random() < 0.5:
        i = rng.randrange(1, len(term))
        return (*term[:i], dearer(rng, term[i], rules), *term[i + 1:])
    left, right = rng.choice(rules)
    names = match(right, term, {}) or {}
    for name in leaves(left):
        names.setdefault(name, random_term(rng, ["a", "b"], 1))
    return put(left, {name: names[name] for name in leaves(left) if name in names})


def least_cost(term, rules, costs):
    """Of all terms that the rules lead to; none: there are too many."""
    seen, todo = {term}, [term]
    while todo:
        for made in steps(todo.pop(), rules):
            if made not in seen:
                seen.add(made)
                todo.append(made)
                if len(seen) > MOST_TERMS:
                    return None
    return min(cost_of(each, costs) for each in seen)


# -- the tool ---------------------------------------------------------------------------------------

def text(term, sigil):
    return sigil + term if isinstance(term, str) else f"m.{term[0]}({', '.join(text(part, sigil) for part in term[1:])})"


def rule_file(rules, costs):
    lines = ["type M"]
    for name, operands in OPERATIONS.items():
        lines += [f"op m.{name}({', '.join(['M'] * operands)}) -> M  pure total", f"cost op m.{name} {costs[name]}"]
    lines.append("rules r {")
    lines += [f"  rule-{i}:  {text(left, '?')}  =>  {text(right, '?')}" for i, (left, right) in enumerate(rules)]
    return "\n".join([*lines, "}", "phase p = saturate(r, 20000)"]) + "\n"


def read(printed):
    """The result of the printed function, and the cost of its lines."""
    names, lines = {"a": "a", "b": "b"}, []
    for line in printed.splitlines():
        if found := re.fullmatch(r"  (?:%(\d+) = |return )(.+)", line):
            lines.append(found)
    cost = []
    for line in lines:
        if call := re.fullmatch(r"m\.(\w+)\((.*)\)", line[2]):
            cost.append(call[1])
            term = (call[1], *(names[part.strip()[1:]] for part in call[2].split(",") if part.strip()))
        else:
            term = names[line[2][1:]]
        names[line[1] or "result"] = term
    return names["result"], cost


def wrong(tool, rng, folder):
    """What is wrong in a random case, and whether the rules make its term cheaper; None: it is left out."""
    rules = equations(rng, rng.randint(3, 6))
    term = random_term(rng, ["a", "b"], 2)
    for _ in range(rng.randint(1, 4)):
        term = dearer(rng, term, rules)
    costs = {name: rng.randint(1, 9) for name in OPERATIONS}
    least = None if size(term) > MOST_NODES else least_cost(term, rules, costs)
    if least is None or isinstance(term, str):
        return None
    cheaper = least < cost_of(term, costs)
    if not cheaper and rng.random() < 0.7:
        return None
    (folder / "r.rules").write_text(rule_file(rules, costs))
    (folder / "t.ir").write_text(f"func @f(%a: M, %b: M) -> M {{ return {text(term, '%')} }}\n")
    done = subprocess.run([tool, "-rules", folder / "r.rules", folder / "t.ir"], capture_output=True, text=True)
    if done.returncode:
        return done.stderr, cheaper
    made, used = read(done.stdout)
    cost = sum(costs[name] for name in used)
    if cost > least:
        return f"the term costs {cost}, and one that costs {least} can be reached:\n{done.stdout}", cheaper
    for a, b in itertools.product(range(MODULUS), repeat=2):
        if value(made, {"a": a, "b": b}) != value(term, {"a": a, "b": b}):
            return f"the values differ for {a}, {b}:\n{done.stdout}", cheaper
    return "", cheaper


if __name__ == "__main__":
    random_cases.main(__doc__, wrong, 100, 1 / 2, "the term can become cheaper")
