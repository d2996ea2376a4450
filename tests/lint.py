#!/usr/bin/env python3
"""Looks at every shipped rule file with `-lint`: there is nothing to be found.

`--filter TEXT`: only files whose name contains it.
"""

import argparse
import concurrent.futures
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def lint(tool, path):
    """Whether nothing was found, and what was said."""
    run = subprocess.run([tool, "-lint", "-rules", str(path)], cwd=ROOT, capture_output=True, text=True, check=False,
                         timeout=900)
    return run.returncode == 0 and not run.stderr, f"{path.name}: exit code {run.returncode}\n{run.stdout}{run.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    paths = [path for path in sorted((ROOT / "rules").glob("*.rules")) if options.filter in path.name]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: lint(tool, path), paths))
    for fine, text in results:
        if not fine:
            print(text)
    failed = sum(not fine for fine, _ in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    raise SystemExit(main())
