#!/usr/bin/env python3
"""Holds the shipped rules to their tests: every rule of every rules/FILE.rules has a golden file of its
name, tests/golden/FILE/RULE.ir, in which it fires, and which fails when the rule is taken out.

What a rule file says is read from its text: sets are `rules NAME … {` to `}`, and a rule is a name and a
colon behind two blanks, up to the next. `--quick` leaves out the third part.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys
import tempfile

import golden

ROOT = golden.ROOT
RULES = ROOT / "rules"


def rules_of(text):
    """(set, rule, first line, line behind it) of each rule."""
    lines, found, inside = text.split("\n"), [], None
    for number, line in enumerate(lines):
        if opening := re.match(r"rules ([\w.-]+)", line):
            inside = opening[1]
        elif line.startswith("}"):
            inside = None
        elif inside and (name := re.match(r"  ([\w-]+):\s", line)):
            found.append([inside, name[1], number, None])
    for rule in found:
        rule[3] = rule[2] + 1
        while re.match(r"   +\S", lines[rule[3]]):  # a comment between its conditions, too
            rule[3] += 1
    return found


def without(text, first, last):
    """The text with these lines empty, so that all others keep their places."""
    lines = text.split("\n")
    lines[first:last] = [""] * (last - first)
    return "\n".join(lines)


class Suite:
    def __init__(self, options):
        self.options = options
        self.runner = golden.Runner(options)
        self.tool = self.runner.tool

    def check(self, file, text, rule):
        """What is missing of a rule's test, or None."""
        within, name, first, last = rule
        path = golden.GOLDEN / file / f"{name}.ir"
        if not path.exists():
            return f"there is no {path.relative_to(ROOT)}"
        if not self.fires(path, f"{file}.{within}.{name}"):
            return f"{path.relative_to(ROOT)}: the rule does not fire"
        if not self.options.quick and self.passes_without(path, file, without(text, first, last)):
            return f"{path.relative_to(ROOT)}: passes without the rule"
        return None

    def fires(self, path, full_name):
        parsed = golden.parse(path)
        with tempfile.TemporaryDirectory() as folder:
            for run in parsed.runs:
                words, inputs = golden.words(parsed, run, pathlib.Path(folder))
                done = golden.execute([self.tool, *words, "-stats=json", *inputs])
                found = golden.stats(done.stderr)
                if found and found["rules"].get(full_name, 0):
                    return True
        return False

    def passes_without(self, path, file, text):
        with tempfile.TemporaryDirectory() as folder:
            rules = pathlib.Path(folder) / "rules"
            shutil.copytree(RULES, rules)
            (rules / f"{file}.rules").write_text(text)
            wrapper = pathlib.Path(folder) / "irrewrite"
            wrapper.write_text(f'#!/bin/sh\nIRREWRITE_RULES={rules} exec {self.tool} "$@"\n')
            wrapper.chmod(0o755)
            runner = golden.Runner(self.options)
            runner.tool = wrapper
            return runner.test(path) is None


def with_fusion(tool, sample, rules):
    """Rule files of one run, in any order; what is wrong, or None."""
    program = sample.with_suffix(".ir")
    done = golden.execute([tool, *(word for path in rules for word in ("-rules", path)), program if program.exists() else os.devnull])
    return None if done.returncode == 0 else f"{' '.join(map(str, rules))}: {done.stderr[:300]}"


def main():
    parser = argparse.ArgumentParser(description="Holds the shipped rules to their tests.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--quick", action="store_true", help="do not take rules out")
    parser.add_argument("--filter", action="append", help="only rules whose name, FILE.SET.RULE, contains this; repeatable")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    options.no_cpp, options.cxx, options.cxxflags, options.bless = True, "", "", False
    options.cuda, options.device, options.compile, options.programs = False, False, False, str(ROOT / "build" / "golden")
    suite = Suite(options)
    work = []
    for path in sorted(RULES.glob("*.rules")):
        text = path.read_text()
        for rule in rules_of(text):
            full_name = f"{path.stem}.{rule[0]}.{rule[1]}"
            if any(part in full_name for part in options.filter or [""]):
                work.append((full_name, path.stem, text, rule))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for one, wrong in zip(work, pool.map(lambda w: suite.check(*w[1:]), work)):
            passed, failed = (passed + 1, failed) if wrong is None else (passed, failed + 1)
            if wrong is not None:
                print(f"FAILED {one[0]}\n  {wrong}\n", flush=True)
    for sample in sorted((ROOT / "samples").glob("*.rules")) if not options.filter else []:
        for rules in ([sample, "fusion.rules"], ["fusion.rules", sample]):
            wrong = with_fusion(suite.tool, sample, rules)
            passed, failed = (passed + 1, failed) if wrong is None else (passed, failed + 1)
            if wrong is not None:
                print(f"FAILED {wrong}\n", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
