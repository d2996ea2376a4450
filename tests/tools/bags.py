#!/usr/bin/env python3
"""Normal forms modulo associativity and commutativity beside a plain reference, on random sets of rules and terms.

Rules replace some operands of `soup`, which is flat, by something smaller, so that rewriting ends. The tool rewrites as far as each
number of rewrites. Each step is one that the reference allows; at the end, no rule applies that the documentation promises to
apply; and with -trace the normal form is the same."""

import subprocess

import modulo
import random_cases


def random_rule(rng):
    """A left and a right side; the right side is smaller."""
    left = modulo.random_pattern(rng, 2, root=True)
    while left[0] != "soup" or len(left) < 3:
        left = modulo.random_pattern(rng, 2, root=True)
    variables = [name for name in modulo.names(left) if not name.endswith("...")]
    right = rng.choice([(rng.choice("abc"),), *variables])
    rest = [part for part in left[1:] if part == "?rs..."]
    if rest and rng.random() < 0.8:  # else it is dropped
        right = ("soup", right, *rest)
    return left, right


def instance(rng, pattern):
    bound = {name: modulo.random_term(rng, rng.choice([0, 0, 1])) for name in modulo.names(pattern)}

    def put(part):
        return bound[part] if isinstance(part, str) else modulo.build(part[0], [put(inner) for inner in part[1:]])
    return put(pattern)


def random_soup(rng, rules):
    """Instances of the left sides, and others."""
    parts = [instance(rng, left) for left, _ in rng.choices(rules, k=2)] + [modulo.random_term(rng, 1)]
    soup = modulo.build("soup", parts)
    return soup if rng.random() < 0.8 else modulo.build("soup", [("f", soup), *rng.choices(parts, k=2)])


def put(right, bound):
    if isinstance(right, str):
        return [*bound[right]] if right.endswith("...") else [bound[right]]
    return [modulo.build(right[0], [inner for part in right[1:] for inner in put(part, bound)])]


def results(rule, term, every):
    """What the rule makes of the term itself."""
    left, right = rule
    for bound in modulo.matches(left, term, {}, root=True, every=every):
        made = modulo.build("soup", put(right, bound) + list(bound.get("others...", [])))
        if made != term:
            yield made


def subterms(term):
    yield term
    for part in term[1:]:
        yield from subterms(part)


def replaced(term, old, new):
    """Equal terms are one: they change together."""
    return new if term == old else modulo.build(term[0], [replaced(part, old, new) for part in term[1:]])


def steps(rules, term, every):
    for old in set(subterms(term)):
        for rule in rules:
            for new in results(rule, old, every):
                yield replaced(term, old, new)


def run(tool, folder, *options):
    done = subprocess.run([tool, "-rules", folder / "r.rules", *options, folder / "t.ir"], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr)
    return modulo.read(done.stdout)


def wrong(tool, rng, folder):
    rules = [random_rule(rng) for _ in range(rng.randint(1, 3))]
    term = random_soup(rng, rules)
    if max(map(len, subterms(term))) > 9 or len(list(subterms(term))) > 24:
        return None
    lines = [f"  r{i}: {modulo.text(left)} => {modulo.text(right)}\n" for i, (left, right) in enumerate(rules)]
    (folder / "r.rules").write_text(f"{modulo.DECLARED}rules r {{\n{''.join(lines)}}}\nphase p = innermost(r)\n")
    (folder / "t.ir").write_text(f"func @f() -> S {{ return {modulo.text(term)} }}\n")
    try:
        normal, traced = run(tool, folder), run(tool, folder, "-trace")
        if normal != traced:
            return f"{modulo.text(normal)}; with -trace {modulo.text(traced)}", False
        now, count = term, 0
        while now != normal:
            count += 1
            after = run(tool, folder, "-max-rewrites", str(count))
            if after != now and after not in set(steps(rules, now, every=True)):
                return f"step {count} makes {modulo.text(after)} of {modulo.text(now)}", False
            if count > 30:
                return "does not end", False
            now = after
    except ValueError as error:
        return str(error), False
    left = next(steps(rules, normal, every=False), None)
    return (f"{modulo.text(normal)} is no normal form: {modulo.text(left)}" if left else ""), count > 1


if __name__ == "__main__":
    random_cases.main(__doc__, wrong, 100, 1 / 3, "two rewrites happen")
