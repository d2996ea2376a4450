#!/usr/bin/env python3
"""Faults of the system: the k-th read, write, allocation, thread and so on of a run fails (inject.cpp, a library that is loaded before
others), or a signal comes there. The run is as it is without, or ends with exit code 1 or 4 and a message: it does not crash or hang, nothing stands on
standard output beside an error, and what was to be written is as it was. `--every`: every k; else some of those of memory.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = 60
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT  # while a file is written: nothing is left
MANY = 60  # calls of one function; of more, some are sampled
PEANO = "func @main() -> Truth { return even(fib(" + "s(" * 12 + "z()" + ")" * 12 + ")) }\n"


def runs():
    """Name, options, environment."""
    fused = ["-rules", "fusion.rules"]
    yield "rewriting into a file", [*fused, "-o", "{DIR}/o.ir", "samples/stats.ir"], {}
    yield "C++", [*fused, "-emit", "cpp", "-driver", "samples/stats.ir"], {}
    yield "a call", [*fused, "-run", "@stats([1.0, -2.0])", "samples/stats.ir"], {}
    yield "parts of a text", ["-rules", "arith.rules", "-j", "2", "{DIR}/parts.ir"], {"IRREWRITE_PART_SIZE": "1"}
    yield "several programs", ["-j", "2", "-o", "{DIR}/out", "samples/stats.ir", "samples/dot.ir"], {}
    yield "checks in threads", ["-check", "-j", "2", "-instances", "5", "-rules", "samples/halves.rules"], {}
    yield "machine code", ["-rules", "tests/bench/rec/fib.rules", "{DIR}/fib.ir"], {}
    yield "limits", ["-timeout", "50", "-memory", "4000", "samples/stats.ir"], {}
    yield "text nested 300 deep", ["{DIR}/deep.ir"], {}  # part of it is parsed on a thread
    yield "the help", ["-help"], {}


def state(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


class Run:
    def __init__(self, tool, library, options, environment):
        self.tool, self.library, self.options, self.environment = tool, library, options, environment

    def __call__(self, inject):
        """Exit code, outputs, the files behind it, how often each function was called."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name, "files")
            (folder / "out").mkdir(parents=True)
            (folder / "o.ir").write_text("as it was")
            (folder / "parts.ir").write_text("".join(f"func @f{i}(%x: i64) -> i64 {{\n  return %x + 0\n}}\n" for i in range(6)))
            (folder / "fib.ir").write_text(PEANO)
            (folder / "deep.ir").write_text("func @f(%x: i64) -> i64 { return " + "(1 + " * 300 + "%x" + ")" * 300 + " }")
            before, counts = state(folder), pathlib.Path(name, "counts")
            which = {"INJECT": inject.removeprefix("child ")} if inject else {"INJECT_COUNT": str(counts)}
            if inject.startswith("child "):
                which["INJECT_CHILD"] = "1"
            try:
                done = subprocess.run([self.tool, *(option.replace("{DIR}", str(folder)) for option in self.options)], cwd=ROOT,
                                      env=os.environ | self.environment | which | {"LD_PRELOAD": self.library}, capture_output=True, timeout=TIMEOUT)
                code, out, err = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired:
                code, out, err = "none: it hangs", b"", b""
            called = {}
            for line in counts.read_text().split("\n")[:-1] if counts.exists() else []:
                called[line.split()[0]] = max(called.get(line.split()[0], 0), int(line.split()[1]))
            clean = out.replace(str(folder).encode(), b""), err.decode(errors="replace")
            return code, *clean, before, state(folder), called

    def wrong(self, inject, plain):
        code, out, err, before, after, _ = self(inject)
        if inject.startswith("child"):  # the parent goes on without it, or says so
            if (code, out, after) == (plain[0], plain[1], plain[4]) or (code == 4 and not out and err and before == after):
                return None
            return f"exit code {code}: {err[-200:]!r}"
        if "=" in inject:
            return None if code == -int(inject.split("=")[1]) and before == after else f"exit code {code}, {[*after]}"
        if (code, out, after) == (plain[0], plain[1], plain[4]):
            return None
        if code not in (1, 4):
            return f"exit code {code}: {err[-200:]!r}"
        if out and not plain[1].startswith(out):
            return f"standard output is {out[:100]!r}"
        if out and not inject.startswith(("write:", "close:")):  # a device takes what it takes
            return f"output beside an error: {err[-200:]!r}"
        if not err and not inject.startswith("write:"):
            return f"exit code {code} without a message"
        if before != after and not self.options[0] == "-j":
            return f"files were changed: {err[-200:]!r}"
        return None if not any(".new" in name for name in after) else "a file that is not whole is left"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--sample", type=int, default=12, help="calls of those of which there are many")
    parser.add_argument("--filter", default="")
    options = parser.parse_args()
    for sent in SIGNALS:  # what is started in the background inherits that some are ignored, and the tool keeps to it
        signal.signal(sent, signal.SIG_DFL)
    tool, rng, failures, tried = str(pathlib.Path(options.tool).resolve()), random.Random(37), [], 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        library = str(pathlib.Path(name, "inject.so"))
        subprocess.run([options.cxx, "-std=c++20", "-O1", "-shared", "-fPIC", ROOT / "tests/tools/inject.cpp", "-o", library, "-ldl"], check=True)
        if subprocess.run([tool, "-version"], env=os.environ | {"LD_PRELOAD": library}, capture_output=True).returncode:
            print("a tool with sanitizers has allocations of its own\n0 passed, 0 failed")
            return 0
        for what, arguments, environment in runs():
            if options.filter not in what:
                continue
            run = Run(tool, library, arguments, environment)
            plain = run("")
            cases = []
            for call, count in plain[5].items():
                all_of_them = range(1, count + 1)
                cases += [f"{call}:{k}" for k in (all_of_them if options.every or count <= MANY else sorted(rng.sample(all_of_them, options.sample)))]
            if "-o" in arguments and "-j" not in arguments:
                cases += [f"{call}:1={int(number)}" for call in ("write", "fsync", "rename") for number in SIGNALS]
            if "-j" in arguments and "-check" not in arguments:
                cases += [f"child {call}:{k}={int(number)}" for call, k in (("write", 1), ("malloc", 50)) for number in (signal.SIGKILL, signal.SIGSEGV)]
            tried += len(cases)
            for case, wrong in zip(cases, pool.map(lambda case: run.wrong(case, plain), cases)):
                if wrong:
                    failures.append(f"{what}, {case}: {wrong}")
    for failure in failures:
        print("FAILED", failure)
    print(f"{tried - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
