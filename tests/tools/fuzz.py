#!/usr/bin/env python3
"""Feeds the tool damaged copies of the texts in this repository.

It may refuse them, but must not crash, hang, or report a bug of its own (exit code 70).
Inputs that it does not survive are kept in build/fuzz.
"""

import argparse
import pathlib
import random
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GOOD_EXITS = (0, 1, 2, 3, 4)
TIMEOUT = 20
IR_OPTIONS = [[], ["-rules", "arith.rules"], ["-rules", "fusion.rules"], ["-emit", "cpp"],
              ["-emit", "json"]]


def texts():
    folders = ["samples", "rules", "tests/golden"]
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*")
                  if path.suffix in (".ir", ".rules"))


def tokens(text):
    return re.findall(r"\s+|[%@?#]?[\w.]+|.", text)


def damaged(text, vocabulary, rng):
    """The text with a few tokens dropped, doubled, swapped or replaced."""
    words = tokens(text)
    for _ in range(rng.randint(1, 6)):
        if not words:
            break
        at = rng.randrange(len(words))
        change = rng.randrange(5)
        if change == 0:
            del words[at]
        elif change == 1:
            words.insert(at, words[at])
        elif change == 2:
            other = rng.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif change == 3:
            words[at] = rng.choice(vocabulary)
        else:
            words[at] = rng.choice(["", "\0", "é", "{" * 2000, "(" * 2000, "9" * 40, '"'])
    return "".join(words)


def survives(tool, options, file):
    try:
        done = subprocess.run([tool, *options, file], cwd=ROOT, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"no end after {TIMEOUT} s"
    if done.returncode in GOOD_EXITS and b"Sanitizer" not in done.stderr:
        return None
    return f"exit code {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}"


def main():
    parser = argparse.ArgumentParser(description="Feeds the tool damaged texts.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).absolute())
    rng = random.Random(options.seed)
    files = texts()
    vocabulary = sorted({word for file in files for word in tokens(file.read_text())})
    kept = ROOT / "build" / "fuzz"
    kept.mkdir(parents=True, exist_ok=True)
    print(f"seed {options.seed}, {len(files)} texts, {options.seconds:g} s")

    end = time.monotonic() + options.seconds
    tried = bad = 0
    while files and time.monotonic() < end:
        original = rng.choice(files)
        file = kept / f"current{original.suffix}"
        file.write_text(damaged(original.read_text(), vocabulary, rng))
        chosen = ["-rules"] if original.suffix == ".rules" else rng.choice(IR_OPTIONS)
        wrong = survives(tool, chosen, str(file))
        tried += 1
        if wrong:
            bad += 1
            saved = file.rename(kept / f"seed{options.seed}-{tried}{original.suffix}")
            print(f"FAILED irrewrite {' '.join(chosen)} {saved.relative_to(ROOT)}\n  {wrong}")
    print(f"{tried - bad} passed, {bad} failed")
    return 0 if tried and not bad else 1


if __name__ == "__main__":
    sys.exit(main())
