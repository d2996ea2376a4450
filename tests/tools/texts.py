#!/usr/bin/env python3
"""The texts that rules/core.rules gives operations are printed, and decide nothing.

Emits samples and golden programs as C++ and CUDA three times: with the shipped rules, with a core.rules whose texts
have more blanks, at the end and in front of each bracket and comma, and with one whose texts have none. All are the
same.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TEXT = re.compile(r'(\b(?:cpp|cuda)(?:\.int)? )"([^"]*)"')
PROGRAMS = ["samples/*.ir", "tests/golden/cpp/*.ir", "tests/golden/cuda/*.ir"]


def spaced(rules):
    """The same declarations with more blanks in the texts."""
    return TEXT.sub(lambda m: m[1] + '"' + re.sub(r"(?=[),])", " ", m[2]) + ' "', rules)


def tight(rules):
    """The same declarations without blanks in the texts."""
    return TEXT.sub(lambda m: m[1] + '"' + m[2].replace(" ", "") + '"', rules)


def emitted(tool, folder, program, printer):
    done = subprocess.run([tool, "-rules", "fusion.rules", "-emit", printer, program], cwd=ROOT, text=True, timeout=120,
                          env={**os.environ, "IRREWRITE_RULES": str(folder)}, capture_output=True, check=False)
    return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--filter", default="", help="only programs whose path has this part")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    programs = [path for pattern in PROGRAMS for path in sorted(ROOT.glob(pattern)) if options.filter in str(path)]
    wrong, compared = [], 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folders = [ROOT / "rules"]
        text = (ROOT / "rules" / "core.rules").read_text()
        for change in (spaced, tight):
            folders.append(pathlib.Path(name) / change.__name__)
            shutil.copytree(ROOT / "rules", folders[-1])
            (folders[-1] / "core.rules").write_text(change(text))
            if change(text) == text:
                sys.exit("texts: core.rules has no text to change")
        jobs = [(program, printer) for program in programs for printer in ("cpp", "cuda")]
        every = pool.map(lambda job: [emitted(tool, rules, *job) for rules in folders], jobs)
        for (program, printer), (plain, *others) in zip(jobs, every):
            compared += plain[0] == 0
            if any(plain != other for other in others):
                wrong.append(f"{program.relative_to(ROOT)}: -emit {printer} depends on blanks in the texts of operations")
    for line in wrong:
        print(f"texts: {line}")
    if compared < min(10, len(programs)):
        wrong.append("too few")
        print(f"texts: only {compared} programs were emitted")
    print(f"{len(jobs) - len(wrong)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
