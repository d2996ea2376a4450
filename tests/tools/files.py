#!/usr/bin/env python3
"""What the command does with files: nothing is written where something is wrong, old files stay until new ones are
whole, files are looked for where README.md says, and what is printed as JSON is read back.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "60"))  # seconds for one run of the tool; sanitizers take longer
GOOD = "func @good(%x: i64) -> i64 { return %x + 1 }\n"
ALSO = "func @also(%x: i64) -> i64 { return %x * 2 }\n"
BAD = "func @bad(%x: i64) -> i64 { return %y }\n"
FAULT = "func @good(%x: i64) -> i64 { print(%x) return 1 / %x }\n"


class Files:
    """A folder with some programs, and the tool run inside of it."""

    def __init__(self, tool, folder):
        self.tool, self.folder = tool, pathlib.Path(folder)
        for name, text in {"good.ir": GOOD, "also.ir": ALSO, "bad.ir": BAD, "fault.ir": FAULT}.items():
            (self.folder / name).write_text(text)

    def run(self, *arguments, **how):
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | how
        return subprocess.run([self.tool, *arguments], cwd=self.folder, text=True, check=False, timeout=TIMEOUT, **how)

    def tests(self):
        """(what, whether it holds) of each test."""
        yield from self.one_file()
        yield from self.several()
        yield from self.json_of_opaque_types()
        yield from self.places()
        yield from self.read_back()
        yield from self.long_texts()
        yield from self.text_away()
        yield from self.marks()

    def one_file(self):
        out = self.folder / "out.ir"
        out.write_text("old")
        done = self.run("bad.ir", "-o", "out.ir")
        yield "an error leaves the old file", done.returncode == 1 and out.read_text() == "old"
        before = out.stat().st_ino
        done = self.run("good.ir", "-o", "out.ir")
        yield "the new file replaces the old one as a whole", done.returncode == 0 and out.stat().st_ino != before
        yield "standard output is empty then", done.stdout == "" and "@good" in out.read_text()
        yield "nothing else is left", not list(self.folder.glob("out.ir.*"))
        yield "a file may be rewritten in its place", self.run("out.ir", "-o", "out.ir").returncode == 0
        done = self.run("good.ir", "-o", "nowhere/out.ir")
        yield "a folder that is not there", done.returncode == 1 and "cannot write 'nowhere/out.ir'" in done.stderr
        done = self.run("bad.ir")
        yield "an error prints no program", done.returncode == 1 and done.stdout == ""
        done = self.run("fault.ir", "-run", "@good(0)")
        yield "a fault comes behind what was printed", (done.returncode, done.stdout) == (5, "0\n")
        out.write_text("old")
        done = self.run("fault.ir", "-run", "@good(0)", "-o", "out.ir")
        yield "a fault leaves the old file", (done.returncode, done.stdout, out.read_text()) == (5, "", "old")
        done = self.run("fault.ir", "-run", "@good(1)", "-o", "out.ir")
        yield "what a run prints stands in the file", done.returncode == 0 and out.read_text() == "1\n1\n"
        if os.path.exists("/dev/full"):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = self.run("good.ir", stdout=full)
            yield "a full device", done.returncode == 1 and "cannot write standard output" in done.stderr

    def several(self):
        for jobs in "1", "3":
            done = self.run("-j", jobs, "good.ir", "also.ir")
            yield f"several files, -j {jobs}", done.returncode == 0 and re.findall(r"@\w+", done.stdout) == ["@good", "@also"]
            done = self.run("-j", jobs, "good.ir", "bad.ir", "also.ir")
            yield f"one wrong file, -j {jobs}", done.returncode == 1 and done.stdout == "" and "bad.ir:1:36" in done.stderr
        folder = self.folder / "all"
        folder.mkdir()
        done = self.run("good.ir", "bad.ir", "-o", "all")
        yield "one wrong file, into a folder", done.returncode == 1 and not list(folder.iterdir())
        done = self.run("good.ir", "also.ir", "-o", "all", "-emit", "json")
        names = sorted(path.name for path in folder.iterdir())
        yield "into a folder", done.returncode == 0 and names == ["also.json", "good.json"]
        done = self.run("good.ir", "fault.ir", "-run", "@good(0)", "-o", "all")
        yield "a fault in one of them", done.returncode == 5 and names == sorted(path.name for path in folder.iterdir())
        yield "into one file", self.run("good.ir", "also.ir", "-o", "one.ir").returncode == 2
        yield "a file that is not there", self.run("good.ir", "none.ir").stdout == ""

    def json_of_opaque_types(self):
        (self.folder / "sized.rules").write_text("type M[n] as [n]f64 at lowering\nop twice(M[?n]) -> M[?n] pure total\n"
                                                 "phase early = id\nphase lowering\n")
        (self.folder / "sized.ir").write_text("func @f(%a: M[n], %b: [m]M[n]) -> M[n], i64 { return twice(%a), %n + %m }\n")
        early = ("-rules", "sized.rules", "-until", "early")
        self.run(*early, "-emit", "json", "-o", "sized.json", "sized.ir")
        yield "named dimensions of opaque types in JSON", self.run(*early, "sized.json").stdout == self.run(*early, "sized.ir").stdout != ""

    def places(self):
        rule = "rules r {{ a: ?x: i64 + 1 => {} }}\nphase p = innermost(r)\n"
        (self.folder / "include").mkdir()
        (self.folder / "include" / "mine.rules").write_text(rule.format("?x"))
        (self.folder / "include" / "arith.rules").write_text(rule.format("7"))
        yield "rules that are nowhere", self.run("-rules", "mine.rules", "good.ir").returncode == 1
        done = self.run("-I", "include", "-rules", "mine.rules", "good.ir")
        yield "rules in a folder of -I", "return %x\n" in done.stdout
        done = self.run("-I", "include", "-rules", "arith.rules", "good.ir")
        yield "-I goes before the shipped rules", "return 7\n" in done.stdout
        (self.folder / "mine.rules").write_text(rule.format("8"))
        done = self.run("-I", "include", "-rules", "mine.rules", "good.ir")
        yield "as given goes before -I", "return 8\n" in done.stdout

    def long_texts(self):
        """Texts are cut into parts where they are long; here they are so from some bytes on."""
        rng = random.Random(7)
        for mistake in None, "%z", "div(%x, 0)", "true":
            lines = []
            for i in range(40):
                body = "".join(f"  %v{k} = (%x + {k}) * {i} + 0\n" for k in range(1 + rng.randrange(5)))
                lines.append(f"// {i}\nfunc @f{i}(%x: i64) -> i64 {{\n{body}  return %v0 - {i}\n}}\n")
            if mistake:
                lines[rng.randrange(20, 40)] = f"func @wrong(%x: i64) -> i64 {{\n  return {mistake}\n}}\n"
            (self.folder / "long.ir").write_text("".join(lines))
            for rules in ([], ["-rules", "arith.rules"], ["-rules", "arith.rules", "-fuel", "30"]):
                whole = self.run("long.ir", *rules)
                for size, jobs in ((1, "-j 1"), (100, "-j 2"), (333, "-j 3"), (1000, "-j 1"), (200, "")):
                    cut = self.run("long.ir", *rules, *jobs.split(), env=os.environ | {"IRREWRITE_PART_SIZE": str(size)})
                    same = (cut.returncode, cut.stdout, cut.stderr) == (whole.returncode, whole.stdout, whole.stderr)
                    yield f"a text with {mistake or 'no mistake'} in parts of {size} bytes, {jobs}, {' '.join(rules)}", same

    def text_away(self):
        """A large text is not kept while it is rewritten; what is said of it is the same."""
        program = "func @f(%x: i64) -> i64 {\n  %y = %x - 0\n  %z = %y * 2\n  return (%z + 0) * 1\n}\n"
        for rules in (["-fuel", "1"], ["-fuel", "2"], []):
            told = []
            for padding in "", "// " + 80 * "-" + "\n":
                (self.folder / "away.ir").write_text(program + padding * (1 << 16))
                done = self.run("-rules", "arith.rules", *rules, "away.ir")
                told.append((done.returncode, done.stdout, done.stderr))
            places = not rules or "away.ir:2:3: @f: arith.identities.sub-zero" in told[0][2]
            yield f"a large text with {' '.join(rules) or 'fuel enough'}", told[0] == told[1] and places

    def marks(self):
        """A byte order mark, and lines that end as on Windows, change neither programs nor places."""
        program = "func @f(%x: i64) -> i64 {\n  %y = %x + 0\n  return %y\n}\n"
        rules = "rules r {\n  a: ?x: i64 + 0 => ?x\n}\nphase p = innermost(r)\n"
        wanted = "func @f(%x: i64) -> i64 {\n  return %x\n}\n"
        for mark, end in ((b"", "\n"), (b"\xef\xbb\xbf", "\n"), (b"\xef\xbb\xbf", "\r\n")):
            for name, text in {"marked.ir": program, "marked.rules": rules, "wrong.ir": program.replace("%y\n", "%z\n")}.items():
                (self.folder / name).write_bytes(mark + text.replace("\n", end).encode())
            done = self.run("-rules", "marked.rules", "marked.ir", "-trace")
            yield f"a file that begins with {mark}, lines that end with {end!r}", done.stdout == wanted and "marked.ir:2:3: " in done.stderr
            done = self.run("-rules", "marked.rules", "marked.ir", env=os.environ | {"IRREWRITE_PART_SIZE": "1"})
            yield f"the same in parts, {mark} {end!r}", done.stdout == wanted
            yield f"places behind {mark}, {end!r}", "wrong.ir:3:10: error" in self.run("wrong.ir").stderr

    def read_back(self):
        readme = (ROOT / "samples" / "README.md").read_text()
        for path in sorted((ROOT / "samples").glob("*.ir")):
            row = re.search(rf"^\| \[{path.stem}\].*", readme, re.MULTILINE)
            rules = re.findall(r"-rules (\S+)", row[0]) if row else []
            options = [option for name in rules for option in ("-rules", str(ROOT / name) if "/" in name else name)]
            for kind in "json", "ir":
                self.run(*options, str(path), "-emit", kind, "-o", f"read.{kind}")
            json, text = (self.run(*options, f"read.{kind}") for kind in ("json", "ir"))
            yield f"{path.name} as JSON", json.returncode == 0 and json.stdout == text.stdout != ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = list(Files(str(pathlib.Path(options.tool).resolve()), folder).tests())
    failed = [what for what, holds in results if not holds]
    for what in failed:
        print("FAILED", what)
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
