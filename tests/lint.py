#!/usr/bin/env python3
"""Looks at every shipped rule file with `-lint`: there is nothing to be found.

`--filter TEXT`: only files whose name contains it.
"""

import argparse
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    passed = failed = 0
    for path in sorted((ROOT / "rules").glob("*.rules")):
        if options.filter not in path.name:
            continue
        command = [tool, "-lint", "-rules", str(path)]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
        fine = run.returncode == 0 and not run.stderr
        passed, failed = passed + fine, failed + (not fine)
        if not fine:
            print(f"{path.name}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
