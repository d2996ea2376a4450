#!/usr/bin/env python3
"""`-verify` of every sample with the rule files that samples/README.md names with it, stopped behind every phase: no
program is refused, and none differs.

`--filter TEXT`: only samples whose name contains it.
"""

import argparse
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def samples():
    """(rule files, program) of each command in the list of samples, once."""
    found = set()
    for command in re.findall(r"`irrewrite ([^`]*)`", (ROOT / "samples" / "README.md").read_text()):
        rules = tuple(re.findall(r"-rules (\S+)", command))
        found.update((rules, file) for file in re.findall(r"\S+\.ir\b", command))
    return sorted(found)


def phases(tool, options):
    run = subprocess.run([tool, *options, "-stats=json", "-o", "/dev/null"], cwd=ROOT, capture_output=True, text=True, check=False)
    last = run.stderr.strip().split("\n")[-1]
    return [p["name"] for p in json.loads(last)["phases"] if p["name"] != "normalize"] if last.startswith("{") else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    passed = failed = 0
    for rules, file in samples():
        if options.filter not in file:
            continue
        given = [*(word for rule in rules for word in ("-rules", rule)), file]
        for until in [None, *phases(tool, given)]:
            stop = ["-until", until] if until else []
            run = subprocess.run([tool, *given, "-verify", *stop, "-o", "/dev/null"], cwd=ROOT, capture_output=True,
                                 text=True, timeout=300, check=False)
            passed, failed = passed + (run.returncode == 0), failed + (run.returncode != 0)
            if run.returncode:
                print(f"{' '.join(given)} {' '.join(stop)}: exit code {run.returncode}: {run.stderr[:600]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
