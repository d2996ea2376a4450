#!/usr/bin/env python3
"""Hostile texts through the whole tool: a result or a diagnostic, never a crash, a hang, or output beside
an error. Deep nests, long chains, truncated samples, random bytes, samples with one token changed; and little memory.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "60"))  # seconds for one run of the tool; sanitizers take longer
FUSION = ["-rules", "fusion.rules"]


def nests(depth):
    yield "calls", [], "func @f(%x: i64) -> i64 { return " + "neg(" * depth + "%x" + ")" * depth + " }"
    yield "parentheses", [], "func @f(%x: i64) -> i64 { return " + "(" * depth + "%x" + ")" * depth + " }"
    yield "open parentheses", [], "func @f(%x: i64) -> i64 { return " + "(" * depth
    yield "prefixes", [], "func @f(%x: i64) -> i64 { return " + "-" * depth + "%x }"
    yield "blocks", FUSION, ("func @f(%c: bool, %x: i64) -> i64 { return " + "if(%c) { " * (depth // 4) + "%x" +
                             " } else { 0 }" * (depth // 4) + " }")
    yield "arrays", [], "func @f() { print(" + "[" * 2000 + "1" + "]" * 2000 + ") }"
    yield "an array in arrays", [], "func @f() -> i64 { return len(" + "[" * (depth // 4) + "1" + "]" * (depth // 4) + ") }"
    yield "an array in arrays, of another type", [], "func @f() -> i64 { return " + "[" * (depth // 40) + "1" + "]" * (depth // 40) + " }"
    doubled = "".join(f"struct S{i} {{ a: S{i - 1}, b: S{i - 1} }}\n" for i in range(1, 61))
    yield "structs that double 60 times", FUSION, "struct S0 { a: i64 }\n" + doubled + "func @f(%x: S60) -> i64 { return %x" + ".b" * 60 + ".a }"
    yield "such structs as C++", ["-emit", "cpp"], "struct S0 { a: i64 }\n" + doubled + "func @f(%x: S60) -> i64 { return %x" + ".b" * 60 + ".a }"
    tuples = "".join(f"  %t{i} = (%t{i - 1}, %t{i - 1})\n" for i in range(1, 61))
    yield "tuples that double 60 times", FUSION, ("func @f(%t0: i64, %n: i64) -> i64 {\n" + tuples +
                                                  "  %u = for(%n, %t60) { |%i, %a| %a }\n  return %u" + ".0" * 60 + "\n}")
    yield "maps", FUSION, ("func @f(%a: [n]i64) -> i64 { return " + "reduce(map(%a) { |%x| " * 100 + "%x" +
                           " }, 0) {add}" * 100 + " }")


def chains(length):
    lines = [f"  %x{i + 1} = add(mul(%x{i}, 3), %x{max(0, i - 1)})" for i in range(length)]
    yield "chain", FUSION, "func @f(%x0: i64) -> i64 {\n" + "\n".join(lines) + f"\n  return %x{length}\n}}"
    lines = [f"  print({i})" for i in range(length // 10)]
    yield "effects", FUSION, "func @f() {\n" + "\n".join(lines) + "\n}"


def damaged(rng):
    samples = sorted((ROOT / "samples").glob("*.ir")) + sorted((ROOT / "rules").glob("*.rules"))
    for path in samples:
        text = path.read_text()
        options = FUSION if path.suffix == ".ir" else None
        for end in range(0, len(text), max(1, len(text) // 25)):
            yield f"{path.name} up to {end}", options, text[:end]
        words = text.split(" ")
        for _ in range(6):
            changed = list(words)
            changed[rng.randrange(len(words))] = rng.choice(words + ["}", "(", "%", "=>", "-1"])
            yield f"{path.name} with a word changed", options, " ".join(changed)


def noise(rng):
    for size in (1, 10, 100, 1000, 10000):
        for _ in range(8):
            yield f"{size} random bytes", FUSION, bytes(rng.randrange(256) for _ in range(size))
    yield "one long line", [], "func @f(%x: i64) -> i64 { return " + "%x + " * 400000 + "%x }"


def run(tool, case):
    name, options, text = case
    data = text if isinstance(text, bytes) else text.encode()
    command = [tool] + (options if options is not None else ["-rules", "/dev/stdin", os.devnull])
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"{name}: still running after {TIMEOUT} s"
    if done.returncode not in (0, 1, 4):
        return f"{name}: exit code {done.returncode}: {done.stderr[-300:]!r}"
    if done.returncode and done.stdout:
        return f"{name}: output beside an error"
    if done.returncode and not done.stderr:
        return f"{name}: an error without a message"
    return None


def files(folder):
    """Paths that cannot be read: their names, and the path."""
    loop = folder / "loop"
    loop.symlink_to(loop)
    yield "no memory is mapped at 0", "/proc/self/mem"
    yield "a name of 300 characters", "n" * 300
    yield "a loop of links", str(loop)
    yield "a folder", str(folder)
    yield "a path through a loop of links", str(loop / "in")
    yield "no file", str(folder / "none")


def written_badly(folder):
    """Texts that can be read, and are no programs."""
    number = folder / "number.json"
    number.write_text('{"functions": [{"name": "f", "x": 1e400}]}')
    yield "a number of JSON that is too large", str(number)


def read_badly(tool, name, path, options):
    """A program or a rule file that cannot be read: exit code 1, a message that names it, what stood in the output stays."""
    with tempfile.TemporaryDirectory() as folder:
        kept, program = pathlib.Path(folder, "kept.ir"), pathlib.Path(folder, "f.ir")
        kept.write_text("as it was")
        program.write_text("func @f() {}")
        command = [tool, "-o", str(kept)] + (["-rules", path, str(program)] if options == "rules" else [path])
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        if done.returncode != 1:
            return f"{options}: {name}: exit code {done.returncode}: {done.stderr[-300:]!r}"
        if path not in done.stderr:
            return f"{options}: {name}: the message does not name it: {done.stderr[-300:]!r}"
        if kept.read_text() != "as it was":
            return f"{options}: {name}: the output was written"
    return None


def without_threads(tool):
    """`-check -j 8` where no thread is to be had: their stacks are larger than the memory that there is. The report is the same."""
    check = f"{tool} -check -instances 20 -rules rules/control.rules -j "
    alone = subprocess.run(check + "1", shell=True, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT)
    few = subprocess.run("ulimit -s 1000000; ulimit -v 1500000; " + check + "8", shell=True, cwd=ROOT, capture_output=True,
                         text=True, timeout=TIMEOUT, executable="/bin/bash")
    if (few.returncode, few.stdout) != (alone.returncode, alone.stdout):
        return f"no threads: exit code {few.returncode}: {few.stderr[-300:]!r}"
    return None


def limited(tool, kilobytes, arguments):
    """A run with so much address space."""
    return subprocess.run(["/bin/bash", "-c", f'ulimit -v {kilobytes}; exec "$@"', "bash", str(tool), *arguments], cwd=ROOT,
                          capture_output=True, text=True, timeout=TIMEOUT)


def is_not_loaded(done):
    """The dynamic loader, or the kernel, had not enough memory to start the tool."""
    return done.returncode == 127 or (done.returncode < 0 and not done.stderr)


def least_to_load(tool):
    """Kilobytes with which the tool is loaded; with 64 less it is not."""
    least, enough = 0, 1 << 20
    while enough - least > 64:
        middle = (least + enough) // 2
        least, enough = (middle, enough) if is_not_loaded(limited(tool, middle, ["-version"])) else (least, middle)
    return enough


def too_little(folder):
    """Runs with less memory than they need, and the steps of the limit in kilobytes."""
    fused = ["-rules", "fusion.rules"]
    yield "the help", ["-help"], 4
    yield "no such option", ["-unknown", "samples/stats.ir"], 4
    yield "a program", ["samples/stats.ir"], 12
    yield "rules that are loaded", [*fused, "samples/stats.ir"], 8
    yield "rules that are wrong", ["-rules", "tests/golden/fail/twenty-mistakes.rules", "samples/stats.ir"], 8
    yield "a file that is written", [*fused, "-o", f"{folder}/out.ir", "samples/stats.ir"], 20
    yield "a call", [*fused, "-run", "@stats([1.0, -2.0])", "samples/stats.ir"], 20
    yield "C++", [*fused, "-emit", "cpp", "samples/stats.ir"], 20
    yield "several programs", [*fused, "samples/stats.ir", "samples/dot.ir"], 20
    long = pathlib.Path(folder, "long.ir")
    long.write_text("func @f(%x: i64) {\n" + "".join(f"  print(add(%x, {i}))\n" for i in range(20000)) + "}")
    yield "several programs with much output", [str(long), "samples/dot.ir"], 300
    yield "threads", ["-check", "-instances", "5", "-j", "3", "-rules", "samples/halves.rules"], 200, 20000


def with_little_memory(tool, folder, name, arguments, step, more=0):
    """From the least limit at which the tool is loaded, and until so many kilobytes more: the result as ever, or exit
    code 4, a message, and nothing else."""
    expected = limited(tool, "unlimited", arguments)
    kilobytes, good, loaded = least_to_load(tool) - 128, 0, False
    out, last = folder / "out.ir", kilobytes + more
    while good < 3 or kilobytes < last:
        out.unlink(missing_ok=True)
        done = limited(tool, kilobytes, arguments)
        loaded = loaded or not is_not_loaded(done)
        whole = (done.returncode, done.stdout, done.stderr) == (expected.returncode, expected.stdout, expected.stderr)
        good = good + 1 if whole else 0
        ended = done.returncode == 4 and not done.stdout and not out.exists() and done.stderr in (
            "irrewrite: out of memory\n", "irrewrite: a process ran out of memory or ended abnormally\n")
        if loaded and not whole and not ended:
            return f"{name} with {kilobytes} KB: exit code {done.returncode}, {len(done.stdout)} bytes, {done.stderr[-300:]!r}"
        if list(folder.glob("*.new*")):
            return f"{name} with {kilobytes} KB: a file that is not whole is left"
        kilobytes += step
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--depth", type=int, default=200000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    cases = [*nests(args.depth), *chains(args.depth), *damaged(rng), *noise(rng)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        failures = [f for f in pool.map(lambda case: run(args.tool, case), cases) if f]
    with tempfile.TemporaryDirectory() as folder:
        unreadable = [(*file, kind) for file in files(pathlib.Path(folder)) for kind in ("program", "rules")]
        unreadable += [(*file, "program") for file in written_badly(pathlib.Path(folder))]
        failures += [f for f in (read_badly(args.tool, *file) for file in unreadable) if f]
    cases += unreadable
    tool = pathlib.Path(args.tool).resolve()
    if limited(tool, 1 << 20, ["-version"]).returncode == 0:  # sanitizers map terabytes
        with tempfile.TemporaryDirectory() as folder:
            little = [*too_little(folder)]
            failures += [f for f in (with_little_memory(tool, pathlib.Path(folder), *case) for case in little) if f]
        failures += [f for f in (without_threads(tool),) if f]
        cases += [*little, "no threads"]
    for failure in failures:
        print("FAILED", failure)
    print(f"{len(cases) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
