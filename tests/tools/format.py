#!/usr/bin/env python3
"""`-format`: of every program and rule file of the tree, and of what is made of them by moving blanks.

- Files that parse are laid out; others give the errors of the parser, and nothing is written.
- The layout of a layout is itself; comments, empty lines between groups and all other text stay in their order.
- A program means the same: it prints the same without rules. (That the syntax tree is the same the tool tests itself.)
- A text whose indentation and blanks are other ones gets the layout back, but for columns that were aligned by hand.
- Shipped rules and samples have their canonical layout: `-format -check` says so.
- Options: standard input, -o, a folder, -check, wrong usage.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from tally import Tally

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "60"))
BLANKS = re.compile(r'//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[ \t]+')
SEPARATOR = re.compile(r';(?=\s*(?://[^\n]*)?(?:\n|\Z|\}))')

SLOPPY = '''

func   @f( %a :i64,%b:  i64 )->i64{


    %x=%a+%b*-2   // c1
      // c2
  %y   = if (%x>0) {%x} else{ -%x };\t



  %z = map([1,2 ,3]) {|%k|  mul(%k , %y) }  %w=reduce(%z,0){add}
return %w
}
func @g()  { } struct S {a:i64}
// end'''
NEAT = '''func @f(%a: i64, %b: i64) -> i64 {
  %x = %a + %b * -2  // c1
  // c2
  %y = if(%x > 0) { %x } else { -%x }

  %z = map([1, 2, 3]) { |%k| mul(%k, %y) }
  %w = reduce(%z, 0) {add}
  return %w
}
func @g() {}
struct S { a: i64 }
// end
'''
SLOPPY_RULES = '''// h
import   "arith.rules"
op foo(i64 ,i64)->i64   pure total={|%a,%b| add(%a,%b)}
rules   a   ordered{
 add-zero:?x:int+0=>?x
longer-name: foo( ?x,foo(?y , ?z)) =>   foo(foo(?x,?y),?z)  where   pure( ?x ),not literal(?y) // why
 x: foo(?a,?b)
 => foo(?b,?a)
 where ?a==1,
  ?b == 2
}
phase p=innermost( a ) ;try(a)<+id
test t : foo(1,2)=>3
test tt : foo(1,2 )=>3
'''
NEAT_RULES = '''// h
import "arith.rules"
op foo(i64, i64) -> i64  pure total = { |%a, %b| add(%a, %b) }
rules a ordered {
  add-zero:     ?x: int + 0           =>  ?x
  longer-name:  foo(?x, foo(?y, ?z))  =>  foo(foo(?x, ?y), ?z)  where pure(?x), not literal(?y) // why
  x:            foo(?a, ?b)
      =>  foo(?b, ?a)
      where ?a == 1,
            ?b == 2
}
phase p = innermost(a) ; try(a) <+ id
test t:   foo(1, 2)  =>  3
test tt:  foo(1, 2)  =>  3
'''


def without_blanks(text):
    """Its tokens and comments, close together: what a layout keeps."""
    text = SEPARATOR.sub("", text.removeprefix("\ufeff"))
    keep = lambda match: "" if match[0].isspace() else match[0].rstrip() if match[0].startswith("//") else match[0]
    return re.sub(r"\s*\n\s*", "", BLANKS.sub(keep, text)).strip()


def moved(text, seed):
    """The text with other blanks between its tokens, and other indentation."""
    choose = random.Random(seed)
    lines = []
    for line in text.split("\n"):
        blank = lambda match: " " * choose.randint(1, 4) if match[0].isspace() else match[0]
        lines.append(" " * choose.randint(0, 9) * bool(line.strip()) + BLANKS.sub(blank, line.strip()) + " " * choose.randint(0, 2))
        if choose.random() < 0.1 and not line.strip():
            lines += [""] * choose.randint(0, 3)
    return "\n".join(lines)


class Format(Tally):
    def __init__(self, tool):
        super().__init__("format")
        self.tool = tool

    def run(self, *arguments, text=None, cwd=ROOT):
        return subprocess.run([self.tool, *map(str, arguments)], cwd=cwd, input=text, capture_output=True, text=True, check=False,
                              timeout=TIMEOUT)

    def file(self, path, every):
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        name = path.relative_to(ROOT)
        done = subprocess.run([self.tool, "-format", path], cwd=ROOT, capture_output=True, check=False, timeout=TIMEOUT)
        out, err = done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode("utf-8", "surrogateescape")
        if done.returncode == 1:
            self.expect(out == "" and ": error: " in err, f"{name}: wrong without a message: {err}")
            return
        if not (done.returncode == 0 and err == ""):
            return self.expect(False, f"{name}: exit code {done.returncode}: {err}")
        self.expect(without_blanks(out) == without_blanks(text), f"{name}: text was lost")
        self.expect("\n\n\n" not in out and not re.search(r"[ \t]\n", out), f"{name}: blanks at the end of a line, or empty lines")
        if "surrogate" in ascii(out) or not every:
            return
        with tempfile.TemporaryDirectory() as folder:
            again = pathlib.Path(folder) / path.name
            again.write_text(out, encoding="utf-8", errors="surrogateescape")
            twice = self.run("-format", "-check", "-I", path.parent, again)
            self.expect((twice.returncode, twice.stdout) == (0, ""), f"{name}: the layout of the layout is another one: {twice.stderr}")
            if path.suffix == ".ir":
                before, after = self.run(path), self.run(again)
                self.expect(before.stdout == after.stdout and before.returncode == after.returncode, f"{name}: another program")
            for seed in range(2):
                again.write_text(moved(out, seed), encoding="utf-8", errors="surrogateescape")
                back = self.run("-format", "-I", path.parent, again)
                self.expect(back.returncode == 0 and without_blanks(back.stdout) == without_blanks(text),
                            f"{name}: moved with seed {seed}: exit code {back.returncode} {back.stderr}")
                again.write_text(back.stdout, encoding="utf-8", errors="surrogateescape")
                self.expect(self.run("-format", "-check", "-I", path.parent, again).returncode == 0, f"{name}: moved with seed {seed}: twice")

    def layouts(self):
        for sloppy, neat in [(SLOPPY, NEAT), (SLOPPY_RULES, NEAT_RULES)]:
            self.expect(self.run("-format", text=sloppy).stdout == neat, f"standard input gives\n{self.run('-format', text=sloppy).stdout}")
            self.expect(self.run("-format", text=sloppy.replace("\n", "\r\n")).stdout == neat, "lines that end with a carriage return")
            self.expect(self.run("-format", text=neat).stdout == neat, "the layout of a layout")
        # Blanks and indentation alone differ: the layout comes back.
        for path in ["samples/regex.ir", "samples/fft.ir", "samples/lu.ir", "samples/sparse.ir", "rules/examples/matrices.ir"]:
            text = (ROOT / path).read_text()
            self.expect(self.run("-format", text=re.sub(r"(?m)^ +", lambda m: " " * (len(m[0]) * 2 + 1), text)).stdout == text, path)

    def options(self):
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "a.ir").write_text(SLOPPY)
            (at / "b.rules").write_text(SLOPPY_RULES)
            (at / "bad.ir").write_text("func @f( { }\n")
            (at / "out").mkdir()
            run = lambda *arguments, **how: self.run(*arguments, cwd=at, **how)
            found = run("-format", "-check", "a.ir", "b.rules")
            self.expect((found.returncode, found.stdout) == (3, "a.ir\nb.rules\n"), "-check names the files that differ")
            self.expect(run("-format", "-check", text=NEAT).returncode == 0, "-check of standard input")
            self.expect(run("-format", "a.ir", "b.rules", "-o", "out").returncode == 0 and (at / "out/a.ir").read_text() == NEAT
                        and (at / "out/b.rules").read_text() == NEAT_RULES, "-o with a folder")
            self.expect(run("-format", "a.ir", "bad.ir", "-o", "out").returncode == 1 and not (at / "out/bad.ir").exists(), "a wrong file")
            bad = run("-format", "bad.ir", "-o", "bad.ir")
            self.expect(bad.returncode == 1 and bad.stderr.startswith("bad.ir:1:10: error: expected a parameter") and
                        (at / "bad.ir").read_text() == "func @f( { }\n", f"a wrong file stays as it was: {bad.stderr}")
            self.expect(run("-format", "a.ir", "-o", "a.ir").returncode == 0 and (at / "a.ir").read_text() == NEAT, "in place")
            for wrong in [["-run", "@f(1)", "a.ir"], ["x.json"], ["-check", "-o", "x", "a.ir"], ["a.ir", "b.rules", "-o", "a.ir"],
                          ["a.ir", "out/a.ir", "-o", "out"], ["a.ir", "b.rules"]]:
                done = run("-format", *wrong)
                self.expect(done.returncode == 2 and done.stderr.startswith("irrewrite: "), f"wrong usage: {wrong}")
            self.expect(run("-format", "nowhere.ir").returncode == 1, "no file")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=str(ROOT / "build/irrewrite"))
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    test = Format(str(pathlib.Path(options.tool).resolve()))
    test.layouts()
    test.options()
    folders = ["rules", "samples", "tests/golden", "tests/right", "tests/lint", "tests/cost", "tests/wrong", "tests/rules"]
    files = [p for f in folders for p in sorted((ROOT / f).rglob("*")) if p.suffix in (".ir", ".rules") and options.filter in str(p)]
    for number, path in enumerate(files):
        test.file(path, number % 8 == 0 or path.suffix == ".rules" or "golden" not in str(path))
    shipped = [p for p in files if p.relative_to(ROOT).parts[0] in ("rules", "samples")]
    with_labels = ROOT / "samples" / "languages" / "queries.ir" # `on`, a label of its rule file
    for rules, group in (([], [p for p in shipped if p != with_labels]),
                         (["-rules", with_labels.with_suffix(".rules")], [p for p in shipped if p == with_labels])):
        if group:
            done = test.run("-format", "-check", *rules, *group)
            test.expect((done.returncode, done.stdout) == (0, ""), f"shipped files have another layout:\n{done.stdout}{done.stderr}")
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
