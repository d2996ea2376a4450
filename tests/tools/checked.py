#!/usr/bin/env python3
"""Tests every rule, fact, declared trait and test of the shipped files, of samples and of examples with `-check -strict`:
none may be wrong, slower, hardly checked or unchecked, but those that a page shows for that (SHOWN).

`--instances N`: of each rule; `--seed N`; `--filter TEXT`: only files whose name contains it; `--progress`: a line for
each file.
"""

import argparse
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("rules", "rules/examples", "samples", "samples/languages")
SHOWN = {  # by file: what is said of it, and of which rule
    "average": {("wrong", "op average")},
    "deep": {("wrong", "deep.shapes.small")},
    "delayed": {("wrong", "delayed.laws.twice")},
    "grows": {("unchecked", "grows.grows.wrap-wrap")},
    "halves": {("wrong", "halves.halves.double-half")},
    "repeated": {("slower", "repeated.again.at-map")},
    "tabulated": {("unchecked", "tabulated.below.sub"), ("unchecked", "tabulated.below.add"),
                  ("unchecked", "tabulated.known.smaller")},  # sets with parameters
    "trees": {("wrong", "trees.trees.mirror-node")},
}


def check(tool, path, instances, seed):
    """(rules, findings, what was said) of one file."""
    models = path.with_suffix(".models")
    given = ["-models", str(models)] if models.exists() else []
    shown = SHOWN.get(path.stem, set())
    instances = max(instances, 1000) if shown else instances  # as its page has it
    command = [tool, "-check", "-strict", "-j", "2", *given, "-instances", str(instances), "-seed", str(seed), "-rules", str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = re.findall(r"^\S+:\d+:\d+: ([a-z ]+): ((?:op )?[^\s:]+)", run.stdout, re.M)
    total = re.search(r"^(?:(\d+) rules?)?(?: and )?(?:(\d+) facts?)?: (\d+) passed.*", run.stdout, re.M)
    if run.returncode != (3 if found else 0) or not total:
        return 0, 1, f"{path.name}: exit code {run.returncode}: {run.stdout}{run.stderr}"
    other = re.findall(r"; (\d+) (?:operation|test)s?", total[0])
    count = sum(int(number or 0) for number in (total[1], total[2], *other))
    missing = "".join(f"{path.name}: not found: {kind}: {name}\n" for kind, name in sorted(shown - set(found)))
    findings = len(set(found) ^ shown)
    return count, findings, missing + run.stdout.rstrip() if findings else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--filter", default="")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--progress", action="store_true")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    rules = failed = 0
    for path in [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.rules"))]:
        if options.filter not in path.name:
            continue
        began = time.monotonic()
        count, findings, text = check(tool, path, options.instances, options.seed)
        rules, failed = rules + count, failed + findings
        print(text, end="\n" if text else "", flush=True)
        if options.progress:
            print(f"{path.name}: {count} rules, {options.instances} instances each, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{rules - failed} passed, {failed} failed")
    return 1 if failed or not rules else 0


if __name__ == "__main__":
    raise SystemExit(main())
