#!/usr/bin/env python3
"""Operations as users declare them: each kind of effect, with operands and results of each kind, with and without a phase; and
attributes and blocks of all kinds, with rules over them.

All of them are in one rule file and used by one program; what that prints is known. It is evaluated, printed and read back
(IR and JSON), and compiled from the C++ that is emitted; the text for CUDA has to mention every effect."""
import argparse, itertools, pathlib, subprocess, sys, tempfile

from tally import Tally

# name: (operands, traits, parameters of the expansion, its effect, what the program has before it, the call's operands,
#        what is read afterwards or None where the effect is output). M is a number that no other operation has.
KINDS = {
    "io, no operand": ("", "io total", "", "print(M)", "", "", None),
    "io, plain": ("i64", "io total", "%x", "print(M)", "", "%p", None),
    "io, bool": ("bool", "io total", "%x", "print(M)", "%b = %p > 3", "%b", None),
    "io, tuple": ("(i64, f64)", "io total", "%x", "print(M)", "", "(%p, 1.5)", None),
    "io, any type": ("?T", "io total", "%x", "print(M)", "", "%p", None),
    "io, array": ("[]i64", "io total", "%x", "print(M)", "%a = [%p, %p]", "%a", None),
    "io, array of any length": ("[?n]i64", "io total", "%x", "print(M)", "%a = [%p, %p]", "%a", None),
    "io, two lines": ("i64", "io total", "%x", "print(M)\n print(%x)", "", "%p", None),
    "writes ref": ("ref i64", "writes(0) total", "%x", "set(%x, M)", "%c = ref(%p)", "%c", "get(%c)"),
    "writes ref of any type": ("ref ?T, ?T", "writes(0) total", "%x, %v", "set(%x, %v)", "%c = ref(%p)", "%c, M", "get(%c)"),
    "reads and writes ref": ("ref i64", "reads(0) writes(0) total", "%x", "set(%x, get(%x) + M)", "%c = ref(%p)", "%c", "get(%c)"),
    "writes second operand": ("i64, ref i64", "writes(1) total", "%v, %x", "set(%x, M)", "%c = ref(%p)", "%p, %c", "get(%c)"),
    "writes array": ("mut []i64", "writes(0) partial", "%x", "store(%x, 0, M)", "%c = thaw([%p, %p])", "%c", "load(%c, 0)"),
    "writes and prints": ("ref i64", "writes(0) io total", "%x", "set(%x, M)\n print(M)", "%c = ref(%p)", "%c", "get(%c)"),
}
RESULTS = ("none", "unused", "used", "two")


class Case:
    def __init__(self, number, kind, result, phase):
        self.name, self.number, self.marker = f"{kind}; result {result}{'; at a phase' if phase else ''}", number, 1000 + number
        operands, traits, params, effect, before, given, after = (
            t.replace("M", str(self.marker)) if isinstance(t, str) else t for t in KINDS[kind])
        types = {"none": "", "two": " -> i64, i64"}.get(result, " -> i64")
        values = {"none": "", "two": " 17, 18"}.get(result, " 17")
        block = f"{{ {'|' + params + '| ' if params else ''}{effect}\n{values} }}"
        self.rules = f"op d.o{number}({operands}){types} {traits} = {block}{' at last' if phase else ''}\n"
        call, value = f"d.o{number}({given})", after or "%p"
        if result == "used":
            call, value = f"%r = {call}", f"{value} + %r"
        if result == "two":
            call, value = f"%r, %s = {call}", f"{value} + %s"
        self.program = f"func @f{number}(%p: i64) -> i64 {{\n  {before}\n  {call}\n  %z = {value}\n  return %z\n}}\n"
        printed = effect.count("print")
        self.prints = [self.marker] * min(printed, 1) + [0] * (printed > 1)
        self.value = (self.marker if after else 0) + {"used": 17, "two": 18}.get(result, 0)


# name: (declared, in patterns and terms, in programs, what the expansion adds, how much that is for an operand 10)
ATTRIBUTES = {
    "i64": ("k: i64", "#k", "3", "#k", 3),
    "f64": ("c: f64", "#c", "2.5", "cast[i64](#c)", 2),
    "bool": ("b: bool", "#b", "true", "select(#b, 1, 0)", 1),
    "text": ("t: text", "#t", '"s t"', "0", 0),
    "type": ("to: type", "?to", "i8", "cast[i64](cast[?to](%x))", 10),
}
# label or none, type, in programs, what the expansion adds, how much that is
BLOCKS = [(None, "i64 -> i64", "|%v| %v * 2", "?f(%x)", 20), ("with", "-> i64", "5", "?g()", 5), ("and", "i64, i64 -> i64", "|%v, %w| %v - %w", "?h(%x, 4)", 6)]


class RuleCase:
    """`from` becomes `to`, an operation of the same kind: by a rule that names all that it has."""

    def __init__(self, number, attributes, blocks, result):
        self.name = f"attributes {', '.join(attributes) or 'none'}; {blocks} blocks; {result} results"
        attrs, used = [ATTRIBUTES[a] for a in attributes], BLOCKS[:blocks]
        self.value = 10 + sum(a[4] for a in attrs) + sum(b[4] for b in used)

        def apply(name, k, block, operand):
            given = f"[{', '.join(a[k] for a in attrs)}]" if attrs else ""
            return f"{name}{number}{given}({operand}) " + " ".join(f"{label + str(number) if label else ''} {{ {block(i)} }}" for i, (label, *_) in enumerate(used))

        types = {0: "", 1: " -> i64", 2: " -> i64, i64"}[result]
        value = " + ".join(["%x", *(a[3] for a in attrs), *(b[3] for b in used)])
        body = {0: f"print({value})", 1: value, 2: f"{value}, 7"}[result]
        params = ", ".join(["%x", *("?" + "fgh"[i] for i in range(blocks))])
        declared = lambda name: (f"op {name}{number}{'[' + ', '.join(a[0] for a in attrs) + ']' if attrs else ''}(i64) " +
                                 " ".join(f"{label + str(number) if label else ''} {{{kind}}}" for label, kind, *_ in used) +
                                 f"{types} {'pure' if result else 'io'} total = {{ |{params}| {body} }}\n")
        pattern = lambda name: apply(name, 1, lambda i: "?" + "fgh"[i], "?x")
        self.rules = f"rules r{number} {{ go: {pattern('r.from')} => {pattern('r.to')} }}\n"
        self.declarations = declared("r.from") + declared("r.to")
        call = apply("r.from", 2, lambda i: used[i][2], "%x")
        given = {0: f"  {call}\n  %r = %x", 1: f"  %r = {call}", 2: f"  %r, %s = {call}"}[result]
        self.program = f"func @g{number}(%x: i64) -> i64 {{\n{given}\n  return %r\n}}\n"
        self.printed = [self.value, 10] if result == 0 else [self.value]


def rule_cases():
    several = [[], *([a] for a in ATTRIBUTES), list(ATTRIBUTES)]
    return [RuleCase(i, *what) for i, what in enumerate(itertools.product(several, range(4), range(3)))]


def rules_over(tool, here, run, say, no_cpp):
    every = rule_cases()
    expected = [str(n) for case in every for n in case.printed]
    sets = " <+ ".join(f"r{i}" for i in range(len(every)))
    # Rules first: labels and operations may be declared behind them.
    (here / "r.rules").write_text("".join(c.rules for c in every) + f"phase gone = innermost({sets})\n" + "".join(c.declarations for c in every))
    calls = "".join(f"  %v{i} = @g{i}(%p)\n  print(%v{i})\n" for i in range(len(every)))
    (here / "r.ir").write_text("".join(c.program for c in every) + f"func @all(%p: i64) -> i64 {{\n{calls}  return %p\n}}\n")
    tools = (tool, "-rules", "r.rules")

    def judge(what, done):
        lines = done.stdout.split()[:len(expected)]
        place = next((i for i, (a, b) in enumerate(zip(lines, expected)) if a != b), min(len(lines), len(expected)))
        say(what, done.returncode == 0 and lines == expected, f"exit {done.returncode}, line {place} of {len(expected)}; {done.stdout[:100]} {done.stderr[:600]}")

    for kind in ("ir", "json"):
        made = run(*tools, "-emit", kind, "-o", f"r-made.{kind}", "r.ir")
        say(f"rules, -emit {kind}", made.returncode == 0, made.stderr[:600])
        if made.returncode == 0:
            left = (here / f"r-made.{kind}").read_text().count("r.from")
            say(f"rules, -emit {kind}: every rule fires", left == 0, f"{left} are left")
            judge(f"rules, -emit {kind}, read again", run(*tools, "-run", "@all(10)", f"r-made.{kind}"))
    judge("rules, -run", run(*tools, "-run", "@all(10)", "r.ir"))
    checked = run(*tools, "-check", "-instances", "20")
    say("rules, -check", checked.returncode == 0 and f"{len(every)} rules: {len(every)} passed" in checked.stdout, checked.stdout[-300:] + checked.stderr[:300])
    verified = run(*tools, "-verify", "r.ir", "-o", "/dev/null")
    say("rules, -verify", verified.returncode == 0, verified.stderr[:300])
    cpp = run(*tools, "-emit", "cpp", "--driver", "-o", "r.cpp", "r.ir")
    say("rules, -emit cpp", cpp.returncode == 0, cpp.stderr[:400])
    if cpp.returncode == 0 and not no_cpp:
        built = run("g++", "-std=c++20", "-O0", "-fopenmp", "-o", "r", "r.cpp")
        say("rules, g++", built.returncode == 0, built.stderr[:400])
        judge("rules, compiled", run("./r", text="@all(10)\n"))


def cases():
    every = itertools.product(KINDS, RESULTS, (False, True))
    return [Case(i, *what) for i, what in enumerate(every)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--no-cpp", action="store_true", help="do not compile what is emitted")
    arguments = parser.parse_args()
    tool, tally = str(pathlib.Path(arguments.tool).resolve()), Tally("declarations")
    every = cases()
    expected = [str(n) for case in every for n in (*case.prints, case.value)]

    def say(what, holds, why=""):
        tally.expect(holds, f"{what}: {why}")

    def judge(what, run):
        lines = run.stdout.split()[:len(expected)]
        if run.returncode or lines != expected:
            place = next((i for i, (a, b) in enumerate(zip(lines, expected)) if a != b), min(len(lines), len(expected)))
            why = f"exit {run.returncode}, line {place}: {lines[place:place + 1]} where {expected[place:place + 1]} is due; {run.stderr[:400]}"
            return say(what, False, why)
        say(what, True)

    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "d.rules").write_text("".join(case.rules for case in every) +
                                      "rules none { none: print(987654321) => () }\nphase none = innermost(none)\nphase last\n")
        calls = "".join(f"  %v{c.number} = @f{c.number}(%p)\n  print(%v{c.number})\n" for c in every)
        (here / "d.ir").write_text("".join(c.program for c in every) + f"func @all(%p: i64) -> i64 {{\n{calls}  return %p\n}}\n")

        def run(*options, text=None):
            return subprocess.run(options, cwd=here, input=text, capture_output=True, text=True, timeout=300)

        tools = (tool, "-rules", "d.rules")
        judge("-run", run(*tools, "-run", "@all(0)", "d.ir"))
        for kind in ("ir", "json"):
            made = run(*tools, "-emit", kind, "-o", f"made.{kind}", "d.ir")
            say(f"-emit {kind}", made.returncode == 0, made.stderr[:400])
            judge(f"-emit {kind}, read again", run(*tools, "-run", "@all(0)", f"made.{kind}"))
        cuda = run(*tools, "-emit", "cuda", "d.ir")
        missing = [c.name for c in every if str(c.marker) not in cuda.stdout]
        say("-emit cuda", cuda.returncode == 0 and not missing, cuda.stderr[:400] + "; ".join(missing[:5]))
        cpp = run(*tools, "-emit", "cpp", "--driver", "-o", "d.cpp", "d.ir")
        say("-emit cpp", cpp.returncode == 0, cpp.stderr[:400])
        if cpp.returncode == 0 and not arguments.no_cpp:
            built = run("g++", "-std=c++20", "-O0", "-fopenmp", "-o", "d", "d.cpp")
            say("g++", built.returncode == 0, built.stderr[:400])
            judge("compiled", run("./d", text="@all(0)\n"))
        rules_over(tool, here, run, say, arguments.no_cpp)
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
