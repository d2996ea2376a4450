#!/usr/bin/env python3
"""Runs the golden files, tests/golden/**/*.ir and *.rules.

A golden file is an input of the tool; the comment lines at its top say what to do with it:

  // run: -rules fusion.rules      options; the file's name is appended unless $FILE stands there, or no program is read.
                                   Several are allowed, each followed by its own checks. None:
                                   no options (with a rules-file, -rules $RULES).
  // exit: 1                       exit code (default 0, and 1 where an `error:` is expected)
  // shape: loop=1 map=0           how many nodes of an operation remain (-stats=json, "after")
  // eval: @f([1.0], 3) => 3.0 | 4 what -run prints, one line for each result; with the options,
                                   without any, and for the printed output read again.
                                   `=> fault` expects exit code 5, `=> fault at 7` in line 7 of the file
  // eval-after: @f(1) => 1        the same, with the options only (the file needs its rules)
  // cpp: @f([1.0], 3) => 3.0 | 4  the same through -emit cpp -driver
  // c: @f([1.0], 3) => 3.0        likewise through -emit c -driver (golden_c.py does that with all that is accepted)
  // check: @f([1.0], 3) => 3.0    eval and cpp
  // moves: @f([1.0], 3) => launches=1 to_device=8 to_host=8
                                   kernels, bytes copied and `checks=1`, how often the host asked for
                                   faults, with --cuda alone; any of the four
  // error: 3:14: expected ')'     a line FILE:3:14: error: …expected ')'… on standard error; so
                                   `warning:`. Without a place, a line error: …
                                   All errors are named, if any is.
  // stdout: TEXT, stderr: TEXT    TEXT occurs there
  // absent: TEXT                  TEXT occurs neither on standard output nor on standard error
  // output:                       the exact standard output, in the lines that follow, three
  //   text                        blanks behind the slashes; --bless rewrites them
  // input: samples/dot.ir         the tool reads that file in the place of this one
  // rules-file: {                 rules for `$RULES` in a run line; lines and columns of
  //   rules r { … }               messages are those of the golden file
  // }

In a run line, $FILE is the file that the tool reads, $DIR its folder, $RULES its own rules, $TMP a folder.
A .rules file is loaded with -rules FILE on an empty program. Commands run in the repository root.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import batches
import device
import kept
from headers import Headers

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
GOLDEN = ROOT / "tests" / "golden"
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "60"))  # seconds for one run of the tool; sanitizers take longer
COMPILER_TIMEOUT = 300
CPP_FLAGS = "-std=c++20 -O0 -Wall -Wextra -Werror -fopenmp -ffp-contract=off -fno-math-errno".split()
# Emitted CUDA on the CPU: tests/cuda/cuda_runtime.h stands for the toolkit. A device reads no word that is not aligned.
ALIGNED = ["-fsanitize=alignment", "-fsanitize-undefined-trap-on-error"]
CUDA_FLAGS = ["-std=c++20", "-O0", "-ffp-contract=off", "-fno-math-errno", "-pthread", *ALIGNED, "-DCUDA_APART",
              f"-I{ROOT / 'tests' / 'cuda'}"]
DIRECTIVES = set("run exit shape eval eval-after cpp c check moves error warning stdout stderr absent output "
                 "input rules-file".split())
FAULT = 5


class Failure(Exception):
    """A check that does not hold; the text says which."""


@dataclasses.dataclass
class Run:
    """One command and its checks."""
    options: str
    exit: int | None = None
    shape: dict = dataclasses.field(default_factory=dict)
    evals: list = dataclasses.field(default_factory=list)   # (call, expected, everywhere)
    cpps: list = dataclasses.field(default_factory=list)    # (call, expected)
    cs: list = dataclasses.field(default_factory=list)      # likewise
    moves: list = dataclasses.field(default_factory=list)   # likewise
    messages: list = dataclasses.field(default_factory=list)  # (severity, place, text)
    stdout: list = dataclasses.field(default_factory=list)
    stderr: list = dataclasses.field(default_factory=list)
    absent: list = dataclasses.field(default_factory=list)
    output: str | None = None
    output_lines: tuple = (0, 0)    # where the expected text stands in the file

    def plain(self):
        """Whether there is anything to check in the command's own exit code and output."""
        return (self.exit is not None or self.shape or self.messages or self.stdout or self.stderr
                or self.absent or self.output is not None)

    def exit_code(self):
        if self.exit is not None:
            return self.exit
        return 1 if any(severity == "error" for severity, _, _ in self.messages) else 0


@dataclasses.dataclass
class Golden:
    path: pathlib.Path
    runs: list
    rules: str | None   # padded, so that its lines are the golden file's
    input: pathlib.Path     # what the tool reads


def parse_call(text, where):
    match = re.fullmatch(r"(@.*) =>(?: (.*))?", text)
    if not match:
        raise Failure(f"{where}: expected '@f(…) => results'")
    return match[1], (match[2] or "").split(" | ")


def parse_message(severity, text):
    match = re.fullmatch(r"(\d+:\d+):\s*(.*)", text)
    return (severity, match[1], match[2]) if match else (severity, None, text)


def parse_shape(text, where):
    shape = {}
    for item in text.split():
        match = re.fullmatch(r"([^=\s]+)=(\d+)", item)
        if not match:
            raise Failure(f"{where}: expected 'operation=count', found '{item}'")
        shape[match[1]] = int(match[2])
    return shape


def header(lines):
    """The number of comment lines and blank lines at the top."""
    for count, line in enumerate(lines):
        if line.strip() and not line.startswith("//"):
            return count
    return len(lines)


def read_output(lines, start, end):
    """The expected output from line `start` on, and the line behind it."""
    stop = start
    while stop < end and (lines[stop].startswith("//   ") or lines[stop].rstrip() == "//"):
        stop += 1
    while stop > start and lines[stop - 1].rstrip() == "//":
        stop -= 1
    return "".join(line[5:] + "\n" for line in lines[start:stop]), stop


def read_rules(lines, start, end, where):
    """The inline rules from line `start` on, in their lines and columns, and the line behind."""
    for stop in range(start, end):
        if lines[stop].rstrip() == "// }":
            body = ["  " + line[2:] for line in lines[start:stop]]
            return "\n" * start + "\n".join(body) + "\n", stop + 1
    raise Failure(f"{where}: the rules-file has no '// }}'")


def parse(path):
    lines = path.read_text().split("\n")
    end = header(lines)
    golden = Golden(path, [], None, path)
    implicit = Run("")      # checks in front of any run line
    number = 0
    while number < end:
        where = f"line {number + 1}"
        match = re.fullmatch(r"// ([a-z-]+):(?:\s+(.*))?", lines[number].rstrip())
        number += 1
        if not match:
            continue
        name, text = match[1], match[2] or ""
        run = golden.runs[-1] if golden.runs else implicit
        if name not in DIRECTIVES:
            raise Failure(f"{where}: unknown directive '{name}:'")
        if name == "run":
            golden.runs.append(Run(text))
        elif name == "exit":
            run.exit = int(text)
        elif name == "shape":
            run.shape.update(parse_shape(text, where))
        elif name in ("eval", "eval-after"):
            run.evals.append((*parse_call(text, where), name == "eval"))
        elif name == "cpp":
            run.cpps.append(parse_call(text, where))
        elif name == "c":
            run.cs.append(parse_call(text, where))
        elif name == "check":
            run.evals.append((*parse_call(text, where), True))
            run.cpps.append(parse_call(text, where))
        elif name == "moves":
            run.moves.append(parse_call(text, where))
        elif name in ("error", "warning"):
            run.messages.append(parse_message(name, text))
        elif name in ("stdout", "stderr", "absent"):
            getattr(run, name).append(text)
        elif name == "output":
            start = number
            run.output, number = read_output(lines, start, end)
            run.output_lines = (start, number)
        elif name == "input":
            golden.input = ROOT / text
        elif name == "rules-file":
            if text != "{":
                raise Failure(f"{where}: expected 'rules-file: {{'")
            golden.rules, number = read_rules(lines, number, end, where)
    if implicit.plain() or implicit.evals or implicit.cpps or implicit.cs or implicit.moves:
        if golden.runs:
            raise Failure("there are checks in front of the first 'run:'")
        implicit.options = "-rules $RULES" if golden.rules is not None else ""
        golden.runs.append(implicit)
    if not golden.runs:
        raise Failure("there are no directives")
    for run in golden.runs:
        if not (run.plain() or run.evals or run.cpps or run.cs or run.moves):
            raise Failure(f"nothing is checked after 'run: {run.options}'")
    return golden


def environment():
    env = dict(os.environ)
    env.pop("IRREWRITE_RULES", None)
    env.setdefault("ASAN_OPTIONS", "exitcode=99")
    env.setdefault("UBSAN_OPTIONS", "exitcode=99:print_stacktrace=1")
    env.setdefault("OMP_NUM_THREADS", "3")  # more than one, on any machine
    env.setdefault("OMP_WAIT_POLICY", "passive")
    return env


ENVIRONMENT = environment()


def shown(command):
    return " ".join(shlex.quote(str(word)) for word in command)


def execute(command, stdin="", cwd=ROOT, timeout=TIMEOUT, env=ENVIRONMENT):
    try:
        return subprocess.run([str(word) for word in command], input=stdin, cwd=cwd,
                              env=env, capture_output=True, text=True,
                              errors="backslashreplace", timeout=timeout)
    except subprocess.TimeoutExpired:
        raise Failure(f"{shown(command)}\nno end after {timeout} s") from None
    except OSError as error:
        raise Failure(f"{shown(command)}\n{error}") from None


def indented(text):
    lines = text.rstrip("\n").split("\n")
    if len(lines) > 60:
        lines[60:] = [f"… {len(lines) - 60} more lines"]
    return "\n".join("    " + line for line in lines)


def complain(command, what, done):
    raise Failure(f"{shown(command)}\n{what}\n  standard output:\n{indented(done.stdout)}"
                  f"\n  standard error:\n{indented(done.stderr)}")


def check_results(command, done, expected, label, own_lines=True, rounds=False):
    """`own_lines`: the lines in messages are those of the golden file; `rounds`: last digits may differ."""
    fault = re.fullmatch(r"fault(?: at (\d+))?", expected[0]) if len(expected) == 1 else None
    if fault:
        if done.returncode != FAULT:
            complain(command, f"{label}: expected a fault, exit code {FAULT}, "
                              f"found {done.returncode}", done)
        if own_lines and fault[1] and not re.search(rf":{fault[1]}:", done.stderr):
            complain(command, f"{label}: expected a fault in line {fault[1]}", done)
        return
    if done.returncode != 0:
        complain(command, f"{label}: exit code {done.returncode}", done)
    found = done.stdout.removesuffix("\n").split("\n")
    if not device.same("\n".join(expected), "\n".join(found), rounds):
        complain(command, f"{label}: expected {' | '.join(expected)}\n"
                          f"{' ' * len(label)}     found {' | '.join(found)}", done)


def stats(stderr):
    """The object that -stats=json prints, whatever stands around it."""
    for match in re.finditer(r"^\{", stderr, re.MULTILINE):
        try:
            return json.JSONDecoder().raw_decode(stderr, match.start())[0]
        except json.JSONDecodeError:
            pass
    return None


def words(golden, run, folder):
    """The options of a run line, and the input that follows them."""
    file = golden.input
    file = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
    rules = folder / (golden.path.stem + ".rules")
    if golden.rules is not None:
        rules.write_text(golden.rules)
    elif "$RULES" in run.options:
        raise Failure("the run line uses $RULES, and there is no 'rules-file:'")
    values = {"$FILE": file, "$DIR": file.parent, "$RULES": rules, "$TMP": folder}
    options = [re.sub(r"\$(FILE|DIR|RULES|TMP)\b", lambda m: str(values[m[0]]), word)
               for word in shlex.split(run.options)]
    if "$FILE" in run.options:
        return options, []
    if file.suffix == ".rules":
        return options, ["-rules", file]
    return options, [] if {"-check", "-prove", "-lint"} & set(options) else [file]


class Runner:
    """Runs golden files with one tool and one compiler."""

    def __init__(self, options):
        self.tool = pathlib.Path(options.tool).absolute()
        self.nvcc, self.runs = options.device or options.compile, not options.compile
        self.emit = "cuda" if options.cuda else "cpp"
        self.cxx = None if options.no_cpp else device.compiler(self.runs) if self.nvcc else shlex.split(options.cxx)
        flags = [] if self.nvcc else CUDA_FLAGS if options.cuda else CPP_FLAGS
        self.flags = flags + shlex.split(options.cxxflags)
        self.bless = options.bless
        self.programs = pathlib.Path(options.programs).absolute()
        self.c_programs = None
        self.emissions = {}     # what `prepare` emitted already: by file and number of the run
        self.headers_folder = tempfile.TemporaryDirectory()
        if self.cxx:
            self.headers = Headers([*self.cxx, *self.flags], self.headers_folder.name)
            compiler = execute([*self.cxx, "--version"]).stdout
            if options.cuda and not self.nvcc:
                compiler += (ROOT / "tests" / "cuda" / "cuda_runtime.h").read_text()
            self.kept = kept.Kept(self.programs, compiler, *self.cxx, *self.flags)

    def prepare(self, pool, files):
        """Compiles what the files emit, many programs at a time. What fails here fails again, with its message, in `test`."""
        self.compile_together(pool, (text for emitted in pool.map(self.emit_all, files) for text in emitted))

    def compile_together(self, pool, emitted):
        """Compiles those of the texts that are not compiled yet and belong together; the others are left."""
        texts = {program.name: text for program, text in ((self.kept.place(text), text) for text in emitted) if not program.exists()}
        list(pool.map(lambda batch: self.compile_batch({name: texts[name] for name in batch}), batches.batches(texts)))

    def emit_all(self, path):
        texts = []
        try:
            golden = parse(path)
            for index, run in enumerate(golden.runs):
                if self.compiles(run):
                    with tempfile.TemporaryDirectory() as folder:
                        done = execute(self.emission(*words(golden, run, pathlib.Path(folder))))
                    if done.returncode == 0:
                        self.emissions[path, index] = done
                        texts.append(done.stdout)
        except Failure:
            pass
        return texts

    def compile_batch(self, texts):
        if len(texts) < 2:
            return
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "emitted.cpp", self.programs / f"batch.{os.getpid()}.{next(iter(texts))}"
            source.write_text(batches.joined(texts))
            headers = self.headers.options(next(iter(texts.values())))
            command = [*self.cxx, *self.flags, *headers, source.name, "-o", program]
            try:
                if execute(command, cwd=folder, timeout=COMPILER_TIMEOUT).returncode == 0:
                    for name in texts:
                        os.link(program, self.programs / name)
            except (Failure, OSError): # a program may be there by now, and a file system without links
                pass
            program.unlink(missing_ok=True)

    def test(self, path):
        """What is wrong with the file, or None."""
        try:
            golden = parse(path)
            with tempfile.TemporaryDirectory() as folder:
                for index, run in reversed(list(enumerate(golden.runs))):
                    self.run(golden, index, run, pathlib.Path(folder))
        except Failure as failure:
            return str(failure)
        return None

    def run(self, golden, index, run, folder):
        options, inputs = words(golden, run, folder)
        if run.plain() and self.emit == "cpp":
            self.run_plain(golden, run, options, inputs, folder)
        if run.evals and self.emit == "cpp":
            self.run_evals(run, options, inputs)
        if run.cs and self.emit == "cpp" and self.cxx:
            if self.c_programs is None:
                import golden_c # which needs this module
                self.c_programs = golden_c.Programs(self.tool, self.programs.with_name("golden-c-lines"), ["-O1"])
            self.c_programs.check(self.c_programs.emission(options, inputs), run.cs)
        if self.compiles(run):
            done = self.emissions.pop((golden.path, index), None)
            self.run_cpps(run, self.emission(options, inputs), done, folder / f"run{index}")

    def compiles(self, run):
        return (run.cpps or (run.moves and self.counts())) and self.cxx

    def emission(self, options, inputs):
        return [self.tool, *options, "-emit", self.emit, "-driver", *inputs]

    def counts(self):
        """Whether kernels and copies are counted: by the header that stands for the toolkit's."""
        return self.emit == "cuda" and not self.nvcc

    def run_plain(self, golden, run, options, inputs, folder):
        stats_option = ["-stats=json"] if run.shape else []
        command = [self.tool, *options, *stats_option, *inputs]
        done = execute(command)
        if done.returncode != run.exit_code():
            complain(command, f"exit: expected {run.exit_code()}, found {done.returncode}", done)
        if run.exit_code() == 1 and done.stdout:
            complain(command, "there is standard output in spite of the error", done)
        self.check_messages(golden, run, command, done)
        for stream in ("stdout", "stderr"):
            for text in getattr(run, stream):
                if text not in getattr(done, stream):
                    complain(command, f"{stream}: no '{text}'", done)
        for text in run.absent:
            if text in done.stdout + done.stderr:
                complain(command, f"output: '{text}' all the same", done)
        if run.shape:
            self.check_shape(run, command, done)
        # For the sake of the lines it names, the tool's name for its temporary rules is hidden.
        output = done.stdout.replace(str(folder), "$TMP")
        if run.output is not None and output != run.output:
            if not self.bless:
                complain(command, f"output: expected\n{indented(run.output)}", done)
            rewrite_output(golden.path, run, output)

    def check_messages(self, golden, run, command, done):
        for severity, place, text in run.messages:
            if place:
                file = rf"(?:.*/)?{re.escape(golden.input.stem)}\.(?:ir|rules):"
                pattern = rf"{file}{place}: {severity}: .*"
            else:
                pattern = rf".*\b{severity}: .*"
            if not re.search(rf"^{pattern}{re.escape(text)}", done.stderr, re.MULTILINE):
                wanted = f"{place}: {text}" if place else text
                complain(command, f"{severity}: no message '{wanted}'", done)

        expected = sum(severity == "error" for severity, _, _ in run.messages)
        found = len(re.findall(r"^(?:.*: )?error: ", done.stderr, re.MULTILINE))
        if expected and expected != found:
            complain(command, f"error: expected {expected} of them, found {found}", done)

    def check_shape(self, run, command, done):
        found = stats(done.stderr)
        if found is None or "after" not in found:
            complain(command, "shape: no -stats=json on standard error", done)
        after = found["after"]
        wrong = [f"{op}={after.get(op, 0)} (expected {count})"
                 for op, count in run.shape.items() if after.get(op, 0) != count]
        if wrong:
            complain(command, "shape: " + ", ".join(wrong), done)

    def run_evals(self, run, options, inputs):
        printed = None
        for call, expected, everywhere in run.evals:
            command = [self.tool, *options, "-run", call, *inputs]
            check_results(command, execute(command), expected, f"eval {call}, with the rules")
            if not everywhere:
                continue
            command = [self.tool, "-run", call, *inputs]
            check_results(command, execute(command), expected, f"eval {call}, without rules")
            if printed is None:
                command = [self.tool, *options, *inputs]
                done = execute(command)
                if done.returncode != 0:
                    complain(command, f"exit code {done.returncode}", done)
                printed = done.stdout
            command = [self.tool, "-run", call]
            check_results(command, execute(command, printed), expected,
                          f"eval {call}, on what the tool printed:\n{indented(printed)}\n", own_lines=False)

    def run_cpps(self, run, command, done, folder):
        done = done or execute(command)
        if done.returncode != 0:
            complain(command, f"exit code {done.returncode}", done)
        if self.emit == "cuda" and (calls := device.left_out(done.stdout)):
            complain(command, f"a device leaves out the calls of {', '.join(calls)}", done)
        program = self.compile(done.stdout, folder)
        rounds = self.nvcc and device.APPROXIMATE.search(done.stdout)
        for call, expected in run.cpps if self.runs else []:
            check_results(command + ["|", *self.cxx], execute([program], call + "\n"), expected,
                          f"{self.emit} {call}", rounds=rounds)
        for call, expected in run.moves if self.counts() else []:
            moved = execute([program], call + "\n", env={**ENVIRONMENT, "CUDA_ON_CPU_COUNT": "1"})
            if not set(expected[0].split()) <= set(moved.stderr.split()):
                complain(command + ["|", *self.cxx], f"moves {call}: expected {expected[0]}", moved)

    def compile(self, text, folder):
        """The program compiled from the text. An unchanged text is not compiled again."""
        def compiled(program):
            folder.mkdir()
            source = f"emitted.{'cu' if self.nvcc else 'cpp'}"
            (folder / source).write_text(text)
            headers = [] if self.nvcc else self.headers.options(text)
            command = [*self.cxx, *self.flags, *headers, source, "-o", program]
            done = execute(command, cwd=folder, timeout=COMPILER_TIMEOUT)
            if done.returncode != 0:
                complain(command, "the emitted text does not compile:\n" + indented(text), done)
        return self.kept.program(text, compiled)


def rewrite_output(path, run, output):
    """Puts the text in the place of a run's expected output."""
    lines = path.read_text().split("\n")
    start, stop = run.output_lines
    fresh = [f"//   {line}" if line else "//" for line in output.split("\n")[:-1]]
    lines[start:stop] = fresh
    path.write_text("\n".join(lines))
    print(f"{path.relative_to(ROOT)}: rewritten")


def arguments():
    parser = argparse.ArgumentParser(description="Runs the golden files.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--cxxflags", default="", help="further flags for emitted C++")
    parser.add_argument("--no-cpp", action="store_true", help="do not compile emitted C++")
    parser.add_argument("--cuda", action="store_true",
                        help="only what is compiled: as emitted CUDA, on the CPU")
    parser.add_argument("--device", action="store_true",
                        help="the same, compiled by nvcc, on a device; what only that header counts is left out")
    parser.add_argument("--compile", action="store_true", help="what --device compiles, for sm_90; nothing runs")
    parser.add_argument("--filter", default="", help="only files whose path contains this, or one of several texts between commas")
    parser.add_argument("--bless", action="store_true", help="rewrite expected outputs")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--golden", default=str(GOLDEN), help="the folder of the files")
    parser.add_argument("--programs", help="where compiled programs are kept")
    options = parser.parse_args()
    nvcc = options.device or options.compile
    options.cuda = options.cuda or nvcc
    options.jobs = options.jobs or (device.jobs() if nvcc else len(os.sched_getaffinity(0)))
    if options.programs is None:
        folder = pathlib.Path(options.tool).resolve().parent
        name = "golden-device" if nvcc else "golden-cuda" if options.cuda else "golden"
        options.programs = (folder if folder.is_relative_to(ROOT) else ROOT / "build") / name
    return options


def main():
    options = arguments()
    runner = Runner(options)
    files = sorted(path for path in pathlib.Path(options.golden).resolve().rglob("*")
                   if path.suffix in (".ir", ".rules") and any(text in str(path) for text in options.filter.split(",")))
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if runner.cxx and not runner.nvcc:
            runner.prepare(pool, files)
        for path, wrong in zip(files, pool.map(runner.test, files)):
            if wrong is None:
                passed += 1
            else:
                failed += 1
                name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
                print(f"FAILED {name}\n{indented_all(wrong)}\n", flush=True)
    if runner.cxx and not options.filter and not failed:
        runner.kept.forget_unused()
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def indented_all(text):
    return "\n".join("  " + line for line in text.split("\n"))


if __name__ == "__main__":
    sys.modules["golden"] = sys.modules[__name__] # for those that import it
    sys.exit(main())
