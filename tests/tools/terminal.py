#!/usr/bin/env python3
"""What the command does at a terminal, and its prompt `-i`, as a script and on a pseudo terminal.

- Messages and -diff have color on a terminal, none where NO_COLOR is set, and none in a pipe.
- -diff aligns long programs.
- Without an input at a terminal one line says what is awaited.
- The prompt: rule files, programs, terms, functions; phases rewrite by rewrite and back; a strategy, a rule; questions; what is wrong
  leaves the program as it was, and is the exit code of a script.
- Long checks show a line of progress on a terminal, which is gone when the report comes, and none in a pipe. Ctrl-C ends a check with
  what is known so far, and exit code 130.
"""

import argparse
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

from tally import Tally

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "60"))
RED = "\x1b[31m"

SESSION = """:rules rules/examples/matrices.rules
:load rules/examples/matrices.ir
:step
:explain %a
:back
:apply innermost(algebra)
:apply t-mul
:why-not left-identity @f
:back
:back
// a comment
func @g(%n: i64) -> i64 {
  return %n + 2
}
:run @g(40)
func @g(%n: i64) -> i64 { return %n + 3 }
:run @g(40)
map([1, 2]) { |%x| %x * 2 }
:run @it()
:rewrite
:emit dot
:clear
:show
"""


class Terminal(Tally):
    def __init__(self, tool):
        super().__init__("terminal")
        self.tool = tool

    def script(self, text, *arguments):
        return subprocess.run([self.tool, "-i", *arguments], input=text, cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT)

    def on_terminal(self, arguments, keys=b"", environment=None, until=None, act=None):
        """What a terminal shows, and the exit code. `act` is called with the process once `until` has been shown."""
        master, slave = pty.openpty()
        env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | (environment or {})
        process = subprocess.Popen([self.tool, *arguments], stdin=slave, stdout=slave, stderr=slave, cwd=ROOT, env=env, start_new_session=True)
        os.close(slave)
        os.write(master, keys)
        shown, end = b"", time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            if not select.select([master], [], [], 0.1)[0]:
                if process.poll() is not None:
                    break
                continue
            try:
                some = os.read(master, 65536)
            except OSError: # the other end is closed
                break
            if not some:
                break
            shown += some
            if act and until in shown:
                act(process)
                act = None
        os.close(master)
        try:
            return shown.decode(errors="replace").replace("\r\n", "\n"), process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            return shown.decode(errors="replace"), None

    def color(self):
        with tempfile.TemporaryDirectory() as folder:
            bad = pathlib.Path(folder) / "bad.ir"
            bad.write_text("func @f() -> i64 { return %y }\n")
            diff = ["-rules", "fusion.rules", "-diff", "samples/stats.ir"]
            for arguments in (diff, [str(bad)]):
                self.expect("\x1b[" in self.on_terminal(arguments)[0], f"no color: {arguments}")
                self.expect("\x1b[" not in self.on_terminal(arguments, environment={"NO_COLOR": "1"})[0], f"NO_COLOR: {arguments}")
                self.expect("\x1b[" in self.on_terminal(arguments, environment={"NO_COLOR": ""})[0], f"an empty NO_COLOR: {arguments}")
                self.expect("\x1b[" in self.on_terminal(["-color", "always", *arguments], environment={"NO_COLOR": "1"})[0], "-color always")
                piped = subprocess.run([self.tool, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT)
                self.expect("\x1b[" not in piped.stdout + piped.stderr, f"color in a pipe: {arguments}")

    def awaited(self):
        shown, code = self.on_terminal([], keys=b"func @f() -> i64 { return 1 }\n\x04")
        self.expect("reading a program from the terminal" in shown and "return 1" in shown and code == 0, f"what is awaited: {shown}")
        quiet, _ = self.on_terminal(["-quiet"], keys=b"func @f() -> i64 { return 1 }\n\x04")
        self.expect("reading a program" not in quiet, "-quiet")

    def prompt(self):
        done = self.script(SESSION)
        self.expect(done.returncode == 0 and done.stderr == "", f"a session: {done.returncode} {done.stderr}")
        for part in ["<prompt>:2:3: @f: matrices.algebra.left-identity: mat.mul(mat.id(3), %a)  =>  %a\n", "-   %1 = mat.mul(%0, %a)\n",
                     "%a is %a\n", "  %y = mat.scale(8.0, %b)\n  %1 = mat.t(%y)\n  return mat.mul(%0, %1)\n",
                     "  %0 = mat.mul(%y, %a)\n  return mat.t(%0)\n", "matrices.algebra.left-identity at @f = ", "\n42\n", "\n43\n",
                     "func @it() -> [2]i64 {\n", "\n[2, 4]\n", "digraph"]:
            self.expect(part in done.stdout, f"the session does not show {part!r}:\n{done.stdout}")
        self.expect(done.stdout.rstrip().endswith("}"), "an empty program at the end")
        for text, code, said in [("1 +\n", 1, "error: "), ("func @f() -> i64 { return %y }\n", 1, "unknown value '%y'"), (":emit cpq\n", 2, "'-emit' takes"),
                                 (":chck\n", 2, "did you mean ':check'?"), (":rules nowhere.rules\n", 1, "cannot find the rule file"),
                                 (":step x\n", 2, "a number"), (":load nowhere.ir\n", 1, "no such file"),
                                 (":apply nonesuch\n", 1, "nonesuch"), (":run @f(1)\n", 1, "expected a call")]:
            done = self.script("func @ok() -> i64 { return 1 }\n" + text + ":show\n")
            self.expect(done.returncode == code and said in done.stderr, f"{text!r}: {done.returncode} {done.stderr}")
            self.expect(done.stdout == "func @ok() -> i64 {\n  return 1\n}\n", f"{text!r} changes the program: {done.stdout}")
        matrices = ":rules rules/examples/matrices.rules\n:load rules/examples/matrices.ir\n"
        shown = lambda text: self.script(matrices + text).stdout
        for change in (":step\n", ":step 2\n", ":apply algebra\n", ":rewrite\n", ":rules arith.rules\n", "1 + 1\n", ":load samples/stats.ir\n", ":clear\n"):
            done = shown(":step\n" + change)
            self.expect(shown(":step\n" + change + ":back\n") == done + shown(":step\n:show\n").removeprefix(shown(":step\n")), f":back after {change}")
            self.expect(shown(":step\n" + change + ":back\n:step\n") == done + shown(":step\n:show\n:step\n").removeprefix(shown(":step\n")),
                        f":back after {change} and a step")
        noted = self.script(":rules effects.rules\n:load samples/speculation.ir\n" + ":step\n" * 40)
        steps = re.findall(r"^<prompt>.*?: @main: ([\w. -]+): .*  =>  ", noted.stdout, re.MULTILINE)
        made = subprocess.run([self.tool, "-rules", "effects.rules", "-trace=json", "samples/speculation.ir"], cwd=ROOT, capture_output=True,
                              text=True, check=False, timeout=TIMEOUT).stderr.splitlines()
        self.expect(steps and steps == [step["rule"] for step in map(json.loads, made) if "rule" in step] and "no rule applies any more" in noted.stdout,
                    f"steps among the notes of strategies: {steps}")
        self.expect("nothing to take back" in self.script(":back\n").stderr, "nothing to take back")
        self.expect(self.script(":check\n", "-rules", "samples/halves.rules").returncode == 3, ":check finds a wrong rule")
        shown, code = self.on_terminal(["-i"], keys=b"func @f() -> i64 {\n return 1\n}\n:run @f()\n:chck\n:quit\n")
        self.expect("irrewrite> " in shown and "......> " in shown and re.search(r"(> |\n)1\n", shown) and code == 0, f"prompts: {shown}")

    def editing(self):
        """Lines have a history and completion where the tool is built with libedit."""
        linked = subprocess.run(["ldd", self.tool], capture_output=True, text=True, check=False).stdout
        if "libedit" not in linked:
            print("the tool is built without libedit: no history and no completion of lines")
            return
        keys = b":hel\t\nfunc @stats(%numbers: i64) -> i64 { return %nu\t }\n:run @st\t(4)\n\x1b[A\n:chck\n:emit js\t\n:quit\n"
        shown, code = self.on_terminal(["-i"], keys=keys, environment={"TERM": "xterm"})
        self.expect(shown.count(":rules FILE") == 1, f"a command is completed: {shown!r}")
        self.expect(shown.count("\n4\n") == 2 and code == 0, f"names are completed, and the line before comes back: {shown!r}")
        self.expect("did you mean ':check'" in shown and '"functions"' in shown, f"kinds of output are completed: {shown!r}")

    def long_differences(self):
        """Programs of thousands of lines, of which the first, the last and one in the middle differ, are aligned all the same."""
        count = 5000
        lines = [f"  %v{i} = mul(%v{i - 1}, %v{i - 1})" for i in range(1, count)]
        for i in (1, count // 2, count - 1):
            lines[i - 1] = f"  %v{i} = add(mul(%v{i - 1}, %v{i - 1}), 0)"
        program = "\n".join(["func @f(%v0: i64) -> i64 {", *lines, f"  return %v{count - 1}", "}", ""])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "long.ir"
            path.write_text(program)
            done = subprocess.run([self.tool, "-rules", "arith.rules", "-diff", path], cwd=ROOT, capture_output=True, text=True, check=False,
                                  timeout=TIMEOUT)
        signs = [line[0] for line in done.stdout.splitlines()]
        self.expect(signs.count("-") < 20 and signs.count("+") < 20 and signs.count(" ") > count - 20,
                    f"not aligned: {signs.count('-')} lines before, {signs.count('+')} after, {signs.count(' ')} both")

    def interrupted_runs(self):
        """Ctrl-C ends other long work as well: with what is known, or after a second where the work asks nobody."""
        with tempfile.TemporaryDirectory() as folder:
            grow, endless = pathlib.Path(folder, "grow.ir"), pathlib.Path(folder, "endless.ir")
            grow.write_text("func @f(%x: Term) -> Term { return wrap(%x) }\n")
            endless.write_text("func @f(%n: i64) -> i64 { return while(%n) { |%x| %x > 0 } do { |%x| %x + 1 } }\n")
            verify = ["-verify", "-rules", "fusion.rules", "-instances", "2000000000", "samples/stats.ir"]
            rewrite = ["-rules", "samples/grows.rules", str(grow), "-fuel", "1000000000000"]
            for arguments, until, parts in [(verify, b" of ", [r"\d+ of 2000000000, \d+ a second", "no difference on the inputs that were compared",
                                                               r"interrupted: \d+ of 2000000000 are in this report"]),
                                            (rewrite, b"rewriting", [r"in phase 'grown': \d+ rewrites, \d+ a second", r"interrupted after \d+ rewrites; still firing",
                                                                     r"grows\.wrap-wrap: wrap\("]),
                                            ([str(endless), "-run", "@f(1)"], b"evaluating", ["\nirrewrite: interrupted|irrewrite: interrupted\n"])]:
                shown, code = self.on_terminal(arguments, until=until, act=lambda process: process.send_signal(signal.SIGINT))
                self.expect(code == 130 and all(re.search(part, shown) for part in parts), f"Ctrl-C, {arguments}: {code}: {shown[-600:]!r}")

    def progress(self):
        check = ["-check", "-rules", "arith.rules", "-instances", "4000"]
        shown, code = self.on_terminal(check, until=b"checking", act=lambda process: process.send_signal(signal.SIGINT))
        self.expect("\rchecking " in shown or "checking " in shown.split("\n")[0], f"no progress: {shown[:300]!r}")
        self.expect(" of " in shown.split("\x1b[K")[0] and "\r\x1b[K" in shown, f"done of how many: {shown[:300]!r}")
        states = [tuple(map(int, s)) for s in re.findall(r"(\d+) of (\d+), (\d+) a second, (\d+) s", shown)]
        self.expect(states and all(0 <= done <= total and abs(done - rate * seconds) <= 0.5 * rate + 0.5 * seconds + 1
                                   for done, total, rate, seconds in states), f"the rate is not what was done in that time: {states}")
        self.expect(code == 130 and "interrupted" in shown, f"Ctrl-C: {code}: {shown[-300:]!r}")
        self.interrupted_runs()
        piped = subprocess.run([self.tool, "-check", "-rules", "samples/halves.rules"], cwd=ROOT, capture_output=True, text=True, check=False)
        self.expect("\r" not in piped.stdout + piped.stderr and piped.stderr == "", "progress in a pipe")
        quick, _ = self.on_terminal(["-check", "-rules", "samples/halves.rules"])
        self.expect("\x1b[K" not in quick, f"progress of what is done at once: {quick!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=str(ROOT / "build/irrewrite"))
    parser.add_argument("--part", default="")
    options = parser.parse_args()
    test = Terminal(str(pathlib.Path(options.tool).resolve()))
    for part in (test.color, test.awaited, test.prompt, test.editing, test.long_differences, test.progress):
        if options.part in part.__name__:
            part()
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
