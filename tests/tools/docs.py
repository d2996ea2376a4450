#!/usr/bin/env python3
"""Runs what the documentation shows, so that it stays true.

In every README.md, fenced blocks marked

  sh         are run in the repository root. Lines that start with `$ ` are commands, the lines
             behind them what they print, exactly; a line `…` stands for any number of lines.
             A command shown without output must succeed, and so must a block without `$ `.
  ir, rules  are accepted by the tool.

`irrewrite` is the one just built. A block marked `sh no-run` (`ir no-run`, …) is only counted.

Besides: every folder with sources has a README.md whose table of files (`| file | …`) names each source of the folder,
and no file that does not exist; `x` stands for x.hpp and x.cpp. Links to files and headings lead somewhere.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ["engine", "grammar", "printers"]
FRONT, MOST_LINES = ROOT / "README.md", 200
FILES = [FRONT,
         *sorted(path for top in (*SOURCES, "rules", "samples", "tests") for path in (ROOT / top).rglob("README.md"))]
TIMEOUT = 300
NESTED = "IRREWRITE_DOCUMENTATION"  # set while a command of the documentation runs


@dataclasses.dataclass
class Block:
    place: str
    language: str
    skipped: bool
    lines: list


def blocks(path):
    found, block, fence = [], None, ""
    for number, line in enumerate(path.read_text().split("\n"), 1):
        match = re.fullmatch(r"\s*(```+)\s*(\w*)(.*)", line)
        if block is None and match:
            fence = match[1]
            block = Block(f"{path.name if path.parent == ROOT else path.relative_to(ROOT)}:{number}",
                          match[2], "no-run" in match[3].split(), [])
        elif block is not None and line.strip() == fence:
            found.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
    return found


def commands(lines):
    """(command, expected lines) for each `$ ` line; a command goes on behind a backslash."""
    found, continued = [], False
    for line in lines:
        if continued:
            found[-1][0] += "\n" + line
        elif line.startswith("$ "):
            found.append([line[2:], []])
        elif found:
            found[-1][1].append(line)
        continued = found and not found[-1][1] and found[-1][0].endswith("\\")
    return found


def matches(expected, found):
    """Whether the lines are the same, `…` standing for any number of them."""
    if "…" not in expected:
        return expected == found
    first = expected.index("…")
    if found[:first] != expected[:first]:
        return False
    rest = expected[first + 1:]
    return any(matches(rest, found[start:]) for start in range(first, len(found) + 1))


def listed(readme):
    """The names in the first column of the table of files."""
    names, inside = [], False
    for line in readme.read_text().split("\n"):
        inside = line.startswith("| file |") or (inside and line.startswith("|"))
        if inside:
            names += re.findall(r"`([^`]+)`", line.split("|")[1])
    return names


def wrong_files(folder):
    """What the README.md of a folder with sources does not say, or says wrongly."""
    readme = folder / "README.md"
    if not readme.exists():
        return ["there is no README.md"]
    sources = {path.name for kind in ("*.[ch]pp", "*.h", "*.cuh") for path in folder.glob(kind)}
    named, wrong = set(), []
    for name in listed(readme):
        found = {name, *(f"{name}.{kind}" for kind in ("hpp", "cpp", "h", "cuh"))} & {path.name for path in folder.iterdir() if path.is_file()}
        named |= found
        if not found:
            wrong.append(f"`{name}` is no file here")
    return wrong + [f"'{name}' is not in the table of files" for name in sorted(sources - named)]


def plain_lines(path):
    """The lines outside of fenced blocks, without what stands in backquotes."""
    fenced = False
    for line in path.read_text().split("\n"):
        if re.match(r"\s*```", line):
            fenced = not fenced
        elif not fenced:
            yield re.sub(r"`[^`]*`", "", line)


def anchors(path):
    """The names by which links call the headings of a file."""
    fenced, found = False, set()
    for line in path.read_text().split("\n"):
        if re.match(r"\s*```", line):
            fenced = not fenced
        elif not fenced and re.match(r"#+ ", line):
            found.add(re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-"))
    return found


def wrong_links(path):
    """The links of a file that lead nowhere."""
    for line in plain_lines(path):
        for link in re.findall(r"\]\(([^)\s]+)\)", line):
            if "://" in link:
                continue
            name, _, heading = link.partition("#")
            target = (path.parent / name).resolve() if name else path
            if not target.exists() or (heading and heading not in anchors(target)):
                yield f"there is no {link}"


def execute(command, env):
    """The exit code and everything that was printed."""
    try:
        done = subprocess.run(command, cwd=ROOT, env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="backslashreplace", timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None, f"no end after {TIMEOUT} s"
    return done.returncode, done.stdout


def trimmed(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return lines


class Suite:
    def __init__(self, tool):
        self.tool = pathlib.Path(tool).absolute()
        self.env = dict(os.environ, **{NESTED: "1"})
        self.env["PATH"] = f"{self.tool.parent}{os.pathsep}{self.env.get('PATH', '')}"
        for name in ("IRREWRITE_RULES", "MAKEFLAGS", "MFLAGS", "MAKELEVEL"):
            self.env.pop(name, None)
        self.passed = self.failed = self.skipped = 0

    def count(self, good, place, command, what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {place}: {command}\n{what}\n", flush=True)

    def run(self, block):
        if block.language not in ("sh", "ir", "rules"):
            return
        if block.skipped:
            self.skipped += 1
        elif block.language != "sh":
            self.run_text(block)
        elif any(line.startswith("$ ") for line in block.lines):
            for command, expected in commands(block.lines):
                self.run_command(block.place, command, trimmed(expected))
        else:
            code, printed = execute(["bash", "-ec", "\n".join(block.lines)], self.env)
            self.count(code == 0, block.place, "sh", f"exit code {code}\n{printed}")

    def check_folders(self, root):
        for folder in sorted({path.parent for top in SOURCES for path in (root / top).rglob("*.[ch]pp")}):
            wrong = wrong_files(folder)
            self.count(not wrong, folder.relative_to(root), "README.md", "\n".join(wrong))

    def check_links(self, path):
        wrong = list(wrong_links(path))
        self.count(not wrong, path, "links", "\n".join(wrong))

    def run_command(self, place, command, expected):
        code, printed = execute(["bash", "-c", command], self.env)
        good = matches(expected, trimmed(printed.split("\n"))) and code is not None
        if not expected:
            good = good and code == 0
        self.count(good, place, command,
                   "expected:\n" + "\n".join(expected) + f"\nfound (exit code {code}):\n{printed}")

    def run_text(self, block):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / f"block.{block.language}"
            file.write_text("\n".join(block.lines) + "\n")
            options = ["-rules"] if block.language == "rules" else []
            code, printed = execute([str(self.tool), *options, str(file)], self.env)
        self.count(code == 0, block.place, block.language, f"exit code {code}\n{printed}")


def main():
    parser = argparse.ArgumentParser(description="Runs what the documentation shows.")
    parser.add_argument("--tool", default=str(ROOT / "build" / "irrewrite"))
    parser.add_argument("files", nargs="*", default=FILES)
    options = parser.parse_args()
    if NESTED in os.environ:
        print("a command in the documentation runs this suite again: mark its block `no-run`")
        return 1
    suite = Suite(options.tool)
    for file in map(pathlib.Path, options.files):
        if file.exists():
            for block in blocks(file.resolve()):
                suite.run(block)
            suite.check_links(file.resolve())
    if options.files == FILES:
        suite.check_folders(ROOT)
        lines = len(FRONT.read_text().splitlines())
        suite.count(lines <= MOST_LINES, FRONT, "length", f"{lines} lines, at most {MOST_LINES}: reference belongs into the folders")
    if suite.skipped:
        print(f"{suite.skipped} blocks are marked no-run")
    print(f"{suite.passed} passed, {suite.failed} failed")
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
