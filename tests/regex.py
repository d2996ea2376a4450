#!/usr/bin/env python3
"""Random regular expressions through samples/regex.rules: which of all short strings does each machine take?

What an expression means is computed here as a set of strings: sums, products and closures of sets, cut at a length.
Python's own `re` is asked too where it has the operations (no intersection, no complement).
"""

import argparse
import itertools
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LETTERS, LENGTH = "abc", 5
WORDS = ["".join(word) for n in range(LENGTH + 1) for word in itertools.product(LETTERS, repeat=n)]
TIMEOUT = 120


class Expression:
    """The text of it for irrewrite, for Python (or None), and the strings that it matches."""

    def __init__(self, text, pattern, words):
        self.text, self.pattern, self.words = text, pattern, frozenset(words)


def join(parts, pattern):
    return None if any(part.pattern is None for part in parts) else pattern(*(part.pattern for part in parts))


def product(left, right):
    return {a + b for a in left for b in right if len(a) + len(b) <= LENGTH}


def closure(words):
    result, new = {""}, {""}
    while new:
        new = product(new, words) - result
        result |= new
    return result


def leaf(rng):
    kind = rng.randrange(7)
    if kind == 0:
        return Expression("re.empty()", "", {""})
    if kind == 1:
        return Expression("re.any()", "[^!]", LETTERS)
    if kind == 2:
        return Expression("re.never()", "[^\\s\\S]", ())
    if kind == 3:
        return Expression('re.range("a", "b")', "[a-b]", "ab")
    if kind == 4:
        word = "".join(rng.choice(LETTERS) for _ in range(rng.randint(0, 3)))
        return Expression(f're.text("{word}")', word, {word})
    letters = "".join(rng.choice(LETTERS) for _ in range(rng.randint(1, 2)))
    if kind == 5:
        return Expression(f're.other(re.in("{letters}"))', f"[^{letters}]", set(LETTERS) - set(letters))
    return Expression(f're.in("{letters}")', f"[{letters}]", letters)


def expression(rng, size):
    if size <= 1:
        return leaf(rng)
    kind = rng.choice("seq seq alt alt star star plus opt times between both not".split())
    if kind in ("seq", "alt", "both"):
        first = rng.randint(1, size - 1)
        a, b = expression(rng, first), expression(rng, size - first)
        words = {"seq": product, "alt": frozenset.union, "both": frozenset.intersection}[kind](a.words, b.words)
        pattern = {"seq": lambda p, q: f"(?:{p})(?:{q})", "alt": lambda p, q: f"(?:{p})|(?:{q})",
                   "both": lambda p, q: None}[kind]
        return Expression(f"re.{kind}({a.text}, {b.text})", join((a, b), pattern), words)
    a = expression(rng, size - 1)
    least, most = sorted(rng.randint(0, 3) for _ in range(2))
    power = [{""}]
    for _ in range(3):
        power.append(product(power[-1], a.words))
    if kind == "not":
        return Expression(f"re.not({a.text})", None, set(WORDS) - a.words)
    if kind == "times":
        return Expression(f"re.times({a.text}, {most})", join((a,), lambda p: f"(?:{p}){{{most}}}"), power[most])
    if kind == "between":
        return Expression(f"re.between({a.text}, {least}, {most})", join((a,), lambda p: f"(?:{p}){{{least},{most}}}"),
                          set().union(*power[least:most + 1]))
    words = {"star": lambda: closure(a.words), "plus": lambda: product(a.words, closure(a.words)),
             "opt": lambda: a.words | {""}}[kind]()
    suffix = {"star": "*", "plus": "+", "opt": "?"}[kind]
    return Expression(f"re.{kind}({a.text})", join((a,), lambda p: f"(?:{p}){suffix}"), words)


def contained(e):
    """The strings in which one of the expression's occurs."""
    everything = set(WORDS)
    return product(product(everything, e.words), everything)


def program(expressions):
    results = [f"  %m{i}, %c{i} = map(%words) {{ |%w| re.matches(%r{i}, %w), re.contains(%r{i}, %w) }}"
               for i in range(len(expressions))]
    return "\n".join([f"func @f(%words: [n][]u8) -> {', '.join(['[n]bool, [n]bool'] * len(expressions))} {{",
                      *(f"  %r{i} = {e.text}" for i, e in enumerate(expressions)), *results,
                      "  return " + ", ".join(f"%m{i}, %c{i}" for i in range(len(expressions))), "}", ""])


def run(tool, expressions):
    call = "@f([" + ", ".join(f'"{word}"' for word in WORDS) + "])"
    done = subprocess.run([tool, "-rules", "samples/regex.rules", "-run", call], input=program(expressions), cwd=ROOT,
                          capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        raise SystemExit(f"exit code {done.returncode}\n{done.stderr}\n{program(expressions)}")
    taken = [{word for word, flag in zip(WORDS, line.strip("[]").split(", ")) if flag == "true"}
             for line in done.stdout.splitlines()]
    return list(zip(taken[::2], taken[1::2]))


def shown(words):
    return ", ".join(repr(word) for word in sorted(words, key=lambda w: (len(w), w))[:5])


def differences(e, taken):
    matched, found = taken
    for name, got, due in ("matches", matched, e.words), ("contains", found, contained(e)):
        if got != due:
            yield f"{name}: {e.text}: taken, but should not be: {shown(got - due)}; not taken: {shown(due - got)}"
    if e.pattern is not None:
        due = {word for word in WORDS if re.fullmatch(e.pattern, word)}
        if due != e.words:
            yield f"Python's re: {e.pattern}: {shown(due ^ e.words)}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--size", type=int, default=7)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    expressions = [expression(rng, rng.randint(1, options.size)) for _ in range(options.count)]
    failed = 0
    for begin in range(0, len(expressions), 25):
        batch = expressions[begin:begin + 25]
        for e, taken in zip(batch, run(options.tool, batch), strict=True):
            wrong = list(differences(e, taken))
            failed += bool(wrong)
            for line in wrong:
                print(line)
    if failed:
        print(f"seed {options.seed}")
    print(f"{len(expressions) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
