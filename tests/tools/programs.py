#!/usr/bin/env python3
"""Random programs, rewritten by all shipped strict rules and printed as C++, give what the evaluator gave before.

tests/unit/test_programs.cpp writes them, many to a file, with calls and their results. Every file is compiled with g++ and
clang++, -O0 and -O2; a call whose program faults is made as well. The `--sanitizers`, for addresses and undefined behaviour, watch
what is compiled at the levels of `--sanitized`: at all of them it takes twice the time.
`--programs N`: how many; `--seed N`: which; `--batch N`: in one file; `--compilers`, `--levels`: with what;
`--jobs N`: so many files at a time; `--progress`: a line for each.
`--cuda`: emitted as CUDA, which runs on the CPU (tests/cuda/cuda_runtime.h); a thread takes two elements, not eight.
`--threads N`: loops run on so many threads however short they are (0: those that are long enough, of which there are hardly any).
`--work`: the law of cost instead of results. What C++ does, unfused and fused, as `-DCOUNT_WORK` counts it, grows no faster at sizes
that double than the work of the evaluator, which computes each value at most once, when it is needed (tests/unit/test_cost.cpp).
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RULES = ["control.rules", "effects.rules", "split.rules", "arrays.rules", "fusion.rules"]
FLAGS = "-std=c++20 -w -fopenmp -ffp-contract=off -fno-math-errno".split()
CUDA_FLAGS = ["-x", "c++", *"-std=c++20 -w -ffp-contract=off -fno-math-errno -pthread -DCUDA_APART".split(), f"-I{ROOT / 'tests' / 'cuda'}"]
# One call a line, as the driver takes it; behind each a line that says how it ended. Rules may take a fault away: what is
# behind it, an array of 2^60 elements say, is asked for then; the sanitizer's own `new` would end the program.
# (With --cuda tests/cuda/apart.h has one, and the device's memory has its own error.)
THROWING = """
void* operator new[](std::size_t bytes) {
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
"""
MAIN = """
int main() {
    for (int c; (c = std::getchar()) != EOF;) {
        std::string call(1, static_cast<char>(c));
        while ((c = std::getchar()) != '\\n' && c != EOF) call += static_cast<char>(c);
        try {
            const std::string out = ir::run(call);
            std::fwrite(out.data(), 1, out.size(), stdout);
            std::puts("\\1done");
        } catch (const ir::fault&) {
            std::puts("\\1fault");
        } catch (const std::bad_alloc&) {
            std::puts("\\1memory");
        } catch (const std::runtime_error&) {
            std::puts("\\1memory");
        }
    }
}
"""


def read_calls(path):
    """(call, expected output or None where it faults) of each."""
    lines, calls, at = path.read_text().split("\n"), [], 0
    while at + 1 < len(lines):
        count = int(lines[at + 1])
        text = "".join(line + "\n" for line in lines[at + 2:at + 2 + count])
        calls.append((lines[at], text if count else None))
        at += 2 + count
    return calls


def outcomes(text):
    """What each call printed, and whether it came to its end."""
    found = []
    *parts, rest = text.split("\x01")
    for i, part in enumerate(parts):
        following = parts[i + 1] if i + 1 < len(parts) else rest
        behind = part.split("\n", 1)[1] if i else part
        found.append((behind, following.startswith("done")))
    return found


def compare(calls, run, how):
    wrong = []
    got = outcomes(run.stdout)
    if run.returncode or len(got) != len(calls):
        call = calls[min(len(got), len(calls) - 1)][0]
        return [f"{how}: exit code {run.returncode} at {call}\n{run.stderr[:3000]}"]
    for (call, expected), (output, done) in zip(calls, got):
        if expected is not None and (not done or output != expected):
            wrong.append(f"{how}: {call} gave\n{output if done else 'a fault, or there was no memory for it'}\nand not\n{expected}")
    return wrong


# As in engine/check/growth.cpp: the factor from size to size goes on growing where the one grows faster than the other.
GROWS, SURELY_GROWS, LEAST_SIZES = 1.45, 1.9, 4


def grows_faster(measured):
    """Whether `after` grows faster than `before`: [(size, before, after)] at sizes that double."""
    factors = [max(b[2] - a[2], 1) / max(b[1] - a[1], 1) for a, b in zip(measured, measured[1:])]
    if len(measured) < LEAST_SIZES:
        return False
    now, earlier = factors[-1] / factors[-2], factors[-2] / factors[-3]
    times = [after / max(before, 1) for _, before, after in measured]
    if max(times[:-1]) >= times[-1]:  # it was more at a smaller size: conditions decide, not the size
        return False
    return now >= GROWS and earlier >= GROWS and (now >= earlier * 0.97 or now >= SURELY_GROWS)


def series_of(calls, counts):
    """{name: [[(size, before, after)]]}: one list for each shape of arguments."""
    series, last = {}, None
    for (call, expected), count in zip(calls, counts):
        name, (size, before) = call[:call.index("(")], map(int, expected.split())
        if last is None or name != last[0] or size <= last[1]:
            series.setdefault(name, []).append([])
        series[name][-1].append((size, before, count))
        last = name, size
    return series


def emit(options, base, source, rules):
    words = [word for name in rules for word in ("-rules", name)]
    return subprocess.run([options.tool, *words, "-emit", "cuda" if options.cuda else "cpp", "-driver", str(base) + ".ir", "-o", str(source)],
                          cwd=ROOT, capture_output=True, text=True, check=False)


def test_work(options, base, folder):
    """(functions, those whose work grows faster) of one file."""
    source, program = folder / (base.stem + (".cu" if options.cuda else ".cpp")), folder / (base.stem + ".run")
    calls, wrong, functions = read_calls(base.parent / (base.name + ".calls")), [], 0
    for rules in ([], [*RULES, *(["gpu.rules"] if options.cuda else [])]):
        made = emit(options, base, source, rules)
        if made.returncode:
            wrong.append(f"{base.name}: {made.stderr[:3000]}")
            continue
        source.write_text(source.read_text().replace("\nint main() {", "\n[[maybe_unused]] int one_call() {") + ("" if options.cuda else THROWING) + MAIN)
        compiler, level = options.compilers.split(",")[0], options.levels.split(",")[0]
        built = subprocess.run([compiler, *(CUDA_FLAGS if options.cuda else FLAGS), level, "-DCOUNT_WORK", "-fsanitize-coverage=trace-pc", str(source), "-o", str(program)],
                               capture_output=True, text=True, check=False)
        run = built if built.returncode else subprocess.run(
            [str(program)], input="".join(call + "\n" for call, _ in calls), capture_output=True, text=True, check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"})
        counts = [int(count) for count in re.findall(r"^work: (\d+)$", run.stderr, re.M)]
        if run.returncode or len(counts) != len(calls):
            wrong.append(f"{base.name}: exit code {run.returncode}, {len(counts)} of {len(calls)} calls\n{run.stderr[-3000:]}")
            continue
        series = series_of(calls, counts)
        functions = max(functions, len(series))
        for name, shapes in series.items():
            for measured in filter(grows_faster, shapes):
                wrong.append(f"{base.name}.ir, {'fused' if rules else 'unfused'}: {name} grows faster: (size, work of the evaluator, work of C++) {measured}")
                break
    if wrong and options.keep:
        shutil.copy(base.parent / (base.name + ".ir"), options.keep)
    return functions, wrong


def test(options, base, folder):
    """(programs, what is wrong with them) of one file."""
    if options.work:
        return test_work(options, base, folder)
    source = folder / (base.stem + (".cu" if options.cuda else ".cpp"))
    made = emit(options, base, source, [*RULES, *(["gpu.rules"] if options.cuda else [])])
    programs = len(re.findall(r"^func @f\d+\(", (base.parent / (base.name + ".ir")).read_text(), re.M))
    if made.returncode:
        return programs, [f"{base.name}: {made.stderr[:3000]}"]
    text = source.read_text()
    assert text.count("\nint main() {") == 1
    if options.threads: # what the helpers ask before they begin any
        assert "enough" not in text or "n < enough" in text
        text = text.replace("n < enough", "n < 2")
    if options.cuda: # arrays are short: several threads have something of one
        assert "stretch" not in text or "stretch = 8;" in text
        text = text.replace("stretch = 8;", "stretch = 2;")
    source.write_text(text.replace("\nint main() {", "\n[[maybe_unused]] int one_call() {") + ("" if options.cuda else THROWING) + MAIN)
    calls = read_calls(base.parent / (base.name + ".calls"))
    wrong = []
    for compiler in options.compilers.split(","):
        for level in options.levels.split(","):
            program = folder / (base.stem + ".run")
            watched = [f"-fsanitize={options.sanitizers}", "-fno-sanitize-recover=all"] if level in options.sanitized.split(",") else []
            built = subprocess.run([compiler, *(CUDA_FLAGS if options.cuda else FLAGS), *watched, level, str(source), "-o", str(program)], capture_output=True, text=True, check=False)
            if built.returncode:
                wrong.append(f"{base.name}: {compiler} {level}\n{built.stderr[:3000]}")
                continue
            run = subprocess.run([str(program)], input="".join(call + "\n" for call, _ in calls), capture_output=True, text=True,
                                 check=False, env={**os.environ, "OMP_NUM_THREADS": str(options.threads or 2), "OMP_WAIT_POLICY": "passive",
                                      "ASAN_OPTIONS": "detect_leaks=0 allocator_may_return_null=1",
                                      "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=66"})
            wrong += compare(calls, run, f"{base.name}.ir, {compiler} {level}")
    if wrong and options.keep:
        for path in (base.parent / (base.name + ".ir"), source):
            shutil.copy(path, options.keep)
    return programs, wrong


def write_batches(options, folder, size):
    """Files of so many random programs each, with their calls: their paths without an ending."""
    env = {**os.environ, "IRREWRITE_PROGRAMS": str(options.programs), "IRREWRITE_SEED": str(options.seed),
           "IRREWRITE_BATCHES": str(folder), "IRREWRITE_BATCH": str(size)}
    subprocess.run([str(pathlib.Path(options.tests).resolve()), "[.work]" if options.work else "[programs]"], cwd=ROOT, env=env, capture_output=True, check=False)
    return sorted(path.with_suffix("") for path in folder.glob("batch-*.ir"))


def arguments(parser, count):
    """Those of all tests of random programs."""
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--tests", default="build/tests")
    parser.add_argument("--programs", type=int, default=count)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--work", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", default="", help="where files with wrong programs are put")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments(parser, 12)
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--compilers", default=",".join(c for c in ("g++", "clang++") if shutil.which(c)))
    parser.add_argument("--levels", default="-O0,-O2")
    parser.add_argument("--sanitized", default="-O0,-O2")
    parser.add_argument("--sanitizers", default="address,undefined")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--progress", action="store_true")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).resolve())
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bases = write_batches(options, folder, options.batch)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for base, (programs, wrong) in zip(bases, pool.map(lambda base: test(options, base, folder), bases)):
                print("\n".join(wrong), end="\n" if wrong else "", flush=True)
                passed, failed = passed + programs - min(len(wrong), programs), failed + len(wrong)
                if options.progress:
                    print(f"{base.name}: {programs} programs, {len(wrong)} wrong", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
