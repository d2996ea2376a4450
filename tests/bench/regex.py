#!/usr/bin/env python3
"""Regular expressions as emitted C++ (samples/regex.rules) beside RE2, std::regex and Python's re.

A log of some megabytes, one thread, CPU time. For each expression the lines are counted that it matches as a whole, or in which it
occurs; "text" and "in text" are the same for all lines as one string. The counts must agree. MB/s, by the median of the runs, which go
by turns; what is slow gets a part of the lines (and its count is compared on that part). Without RE2 (Debian's
libre2-dev) its column is empty, and a line says so.

  regex.py [--tool build/irrewrite] [--runs 5] [--megabytes 16] [--cxx g++]
"""

import argparse
import json
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

import results

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FLAGS = "-std=c++20 -O3 -march=native -fopenmp -ffp-contract=off -fno-math-errno".split()
SLOW = 16  # std::regex and Python read one line of so many

# Name, how it is asked, expression.
CASES = [
    ("a number and a unit", "contains", "[0-9]+ms"),
    ("a word", "contains", "refused"),
    ("the beginning of lines", "contains", "2024-[0-9]"),
    ("one of three words", "contains", "error|timeout|refused"),
    ("an address", "contains", r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}"),
    ("the path of an image", "contains", r"/[a-z0-9/]*\.(png|jpg|gif) "),
    ("a whole line", "matches", r"\d+-\d+-\d+ \w+ [0-9.]+ (GET|PUT|POST) [^ ]* \d{3} \d+ms( error: \w+)?"),
    ("two parts of a line", "matches", ".*(error|timeout).*[0-9]"),
    ("a word that does not occur", "in text", "zebra"),
    ("the whole text", "text", r"([0-9a-zA-Z_:./ -]*\n)*"),
    ("the whole text, strict", "text", r"(\d+-\d+-\d+ \w+ [0-9.]+ (GET|PUT|POST) [^ ]* \d{3} \d+ms( error: \w+)?\n)*"),
]

HARNESS = r"""
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <vector>
#include "emitted.hpp"
#if __has_include(<re2/re2.h>)
#include <re2/re2.h>
#define HAS_RE2 1
#endif

static double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// harness FILE HOW NUMBER EXPRESSION RUNS SLOW: "who count seconds bytes" for each run
int main(int, char** argv) {
    std::ifstream file(argv[1], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string how = argv[2], expression = argv[4];
    const int number = std::atoi(argv[3]), runs = std::atoi(argv[5]), slow = std::atoi(argv[6]);
    std::vector<std::int64_t> offsets{0};
    std::string joined;
    std::size_t first = 0, part = 0;
    if (how.ends_with("text")) joined = text, offsets.push_back(std::ssize(text));
    else
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == '\n') joined.append(text, first, i - first), offsets.push_back(std::ssize(joined)), first = i + 1;
    const std::size_t lines = offsets.size() - 1;
    const auto line = [&](std::size_t i) {
        return std::string_view(joined).substr(offsets[i], offsets[i + 1] - offsets[i]);
    };
    for (std::size_t i = 0; i < lines; i += slow) part += line(i).size();
    const auto report = [](const char* who, auto bytes, auto count) {
        const double begin = seconds();
        const std::int64_t found = count();
        std::printf("%s %lld %.6f %lld\n", who, static_cast<long long>(found), seconds() - begin, static_cast<long long>(bytes));
    };
    const bool contains = how == "contains" || how == "in text";
    for (int run = 0; run < runs; ++run) {
        report("emitted", joined.size(), [&] {
            return emitted(number, {reinterpret_cast<const std::uint8_t*>(joined.data()), joined.size()}, offsets);
        });
#ifdef HAS_RE2
        static RE2::Options options(RE2::Latin1);
        options.set_max_mem(256 << 20);
        static const RE2 re(expression, options);
        report("re2", joined.size(), [&] {
            std::int64_t count = 0;
            for (std::size_t i = 0; i < lines; ++i) {
                const re2::StringPiece s(line(i).data(), line(i).size());
                count += contains ? RE2::PartialMatch(s, re) : RE2::FullMatch(s, re);
            }
            return count;
        });
#endif
        if (how.ends_with("text")) continue; // std::regex recurses once for each byte
        static const std::regex standard(expression, std::regex::optimize);
        report("std", part, [&] {
            std::int64_t count = 0;
            for (std::size_t i = 0; i < lines; i += slow) {
                const auto s = line(i);
                count += contains ? std::regex_search(s.begin(), s.end(), standard)
                                  : std::regex_match(s.begin(), s.end(), standard);
            }
            return count;
        });
    }
    if (how.ends_with("text")) return 0;
    report("emitted-part", part, [&] {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < lines; i += slow) {
            const std::vector<std::int64_t> one{0, std::ssize(line(i))};
            count += emitted(number, {reinterpret_cast<const std::uint8_t*>(line(i).data()), line(i).size()}, one);
        }
        return count;
    });
}
"""


def log_text(megabytes):
    rng = random.Random(1)
    words = "alpha beta gamma delta index static images user login logout cart a b1 x9 data list".split()
    lines, size = [], 0
    while size < megabytes * 1_000_000:
        path = "".join("/" + rng.choice(words) for _ in range(rng.randint(1, 5))) + rng.choice(["", ".png", ".html", ".jpg", "/"])
        line = (f"2024-{rng.randint(1, 12)}-{rng.randint(1, 28)} {rng.choice(words)}_{rng.randint(1, 99)} "
                f"{'.'.join(str(rng.randint(0, 255)) for _ in range(4 if rng.random() < 0.9 else 3))} "
                f"{rng.choice(['GET', 'PUT', 'POST'])} {path} {rng.choice([200, 200, 304, 404])} {rng.randint(1, 4000)}ms")
        if rng.random() < 0.05:
            line += " error: " + rng.choice(["timeout", "refused", "x"])
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines) + "\n"


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def program():
    functions = []
    for i, (_, how, expression) in enumerate(CASES):
        question = "contains" if how in ("contains", "in text") else "matches"
        functions.append(f"""func @count{i}(%lines: [n][]u8) -> i64 {{
  %r = re.of({quoted(expression)})
  %found = map(%lines) {{ |%line| select(re.{question}(%r, %line), 1, 0) }}
  return reduce(%found, 0) {{add}}
}}
""")
    return "\n".join(functions)


def emit(tool, folder):
    source = folder / "regex.ir"
    source.write_text(program())
    done = subprocess.run([tool, "-rules", "samples/regex.rules", "-rules", "fusion.rules", "-emit", "cpp", "-header", source],
                          cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    cases = "\n".join(f"    case {i}: return ir::count{i}(lines);" for i in range(len(CASES)))
    (folder / "emitted.hpp").write_text(done.stdout + f"""
inline std::int64_t emitted(int which, std::span<const std::uint8_t> bytes, std::span<const std::int64_t> offsets) {{
    const ir::rows<const std::uint8_t> lines(bytes, offsets);
    switch (which) {{
{cases}
    }}
    return -1;
}}
""")
    (folder / "harness.cpp").write_text(HARNESS)


def compile_harness(cxx, folder):
    command = [cxx, *FLAGS, "-Wno-deprecated-declarations", "harness.cpp", "-o", "harness"]
    if subprocess.run([*command, "-lre2", "-lpthread"], cwd=folder, capture_output=True, check=False).returncode == 0:
        return
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)


def python_count(how, expression, lines):
    compiled = re.compile(expression.encode("latin1"))
    find = compiled.search if how == "contains" else compiled.fullmatch
    begin = time.process_time()
    count = sum(1 for line in lines if find(line))
    return count, time.process_time() - begin, sum(map(len, lines))


def states(tool, how, expression):
    """How many states the machine has."""
    question = "contains" if how in ("contains", "in text") else "matches"
    text = f"func @f(%s: [n]u8) -> bool {{ return re.{question}(re.of({quoted(expression)}), %s) }}"
    done = subprocess.run([tool, "-rules", "samples/regex.rules", "-until", "explored", "-emit", "json"], input=text, cwd=ROOT,
                          capture_output=True, text=True, check=True)
    nodes = json.loads(done.stdout)["functions"][0]["nodes"]
    return max(len(node["operands"]) for node in nodes if node["op"] == "re.states")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=16)
    parser.add_argument("--cxx", default="g++")
    options = parser.parse_args()
    options.tool = str(pathlib.Path(options.tool).resolve())
    print("\n## Regular expressions, MB/s\n\n| | states | emitted | RE2 | ratio | std::regex | Python re |\n|---|---|---|---|---|---|---|")
    ratios = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        emit(options.tool, folder)
        compile_harness(options.cxx, folder)
        text = log_text(options.megabytes)
        (folder / "log").write_text(text)
        lines = text.encode().split(b"\n")[:-1]
        for i, (title, how, expression) in enumerate(CASES):
            done = subprocess.run(["env", "OMP_NUM_THREADS=1", "./harness", "log", how, str(i), expression, str(options.runs), str(SLOW)], cwd=folder,
                                  capture_output=True, text=True, check=True)
            rows = [line.split() for line in done.stdout.splitlines()]
            counts, speed = {}, {}
            for who in dict.fromkeys(row[0] for row in rows):
                mine = [row for row in rows if row[0] == who]
                counts[who] = {row[1] for row in mine}
                speed[who] = statistics.median(int(row[3]) / max(float(row[2]), 1e-9) / 1e6 for row in mine)
            if not how.endswith("text"):
                count, seconds, size = python_count(how, expression, lines[::SLOW])
                speed["python"] = size / seconds / 1e6
                if not counts["std"] == counts["emitted-part"] == {str(count)}:
                    sys.exit(f"{expression}: std::regex {counts['std']}, emitted {counts['emitted-part']}, Python {count}")
            if "re2" in counts and counts["re2"] != counts["emitted"]:
                sys.exit(f"{expression}: RE2 {counts['re2']}, emitted {counts['emitted']}")
            if "re2" in speed:
                ratios.append(speed["emitted"] / speed["re2"])
            for peer, who in (("RE2", "re2"), ("std::regex", "std"), ("Python re", "python")):
                if who in speed:
                    results.ratio("Regular expressions, seconds for a terabyte", title, peer, 1e6 / speed["emitted"], 1e6 / speed[who])
            cell = lambda who: f"{speed[who]:.0f}" if who in speed else ""
            print(f"| {title}: `{expression.replace('|', chr(92) + '|')}` | {states(options.tool, how, expression)} | {cell('emitted')} | "
                  f"{cell('re2')} | {f'{ratios[-1]:.2f}x' if 're2' in speed else ''} | {cell('std')} | {cell('python')} |", flush=True)
    if ratios:
        print(f"| geometric mean | | | | **{statistics.geometric_mean(ratios):.2f}x** | | |")
    else:
        print("\nRE2 is not installed (libre2-dev): left out.")


if __name__ == "__main__":
    main()
