#!/usr/bin/env python3
"""Wrong rules, facts and traits, tests/wrong/*.rules: `-check` refutes every one, with a counterexample of at most six
operations, ten where it is a fact (a loop that ends takes most of them) or a rule over memory, 16 where it shows what
products of matrices mean, what an analysis knows, or what stands in rows of memory, 20 in the languages of users; models make long programs,
and machines that runs of rules come to the longest.
`// models: FILE` names models. A fact is known by its line, a
trait by the first part of the operation's name. The set `lower` is not wrong: it gives meanings; nor is what an analysis knows of a `literal`. Of the right rules beside
them, tests/right/*.rules, `-check -strict` passes all."""

import argparse
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MOST_OPERATIONS, MOST_WITH_EFFECTS, MOST_EXPANDED, MOST_OF_USERS, MOST_MODELLED, MOST_OF_MACHINES = 6, 10, 16, 20, 200, 500
MEMORY_TRAITS = (": overwrites", ": element", ": aliases")


def rules_of(text):
    """The names of the rules in a file, each with its set's, the lines of its facts, and operations with their traits."""
    found, inside = set(), ""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("fact "):
            found.add(f"line {number}")
        elif lie := re.match(r"op (([a-z]+)\.\w+)", line):
            found.add(f"op {lie[1]}: {lie[2]}")
        elif opening := re.match(r"(?:rules|analysis) ([^\s(]+)", line):
            inside = opening[1]
        elif (name := re.match(r"  ([a-z0-9-]+):\s", line)) and inside != "lower" and name[1] != "literal":
            found.add(f"{inside}.{name[1]}")
    return found


def check(tool, path):
    models = [word for file in re.findall(r"^// models: (\S+)$", path.read_text(), re.M) for word in ("-models", file)]
    run = subprocess.run([tool, "-check", "-j", "2", *models, "-rules", str(path.relative_to(ROOT))], cwd=ROOT, timeout=500,
                         capture_output=True, text=True, check=False)
    failures = [] if run.returncode == 3 else [f"{path.name}: exit code {run.returncode}: {run.stderr}"]
    found = {}
    for part in re.split(r"^(?=tests/wrong/)", run.stdout, flags=re.M):
        if match := re.match(r"\S+: wrong: (op \S+: \w+)\n.*operations: (\d+)$", part, re.M | re.S):
            found[match[1]] = int(match[2])
        elif match := re.match(r"\S+: wrong: \w+\.(\w+\.\S+)\n.*operations: (\d+)$", part, re.M | re.S):
            found[match[1]] = int(match[2])
        elif match := re.match(r"\S+?:(\d+):1: wrong: .*operations: (\d+)$", part, re.M | re.S):
            found[f"line {match[1]}"] = int(match[2])
    names = rules_of(path.read_text())
    for name in sorted(names - set(found)):
        failures.append(f"{path.name}: {name} was not refuted")
    for name, count in found.items():
        effects = name.startswith("line ") or path.stem == "memory" or name.endswith(MEMORY_TRAITS)
        expanded = path.stem in ("analyses", "analyses_of_types", "compilers") or ".rows" in name
        most = MOST_OF_MACHINES if path.stem == "machines" else MOST_MODELLED if models else MOST_OF_USERS if path.stem == "users" else MOST_EXPANDED if expanded else MOST_WITH_EFFECTS if effects else MOST_OPERATIONS
        if count > most:
            failures.append(f"{path.name}: the counterexample to {name} has {count} operations")
    return len(names), failures


def accept(tool, path):
    run = subprocess.run([tool, "-check", "-strict", "-j", "2", "-rules", str(path.relative_to(ROOT))], cwd=ROOT, timeout=500,
                         capture_output=True, text=True, check=False)
    failures = [] if run.returncode == 0 else [f"{path.name}: exit code {run.returncode}: {run.stdout}{run.stderr}"]
    return len(rules_of(path.read_text())), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    tool = str(pathlib.Path(parser.parse_args().tool).resolve())
    passed = failed = 0
    for path in sorted((ROOT / "tests" / "wrong").glob("*.rules")):
        count, failures = check(tool, path)
        print("\n".join(failures), end="\n" if failures else "")
        failed += len(failures)
        passed += max(count - len(failures), 0)
    for path in sorted((ROOT / "tests" / "right").glob("*.rules")):
        count, failures = accept(tool, path)
        print("\n".join(failures), end="\n" if failures else "")
        failed += len(failures)
        passed += max(count - len(failures), 0)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
