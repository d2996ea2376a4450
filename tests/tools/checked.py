#!/usr/bin/env python3
"""Tests every rule, fact and declared trait of the shipped files, and of samples that state laws, with `-check`: none may be wrong, hardly checked or unchecked.

`--instances N`: of each rule; `--seed N`; `--filter TEXT`: only files whose name contains it; `--progress`: a line for
each file.
"""

import argparse
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SAMPLES = ("languages/machine", "languages/queries", "languages/sugar", "languages/tensors", "linear_algebra", "regex", "signals",
           "sparse", "unions", "vectors")  # others show what is wrong, or have no meaning


def check(tool, path, instances, seed):
    """(rules, findings, what was said) of one file."""
    models = path.with_suffix(".models")
    given = ["-models", str(models)] if models.exists() else []
    command = [tool, "-check", "-j", "2", *given, "-instances", str(instances), "-seed", str(seed), "-rules", str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    total = re.search(r"^(?:(\d+) rules?)?(?: and )?(?:(\d+) facts?)?: (\d+) passed", run.stdout, re.M)
    if run.returncode not in (0, 3) or not total:
        return 0, 1, f"{path.name}: exit code {run.returncode}: {run.stderr}"
    rules, passed = int(total[1] or 0) + int(total[2] or 0), int(total[3])
    operations = re.search(r"; (\d+) operations?: (\d+) passed", run.stdout)
    if operations:
        rules, passed = rules + int(operations[1]), passed + int(operations[2])
    findings = rules - passed
    return rules, findings, run.stdout.rstrip() if findings else ""


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
    samples = [ROOT / "samples" / (name + ".rules") for name in SAMPLES]
    for path in sorted((ROOT / "rules").glob("*.rules")) + samples:
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
