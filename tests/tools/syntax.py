#!/usr/bin/env python3
"""Input languages (`-syntax`): the cases of tests/syntax, round trips of the samples, limits, and damaged texts.

A file of cases is a list of sections, each behind a line that begins with `@@`:

    @@ rules           a rule file, for the cases that follow
    @@ case TITLE      the text; without text, the rule file alone is loaded
    @@ options …       of the tool, on that line; the text may stand behind it
    @@ exit N          0 if there is none
    @@ messages        what standard error says, without the lines of the text
    @@ output          of standard output

`--bless` writes the last three as they are: read them before they are committed.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CASES = ROOT / "tests" / "syntax"
SAMPLES = [("tables", "sql", "samples/tables.rules", "samples/tables.ir"), ("scripts", "python", "samples/scripts.rules", "samples/scripts.ir")]
TEXTS = [("samples/tables.rules", None), ("samples/scripts.rules", None), ("samples/formulas.rules", "samples/statistics.formulas")]
CODES = {0, 1, 4}


class Tool:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())

    def run(self, *arguments, text=None, timeout=60):
        how = {} if isinstance(text, (bytes, type(None))) else {"text": True, "encoding": "utf-8", "errors": "replace"}
        return subprocess.run([self.path, *map(str, arguments)], input=text, capture_output=True, timeout=timeout, cwd=ROOT, **how)


def sections(path):
    """[(head, lines)], with what stands before the first head under an empty one."""
    found = [("", [])]
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@@"):
            found.append((line[2:].strip(), []))
        else:
            found[-1][1].append(line)
    return found


def cases(path):
    rules, all_cases = "", []
    for head, lines in sections(path):
        word, _, rest = head.partition(" ")
        text = "\n".join(lines) + "\n" if lines else ""
        if word == "rules":
            rules = text
        elif word == "case":
            all_cases.append({"title": rest, "rules": rules, "text": text, "options": "", "exit": 0, "messages": "", "output": ""})
        elif word in ("messages", "output"):
            all_cases[-1][word] = text
        elif word in ("options", "exit"):
            all_cases[-1][word] = int(rest) if word == "exit" else rest
            all_cases[-1]["text"] += text
    return all_cases


def shown(stderr, folder):
    lines = stderr.replace(str(folder) + "/", "").splitlines()
    return "".join(line + "\n" for line in lines if re.match(r"(\S+:\d+:\d+: )?(error|warning|note|help): ", line))


def outcome(tool, case, folder):
    rules, text = folder / "case.rules", folder / "case.txt"
    rules.write_text(case["rules"], encoding="utf-8")
    text.write_text(case["text"], encoding="utf-8")
    options = shlex.split(case["options"].replace("$RULES", str(rules)))
    done = tool.run("-syntax", rules, *options, text, text="")
    return {"exit": done.returncode, "messages": shown(done.stderr, folder), "output": done.stdout}


def check_cases(tool, options):
    for path in sorted(CASES.glob("*.txt")):
        if options.filter not in path.name:
            continue
        blessed, got = path.read_text(encoding="utf-8"), []
        with tempfile.TemporaryDirectory() as folder:
            for case in cases(path):
                new = outcome(tool, case, pathlib.Path(folder))
                got.append(new)
                if options.bless:
                    continue
                same = all(case[key] == new[key] for key in new)
                if not same:
                    print(f"{path.relative_to(ROOT)}: {case['title']}")
                    for key in new:
                        if case[key] != new[key]:
                            print(f"  {key}: expected {case[key]!r}\n  {' ' * len(key)}  but got  {new[key]!r}")
                yield same
        if options.bless:
            bless(path, blessed, got)


def bless(path, text, results):
    out, number = [], -1

    def finish():
        if number < 0:
            return
        result = results[number]
        if result["exit"]:
            out.append(f"@@ exit {result['exit']}")
        for key in ("messages", "output"):
            if result[key]:
                out.extend([f"@@ {key}", *result[key].splitlines()])

    finished = True
    for head, lines in sections(path):
        word = head.partition(" ")[0]
        if word in ("exit", "messages", "output"):
            continue
        if word in ("case", "rules") and not finished:
            finish()
            finished = True
        if word == "case":
            number, finished = number + 1, False
        out.extend(([f"@@ {head}"] if head else []) + lines)
    if not finished:
        finish()
    new = "\n".join(out) + "\n"
    if new != text:
        path.write_text(new, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")


def without_names(part):
    """What `-emit json` prints, without the names of values."""
    if isinstance(part, list):
        return [without_names(each) for each in part]
    if isinstance(part, dict):
        return {key: without_names(value) for key, value in part.items() if key != "name" or "nodes" in part}
    return part


def round_trips(tool):
    """What a target prints is read back as the same graph, and printed as the same text."""
    for name, target, rules, program in SAMPLES:
        printed = tool.run("-rules", rules, "-emit", target, program, text="").stdout
        again = tool.run("-syntax", rules, "-emit", target, "-", text=printed.encode())
        yield report(f"{name}: the text again", again.returncode == 0 and again.stdout.decode() == printed, again.stderr)
        first = tool.run("-rules", rules, "-emit", "json", program, text="").stdout
        second = tool.run("-syntax", rules, "-emit", "json", "-", text=printed.encode()).stdout.decode()
        graph = [without_names(json.loads(text)) for text in (first, second)]
        yield report(f"{name}: the same graph", graph[0] == graph[1], f"{graph[0]}\n{graph[1]}")


def limits(tool):
    rules = "samples/formulas.rules"
    body = "fun f(x: real): real = "
    for depth, code in ((9_000, 0), (10_100, 4), (300_000, 4)):
        done = tool.run("-syntax", rules, "-", text=(body + "(" * depth + "x" + ")" * depth).encode())
        yield report(f"{depth} parentheses", done.returncode == code, done.stderr)
    blocks = "fun f(n: int): int { let x = n; " + "if x > 0 { " * 3000 + "x = x + 1; " + "}" * 3000 + " return x; }"
    done = tool.run("-syntax", rules, "-", text=blocks.encode())
    yield report("3000 blocks", done.returncode == 0, done.stderr)
    # Of brackets: three alternatives begin with one.
    for text, code in ((body + "x" + " + x" * 200_000, 0), (body + "-" * 9_000 + "x", 0), (body + "x" + " ^ x" * 20_000, 4),
                       (body + "[" + "1.0, " * 100_000 + "x][0]", 0), (body + "x // " + "x" * 1_000_000, 0),
                       (body + "[" * 60 + "x" + "]" * 60 + "[0]" * 60, 0), ("", 0), (" \n", 0)):
        done = tool.run("-syntax", rules, "-", text=text.encode())
        yield report(f"a long text: {text[:60]}", done.returncode == code, done.stderr[:1000])
    names = "fun f(n: int): int { " + "".join(f"let x{i} = n; x{i} = {i};\n" for i in range(100_000)) + "if n > 0 { " \
        + "".join(f"x{i} = n;\n" for i in range(100_000)) + "} return x1; }"
    done = tool.run("-syntax", rules, "-", text=names.encode())
    yield report("100000 variables", done.returncode == 0, done.stderr[:1000])
    done = tool.run("-syntax", rules, "-", text=body.encode() + b"x \xff")
    yield report("no UTF-8", done.returncode == 1 and b"1:26: error: this byte is not UTF-8" in done.stderr, done.stderr)


REMEMBERED = """syntax s {
  layout = [ \\n]
  file = fun+ OTHER
  fun  = AHEAD "fun" n:name e:expr => func @n() -> i64 { return e }
  expr = l:expr "+" r:expr => add(l, r) | k:number => #k
  rest = "fun" (!"fun" .)* rest | "end"?
  token name = !keyword [a-z] [a-z0-9]*
  token number = [0-9]+
}
"""


def remembered(tool):
    """Memory: results of productions are forgotten where nothing goes back; not those of what was looked at ahead."""
    with tempfile.TemporaryDirectory() as folder:
        rules, text = pathlib.Path(folder) / "s.rules", pathlib.Path(folder) / "text"

        def peak(ahead, other, functions, end=""):
            used = REMEMBERED if ahead else "\n".join(line for line in REMEMBERED.split("\n") if "rest =" not in line)
            rules.write_text(used.replace("AHEAD ", ahead).replace(" OTHER", other), encoding="utf-8")
            text.write_text("".join(f"fun f{i} {' + '.join('1234567')}\n" for i in range(functions)) + end, encoding="utf-8")
            child = subprocess.Popen([tool.path, "-syntax", rules, text], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode, usage.ru_maxrss

        code, forgetful = peak("", "", 20_000, "}")
        again, all_of_it = peak("", ' | "nothing" => func @n() -> i64 { return 1 }', 20_000, "}")
        yield report("what is forgotten", code == again == 1 and forgetful < 0.7 * all_of_it, f"{forgetful} and {all_of_it} KB")
        code, memory = peak("&rest ", "", 8_000)
        _, small = peak("&rest ", "", 1_000)
        yield report("what is looked at ahead", code == 0 and memory < 12 * small, f"{memory} and {small} KB")


def damaged(text, choose):
    text = bytearray(text)
    for _ in range(choose.randint(1, 6)):
        at = choose.randrange(len(text) + 1)
        kind = choose.randrange(5)
        if kind == 0:
            del text[at:at + choose.randint(1, 20)]
        elif kind == 1:
            begin = choose.randrange(len(text) + 1)
            text[at:at] = text[begin:begin + choose.randint(1, 40)]
        elif kind == 2:
            text[at:at] = choose.choice([b"(", b")", b"{", b"}", b'"', b"'", b"\n", b"\n    ", b"\t", b"=", b"+", b"1", b"\x01", b"\x02", b"\xff", b"\xc3\xa9", b"\0", b"if", b"%"])
        elif kind == 3 and at < len(text):
            text[at] = choose.randrange(256)
        else:
            text[at:at + 1] = bytes([choose.randrange(32, 127)])
        if not text:
            text = bytearray(b" ")
    return bytes(text)


def fuzz(tool, options):
    choose = random.Random(options.seed)
    rule_files = [(ROOT / rules).read_bytes() for rules, _ in TEXTS]
    with tempfile.TemporaryDirectory() as folder:
        broken = pathlib.Path(folder) / "broken.rules"
        for number in range(options.fuzz):
            rules, sample = choose.choice(TEXTS)
            if sample:
                text = (ROOT / sample).read_bytes()
            else:
                _, target, _, program = next(s for s in SAMPLES if s[2] == rules)
                text = tool.run("-rules", rules, "-emit", target, program, text="").stdout.encode()
            if number % 3 == 2:  # the rule file is damaged
                broken.write_bytes(damaged(choose.choice(rule_files), choose))
                rules = broken
            else:
                text = damaged(text, choose)
            try:
                done = tool.run("-I", ROOT / "samples", "-syntax", rules, "-", text=text)
                good = done.returncode in CODES and (done.returncode == 0) == (b"error: " not in done.stderr)
            except subprocess.TimeoutExpired as late:
                done, good = late, False
            if not good:
                kept = pathlib.Path(tempfile.mkdtemp())
                (kept / "text").write_bytes(text)
                (kept / "rules").write_bytes(pathlib.Path(ROOT / rules).read_bytes())
                print(f"seed {options.seed}, text {number}, kept in {kept}: {done}")
            yield good


def report(title, good, why):
    if not good:
        print(f"{title}: {why.decode(errors='replace') if isinstance(why, bytes) else why}")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--filter", default="", help="only files of cases whose names contain this; nothing else")
    parser.add_argument("--bless", action="store_true")
    parser.add_argument("--fuzz", type=int, default=150, help="how many damaged texts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    tool = Tool(options.tool)
    good = list(check_cases(tool, options))
    if not options.filter and not options.bless:
        good += [*round_trips(tool), *limits(tool), *remembered(tool), *fuzz(tool, options)]
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
