#!/usr/bin/env python3
"""`-prove`: right rules are proven at every width, wrong ones refuted with values, and without a solver it says so."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

RULES = """rules right {
  de-morgan:   !(?a && ?b)              =>  !?a || !?b
  quarter:     (?x: unsigned / 2) / 2   =>  ?x / 4
  shifts:      shl(shl(?x: u8, #a), #b) =>  shl(?x, #(#a + #b))   where #(shl(0, #a + #b)) == 0
  self:        ?x: i8 / ?x              =>  1
  float:       ?x: float * 1.0          =>  ?x
  length:      len(reverse(?x))         =>  len(?x)
}
rules wrong {
  less:        ?x: int - 1 < ?x         =>  true
  div-div:     (?x: int / #a) / #b      =>  0                     where #(#a * #b / #b) != #a
  faults:      ?x: int * 0              =>  0 / ?x
  half:        ?x: signed / 2           =>  shr(?x, 1)
}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    tool = str(pathlib.Path(parser.parse_args().tool).resolve())
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mixed.rules"
        path.write_text(RULES)

        def prove(**more):
            return subprocess.run([tool, "-prove", "-stats", "-rules", str(path)], capture_output=True, text=True,
                                  timeout=300, check=False, **more)

        def expect(text, pattern, code=None, given=None):
            if not re.search(pattern, text, re.M) or code != given:
                failures.append(f"expected {pattern!r}, exit code {code}: {text}, exit code {given}")

        nothing = prove(env={**os.environ, "PATH": folder})
        expect(nothing.stdout, "^nothing proven: neither 'z3' nor 'cvc5' is installed", 0, nothing.returncode)
        if shutil.which("z3") or shutil.which("cvc5"):
            run = prove()
            expect(run.stdout, r": proven: mixed.right.de-morgan: \(bool, bool\), \(i8, i8\)", 3, run.returncode)
            expect(run.stdout, r": proven: mixed.right.quarter: \(u8\), \(u16\), \(u32\), \(u64\)$")
            expect(run.stdout, r": proven: mixed.right.shifts: \(u8, u8, u8\)$")
            expect(run.stdout, r": proven: mixed.right.self: \(i8\)$")
            expect(run.stdout, ": not asked: mixed.right.float")
            expect(run.stdout, ": not asked: mixed.right.length")
            expect(run.stdout, r": refuted: mixed.wrong.less: \(i8\) x = -128$")
            expect(run.stdout, r": refuted: mixed.wrong.div-div: \(i8, i8, i8\) x = ")
            expect(run.stdout, r": refuted: mixed.wrong.faults: \(i8\) x = 0$")
            expect(run.stdout, r": refuted: mixed.wrong.half: \(i8\) x = -")
            expect(run.stdout, "^10 rules: 4 proven, 4 refuted, 0 not proven, 2 about more than integers and booleans$")
    print("\n".join(failures), end="\n" if failures else "")
    print(f"{1 - bool(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
