#!/usr/bin/env python3
"""Every sample and workload as emitted CUDA on the CPU, against -run at the sizes of kernels, warps and blocks.

Arrays of such a size are made in the program itself, by a function that is added to it; numbers are small multiples
of a quarter, so that sums are exact however they are grouped. What runs on the host is what HOST says, no more and no
less. stats.ir is one kernel that reads its input once, empty input launches nothing, and no call of CUDA goes
unchecked: each is made to fail once.

  cuda_programs.py [--tool build/irrewrite] [--cxx g++] [--only TEXT] [--sizes 0,1,…]
  cuda_programs.py --device     compiled by nvcc, on a device: results alone, neither counts nor failures
  cuda_programs.py --compile    what --device compiles, for sm_90; nothing runs
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import cuda
import device
import golden

ROOT = cuda.ROOT
SIZES = [0, 1, 31, 32, 33, 1023, 1024, 1025]
FEW = [0, 1, 7, 33]     # of matrices and tables

# Loops that run on the host, by program. For programs that are there the list shrinks only.
HOST = {
    "samples/html": ["arrays of arrays"],
    "workloads/html": ["arrays of arrays"],
}
# What a number stands for, where not any will do; sizes of what has no named one.
NUMBERS = {"rate": "0.25", "volatility": "0.5", "most": "20", "bins": "5", "w": "3", "last": "40", "from": "10", "to": "50"}
SCALARS = set("bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64".split())
# Sums of what is no multiple of a quarter: how they are grouped shows in the last digits.
ROUNDS = {"second/bodies", "samples/softmax", "samples/moving_average", "samples/five_statistics", "workloads/five_statistics", "workloads/black_scholes"}


def value(kind, text, structs, positive):
    """The text of a value of this type, made of the number `text`."""
    if kind in structs:
        fields = [f"{name} = {value(of, f'({text} + {k})', structs, positive)}" for k, (name, of) in enumerate(structs[kind])]
        return f"{kind}{{{', '.join(fields)}}}"
    number = f"({text}) * 7919 % 97 {'+ 1' if positive else '- 20'}"
    if kind.startswith("f"):
        return f"cast[{kind}]({number}) / 4.0"
    return f"cast[u8](65 + ({text}) % 3)" if kind == "u8" else f"cast[{kind}]({number})"


def array(dims, kind, index, sizes, structs, positive):
    """The text of an array; where its rows differ, they have up to four elements."""
    if not dims:
        return value(kind, index, structs, positive)
    name = f"%i{len(dims)}"
    length = sizes.get(dims[0], dims[0]) if dims[0] else f"({index}) % 4"
    inner = array(dims[1:], kind, f"{index} * 5 + {name}" if index != "0" else name, sizes, structs, positive)
    return f"map(iota({length})) {{ |{name}| {inner} }}"


def sized(path, text):
    """A function of n that calls each function of the program with arrays of that size, and whether those are large."""
    structs = {name: re.findall(r"(\w+): (\w+)", body) for name, body in re.findall(r"^struct (\w+) \{(.*?)\}", text, re.M | re.S)}
    functions, small = "", False
    for name, parameters, results in re.findall(r"^func @(\w+)\((.*?)\) -> (.*?) \{$", text, re.M):
        arrays = re.findall(r"%(\w+): \*?((?:\[\w*\])+)(\w+)", parameters)
        kinds = re.findall(r"%\w+: \*?(?:\[\w*\])*(\w+)", parameters)
        if not set(kinds) <= structs.keys() | SCALARS:
            continue    # a type that only rules know
        small = small or any(dims.count("[") > 1 for _, dims, _ in arrays) or not arrays
        sizes = {}
        for dim in re.findall(r"\[(\w+)\]", parameters):
            if not dim.isdigit():
                sizes.setdefault(dim, "%size" if not sizes else "6" if dim in "kd" else "(%size % 5 + 2)")
        arguments = []
        for parameter, dims, kind in re.findall(r"%(\w+): \*?((?:\[\w*\])*)(\w+)", parameters):
            if not dims:
                some = {"f32": "2.5f32", "f64": "0.5", "i64": "(%size % 9 + 1)"}
                arguments.append(NUMBERS.get(parameter) or some.get(kind) or value(kind, "%size", structs, False))
                continue
            start = str(len(arguments) * 11)
            arguments.append(array(re.findall(r"\[(\w*)\]", dims), kind, start, sizes, structs, "scholes" in path.stem))
        results = re.sub(r"\[\w+\]", "[]", results)
        count = len(re.sub(r"\(.*?\)", "", results).split(","))
        names = ", ".join(f"%r{k}" for k in range(count))
        functions += f"\nfunc @sized_{name}(%size: i64) -> {results} {{\n  {names} = @{name}({', '.join(arguments)})\n  return {names}\n}}\n"
    return functions, small


class Programs:
    def __init__(self, options, folder):
        self.options, self.folder, self.passed, self.failed = options, folder, 0, 0
        mode = "device" if options.device else "compile" if options.compile else "cuda"
        kept = pathlib.Path(options.tool).resolve().parent / f"programs-{'cuda' if mode == 'cuda' else 'device'}"
        parser = golden.arguments
        sys.argv = [sys.argv[0], "--tool", options.tool, "--cxx", options.cxx, f"--{mode}", "--programs", str(kept)]
        self.on_cpu, self.runner = mode == "cuda", golden.Runner(parser())
        self.lock = threading.Lock()

    def check(self, right, what):
        with self.lock:
            self.passed += bool(right)
            self.failed += not right
        if not right:
            print(what, flush=True)

    def emit(self, source, rules):
        """What is wrong with the emitted text, or nothing, and the text."""
        text = self.folder / f"{source.stem}.cu"
        wrong = cuda.emit(self.options.tool, source, rules, True, text)
        return wrong, None if wrong else text.read_text()

    def compile(self, source, wrong, text):
        """The program's path and the emitted text, or None and what is wrong."""
        if wrong:
            return None, wrong
        try:
            return self.runner.compile(text, self.folder / source.stem), text
        except golden.Failure as failure:
            return None, str(failure)

    def emitted(self, path):
        """The program with calls of a size, what `emit` says of it, and whether it is small; nothing if it is not for a device."""
        own = path.with_suffix(".rules")
        if own.exists() and re.search(r"^target ", own.read_text(), re.MULTILINE):
            return None     # it is printed in an output language of its own
        text = path.read_text()
        functions, small = sized(path, text)
        source = self.folder / f"{path.parent.name}-{path.stem}.ir"
        source.write_text(text + functions)
        return source, *self.emit(source, cuda.rules_for(path)), functions, small

    def test_all(self, pool, paths):
        emissions = list(pool.map(self.emitted, paths))
        if self.on_cpu:
            self.runner.compile_together(pool, [emission[2] for emission in emissions if emission and emission[2]])
        list(pool.map(self.test, paths, emissions))

    def test(self, path, emission):
        if not emission:
            return None
        name, rules = f"{path.parent.name}/{path.stem}", cuda.rules_for(path)
        source, wrong, text, functions, small = emission
        program, emitted = self.compile(source, wrong, text)
        if program is None:
            return self.check(False, f"{name}: {emitted}")
        own = cuda.run([self.options.tool, *rules, "-quiet", "-emit", "cuda", path]).stdout
        host = sorted(set(re.findall(r"// On the host: (.*)\.$", own, re.MULTILINE)))
        self.check(host == HOST.get(name, []), f"{name}: on the host is {host}, expected {HOST.get(name, [])}")
        rounds = name in ROUNDS or (not self.on_cpu and device.APPROXIMATE.search(emitted))
        for function in re.findall(r"^func @(sized_\w+)", functions, re.MULTILINE) if self.runner.runs else []:
            for size in [n for n in self.options.sizes if not small or n <= FEW[-1]] + (FEW if small else []):
                call = f"@{function}({size})"
                expected, found = cuda.run([self.options.tool, "-run", call, *rules, "-quiet", source]), cuda.run([program], call + "\n")
                right = expected.returncode == found.returncode and device.same(expected.stdout, found.stdout, rounds)
                right = right and (expected.returncode in (0, 5))
                self.check(right, f"{name}, {call}: exit codes {expected.returncode}, {found.returncode}; expected\n"
                                  f"{expected.stdout[:300]}{expected.stderr[:300]}\nfound\n{found.stdout[:300]}{found.stderr[:300]}")

    def launches(self):
        """stats.ir: kernels and bytes that move, as the header that stands for the toolkit's counts them."""
        program, emitted = self.compile(ROOT / "samples" / "stats.ir", *self.emit(ROOT / "samples" / "stats.ir", ["-rules", "fusion.rules"]))
        if program is None:
            return self.check(False, emitted)
        body = emitted[emitted.index(" stats("):]
        self.check(body.count("d_xs") == 2, "stats.ir reads its input more than once")
        for call, launches, moved in (("@stats([1.0, -2.0, 3.0])", 1, 24), ("@stats([])", 0, 0)):
            done = subprocess.run([program], input=call + "\n", capture_output=True, text=True, check=False,
                                  env={**os.environ, "CUDA_ON_CPU_COUNT": "1"})
            self.check(f"launches={launches} to_device={moved} " in done.stderr, f"{call}: {done.stderr}")
        return self.failures(program, "@stats([1.0, -2.0, 3.0])\n")

    def failures(self, program, call):
        for number in range(1, 100):
            done = subprocess.run([program], input=call, capture_output=True, text=True, check=False,
                                  env={**os.environ, "CUDA_ON_CPU_FAIL": str(number)})
            if done.returncode == 0 and "made to fail" not in done.stderr:
                return self.check(number > 8, f"only {number - 1} calls of CUDA")
            self.check(done.returncode != 0 and "CUDA: an invalid value" in done.stderr and not done.stdout,
                       f"the failure of call {number} goes unseen: {done.stdout}{done.stderr}")
        return self.check(False, "calls of CUDA never end")


def main():
    parser = argparse.ArgumentParser(description="Samples and workloads as emitted CUDA on the CPU.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--sizes", type=lambda text: [int(word) for word in text.split(",")], default=SIZES)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(options, pathlib.Path(folder))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() if programs.on_cpu else device.jobs()) as pool:
            programs.test_all(pool, [path for path in cuda.programs() if options.only in str(path)])
        if options.only in "launches" and programs.on_cpu:
            programs.launches()
    print(f"{programs.passed} passed, {programs.failed} failed")
    return 1 if programs.failed or not programs.passed else 0


if __name__ == "__main__":
    sys.exit(main())
