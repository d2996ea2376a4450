#!/usr/bin/env python3
"""Tests every rule of the shipped files with `-check`: none may be wrong, hardly checked or unchecked but those below.

`--instances N`: of each rule; `--seed N`; `--filter TEXT`: only files whose name contains it.
"""

import argparse
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Rules that -check cannot make enough instances of, and why. Their golden tests are all they have.
HARDLY = {
    "fusion.grouping.bucket-loop": "one or two of a hundred programs made for it have it, which is near the bound",
    "fusion.grouping.bucket-len": "the same",
    "fusion.running.then-use": "a scan with a `then` that emits, read by a loop that makes no running values: hardly ever by chance",
    "gpu.shapes.few-f64": "bodies made at random hardly ever have a loop inside",
    "gpu.shapes.few-f32": "the same",
    "gpu.shapes.few-i64": "the same",
}


def check(tool, path, instances, seed):
    """(rules, findings, what was said) of one file."""
    command = [tool, "-check", "-j", "2", "-instances", str(instances), "-seed", str(seed), "-rules", str(path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    total = re.search(r"^(\d+) rules?: (\d+) passed", run.stdout, re.M)
    if run.returncode not in (0, 3) or not total:
        return 0, 1, f"{path.name}: exit code {run.returncode}: {run.stderr}"
    rules, passed = int(total[1]), int(total[2])
    hardly = set(re.findall(r": hardly checked: (\S+):", run.stdout)) & set(HARDLY)
    findings = rules - passed - len(hardly)
    return rules - len(hardly), findings, run.stdout.rstrip() if findings else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--filter", default="")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    rules = failed = 0
    for path in sorted((ROOT / "rules").glob("*.rules")):
        if options.filter not in path.name:
            continue
        count, findings, text = check(tool, path, options.instances, options.seed)
        rules, failed = rules + count, failed + findings
        print(text, end="\n" if text else "")
    print(f"{rules - failed} passed, {failed} failed")
    return 1 if failed or not rules else 0


if __name__ == "__main__":
    raise SystemExit(main())
