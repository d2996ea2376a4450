#!/usr/bin/env python3
"""Matching modulo associativity and commutativity beside a plain reference, on random patterns and terms.

`soup` is flat, `bag` commutative. The reference tries every choice of operands for the patterns of a rule. The tool's result is one of
those that the reference finds, and the rule does not apply only where the reference finds none."""

import itertools
import re
import subprocess

import random_cases

ARITY = {"a": 0, "b": 0, "c": 0, "f": 1, "g": 2}
DECLARED = """type S
op soup(S...) -> S    pure total commutative associative
op bag(S...) -> S     pure total commutative
op hit(S...) -> S     pure total
op a() -> S           pure total
op b() -> S           pure total
op c() -> S           pure total
op f(S) -> S          pure total
op g(S, S) -> S       pure total
"""


# -- terms: (operation, parts...); a pattern has "?x", and "?xs..." among the parts ---------------------

def build(op, parts):
    """The application; of `soup` as a multiset, with nothing nested."""
    if op == "soup":
        parts = [inner for part in parts for inner in (part[1:] if part[0] == "soup" else [part])]
        if len(parts) == 1:
            return parts[0]
    return (op, *(sorted(parts) if op in ("soup", "bag") else parts))


def random_term(rng, depth):
    kind = rng.choice(["leaf", "leaf", "f", "g", "soup", "bag"]) if depth else "leaf"
    if kind == "leaf":
        return (rng.choice("abc"),)
    count = ARITY.get(kind) or rng.randint(2, 5)
    return build(kind, [random_term(rng, depth - 1) for _ in range(count)])


def random_pattern(rng, depth, root=False):
    kind = rng.choice(["soup", "bag"]) if root else rng.choice(["var", "var", "leaf", "f", "g", "soup"]) if depth else \
        rng.choice(["var", "leaf"])
    if kind == "var":
        return rng.choice(["?x", "?y", "?z"])
    if kind == "leaf":
        return (rng.choice("abc"),)
    count = ARITY.get(kind) or rng.randint(2, 3)
    parts = [random_pattern(rng, depth - 1) for _ in range(count)]
    if kind == "soup":  # what the tool makes of it when it is loaded
        parts = [inner for part in parts for inner in (part[1:] if part[0] == "soup" else [part])]
    if kind not in ARITY and rng.random() < 0.3 and not any(part.endswith("...") for part in parts if isinstance(part, str)):
        parts.append("?rs..." if root else "?qs...")
    return (kind, *parts)


def text(term):
    return term if isinstance(term, str) else f"{term[0]}({', '.join(map(text, term[1:]))})"


def names(pattern):
    found = [pattern] if isinstance(pattern, str) else [name for part in pattern[1:] for name in names(part)]
    return list(dict.fromkeys(found))


# -- the reference ----------------------------------------------------------------------------------

def matches(pattern, term, bound, root=False, every=True):
    """Every binding under which the pattern is the term; at the root of a flat operation, with "others" for what is beside.
    Not `every`: those that the documentation promises to find."""
    if isinstance(pattern, str):
        if bound.get(pattern, term) == term:
            yield {**bound, pattern: term}
    elif pattern[0] != term[0]:
        return
    elif pattern[0] in ("soup", "bag"):
        yield from any_order(pattern, list(term[1:]), bound, root, every)
    else:
        yield from in_order(pattern[1:], term[1:], bound, every)


def in_order(patterns, terms, bound, every):
    if len(patterns) != len(terms):
        return
    if not patterns:
        yield bound
        return
    for one in matches(patterns[0], terms[0], bound, every=every):
        yield from in_order(patterns[1:], terms[1:], one, every)


def any_order(pattern, terms, bound, root, every):
    flat = pattern[0] == "soup"
    sequences = [part for part in pattern[1:] if isinstance(part, str) and part.endswith("...")]
    singles = [part for part in pattern[1:] if part not in sequences]
    if root and flat and not sequences:
        sequences = ["others..."]
    for sizes in groupings(pattern[0], singles, len(terms), bool(sequences), every):
        yield from choose(pattern[0], singles, sizes, terms, sequences, bound, every)


def groupings(op, singles, count, open_end, every):
    """How many operands each pattern takes. Promised: one, and where there is no sequence, one of the variables that stand once
    takes what is left. A variable may take several where another part of the pattern says so."""
    ones = [1] * len(singles)
    if op == "bag":
        yield ones
        return
    variables = [i for i, single in enumerate(singles) if isinstance(single, str)]
    for sizes in itertools.product(*[range(1, count + 1) if i in variables else [1] for i in range(len(singles))]):
        large = [singles[i] for i, size in enumerate(sizes) if size > 1]
        promised = not large or (not open_end and len(large) == 1 and singles.count(large[0]) == 1)
        if sum(sizes) <= count and (open_end or sum(sizes) == count) and (every or promised):
            yield list(sizes)


def choose(op, singles, sizes, terms, sequences, bound, every):
    if not singles:
        if sequences:
            if bound.get(sequences[0], terms) == terms:
                yield {**bound, sequences[0]: terms}
        elif not terms:
            yield bound
        return
    for taken in itertools.combinations(range(len(terms)), sizes[0]):
        part = build(op, [terms[i] for i in taken]) if sizes[0] > 1 else terms[taken[0]]
        left = [term for i, term in enumerate(terms) if i not in taken]
        for one in matches(singles[0], part, bound, every=every):
            yield from choose(op, singles[1:], sizes[1:], left, sequences, one, every)


def results(pattern, term, every):
    """What the rule may make of the term."""
    for bound in matches(pattern, term, {}, root=True, every=every):
        parts = []
        for name in names(pattern):
            parts.append(build("bag", bound[name]) if name.endswith("...") else bound[name])
        made = build("hit", parts)
        yield build("soup", [made, *bound["others..."]]) if "others..." in bound else made


# -- the tool ---------------------------------------------------------------------------------------

def read(printed):
    """The term that the one function returns."""
    lines = re.findall(r"^  (?:(%\d+) = |(return) )(\S.*)$", printed, re.MULTILINE)
    values = {}
    for name, _, right in lines:
        op, parts = re.fullmatch(r"(\w+)\((.*)\)", right).groups() if "(" in right else (None, right)
        made = build(op, [values[part] for part in parts.split(", ") if part]) if op else values[right]
        values[name or "return"] = made
    return values["return"]


def wrong(tool, rng, folder):
    """What is wrong in a random case, and whether the rule applies; None: the case is left out."""
    pattern, term = random_pattern(rng, 2, root=True), random_term(rng, 3)
    term = build(pattern[0], [*term[1:], *(random_term(rng, 2) for _ in range(rng.randint(1, 3)))]) if rng.random() < 0.8 else term
    if rng.random() < 0.7:  # an instance, among others
        bound = {name: random_term(rng, 1) for name in names(pattern)}
        def put(part):
            return bound[part] if isinstance(part, str) else build(part[0], [put(inner) for inner in part[1:]])
        instance = put(pattern)
        if instance[0] == pattern[0] == "soup":
            instance = build("soup", [*instance[1:], *(random_term(rng, 1) for _ in range(rng.randint(0, 2)))])
        term = instance
    if term[0] != pattern[0] or len(term) > 7:
        return None
    parts = ", ".join(f"bag({name})" if name.endswith("...") else name for name in names(pattern))
    (folder / "r.rules").write_text(f"{DECLARED}rules r {{ found: {text(pattern)} => hit({parts}) }}\nphase p = oncetd(r)\n")
    (folder / "t.ir").write_text(f"func @f() -> S {{ return {text(term)} }}\n")
    promised, possible = (set(results(pattern, term, every)) for every in (False, True))
    done = subprocess.run([tool, "-rules", folder / "r.rules", folder / "t.ir"], capture_output=True, text=True)
    if done.returncode:
        return done.stderr, False
    made = read(done.stdout)
    return verdict(term, promised, possible, made), bool(promised)


def verdict(term, promised, possible, made):
    # It may apply further down: within a bag, to another one; no operand of a soup is one.
    inside = made[0] == term[0] and (made[0] == "bag" or "hit" not in [part[0] for part in made[1:]])
    if made in possible or (not promised and (made == term or inside)):
        return ""
    return f"gives {text(made)}; promised are {[text(one) for one in promised]}"


if __name__ == "__main__":
    random_cases.main(__doc__, wrong, 150, 1 / 3, "the rule applies")
