#!/usr/bin/env python3
"""Which folder may include which: a folder includes itself and folders of lower levels, and no file outgrows its idea.

Besides the levels:
- grammar/ and printers/ include only the folders of engine/ that SEEN_OF_ENGINE lists, and no edge of FORBIDDEN exists;
- engine/ includes neither grammar/ nor printers/ (but for engine/api, engine/server and engine/driver), printers/ never grammar/, and
  grammar/ never printers/;
- nothing includes engine/driver, and only tests include engine/api;
- PEGTL is known to grammar/ alone, and what `make install` installs includes nothing that is not installed;
- no use of <ranges> that g++ 12 compiles and clang 14 with GCC's library does not;
- a file has at most 400 lines, and a class is defined in at most four files, but for those listed here;
- a folder holds at most 45 files, and no source stands in engine/ or grammar/ itself;
- no printer compares an operation's text with another one, or asks what text that was emitted begins with: an operation
  is its id (`Graph::scalar`);
- no line of a comment opens with What, Whether, How, Where or "That which": comments are statements. So are those
  of raw strings, which are emitted; other string literals are exempt.

Also tests that these checks can fail: each is run on a small tree that breaks it.
"""

import argparse
import collections
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# From the lowest level to the highest; folders of one level do not include each other.
LEVELS = [
    "engine/support",
    "engine/ir grammar/syntax",
    "engine/analysis engine/rules grammar/format printers/c_like",
    "engine/match engine/jit engine/schedule",
    "engine/interpret engine/state printers/ir printers/plan",
    "engine/passes engine/generate engine/dataflow engine/multi_root printers/graph printers/html printers/target printers/plan/values printers/c_like/function",
    "engine/rewrite grammar/program",
    "engine/check grammar/json grammar/surface printers/cpp printers/cpp/loops printers/cpp/runtime printers/c printers/c/runtime",
    "engine/lint engine/prove grammar/rules printers/cuda printers/cuda/runtime",
    "engine/api engine/server printers",
    "engine/driver",
]
# The parts of the printer of one function know each other, as a loop contains statements, and these loops.
WITHIN_A_LEVEL = {("printers/cpp", "printers/cpp/loops"), ("printers/cpp/loops", "printers/cpp"),
                  ("printers/cpp", "printers/cpp/runtime"), ("printers/cuda", "printers/cuda/runtime"),
                  ("printers/c", "printers/c/runtime")}
# What the levels alone would allow.
SEEN_OF_ENGINE = {"grammar": "support ir analysis rules passes".split(), "printers": "support ir analysis schedule".split()}
FORBIDDEN = {("engine/passes", "engine/interpret")}
SEE_ALL = ("engine/api", "engine/server", "engine/driver")
NOT_INCLUDED = ("engine/api", "engine/driver")
INSTALLED = ("engine/api/testing.hpp", "engine/api/testing_rapidcheck.hpp")
KINDS = ("*.[ch]pp", "*.h", "*.cuh") # the last two: helpers of emitted programs
MOST_LINES, MOST_FILES, MOST_FILES_OF_A_CLASS = 400, 45, 4

# These lists may only become shorter.
KNOWN_LONG_FILES = {}
KNOWN_WIDE_CLASSES = {"RuleReader": 8, "Flow": 6, "UnrolledPattern": 5, "Body": 5}

# clang 14 cannot use views of GCC 12's library, nor the algorithms that return a subrange.
NOT_FOR_CLANG = re.compile(r"ranges::(unique|remove|remove_if|partition|stable_partition|rotate|search|search_n|find_end|"
                           r"equal_range|shift_left|shift_right)\(|\bviews::")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
# Tokens of C++, as far as comments and string literals need; a comment is the only one that begins with `//`.
TOKEN = re.compile(r'\b\d[\w\']*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*', re.S)
QUESTION = re.compile(r"//+ +(?:What|Whether|How|Where|That which)\b.*")
EMITTED_QUESTION = re.compile(QUESTION.pattern.replace("//+", r"(?:^|(?<=R\"\())[ ]*//+"), re.M)
ASKED_TEXT = re.compile(r'"[^"\n]*\$[0-9][^"\n]*"\)? *[=!]=|[=!]= *"[^"\n]*\$[0-9]|\.(?:cpp|cuda)(?:_int)?(?: *[=!]=|\.\w+_with\()|'
                        r'_with\("(?:std::move|wrap_|checked)|find\("(?:\$line|&&|\|\||std::move)')
MEMBER = re.compile(r"^(?:[\w:<>,&* ]+ )?[&*]?(\w+)::~?\w+\(", re.M)


def level_of():
    return {folder: level for level, row in enumerate(LEVELS) for folder in row.split()}


def sources(root):
    return sorted(path for folder in ("engine", "grammar", "printers") for kind in KINDS for path in (root / folder).rglob(kind))


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def top(folder):
    return folder.split("/")[0]


def may_include(folder, other, levels):
    """Whether a file of `folder` may include a file of `other`."""
    if other == folder or (folder, other) in WITHIN_A_LEVEL:
        return True
    if levels[other] >= levels[folder] or other in NOT_INCLUDED or (folder, other) in FORBIDDEN:
        return False
    if top(folder) in SEEN_OF_ENGINE and top(other) == "engine":
        return other.removeprefix("engine/") in SEEN_OF_ENGINE[top(folder)]
    return folder in SEE_ALL or top(other) in ("engine", top(folder))


def wrong_includes(root):
    levels = level_of()
    for path in sources(root):
        name, folder = path.relative_to(root).as_posix(), path.parent.relative_to(root).as_posix()
        if folder not in levels:
            yield f"{name}: the folder {folder} has no level"
            continue
        for included in includes(path):
            other = included.rpartition("/")[0]
            if top(other) in ("engine", "grammar", "printers"):
                if name in INSTALLED or other not in levels or not may_include(folder, other, levels):
                    yield f"{name}: must not include {included}"
            elif included.startswith("tao/pegtl") and top(folder) != "grammar":
                yield f"{name}: only grammar/ knows PEGTL"
            elif name in INSTALLED and top(included) in ("fmt", "tsl", "nlohmann", "tao"):
                yield f"{name}: is installed, and {included} may not be"


def wrong_test_includes(root):
    for path in sorted((root / "tests").rglob("*.[ch]pp")):
        for included in includes(path):
            if included.startswith("engine/driver/"):
                yield f"{path.relative_to(root)}: nothing includes engine/driver"


def ranges_that_clang_refuses(root):
    for path in sources(root) + sorted((root / "tests").rglob("*.[ch]pp")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if NOT_FOR_CLANG.search(line):
                yield f"{path.relative_to(root)}:{number}: clang 14 does not compile this: {line.strip()}"


def long_files(root):
    for path in sources(root):
        name, lines = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8").count("\n")
        most = KNOWN_LONG_FILES.get(name, MOST_LINES)
        if lines > most:
            yield f"{name}: {lines} lines, at most {most}"


def full_folders(root):
    count = collections.Counter(path.parent.relative_to(root).as_posix() for path in sources(root))
    for folder, files in sorted(count.items()):
        if files > MOST_FILES or folder in ("engine", "grammar"):
            yield f"{folder}: {files} files, at most {0 if folder in ('engine', 'grammar') else MOST_FILES}"


def wide_classes(root):
    files = collections.defaultdict(set)
    for path in sources(root):
        if path.suffix == ".cpp":
            for name in MEMBER.findall(path.read_text(encoding="utf-8")):
                files[top(path.relative_to(root).as_posix()), name].add(path)
    for (_, name), defined in sorted(files.items()):
        most = KNOWN_WIDE_CLASSES.get(name, MOST_FILES_OF_A_CLASS)
        if name[:1].isupper() and len(defined) > most:
            yield f"{name}: member functions in {len(defined)} files, at most {most}"


def comments_that_ask(root):
    for path in sources(root):
        text = path.read_text(encoding="utf-8")
        for token in TOKEN.finditer(text):
            emitted = token[1] is not None      # a raw string: text that is emitted, with comments of its own
            for opening in EMITTED_QUESTION.finditer(token[0]) if emitted else filter(None, [QUESTION.match(token[0])]):
                number = text.count("\n", 0, token.start() + opening.start()) + 1
                yield f"{path.relative_to(root)}:{number}: a comment is a statement, and does not open like this: {opening[0]}"


def texts_that_are_asked(root):
    for path in sources(root):
        if top(path.relative_to(root).as_posix()) == "printers":
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if ASKED_TEXT.search(line):
                    yield f"{path.relative_to(root)}:{number}: an operation is its id, not its text: {line.strip()}"


CHECKS = [wrong_includes, wrong_test_includes, ranges_that_clang_refuses, long_files, full_folders, wide_classes,
          comments_that_ask, texts_that_are_asked]

# A file, what it holds, and which check finds it.
BROKEN = [
    ("engine/ir/a.hpp", '#include "engine/match/a.hpp"', wrong_includes),
    ("engine/ir/a.hpp", '#include "grammar/syntax/a.hpp"', wrong_includes),
    ("engine/match/a.hpp", '#include "engine/jit/a.hpp"', wrong_includes),
    ("engine/passes/a.cpp", '#include "engine/interpret/a.hpp"', wrong_includes),
    ("grammar/program/a.cpp", '#include "engine/interpret/a.hpp"', wrong_includes),
    ("grammar/rules/a.cpp", '#include "engine/check/a.hpp"', wrong_includes),
    ("printers/cpp/a.cpp", '#include "engine/rewrite/a.hpp"', wrong_includes),
    ("engine/dataflow/a.cpp", '#include "engine/multi_root/a.hpp"', wrong_includes),
    ("engine/driver/a.cpp", "#include <tao/pegtl.hpp>", wrong_includes),
    ("printers/cuda/a.cpp", '#include "grammar/program/a.hpp"', wrong_includes),
    ("grammar/rules/a.cpp", '#include "printers/ir/a.hpp"', wrong_includes),
    ("engine/driver/a.cpp", '#include "engine/api/testing.hpp"', wrong_includes),
    ("engine/api/testing.hpp", '#include "engine/ir/graph.hpp"', wrong_includes),
    ("engine/api/testing.hpp", "#include <fmt/core.h>", wrong_includes),
    ("engine/other/a.cpp", "", wrong_includes),
    ("tests/a.cpp", '#include "engine/driver/tool.hpp"', wrong_test_includes),
    ("engine/ir/a.cpp", "auto tail = std::ranges::unique(list);", ranges_that_clang_refuses),
    ("engine/ir/a.cpp", "\n" * (MOST_LINES + 1), long_files),
    ("engine/a.cpp", "", full_folders),
    ("engine/ir/a.cpp", "void Wide::f() {}\n", wide_classes), # in several files of this name
    ("printers/cpp/a.cpp", 'if (form == "std::min($0, $1)") return;', texts_that_are_asked),
    ("printers/cpp/a.cpp", 'if (operation.cpp_int.starts_with("wrap")) return;', texts_that_are_asked),
    ("printers/cuda/a.cpp", 'const bool moved = text.starts_with("std::move(");', texts_that_are_asked),
    ("printers/cuda/a.cpp", 'if (form.text.find("$line") != std::string::npos) return;', texts_that_are_asked),
    ("engine/ir/a.hpp", "// Whether it is empty.\nbool empty();", comments_that_ask),
    ("printers/ir/a.cpp", "// The text of a node.\n// What stands in a block.", comments_that_ask),
    ("grammar/rules/a.cpp", "int size = 10'000; // How long it doesn't become.", comments_that_ask),
    ("printers/cpp/a.cpp", 'auto text = "// What is said"; // Where it goes.', comments_that_ask),
    ("printers/cuda/runtime/a.cuh", "//= helper\n// What is emitted.\nint n;", comments_that_ask),
    ("printers/cuda/runtime/a.cpp", 'auto text = R"(// What is emitted.\nint n;)";', comments_that_ask),
    ("printers/cuda/runtime/a.cpp", 'auto text = R"(int n;\n    // How many there are.\n)";', comments_that_ask),
]

# A file with which a check finds nothing wrong.
RIGHT = [
    ("printers/cuda/runtime/a.cpp", 'auto text = R"(// The text. What is emitted\nint n;)"; auto more = "// Whether ";', comments_that_ask),
    ("printers/cpp/a.cpp", 'static const TextTemplate difference("$0 - $1"); text += "std::move(";', texts_that_are_asked),
    ("engine/ir/a.hpp", "// True if it is empty. Whatever: However.\nbool empty();", comments_that_ask),
]


def finds_broken():
    """Each check finds a tree that breaks it, and nothing in a right one; yields those that do not."""
    for name, text, check in BROKEN + RIGHT:
        with tempfile.TemporaryDirectory() as folder:
            root, path = pathlib.Path(folder), pathlib.Path(folder) / name
            copies = MOST_FILES_OF_A_CLASS + 1 if check is wide_classes else 1
            for copy in range(copies):
                file = path.with_name(f"{copy}{path.name}") if copies > 1 else path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text + "\n", encoding="utf-8")
            if bool(list(check(root))) == ((name, text, check) in RIGHT):
                yield f"{check.__name__} is wrong about {name}: {text.strip()}"


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    wrong = [finding for check in CHECKS for finding in check(ROOT)]
    blind = list(finds_broken())
    for finding in wrong + blind:
        print(f"layers: {finding}")
    failed = sum(bool(list(check(ROOT))) for check in CHECKS) + len(blind)
    print(f"{len(CHECKS) + len(BROKEN) + len(RIGHT) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
