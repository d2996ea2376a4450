#!/usr/bin/env python3
"""Random programs, rewritten by all shipped strict rules and printed as C, give what the evaluator gave before (programs.py).

One program a file, since one of many may be refused; each call in a process of its own. `--work`: the law of cost, as in programs.py.
`--sanitized`: with the sanitizers for addresses, leaks and undefined behaviour. `--threads N`: loops run on so many threads
however short they are.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

import programs
from golden_c import FLAGS, REFUSAL, SANITIZERS

MAIN = r"""
#include <sys/wait.h>
#include <unistd.h>
extern unsigned long long work_done;
int main(void) {
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            work_done = 0;
            ir_run((ir_reader){line, line + length});
            fprintf(stderr, "work: %llu\n", work_done);
            puts("\1done");
            free(line);
            exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 99;
        if (code == 5 || code == 4) puts(code == 5 ? "\1fault" : "\1memory");
        else if (code != 0) return code;
    }
    free(line);
    return 0;
}
"""
COUNTER = "unsigned long long work_done;\nvoid __sanitizer_cov_trace_pc(void);\nvoid __sanitizer_cov_trace_pc(void) { ++work_done; }\n"


def build(options, base, folder, rules, flags):
    """The program, or why there is none: '' if it is refused."""
    words = [word for name in rules for word in ("-rules", name)]
    made = subprocess.run([options.tool, *words, "-emit", "c", "-driver", f"{base}.ir"], cwd=programs.ROOT, capture_output=True, text=True, check=False)
    errors = re.findall(r"^(?:.*: )?error: (.*)", made.stderr, re.M)
    if made.returncode:
        return None, "" if errors and all(map(REFUSAL.search, errors)) else f"{base.name}: {made.stderr[:3000]}"
    text = made.stdout.replace("\nint main(void) {", "\nint one_call(void);\nint one_call(void) {")
    if options.threads:
        assert "ir_parts" not in text or "n >= enough" in text
        text = text.replace("n >= enough", "n >= 2")
    source, program = folder / f"{base.name}.c", folder / f"{base.name}.run"
    source.write_text("#define _GNU_SOURCE\n" + text + MAIN)
    built = subprocess.run(["gcc", *FLAGS, *flags, source, folder / "counter.o", "-o", program, "-lm"], capture_output=True, text=True, check=False)
    return (program, "") if built.returncode == 0 else (None, f"{base.name}: {built.stderr[:3000]}")


def run(options, base, program):
    calls = programs.read_calls(base.parent / (base.name + ".calls"))
    env = {**os.environ, "OMP_NUM_THREADS": str(options.threads or 1), "OMP_WAIT_POLICY": "passive",
           "ASAN_OPTIONS": "allocator_may_return_null=1"}
    return calls, subprocess.run([program], input="".join(call + "\n" for call, _ in calls), capture_output=True, text=True, check=False, env=env)


def test_values(options, base, folder):
    program, wrong = build(options, base, folder, programs.RULES, [options.level, *(SANITIZERS if options.sanitized else [])])
    if program is None:
        return [wrong] if wrong else None
    return programs.compare(*run(options, base, program), f"{base.name}.ir")


def test_work(options, base, folder):
    wrong, refused = [], 0
    for rules in ([], programs.RULES):
        program, why = build(options, base, folder, rules, ["-O0", "-fsanitize-coverage=trace-pc"])
        if program is None:
            refused += not why
            wrong += [why] if why else []
            continue
        calls, done = run(options, base, program)
        counts = [int(count) for count in re.findall(r"^work: (\d+)$", done.stderr, re.M)]
        if done.returncode or len(counts) != len(calls):
            wrong.append(f"{base.name}: exit code {done.returncode}, {len(counts)} of {len(calls)} calls\n{done.stderr[-3000:]}")
            continue
        for name, shapes in programs.series_of(calls, counts).items():
            for measured in filter(programs.grows_faster, shapes):
                wrong.append(f"{base.name}.ir, {'fused' if rules else 'unfused'}: {name} grows faster: (size, work of the evaluator, work of C) {measured}")
                break
    return None if refused == 2 and not wrong else wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    programs.arguments(parser, 100)
    parser.add_argument("--level", default="-O1")
    parser.add_argument("--sanitized", action="store_true")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).resolve())
    passed = refused = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "counter.c").write_text(COUNTER)
        subprocess.run(["gcc", "-c", folder / "counter.c", "-o", folder / "counter.o"], check=True)
        bases = programs.write_batches(options, folder, 1)
        one = test_work if options.work else test_values
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for base, wrong in zip(bases, pool.map(lambda base: one(options, base, folder), bases)):
                refused, passed, failed = refused + (wrong is None), passed + (wrong == []), failed + bool(wrong)
                if wrong:
                    print("\n".join(wrong), flush=True)
                    for path in (base.parent / (base.name + ".ir"), folder / f"{base.name}.c") if options.keep else ():
                        (pathlib.Path(options.keep) / path.name).write_text(path.read_text())
    print(f"random programs as C: {passed} accepted, {refused} refused")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    raise SystemExit(main())
