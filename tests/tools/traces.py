#!/usr/bin/env python3
"""The text of `-trace`: indented by the strategies at work, and read back.

- One file of strategies inside each other gives the lines below, to the letter.
- Read back, by its indentation and its separators, the text of a run holds what `-trace=json` says of it: phases, strategies,
  functions, rules, places, names and terms.
- The terms are terms of the grammar.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from tally import Tally

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

RULES = """rules r {
  zero:    ?x: int + 0   =>  ?x
  unit:    ?x: int * 1   =>  ?x
  double:  ?x: int + ?x  =>  ?x * 2
}
rules where-zero { shift:  ?x: int - 0  =>  ?y  where <zeroes> ?x => ?y }
rules late at end { neg-neg:  neg(neg(?x))  =>  ?x }
strategy zeroes = bottomup(try(zero))
strategy both(s, t) = s ; try(limit(2,
                                 oncetd(t)))
strategy down = rec visit(try(unit) ; all(visit))
phase first = zeroes ; both(down, double)
phase second = limit(3, innermost(  // where it is subtracted
                          where-zero))
phase end
"""
PROGRAM = """func @f(%x: i64) -> i64, i64 {
  %y = mul(%x, 1) + 0
  return %y + %x, neg(neg((%x + 0) - 0))
}
func @g(%x: i64) -> i64 {
  return (%x * 1) * 1 * 1
}
"""
TRACE = """phase first
  zeroes
    bottomup(try(zero))
      try(zero)
        p.ir:2:3: @f: p.r.zero: %y = add(mul(%x, 1), 0)  =>  mul(%x, 1)
        p.ir:3:19: @f: p.r.zero: add(%x, 0)  =>  %x
  both(down, double)
    down
      rec visit(try(unit) ; all(visit))
        try(unit)
          p.ir:2:3: @f: p.r.unit: %y = mul(%x, 1)  =>  %x
    p.ir:3:10: @f: p.r.double: add(%x, %x)  =>  mul(%x, 2)
    down
      rec visit(try(unit) ; all(visit))
        try(unit)
          p.ir:6:11: @g: p.r.unit: mul(mul(mul(%x, 1), 1), 1)  =>  mul(mul(%x, 1), 1)
          p.ir:6:11: @g: p.r.unit: mul(%x, 1)  =>  %x
phase second
  limit(3, innermost(where-zero))
    innermost(where-zero)
      p.ir:3:19: @f: p.where-zero.shift: sub(%x, 0)  =>  %x
phase end
  p.ir:3:19: @f: p.late.neg-neg: neg(neg(%x))  =>  %x
"""

RUNS = [["-rules", "fusion.rules", "samples/kmeans.ir"], ["-rules", "fft.rules", "samples/fft.ir"],
        ["-rules", "effects.rules", "samples/speculation.ir"], ["-rules", "lower.rules", "-rules", "fusion.rules", "samples/stats.ir"],
        ["-rules", "rules/examples/matrices.rules", "rules/examples/matrices.ir"], ["-rules", "fusion.rules", "-rules", "gpu.rules", "samples/kmeans.ir"]]

STEP = re.compile(r"^(?:(?P<file>\S+?):(?P<line>\d+):(?P<column>\d+): )?@(?P<function>[\w.$-]+): (?P<rest>.*)$")
REWRITE = re.compile(r"^(?P<rule>[\w. -]+): (?:%(?P<name>[\w.]+) = )?(?P<before>.*?)  =>  (?P<after>.*)$")


def read_back(text):
    """The steps of a trace, as -trace=json gives them."""
    levels, steps = [], []
    for line in text.splitlines():
        depth = (len(line) - len(line.lstrip(" "))) // 2
        del levels[depth:]
        step = STEP.match(line.strip())
        if not step or depth == 0:
            assert len(levels) == depth, f"deeper than what is above: {line}"
            levels.append(line.strip())
            continue
        parts = {key: value for key, value in step.groupdict().items() if value is not None}
        rest = parts.pop("rest")
        rewrite = REWRITE.match(rest)
        parts |= {k: v for k, v in rewrite.groupdict().items() if v is not None} if rewrite else {"note": rest}
        steps.append(parts | {"phase": levels[0].removeprefix("phase "), "strategies": levels[1:]})
    return steps


class Traces(Tally):
    def __init__(self, tool):
        super().__init__("traces")
        self.tool = tool

    def run(self, *arguments, cwd=ROOT):
        return subprocess.run([self.tool, *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=60)

    def transcript(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "p.rules").write_text(RULES)
            pathlib.Path(folder, "p.ir").write_text(PROGRAM)
            shown = self.run("-rules", "p.rules", "p.ir", "-trace", cwd=folder).stderr
        self.expect(shown == TRACE, f"the trace is\n{shown}and not\n{TRACE}")

    def read(self, *arguments):
        text = self.run(*arguments, "-quiet", "-trace").stderr
        steps = [json.loads(line) for line in self.run(*arguments, "-quiet", "-trace=json").stderr.splitlines()]
        steps = [{key: str(value) if key in ("line", "column") else value for key, value in step.items()} for step in steps]
        steps = [{key: value for key, value in step.items() if key != "name" or "rule" in step} for step in steps]
        back = read_back(text)
        self.expect(len(steps) > 3 and len(back) == len(steps), f"{arguments}: {len(back)} of {len(steps)} steps")
        different = next(((a, b) for a, b in zip(back, steps) if a != b), None)
        self.expect(not different, f"{arguments}: read back {different and different[0]}, which was {different and different[1]}")
        return {term for step in steps for key in ("before", "after") if (term := step.get(key)) and "…" not in term and " & " not in term}

    def are_terms(self, terms):
        """Each in a function; that its values are unknown there is no matter of the grammar."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "terms.ir")
            path.write_text("".join(f"func @f{i}() -> i64 {{ return {term} }}\n" for i, term in enumerate(sorted(terms))))
            said = self.run(str(path)).stderr
        wrong = [line for line in re.findall(r"error: (.*)", said) if line.startswith("expected")]
        self.expect(len(terms) > 100 and not wrong, f"{len(terms)} terms: {wrong[:3]}")

    def all(self):
        self.transcript()
        self.are_terms(set().union(*(self.read(*run) for run in RUNS)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=str(ROOT / "build/irrewrite"))
    test = Traces(str(pathlib.Path(parser.parse_args().tool).resolve()))
    test.all()
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
