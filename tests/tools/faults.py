#!/usr/bin/env python3
"""The catalogue of bad input: texts, rules, strategies, files, limits, numbers and emitted programs that are wrong, each with
its exit code, a line of its message, and the time and memory that it may take. Nothing is printed on standard output beside an error,
and no other file appears.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SANITIZED = 20  # times the seconds and the memory, where TEST_TIMEOUT says that the tool is slow
SLOW = int(os.environ.get("TEST_TIMEOUT", "60")) > 60


@dataclasses.dataclass
class Entry:
    kind: str
    name: str
    options: list  # {DIR}: the entry's folder
    code: int
    says: str  # part of standard error
    files: dict
    stdin: bytes = b""
    seconds: float = 5
    mebibytes: int = 300
    prints: str = ""  # standard output; None: anything
    shell: str = ""  # runs instead, with $TOOL
    longest: int = 20000  # bytes of the message


ENTRIES = []


def entry(kind, name, code, says, options=(), files=None, **more):
    ENTRIES.append(Entry(kind, name, list(options), code, says, files or {}, **more))


def program(kind, name, text, says, code=1, options=(), **more):
    entry(kind, name, code, says, [*options, "p.ir"], {"p.ir": text}, **more)


def rules(kind, name, text, says, code=1, text_of_program="func @f(%x: i64) -> i64 { return %x }", options=(), **more):
    entry(kind, name, code, says, ["-rules", "r.rules", *options, "p.ir"], {"r.rules": text, "p.ir": text_of_program}, **more)


def body(text, result="i64"):
    return f"func @f(%x: i64, %xs: [n]f64) -> {result} {{\n  {text}\n}}\n"


# -- lexical ------------------------------------------------------------------------------------------------------------------

for what, text, says in [
        ("a control character", "return \x01%x", "p.ir:2:10: error: expected an expression, found the byte 0x01"),
        ("a zero byte", "return \0%x", "found the byte 0x00"),
        ("an escape sequence", "return \x1b[31m%x", "found the byte 0x1b"),
        ("a character without a meaning", "return §", "p.ir:2:10: error: expected an expression, found '§'"),
        ("a number with letters", "return 12abc", "malformed number '12abc'"),
        ("a number with two points", "return 1.2.3", "p.ir:2:10: error: '1.2.3' does not fit f64"),
        ("an exponent without digits", "return 1e", "malformed number '1e'"),
        ("a hexadecimal number without digits", "return 0x", "malformed number '0x'"),
        ("a suffix that is no type", "return 7q32", "malformed number '7q32'"),
        ("a string without an end", 'print("abc)\n  return %x', "p.ir:2:9: error: unterminated string"),
        ("an escape that is none", 'print("a\\q")\n  return %x', "p.ir:2:11: error: unknown escape '\\q'"),
        ("a character without an end", "return cast[i64]('a)", "p.ir:2:20: error: malformed byte '''"),
        ("a name without letters", "return %", "p.ir:2:10: error: expected an expression, found '%'"),
        ("a name of a function without letters", "return @()", "p.ir:2:10: error: expected an expression, found '@'")]:
    program("lexical", what, body(text), says)
program("lexical", "bytes that are not UTF-8", b"func @f() -> i64 { return \xff\xfe }", "found the byte 0xff")
program("lexical", "a long line of bytes that continue no character", b"\xa1" * 81, "  " + "?" * 77 + "...\n  ^^^^\n")
program("lexical", "text that is reordered", "func @f() -> i64 { return %a\u202e\u2066b }", "  func @f() -> i64 { return %a??b }")
program("lexical", "UTF-16", "func @f() {}".encode("utf-16"), "p.ir:1:1: error: expected 'func' or 'struct', found the byte 0xff")
program("lexical", "random bytes", bytes(range(256)) * 40, "p.ir:1:1: error: expected 'func' or 'struct', found the byte 0x00")

# -- syntax -------------------------------------------------------------------------------------------------------------------

for what, text, says in [
        ("no program", "hello", "p.ir:1:1: error: expected"),
        ("a function without a name", "func (%x: i64) {}", "p.ir:1:6: error: expected the name of the function, '@name', found '('"),
        ("a function without parameters", "func @f {}", "p.ir:1:9: error: expected '(' and the parameters of the function, found '{'"),
        ("a parameter without a type", "func @f(%x) {}", "p.ir:1:11: error: expected ':' and the type of the parameter, found ')'"),
        ("a function without a body", "func @f(%x: i64) -> i64", "p.ir:1:24: error: expected '{' and the body of the function, found the end of the text"),
        ("a brace that is not closed", "func @f(%x: i64) -> i64 { return %x", "p.ir:1:36: error: expected '}' at the end of the block, found the end of the text"),
        ("a brace too many", "func @f(%x: i64) -> i64 { return %x } }", "p.ir:1:39: error: expected 'func' or 'struct', found '}'"),
        ("a parenthesis that is not closed", body("return add(%x, 1"), "p.ir:3:1: error: expected ',' or ')' after the operands, found '}'"),
        ("an operator without an operand", body("return %x +"), "p.ir:3:1: error: expected an expression, found '}'"),
        ("two operators", body("return %x * / 2"), "p.ir:2:15: error: expected an expression, found '/'"),
        ("a statement behind return", body("return %x\n  print(%x)"), "nothing may follow 'return'"),
        ("a value that is bound twice", body("%y = %x\n  %y = %x\n  return %y"), "p.ir:3:3: error: '%y' is defined twice in one block"),
        ("an operand list without commas", body("return add(%x %x)"), "p.ir:2:17: error: expected ',' or ')' after the operands, found '%x'"),
        ("a block without a bar", body("return len(map(%xs) { |%a %a })"), "p.ir:2:29: error: expected ',' or '|' after the parameters of the block, found '%a'"),
        ("a keyword as a result", body("return func"), "p.ir:2:10: error: unknown operation 'func'"),
        ("a struct without fields", "struct S\nfunc @f() {}", "p.ir:2:1: error: expected '{' and the fields of the struct, found 'func'"),
        ("half of an else if", "func @d(%x: i64) -> i64 {\n  if(%x == 1) {} else if(", "p.ir:2:26: error: expected"),
        ("an else if that is wrong", body("if(%x == 1) { print(1) } else if(%y ) ) { print(2) }\n  return %x + %z"), "unknown value '%z'"),
        ("text in a wrong language", "int main() { return 0; }", "p.ir:1:1: error: expected 'func' or 'struct', found 'int'")]:
    program("syntax", what, text, says)
program("syntax", "100,000 mistakes", "\n".join(f"func @f{i}() -> i64 {{ return %x }}" for i in range(10**5)),
        "99000 more errors are not shown", longest=400000)
program("syntax", "half of a program", (ROOT / "samples" / "stats.ir").read_text()[:150], "p.ir:4:10: error: unknown operation 'reduc'")

# -- types --------------------------------------------------------------------------------------------------------------------

for what, text, says in [
        ("an unknown value", "return %y", "p.ir:2:10: error: unknown value '%y'"),
        ("an unknown operation", "return frob(%x)", "error: unknown operation 'frob'"),
        ("an unknown function", "return @g(%x)", "p.ir:2:10: error: unknown function '@g'"),
        ("a sum of two types", "return add(%x, 1.5)", "p.ir:2:10: error: operand 2 of 'add' is f64, expected i64"),
        ("a result of another type", "return len(%xs) == 0", "p.ir:2:10: error: the result is declared i64, but this is bool"),
        ("too many operands", "return neg(%x, %x)", "p.ir:2:10: error: 'neg' takes 1 operand, not 2"),
        ("too few operands", "return add(%x)", "p.ir:2:10: error: 'add' takes 2 operands, not 1"),
        ("too many results", "return %x, %x", "p.ir:2:3: error: '@f' has 1 result, but this returns 2"),
        ("a condition that is none", "return if(%x) { 1 } else { 2 }", "p.ir:2:10: error: operand 1 of 'if' is i64, expected bool"),
        ("branches of two types", "return if(true) { 1 } else { 2.5 }", "p.ir:2:32: error: the results of this block do not fit: expected i64"),
        ("a block with a wrong number of parameters", "return len(map(%xs) { |%a, %b| %a })", "p.ir:2:26: error: this block has 2 parameters, but the operation passes 1"),
        ("an array of two types", "return len([%x, 2.5])", "p.ir:2:19: error: the elements before this one are i64, but this is f64"),
        ("an empty array without a type", "return len([])", "cannot infer the type of '[]'"),
        ("a field of no struct", "return %x.a", "p.ir:2:10: error: a value of type i64 has no part '.a'"),
        ("a part that a tuple does not have", "return (%x, %x).2", "p.ir:2:10: error: there is no part '.2': there are 2 parts"),
        ("an index that is no integer", "return cast[i64](at(%xs, 1.0))", "p.ir:2:20: error: operand 2 of 'at' is f64, expected i64"),
        ("a cast to no type", "return cast[int](%x)", "p.ir:2:15: error: unknown type 'int'"),
        ("a name for the compiler", "return nothing", "p.ir:2:10: error: unknown operation 'nothing'")]:
    program("types", what, body(text), says)
for what, text, says in [
        ("an unknown type", "func @f(%x: i63) {}", "error: unknown type 'i63'"),
        ("an unknown length", "func @f(%xs: []f64) -> [m]f64 { return %xs }", "p.ir:1:25: error: unknown dimension 'm'"),
        ("a struct that contains itself", "struct S { a: S }\nfunc @f() {}", "p.ir:1:8: error: struct 'S' contains itself"),
        ("two fields of one name", "struct S { a: i64, a: i64 }\nfunc @f() {}", "p.ir:1:20: error: field 'a' is declared twice"),
        ("two functions of one name", "func @f() {}\nfunc @f() {}", "p.ir:2:6: error: '@f' is defined twice"),
        ("two parameters of one name", "func @f(%x: i64, %x: i64) {}", "p.ir:1:18: error: '%x' is defined twice in one block"),
        ("a negative length", "func @f(%xs: [-1]f64) {}", "p.ir:1:15: error: expected a dimension: a name, a number or nothing, found '-'"),
        ("a length beyond 64 bits", "func @f(%xs: [99999999999999999999]f64) {}", "is not a length")]:
    program("types", what, text, says)
DEEP = "text nested deeper than 10,000 levels"
program("types", "a type nested 9,000 deep", "func @f(%x: " + "[2]" * 9000 + "i64) {}", "a type nested deeper than 200 levels", 4)
program("types", "a reference nested 9,000 deep", "func @f(%x: " + "ref " * 9000 + "i64) {}", "a type nested deeper than", 4)
program("types", "literals nested 9,000 deep", "func @f() { print(" + "[" * 9000 + "1" + "]" * 9000 + ") }",
        "a type nested deeper than 4000 levels", 4)
for what, deep in [("a type", "func @f(%x: " + "[2]" * 50000 + "i64) {}"), ("a reference", "func @f(%x: " + "ref " * 50000 + "i64) {}"),
                   ("literals", "func @f() { print(" + "[" * 50000 + "1" + "]" * 50000 + ") }"),
                   ("blocks", "func @f(%c: bool) { " + "if(%c) { " * 50000 + "}" * 50000 + " }"),
                   ("open parentheses", "func @f() -> i64 { return " + "(" * 10**6), ("signs", "func @f() -> i64 { return " + "- " * 10**6 + "1 }")]:
    program("types", f"text: {what} nested 50,000 deep or more", deep, f"error: {DEEP}", 4, longest=2000)
program("types", "a chain of arrays 50,000 deep", "func @f(%a0: i64) -> i64 {\n" + "".join(f"  %a{i} = [%a{i - 1}]\n" for i in range(1, 50001)) +
        "  return len(%a50000)\n}", "a type nested deeper than 4000 levels", 4)
DOUBLED = ("func @f(%t0: i64, %n: i64) -> i64 {\n" + "".join(f"  %t{i} = (%t{i - 1}, %t{i - 1})\n" for i in range(1, 61)) +
           "  %u = for(%n, %t60) { |%i, %a| %a }\n  return %u" + ".0" * 60 + "\n}")
for kind in "json", "cpp", "cuda":
    program("types", f"tuples that double 60 times, as {kind}", DOUBLED, "more than 100000 parts", 4, ["-emit", kind])

# -- graphs -------------------------------------------------------------------------------------------------------------------

for what, text, says in [
        ("an effect in a pure block", "return len(map(%xs) { |%a|\n    print(%a)\n    %a\n  })", "p.ir:3:5: error: a block of a pure operation must not have an effect that is visible outside"),
        ("a value of a block outside of it", "%a = map(%xs) { |%v| %w = %v\n    %w\n  }\n  return %w", "error: unknown value '%w'")]:
    program("graphs", what, body(text), says)
JSON = '{"functions": [{"name": "f", "params": [{"id": 0, "name": "x", "type": "i64"}], "result_types": ["i64"], "results": [%s], "nodes": [%s]}]}'
for what, text, says in [
        ("no JSON", "{", "p.json:1:2: error: this is not JSON"),
        ("JSON without functions", "{}", 'expected an object with "functions"'),
        ("a number of JSON that is too large", '{"functions": [{"name": "f", "x": 1e400}]}', "p.json:1:35: error: this number is too large"),
        ("JSON nested 100,000 deep", "[" * 100000, "p.json:1:100001: error: this is not JSON"),
        ("an unknown operation in JSON", JSON % ("1", '{"id": 1, "op": "frob", "operands": [0], "type": "i64"}'), "p.json:1:132: error: function '@f': there is no operation 'frob' with such operands and blocks"),
        ("a node that is not there", JSON % ("7", ""), "p.json:1:16: error: function '@f': no value with id 7 is known here"),
        ("a node before its operand", JSON % ("1", '{"id": 1, "op": "neg", "operands": [2], "type": "i64"}, {"id": 2, "op": "neg", '
                                               '"operands": [1], "type": "i64"}'), "p.json:1:132: error: function '@f': no value with id 2 is known here"),
        ("a wrong type in JSON", '{"functions": [{"name": "f", "params": [{"id": 0, "name": "x", "type": "[f64"}]}]}', "a parameter has no name or no known type"),
        ("JSON that is not UTF-8", b'{"functions": [{"name": "\xff"}]}', "p.json:1:26: error: this is not JSON")]:
    entry("graphs", what, 1, says, ["p.json"], {"p.json": text})

# -- rules --------------------------------------------------------------------------------------------------------------------

for what, text, says in [
        ("a rule without a right side", "rules r { a: ?x: i64 + 0 }", "r.rules:1:26: error: expected '=>' after the pattern, found '}'"),
        ("a rule without a left side", "rules r { a: => 0 }", "r.rules:1:14: error: expected an expression, found '=>'"),
        ("a metavariable that is bound nowhere", "rules r { a: ?x: i64 + 0 => ?y }", "bound nowhere"),
        ("a rule for every term", "rules r { a: ?x => ?x }", "r.rules:1:14: error: the left side is a bare metavariable: it would match everywhere"),
        ("an unknown operation in a rule", "rules r { a: frob(?x) => ?x }", "r.rules:1:14: error: unknown operation 'frob'"),
        ("an unknown condition", "rules r { a: ?x: i64 + 0 => ?x where shiny(?x) }", "unknown condition 'shiny'"),
        ("two rules of one name", "rules r { a: ?x: i64 + 0 => ?x\n  a: ?x: i64 * 1 => ?x }", "r.rules:2:3: error: a second rule 'a' in this set"),
        ("two sets of one name", "rules r { a: ?x: i64 + 0 => ?x }\nrules r { a: ?x: i64 * 1 => ?x }", "r.rules:2:7: error: a second set 'r' in this file"),
        ("a set that is not closed", "rules r { a: ?x: i64 + 0 => ?x", "r.rules:1:31: error: expected '}' at the end of the block, found the end of the text"),
        ("an operation that is declared twice", "op add(i64, i64) -> i64 pure", "r.rules:1:4: error: operation 'add' with these operands and blocks is declared already"),
        ("an unknown trait", "op frob(i64) -> i64 shiny", "r.rules:1:21: error: unknown trait 'shiny'"),
        ("an unknown type in a declaration", "op frob(i63) -> i64 pure", "r.rules:1:9: error: unknown type 'i63'"),
        ("a phase without a strategy", "phase p = ", "r.rules:1:11: error: expected a strategy, found the end of the text"),
        ("a file that is not there", 'import "none.rules"', "cannot find the rule file 'none.rules'"),
        ("a file that imports itself", 'import "r.rules"', "import each other"),
        ("a term nested 9,000 deep", "type M\nop f(M) -> M\nrules r { a: " + "f(" * 9000 + "?x" + ")" * 9000 + " => ?x }", "nested deeper than 500"),
        ("a term nested 50,000 deep", "rules r { a: " + "f(" * 50000 + "?x" + ")" * 50000 + " => ?x }", f"r.rules:1:20014: error: {DEEP}"),
        ("bytes in a rule", b"rules r { a: \xff => 0 }", "found the byte 0xff")]:
    rules("rules", what, text, says, 4 if "000 deep" in what else 1)
rules("rules", "a rule that builds another type", "type M\nop f(M) -> i64 pure total\nop g(i64) -> i64 pure total\n"
      "rules r { a: f(?x) => ?x }\nphase p = innermost(r)", "r.rules:4:23: error: the right side is a value of the type 'M', the left side a value of the type 'i64'", text_of_program="func @f(%x: M) -> i64 { return f(%x) }")

# -- strategies ---------------------------------------------------------------------------------------------------------------

TERMS = "type M\nop f(M) -> M pure total\nop g(M) -> M pure total\nop c(i64) -> M pure total\n"
TERM = "func @h(%x: M) -> M { return f(%x) }"
GROWS, UNDOES, COUNTS = "grow: f(?x) => f(f(?x))", "fg: f(?x) => g(?x)\n  gf: g(?x) => f(?x)", "count: c(#n) => c(#(#n + 1))"
GROWING = "note: p.ir:1:30: @h: r.r.grow: f(f(f("
for what, says in [("innermost(r)", "terms grew beyond 1024 MiB after"), ("outermost(r)", "out of fuel after"),
                   ("topdown(repeat(r))", "out of fuel after"), ("repeat(oncetd(r))", "out of fuel after"),
                   ("bottomup(repeat(r))", "out of fuel after"), ("topdown(outermost(r))", "out of fuel after")]:
    rules("strategies", f"a term that grows, {what}", TERMS + f"rules r {{ {GROWS} }}\nphase p = {what}", says, 4, TERM, seconds=20, mebibytes=1400)
    rules("strategies", f"the rule and the term of it, {what}", TERMS + f"rules r {{ {GROWS} }}\nphase p = {what}", GROWING, 4, TERM,
          options=["-fuel", "3000"])
for what in "innermost(r)", "outermost(r)", "topdown(repeat(r))", "repeat(oncetd(r))", "bottomup(repeat(r))", "topdown(outermost(r))":
    rules("strategies", f"rules that undo each other, {what}", TERMS + f"rules r {{ {UNDOES} }}\nphase p = {what}",
          "'r.r.fg' (1 time), 'r.r.gf' (1 time)", 4, TERM, seconds=1)
rules("strategies", "a literal that grows", TERMS + f"rules r {{ {COUNTS} }}\nphase p = innermost(r)", "r.r.count: c(10", 4,
      "func @h() -> M { return c(0) }", seconds=10, mebibytes=400)
for ways in [], ["-no-jit"]: # as machine code, and interpreted
    rules("strategies", f"fuel bounds the term machine {ways}", TERMS + f"rules r {{ {GROWS} }}\nphase p = innermost(r)",
          "out of fuel after 2000000 rewrites", 4, TERM, options=["-fuel", "2000000", *ways], seconds=2)
    rules("strategies", f"terms that grow on the term machine {ways}", TERMS + f"rules r {{ {GROWS} }}\nphase p = innermost(r)",
          "still firing: 'r.r.grow' (", 4, TERM, options=["-memory", "64", *ways], seconds=4, mebibytes=100)
    rules("strategies", f"calls on the term machine that do not end {ways}", TERMS + "rules r { deeper: f(?x) => g(f(g(?x))) }\nphase p = innermost(r)",
          "still firing: 'r.r.deeper' (", 4, TERM, options=["-memory", "64", *ways], seconds=4, mebibytes=100)
rules("strategies", "rules with two roots that undo each other", TERMS + "rules r { a: f(?x) & g(?y) => g(?x), f(?y) }\nphase p = innermost(r)",
      "is rewritten to itself", 4, "func @h(%x: M, %y: M) -> M, M { return f(%x), g(%y) }")
for what, text, says in [("an unknown strategy", "phase p = shiny(id)", "r.rules:1:11: error: unknown strategy 'shiny'"),
                         ("a strategy that calls itself", "strategy s = s\nphase p = s", "error: a strategy calls itself at the same term, and would not end: '(%x)'"),
                         ("too many arguments", "phase p = try(id, id)", "r.rules:1:11: error: 'try' takes 1 argument, not 2"),
                         ("a set that is not there", "phase p = innermost(nothing)", "r.rules:1:21: error: unknown strategy 'nothing'"),
                         ("a strategy nested 9,000 deep", "phase p = " + "try(" * 9000 + "id" + ")" * 9000, "nested deeper than 500"),
                         ("a strategy nested 50,000 deep", "phase p = " + "try(" * 50000 + "id" + ")" * 50000, f"r.rules:1:40011: error: {DEEP}")]:
    rules("strategies", what, text, says, 4 if "000 deep" in what or "itself" in what else 1)
rules("strategies", "types that grow", "op f(?T) -> i64 pure total\nrules r { a: f(?x) => f([?x]) }\nphase p = innermost(r)",
      "types are nested deeper than 4000 levels", 4, "func @f(%x: i64) -> i64 { return f(%x) }", options=["-trace=json"], longest=10**9)

# -- files --------------------------------------------------------------------------------------------------------------------

FINE = {"p.ir": "func @f(%x: i64) -> i64 { return %x }\n"}
for what, path in [("a file that is not there", "none.ir"), ("a folder", "."), ("a name of 300 characters", "n" * 300),
                   ("no memory is mapped at 0", "/proc/self/mem"), ("a control character in a name", "a\x1b[31mb")]:
    shown = path.replace("\x1b", "\\x1b")
    entry("files", what, 1, f"error: cannot read '{shown}'", [path])
entry("files", "a rule file that cannot be read", 1, "cannot read the rule file", ["-rules", "/proc/self/mem", "p.ir"], FINE)
entry("files", "a loop of links", 1, "cannot read 'l1'", files=FINE, shell="ln -s l1 l2; ln -s l2 l1; $TOOL l1")
entry("files", "output into a loop of links", 1, "cannot write 'l1'", files=FINE, shell="ln -s l1 l2; ln -s l2 l1; $TOOL p.ir -o l1")
entry("files", "output into a folder that is not there", 1, "cannot write 'none/o.ir'", ["p.ir", "-o", "none/o.ir"], FINE)
entry("files", "output into a folder", 1, "cannot write '.'", ["p.ir", "-o", "."], FINE)
for what, options in [("a program", "p.ir"), ("the help", "-help"), ("the version", "-version"), ("a call", "-run '@f(1)' p.ir")]:
    entry("files", f"a full disk, {what}", 1, "cannot write standard output", files=FINE, shell=f"$TOOL {options} > /dev/full")
entry("files", "a full disk behind -o", 1, "cannot write '/dev/full'", ["p.ir", "-o", "/dev/full"], FINE)
entry("files", "standard output is closed", 1, "cannot write standard output", files=FINE, shell="$TOOL p.ir >&-")
entry("files", "standard input is closed", 1, "cannot read '-'", files=FINE, shell="$TOOL <&-")
entry("files", "a file that may not be so long", 1, "cannot write 'o.ir'", files=FINE,
      shell="(echo 'func @f() {'; for i in $(seq 2000); do echo \"print($i)\"; done; echo '}') > long.ir; ulimit -f 4; $TOOL long.ir -o o.ir")
entry("files", "two programs for one file", 2, "must name an existing folder", ["p.ir", "q.ir", "-o", "o.ir"], FINE)
entry("files", "-o keeps mode and owner, and links", 0, "", files=FINE, prints="640\ntarget.ir\n640\nfunc @f(%x: i64) -> i64 {\n",
      shell="touch target.ir; chmod 640 target.ir; ln -s target.ir link.ir; $TOOL p.ir -o target.ir && stat -c %a target.ir; "
            "$TOOL p.ir -o link.ir && readlink link.ir; stat -c %a target.ir; head -n 1 target.ir")
entry("files", "-o does not follow a link that was planted", 0, "", files=FINE, prints="safe\n",
      shell="echo safe > other; (ln -s other o.ir.new$BASHPID; exec $TOOL p.ir -o o.ir); cat other")

entry("files", "processes end with the one that began them", 0, "", files={"p.ir": (loop := "func @f(%n: i64) -> i64 { return while(%n) { |%x| gt(%x, 0) } "
      "do { |%x| add(%x, 1) } }"), "q.ir": loop}, seconds=10, prints="2\n",
      shell="$TOOL -j 2 -run '@f(1)' p.ir q.ir 2>/dev/null & parent=$!; children=/proc/$parent/task/$parent/children; "
            "until [ $(wc -w < $children) = 2 ]; do sleep 0.05; done; all=$(cat $children); wc -w < $children; kill -TERM $parent; "
            "wait $parent 2>/dev/null; sleep 0.3; for child in $all; do grep -l '^State:.[RS]' /proc/$child/status 2>/dev/null; done; true")

# -- resources ----------------------------------------------------------------------------------------------------------------

LOOP = "func @f(%n: i64) -> i64 { return while(%n) { |%x| gt(%x, 0) } do { |%x| add(%x, 1) } }"
entry("resources", "an endless file", 4, "'/dev/zero' is larger than 16 MiB", ["-max-input", "16", "/dev/zero"])
entry("resources", "an endless rule file", 4, "'/dev/zero' is larger than 16 MiB", ["-max-input", "16", "-rules", "/dev/zero", "p.ir"], FINE)
entry("resources", "endless standard input", 4, "'-' is larger than 16 MiB", shell="yes | $TOOL -max-input 16")
entry("resources", "a file of 3 GiB", 4, "is larger than 1024 MiB", shell="truncate -s 3G large.ir; $TOOL large.ir", mebibytes=50)
program("resources", "an evaluation that does not end", LOOP, "error: out of time: 0.3 s; evaluating '@f(1)'", 4, ["-run", "@f(1)", "-timeout", "0.3"], seconds=2)
rules("resources", "rewriting that does not end", TERMS + f"rules r {{ {COUNTS} }}\nphase p = innermost(r)", "out of time after", 4,
      "func @h() -> M { return c(0) }", options=["-fuel", "1000000000000", "-timeout", "0.3"], seconds=2)
for ways in [], ["-no-jit"]:
    rules("resources", f"a term machine that does not end {ways}", TERMS + f"rules r {{ {GROWS} }}\nphase p = innermost(r)",
          "still firing: 'r.r.grow' (", 4, TERM,
          options=["-fuel", "1000000000000", "-timeout", "0.2", "-memory", "100000", *ways], seconds=4, mebibytes=8000)
rules("resources", "rewriting that takes all memory", TERMS + f"rules r {{ {COUNTS} }}\nphase p = innermost(r)", "out of memory after", 4,
      "func @h() -> M { return c(0) }", options=["-fuel", "1000000000000", "-memory", "100"], seconds=8)
entry("resources", "checks that take long", 4, "out of time: 0.3 s; checking '", ["-check", "-rules", "arith.rules", "-instances", "100000000",
                                                                                   "-timeout", "0.3"], seconds=2)
entry("resources", "several programs that take long", 4, "out of time: 0.3 s; evaluating '@f(1)'", ["-j", "2", "-run", "@f(1)", "-timeout", "0.3", "p.ir", "q.ir"],
      {"p.ir": LOOP, "q.ir": LOOP}, seconds=3)
program("resources", "a recursion that does not end", "func @f(%n: i64) -> i64 { return @f(add(%n, 1)) }", "ran out of depth", 4, ["-run", "@f(1)"])
program("resources", "an array that is too long", "func @f(%n: i64) -> []i64 { return iota(%n) }", "ran out of memory", 4, ["-run", "@f(9223372036854775807)"])

program("syntax", "a declaration inside of a call", "func @f(%x: i64) {}", "-run:2:1: error: expected", options=["-run", "@f(map([1]) {\nfunc @g() {}"])

# -- numbers ------------------------------------------------------------------------------------------------------------------

for what, text, says in [
        ("an integer beyond 64 bits", "return 99999999999999999999", "does not fit i64"),
        ("a small integer that is too large", "return cast[i64](300i8)", "does not fit i8"),
        ("a negative number without a sign", "return cast[i64](-1u8)", "p.ir:2:20: error: '-1' does not fit u8"),
        ("a fraction as an integer", "return 1.5i32", "p.ir:2:10: error: '1.5' does not fit i32"),
        ("an exponent that is too large", "return cast[i64](1e999)", "p.ir:2:20: error: '1e999' does not fit f64")]:
    program("numbers", what, body(text), says)
program("numbers", "a literal of a million digits", "func @f() -> i64 { return " + "9" * 10**6 + " }", "999119 bytes", longest=1500)
program("numbers", "a name of a million letters", "func @f() -> i64 { return %" + "n" * 10**6 + " }", "unknown value '%nnn", longest=1500)
for call, says, code in [("@f(1)", "division by zero", 5), ("@f(1", "-run:1:5: error: expected ',' or ')' after the operands, found the end of the text", 1), ("@g(1)", "expected a call of a function", 1), ("@f(1.5)", "-run:1:4: error: expected a literal of type i64", 1),
                         ("@f(1, 2)", "-run:1:1: error: @f takes 1 argument, found 2", 1), ("@f(99999999999999999999)", "-run:1:4: error: 99999999999999999999 does not fit i64", 1), ("@f([1])", "-run:1:4: error: expected a literal of type i64", 1),
                         ("@f(" + "[" * 9000 + "1" + "]" * 9000 + ")", "expected a literal of type i64", 1),
                         ("@f(((" + "[" * 50000 + "1" + "]" * 50000 + "))", f"error: {DEEP}", 4)]:
    program("numbers", f"a call {call[:30]}", "func @f(%x: i64) -> i64 { return div(%x, sub(%x, %x)) }", says, code, ["-run", call])
for options, says in [(["-fuel", "-5"], "takes a whole number"), (["-timeout", "soon"], "takes a number of seconds above 0"), (["-timeout", "0"], "above 0"),
                      (["-memory", "0"], "from 1 on"), (["-max-input", "1e9"], "takes a whole number"), (["-emit", "pascal"], "takes ir"),
                      (["-until", "never"], "there is no phase 'never'"), (["-shiny"], "there is no option '-shiny'"), (["-j", "0"], "from 1 on"),
                      (["-n\x1b[31m"], "\\x1b")]:
    entry("numbers", f"options {' '.join(options)[:30]!r}", 2, says, [*options, "p.ir"], FINE)

# -- emitted programs ---------------------------------------------------------------------------------------------------------

EMITTED = """
func @rep(%n: i64) -> []f64 { return replicate(%n, 1.5) }
func @hist(%n: i64, %k: [m]i64, %v: [m]i64) -> []i64 { return histogram(%n, %k, %v, 0) {add} }
func @deep(%n: i64) -> i64 { return if(le(%n, 0)) { 0 } else { add(%n, @deep(sub(%n, 1))) } }
func @all(%n: i64) -> i64 { return reduce(map(iota(%n)) { |%i| @deep(add(%i, 100000000)) }, 0) {add} }
func @quot(%x: i64) -> i64 { return div(1, %x) }
func @text(%s: []u8) -> i64 { return len(%s) }
func @float(%x: f64) -> f64 { return %x }
"""
CALLS = [("2^64 bytes", "@rep(2305843009213693952)", 4, "error: out of memory"),
         ("2^61 bins", "@hist(2305843009213693952, [1], [1])", 4, "error: out of memory"),
         ("a negative length", "@rep(-1)", 5, ""),
         ("the longest array", "@rep(9223372036854775807)", 4, "error: out of memory"),
         ("deep recursion", "@deep(100000000)", 4, "error: out of stack"),
         ("deep recursion in threads", "@all(100000)", 4, "error: out of stack"),
         ("a fault", "@quot(0)", 5, "division by zero"),
         ("half of a call", "@rep(", 2, "error: "),
         ("no such function", "@none(1)", 2, "no such function"),
         ("text behind the call", "@quot(1) @quot(1)", 2, "text behind the call"),
         ("a number that does not fit", "@quot(99999999999999999999)", 2, "error: "),
         ("a list that is not closed", "@hist(3, [1, [", 2, "error: "),
         ("a text that ends behind a backslash", '@text("\\', 2, "expected '\"'"),
         ("a text that ends in a byte", '@text("\\x4', 2, "expected '\"'"),
         ("a float that does not fit", "@float(1e999)", 2, "a number that does not fit"),
         ("a float in base 16", "@float(0x1p3)", 2, "expected a number"),
         ("a null byte", "@float(1.0)\0", 2, "text behind the call"),
         ("a name of 5000 letters", "@" + "a" * 5000 + "(1)", 2, "no such function"),
         ("random bytes", "\x01\x02", 2, "error: ")]


# Of C alone: its reader has a place of a fixed size for the digits of a number.
C_CALLS = [("a number of 3000 digits", "@quot(" + "0" * 3000 + "1)", 2, "a number of too many digits"),
           ("a float of 3000 digits", "@float(1." + "0" * 3000 + ")", 2, "a number of too many digits")]
# Bytes behind the input are not read: the sanitizer sees to that.
COMPILERS = {"cpp": ["-std=c++20", "-O1", "-fopenmp"], "c": ["-std=c11", "-O1", "-fopenmp", "-g", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"]}
QUIET = "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:handle_segv=0:use_sigaltstack=0"


def emitted_entries(tool, cxx, folder):
    """The program is compiled once as C++ and once as C."""
    source = folder / "emitted.ir"
    source.write_text(EMITTED)
    for kind, flags in COMPILERS.items():
        made = folder / f"emitted-{kind}"
        subprocess.run([tool, "-quiet", "-emit", kind, "-driver", source, "-o", f"{made}.{kind}"], check=True)
        subprocess.run([cxx if kind == "cpp" else "gcc", *flags, f"{made}.{kind}", "-o", made, "-lm"], check=True)
        for what, call, code, says in CALLS + (C_CALLS if kind == "c" else []):
            yield Entry(f"emitted programs, {kind}", what, [], code, says, {}, shell=f"{QUIET} {made}", stdin=call.encode())
        often = f"for i in $(seq 30); do echo '@all(100000)' | OMP_NUM_THREADS=16 {made} || code=$?; [ $code = 4 ] || exit $code; done; exit 4"
        yield Entry(f"emitted programs, {kind}", "threads that run out of stack together", [], 4, "error: out of stack", {}, shell=f"export {QUIET}; {often}")
        yield Entry(f"emitted programs, {kind}", "a full disk", [], 1, "cannot write standard output", {}, shell=f"{QUIET} {made} > /dev/full", stdin=b"@quot(1)")
        yield Entry(f"emitted programs, {kind}", "standard input that cannot be read", [], 1, "cannot read standard input", {}, shell=f"{QUIET} {made} < .")


# -- running ------------------------------------------------------------------------------------------------------------------


def measured(command, folder, stdin, seconds, tool):
    """Exit code (negative: a signal), both outputs, seconds of CPU, MiB; the process group ends with the time."""
    with open(folder / "..in", "w+b") as given, open(folder / "..out", "w+b") as out, open(folder / "..err", "w+b") as err:
        given.write(stdin), given.seek(0)
        process = subprocess.Popen(command, cwd=folder, stdin=given, stdout=out, stderr=err, start_new_session=True,
                                   env=os.environ | {"TOOL": tool})
        late = threading.Timer(seconds * 4 + 10, lambda: os.killpg(process.pid, signal.SIGKILL))
        late.start()
        _, status, usage = os.wait4(process.pid, 0)
        late.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        return (process.returncode, out.read().decode(errors="replace"), err.read().decode(errors="replace"),
                usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def wrong(tool, case):
    """What is not as it should be, if anything is."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in case.files.items():
            (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
        if "q.ir" in case.options and "q.ir" not in case.files:
            (folder / "q.ir").write_text("func @g() {}\n")
        command = ["bash", "-c", case.shell] if case.shell else [tool, *case.options]
        factor = SANITIZED if SLOW else 1
        code, out, err, seconds, mebibytes = measured(command, folder, case.stdin, case.seconds * factor, tool)
        left = [path.name for path in folder.iterdir() if ".new" in path.name and not path.is_symlink()]
    if code != case.code:
        return f"exit code {code}, not {case.code}: {err[:300]!r}"
    if case.says not in err:
        return f"the message has no {case.says!r}: {err[:500]!r}"
    if out != case.prints:
        return f"standard output is {out[:200]!r}"
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", err):
        return f"a control character in the message: {err[:300]!r}"
    if len(err) > case.longest:
        return f"a message of {len(err)} bytes"
    if seconds > case.seconds * factor:
        return f"{seconds:.1f} s of CPU, more than {case.seconds * factor}"
    if mebibytes > case.mebibytes * factor:
        return f"{mebibytes:.0f} MiB, more than {case.mebibytes * factor}"
    return f"left behind: {left}" if left else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--filter", default="", help="entries whose kind or name contains this")
    parser.add_argument("--list", action="store_true", help="list the entries")
    options = parser.parse_args()
    tool = str(pathlib.Path(options.tool).resolve())
    with tempfile.TemporaryDirectory() as name:
        entries = ENTRIES + [*emitted_entries(tool, options.cxx, pathlib.Path(name))]
        entries = [e for e in entries if options.filter in f"{e.kind}: {e.name}"]
        if SLOW:  # sanitizers take time and memory of their own
            entries = [e for e in entries if not {"-timeout", "-memory"} & {*e.options}]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            results = [*zip(entries, pool.map(lambda case: wrong(tool, case), entries))]
    for case, what in results:
        if what or options.list:
            print(f"{'FAILED ' if what else ''}{case.kind}: {case.name}{': ' if what else ''}{what or ''}")
    failed = sum(what is not None for _, what in results)
    print(f"{len(results) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
