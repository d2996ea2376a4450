#!/usr/bin/env python3
"""Random regular expressions through samples/regex.rules: what is answered about all short strings.

What an expression means is computed here as a set of strings: sums, products and closures of sets, cut at a length.
Python's own `re` is asked too where it has the operations (no intersection, no complement).
"""

import argparse
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LETTERS, LENGTH = "abc", 5
WORDS = ["".join(word) for n in range(LENGTH + 1) for word in itertools.product(LETTERS, repeat=n)]
TIMEOUT = 120


class Expression:
    """The text of it for irrewrite, for Python (or None), and the strings that it matches."""

    def __init__(self, text, pattern, words):
        self.text, self.pattern, self.words = text, pattern, frozenset(words)


def join(parts, pattern):
    return None if any(part.pattern is None for part in parts) else pattern(*(part.pattern for part in parts))


def repeated(part, suffix):
    """Python takes exponential time for repetitions in repetitions: it is not asked about three."""
    if part.pattern is None or re.search(r"[*+?}]\)+[*+?{].*[*+?}]\)+[*+?{]", part.pattern):
        return None
    return f"(?:{part.pattern}){suffix}"


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
        return Expression(f"re.times({a.text}, {most})", repeated(a, f"{{{most}}}"), power[most])
    if kind == "between":
        return Expression(f"re.between({a.text}, {least}, {most})", repeated(a, f"{{{least},{most}}}"),
                          set().union(*power[least:most + 1]))
    words = {"star": lambda: closure(a.words), "plus": lambda: product(a.words, closure(a.words)),
             "opt": lambda: a.words | {""}}[kind]()
    suffix = {"star": "*", "plus": "+", "opt": "?"}[kind]
    return Expression(f"re.{kind}({a.text})", repeated(a, suffix), words)


def prefix(e, word):
    """The length of the longest of the expression's strings that the word begins with."""
    return max((n for n in range(len(word) + 1) if word[:n] in e.words), default=-1)


def find(e, word):
    return next((n for n in range(len(word) + 1) if prefix(e, word[n:]) >= 0), -1)


def count(e, word):
    """As many as there are side by side when each ends as soon as one can."""
    begin = result = 0
    for end in range(len(word) + 1):
        if any(word[k:end] in e.words for k in range(begin, end)):
            begin, result = end, result + 1
    return result


QUESTIONS = {
    "matches": lambda e, word: word in e.words,
    "contains": lambda e, word: find(e, word) >= 0,
    "prefix": prefix,
    "find": find,
    "count": count,
}


def program(expressions):
    asked = ", ".join(f"re.{question}(%r, %w)" for question in QUESTIONS)
    types = ", ".join("[n]bool" if question in ("matches", "contains") else "[n]i64" for question in QUESTIONS)
    results = [", ".join(f"%{question}{i}" for question in QUESTIONS) for i in range(len(expressions))]
    lines = [f"  {result} = map(%words) {{ |%w| {asked.replace('%r', f'%r{i}')} }}" for i, result in enumerate(results)]
    return "\n".join([f"func @f(%words: [n][]u8) -> {', '.join([types] * len(expressions))} {{",
                      *(f"  %r{i} = {e.text}" for i, e in enumerate(expressions)), *lines,
                      "  return " + ", ".join(results), "}", ""])


def run(tool, expressions):
    """For each expression the answers to each question, one for each word."""
    call = "@f([" + ", ".join(f'"{word}"' for word in WORDS) + "])"
    done = subprocess.run([tool, "-rules", "samples/regex.rules", "-run", call], input=program(expressions), cwd=ROOT,
                          capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        raise SystemExit(f"exit code {done.returncode}\n{done.stderr}\n{program(expressions)}")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [answers[i:i + len(QUESTIONS)] for i in range(0, len(answers), len(QUESTIONS))]


def differences(e, answers):
    for (question, due), got in zip(QUESTIONS.items(), answers, strict=True):
        wrong = [(word, answer) for word, answer in zip(WORDS, got, strict=True) if answer != due(e, word)]
        if wrong:
            word, answer = wrong[0]
            yield f"{e.text}: {question} of '{word}' is {answer}, not {due(e, word)}, and {len(wrong) - 1} others"
    if e.pattern is not None:
        due = {word for word in WORDS if re.fullmatch(e.pattern, word)}
        if due != e.words:
            yield f"Python's re: {e.pattern}: {sorted(due ^ e.words)}"


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
        for e, answers in zip(batch, run(options.tool, batch), strict=True):
            wrong = list(differences(e, answers))
            failed += bool(wrong)
            for line in wrong:
                print(line)
    if failed:
        print(f"seed {options.seed}")
    print(f"{len(expressions) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
