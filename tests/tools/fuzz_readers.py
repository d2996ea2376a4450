#!/usr/bin/env python3
"""libFuzzer on what reads text (tests/fuzz/readers.cpp): programs, rule files, JSON and calls, each for so many seconds, from the texts
of this repository on. Inputs that crash are kept in the fuzzer's folder, with the corpus, which the next run begins with.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CALLS = ['@f(1, [1.5], [[true]], (2, 1.0), [P{a = 1, b = [1.0]}, P{a = -1, b = []}])', "@f(", "@f([[[", "@f(1e400, nan, -0.0)"]


def seeds(target, tool, folder):
    folder.mkdir(parents=True, exist_ok=True)
    programs = [*sorted((ROOT / "samples").glob("*.ir")), *sorted((ROOT / "tests" / "golden").rglob("*.ir"))]
    rules = [*sorted((ROOT / "rules").rglob("*.rules")), *sorted((ROOT / "tests" / "golden").rglob("*.rules"))]
    if target == "call":
        texts = [call.encode() for call in CALLS]
    elif target == "json":
        texts = [subprocess.run([tool, "-emit", "json", path], capture_output=True).stdout for path in programs[::6]]
    else:
        texts = [path.read_bytes() for path in (programs if target == "ir" else rules)]
    for number, text in enumerate(texts):
        if 0 < len(text) < 20000:
            (folder / str(number)).write_bytes(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--fuzzer", default="build-clang++-fuzz/fuzz-readers")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--targets", default="ir,rules,json,call")
    options = parser.parse_args()
    fuzzer, wrong = pathlib.Path(options.fuzzer).resolve(), 0
    for target in options.targets.split(","):
        folder = fuzzer.parent / "fuzz" / target
        (folder / "corpus").mkdir(parents=True, exist_ok=True)
        seeds(target, options.tool, folder / "seeds")
        done = subprocess.run([fuzzer, f"-max_total_time={options.seconds}", "-max_len=4096", "-timeout=20", "-rss_limit_mb=4096", "-use_value_profile=0",
                               f"-artifact_prefix={folder}/", folder / "corpus", folder / "seeds"], cwd=ROOT, capture_output=True, text=True,
                              errors="replace", env=os.environ | {"FUZZ_TARGET": target, "IRREWRITE_RULES": str(ROOT / "rules")})
        coverage = re.findall(r"cov: (\d+) ft: (\d+)", done.stderr)
        runs = re.search(r"Done (\d+) runs", done.stderr)
        print(f"{target}: {runs[1] if runs else '?'} runs, {coverage[-1][0] if coverage else '?'} edges", flush=True)
        if done.returncode:
            wrong += 1
            print(f"FAILED {target}: exit code {done.returncode}\n{done.stderr[-3000:]}")
    print(f"{len(options.targets.split(',')) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
