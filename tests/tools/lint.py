#!/usr/bin/env python3
"""Looks at rule files with `-lint`.

The shipped ones, and those of `samples/languages/`: there is nothing to be found. `tests/lint/live/`: unusual files, in which there is nothing to be found
either. `tests/lint/dead/`: files with one defect each, which a user of a language of their own might make; the lines
`// finds: LINE:COLUMN: text` at the beginning are all that is said about places in the file, by `-lint` or when the file
is loaded.

`--filter TEXT`: only files whose path contains it. `--show`: what is found in the files of `dead`, as such lines.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(tool, path):
    return subprocess.run([tool, "-lint", "-rules", str(path.relative_to(ROOT))], cwd=ROOT, capture_output=True, text=True,
                          check=False, timeout=900)


def nothing(tool, path):
    """What is wrong with a file in which nothing is to be found, or None."""
    said = run(tool, path)
    if said.returncode == 0 and not said.stderr:
        return None
    return f"exit code {said.returncode}\n{said.stdout}{said.stderr}"


def findings(said, path):
    """What is said about places in the file; other lines of a finding stand further to the right."""
    file = f"{path.relative_to(ROOT)}:"
    lines = [line for line in (said.stdout + said.stderr).split("\n") if re.match(re.escape(file) + r"\d+:\d+: (?!note)", line)]
    return [line.replace(file, "") for line in lines]


def defect(tool, path):
    """What is wrong with the findings in a file with a defect, or None."""
    said = run(tool, path)
    expected = re.findall(r"^// finds: (.*)$", path.read_text(), re.MULTILINE)
    found = findings(said, path)
    code = 1 if any(": error: " in line for line in expected) else 3
    if expected and found == expected and said.returncode == code:
        return None
    return f"exit code {said.returncode}, expected {code}; expected\n" + "\n".join(expected) + "\nfound\n" + "\n".join(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--filter", default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    files = [(nothing, path) for folder in ("rules", "samples/languages", "tests/lint/live") for path in sorted((ROOT / folder).glob("*.rules"))]
    files += [(defect, path) for path in sorted((ROOT / "tests/lint/dead").glob("*.rules"))]
    files = [(test, path) for test, path in files if options.filter in str(path)]
    if options.show:
        for test, path in files:
            if test is defect:
                print("\n".join([path.stem] + [f"// finds: {line}" for line in findings(run(tool, path), path)]))
        return 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda file: file[0](tool, file[1]), files))
    for (_, path), wrong in zip(files, results):
        if wrong:
            print(f"{path.relative_to(ROOT)}: {wrong}")
    failed = sum(wrong is not None for wrong in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed or not results else 0


if __name__ == "__main__":
    raise SystemExit(main())
