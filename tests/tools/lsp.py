#!/usr/bin/env python3
"""The language server, `irrewrite -lsp`, asked by a client that speaks JSON-RPC over pipes.

- Diagnostics are those of a run: the same texts, places and helps, for programs of tests/golden/fail.
- Hover, definition, references, rename, completion, signatures, tokens, outline, folding, hints, formatting, lenses: on a program
  and a rule file, across imports, with texts that are not ASCII.
- A text that is changed piece by piece is the text that is opened whole (random edits).
- The check of a rule gives its counterexample as a diagnostic, until the text changes.
- Answers come within 50 ms on files of 5,000 lines (the median of ten; in processor time where the machine is busy).
- Whatever comes in that is no JSON, no request, or a request with wrong parameters: the server answers the next one.

With Neovim (`nvim`), if it is installed: it starts the server, shows its diagnostics and hovers.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

from tally import Tally

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TIMEOUT = int(os.environ.get("TEST_TIMEOUT", "60"))

PROGRAM = """// «Größe» 𝛼
struct Point { x: f64, y: f64 }
local func @norm(%p: Point) -> f64 {
  return sqrt(%p.x * %p.x + %p.y * %p.y)
}
func @sums(%xs: [n]f64, %p: Point) -> f64, i64 {
  %sq = map(%xs) { |%x| mul(%x, %x) }
  %sum = reduce(%sq, 0.0) {add}
  %q = {%p with x = %sum}
  return @norm(%q) + %sum, %n
}
"""
BASE = """// base.rules: what others import.

type Mat
// The product of two matrices.
op mat.mul(Mat, Mat) -> Mat  pure total  infix "*"
op mat.id(i64) -> Mat        pure total

rules laws {
  left-id:  mat.id(?n) * ?m  =>  ?m
}
strategy twice(s) = s ; s
"""
RULES = """// user.rules
import "base.rules"

op mat.t(Mat) -> Mat  pure total
rules transposed {
  t-t:    mat.t(mat.t(?m))       =>  ?m
  t-mul:  mat.t(?a) * mat.t(?b)  =>  mat.t(?b * ?a)
  half:   (?x: int * 2) / 2      =>  ?x
}
phase done = try(twice(innermost(laws <+ transposed.t-t <+ t-mul)))
"""


PARAMETERS = """op scaled(i64) -> i64  pure total  = { |%a| %a * 3 }
op kept(i64) -> i64    pure total  = { |%a| %a }
rules by(#k) {
  any:    kept(?x) * #k  =>  ?x * #k
  three:  scaled(?x)     =>  ?x * #k
}
rules not-three(#k) { wrong: scaled(?x)  =>  ?x * #k }
rules use { use: scaled(?x)  =>  <by(3)> scaled(?x) }
"""


class Client:
    def __init__(self, tool, *arguments, cwd=ROOT):
        self.process = subprocess.Popen([tool, "-lsp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        cwd=cwd)
        self.next, self.notes = 0, []

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        body = json.dumps(message).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def read(self):
        length = None
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError(f"the server ended: {self.process.stderr.read().decode()}")
            if not line.strip():
                break
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def request(self, method, params=None, raw=False):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        while True:
            message = self.read()
            if message.get("id") == self.next:
                return message if raw else message.get("result", message.get("error"))
            self.notes.append(message)

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, **options):
        return self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": options})

    def open(self, path, text):
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri(path), "languageId": "irrewrite", "version": 1, "text": text}})

    def change(self, path, text):
        self.notes = [n for n in self.notes if n.get("params", {}).get("uri") != uri(path)]
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri(path), "version": 2}, "contentChanges": [{"text": text}]})

    def diagnostics(self, path):
        """The next ones that are published for the file."""
        while True:
            for i, note in enumerate(self.notes):
                if note.get("method") == "textDocument/publishDiagnostics" and note["params"]["uri"] == uri(path):
                    del self.notes[i]
                    return note["params"]["diagnostics"]
            self.notes.append(self.read())

    def ask(self, what, path, at=None, **more):
        params = {"textDocument": {"uri": uri(path)}, **more}
        if at is not None:
            params["position"] = at
        return self.request("textDocument/" + what, params)

    def stop(self):
        self.request("shutdown")
        self.notify("exit", {})
        self.process.stdin.close()
        return self.process.wait(TIMEOUT)


def uri(path):
    return pathlib.Path(path).resolve().as_uri()


def position(text, offset):
    begin = text.rfind("\n", 0, offset) + 1
    return {"line": text.count("\n", 0, offset), "character": len(text[begin:offset].encode("utf-16-le")) // 2}


def offset(text, at):
    lines = text.split("\n")
    before = sum(len(line) + 1 for line in lines[:at["line"]])
    return before + len(lines[at["line"]].encode("utf-16-le")[:2 * at["character"]].decode("utf-16-le"))


def find(text, part, nth=0, inside=1):
    """The position inside the nth occurrence of a part."""
    at = -1
    for _ in range(nth + 1):
        at = text.index(part, at + 1)
    return position(text, at + inside)


def cut(text, where):
    return text[offset(text, where["start"]):offset(text, where["end"])]


def edited(text, edits):
    for edit in sorted(edits, key=lambda e: offset(text, e["range"]["start"]), reverse=True):
        begin, end = offset(text, edit["range"]["start"]), offset(text, edit["range"]["end"])
        text = text[:begin] + edit["newText"] + text[end:]
    return text


class Lsp(Tally):
    def __init__(self, tool):
        super().__init__("lsp")
        self.tool = tool

    def equal(self, given, wanted, what):
        self.expect(given == wanted, f"{what}:\n  given  {given}\n  wanted {wanted}")

    # -- diagnostics

    def same_as_a_run(self, _):
        """Line, column, severity and text of what a run says, and its helps."""
        client = Client(self.tool)
        client.start()
        for path in sorted((ROOT / "tests/golden/fail").glob("*.ir")):
            data = path.read_bytes()
            text = data.decode("utf-8", "replace")
            if re.search(rb"run:.* -", data) or text.encode() != data or text.startswith("\ufeff") or "\r" in text or len(data) > 100000:
                continue
            run = subprocess.run([self.tool, "-color", "never", path.name], cwd=path.parent, capture_output=True, text=True, check=False,
                                 timeout=TIMEOUT)
            if "\\x" in run.stderr or "\\u" in run.stderr: # shown in another way on a terminal
                continue
            heads = re.findall(r"(?m)^" + re.escape(path.name) + r":(\d+):(\d+): (error|warning): (.*)$", run.stderr)
            helps = re.findall(r"(?m)^\s*help: (.*)$", run.stderr)
            client.open(path, text)
            given = client.diagnostics(path)
            lines = text.split("\n")
            column = lambda at: offset(text, at) - sum(len(line) + 1 for line in lines[:at["line"]]) + 1
            found = {(str(d["range"]["start"]["line"] + 1), str(column(d["range"]["start"])), ["", "error", "warning"][d["severity"]],
                      d["message"].split("\n")[0]) for d in given}
            self.equal(found, set(heads), f"{path.name}: diagnostics")
            self.equal({h for d in given for h in re.findall(r"(?m)^help: (.*)$", d["message"])}, set(helps), f"{path.name}: helps")
            client.notify("textDocument/didClose", {"textDocument": {"uri": uri(path)}})
            self.equal(client.diagnostics(path), [], "a text that is closed has no diagnostics")
        self.equal(client.stop(), 0, "the exit code")

    # -- a program

    def program(self, folder):
        path = folder / "p.ir"
        client = Client(self.tool)
        capabilities = client.start()["capabilities"]
        self.expect(capabilities["hoverProvider"] and capabilities["textDocumentSync"]["change"] == 2, "capabilities")
        client.open(path, PROGRAM)
        self.equal(client.diagnostics(path), [], "a program without mistakes")
        at = lambda *where, **how: find(PROGRAM, *where, **how)
        hover = lambda where: client.ask("hover", path, where)["contents"]["value"]
        for text, where in [("%sq: [n]f64", at("%sq")), ("%x: f64", at("%x|")), ("%n: i64", at("%n\n")), ("%q: Point", at("%q)")),
                            ("op map([?n]?A...) {?A... -> ?R...} hot -> [?n]?R...", at("map(")),
                            ("local func @norm(%p: Point) -> f64", at("@norm(%q")), ("struct Point { x: f64, y: f64 }", at("Point)")),
                            ("op add", at("+ %sum", inside=0)), ("op add", at("{add}", inside=2))]:
            self.expect(text in hover(where), f"hover: no {text} in {hover(where)}")
        self.equal(client.ask("hover", path, {"line": 5, "character": 99}), None, "a place without a name")
        definition = client.ask("definition", path, at("@norm(%q"))
        self.equal([cut(PROGRAM, d["range"]) for d in definition], ["@norm"], "the definition of a function")
        self.equal(definition[0]["range"]["start"], at("@norm", inside=0), "its place")
        self.expect(client.ask("definition", path, at("map("))[0]["uri"].endswith("/rules/core.rules"), "of an operation")
        self.equal(client.ask("definition", path, at("%n\n"))[0]["range"], {"start": at("[n]", inside=1), "end": at("[n]", inside=2)},
                   "of a dimension")
        spots = client.ask("references", path, at("%sum"), context={"includeDeclaration": True})
        self.equal([cut(PROGRAM, s["range"]) for s in spots], ["%sum"] * 3, "references of a value")
        self.equal(len(client.ask("references", path, at("%sum"), context={"includeDeclaration": False})), 2, "without its definition")
        self.equal(len(client.ask("documentHighlight", path, at("%p:"))), 5, "a parameter of one function is not that of another")
        edit = client.ask("rename", path, at("%sum"), newName="%total")
        self.equal(edited(PROGRAM, edit["changes"][uri(path)]), PROGRAM.replace("%sum", "%total"), "another name")
        edit = client.ask("rename", path, at("@norm"), newName="length")
        self.equal(edited(PROGRAM, edit["changes"][uri(path)]), PROGRAM.replace("@norm", "@length"), "of a function")
        self.expect("is no name" in client.ask("rename", path, at("%sum"), newName="a b")["message"], "no name")
        self.typing(client, path)
        hints = client.ask("inlayHint", path, range={"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}})
        self.equal([h["label"] for h in hints], [": [n]f64", ": f64", ": f64", ": Point"], "inferred types")
        self.equal(hints[0]["position"], at("%sq", inside=3), "their places")
        self.tokens(client.ask("semanticTokens/full", path)["data"], capabilities["semanticTokensProvider"]["legend"]["tokenTypes"])
        self.equal([s["name"] for s in client.ask("documentSymbol", path)], ["Point", "@norm", "@sums"], "the outline")
        self.expect({"startLine": 5, "endLine": 9} in client.ask("foldingRange", path), "folding")
        self.equal(client.ask("formatting", path, options={}), [], "a formatted text")
        client.change(path, PROGRAM.replace(" = ", "="))
        self.equal(client.ask("formatting", path, options={})[0]["newText"], PROGRAM, "formatting")
        self.equal(client.stop(), 0, "the exit code")

    def typing(self, client, path):
        labels = lambda reply: {i["label"] for i in reply["items"]}
        begun = PROGRAM.replace("return @norm(%q) + %sum, %n", "return @n")
        client.change(path, begun)
        self.expect(client.diagnostics(path), "a mistake while typing")
        self.equal(labels(client.ask("completion", path, find(begun, "@n", 1, 2))), {"norm"}, "functions")
        begun = PROGRAM.replace("mul(%x, %x)", "mul(%x, %)")
        client.change(path, begun)
        self.expect({"xs", "sq", "x"} <= labels(client.ask("completion", path, find(begun, ", %)", 0, 3))), "values")
        words = client.ask("completion", path, find(begun, "reduce(", 0, 3))
        reduce = [i for i in words["items"] if i["label"] == "reduce"]
        self.expect(reduce and "hot combines -> ?A..." in reduce[0]["detail"], "operations with their signatures")
        self.equal(client.ask("completion", path, find(begun, "Größe", 0, 2))["items"], [], "nothing in a comment")
        signatures = client.ask("signatureHelp", path, find(begun, "(%sq, 0.0", 0, 6))
        self.expect(signatures["activeParameter"] == 1 and signatures["signatures"][0]["label"].startswith("op reduce("), "signatures")
        client.change(path, PROGRAM)

    def tokens(self, data, types):
        lines, line, column, found = PROGRAM.split("\n"), 0, 0, []
        for i in range(0, len(data), 5):
            line, column = line + data[i], data[i + 1] + (column if data[i] == 0 else 0)
            text = lines[line].encode("utf-16-le")[2 * column:2 * (column + data[i + 2])].decode("utf-16-le")
            found.append((text, types[data[i + 3]], data[i + 4]))
        for token in [("// «Größe» 𝛼", "comment", 0), ("struct", "keyword", 0), ("@norm", "function", 1), ("@norm", "function", 0),
                      ("Point", "struct", 1), ("Point", "type", 0), ("%sq", "variable", 1), ("0.0", "number", 0), ("+", "operator", 0)]:
            self.expect(token in found, f"no token {token} in {found}")

    # -- rule files

    def rules(self, folder):
        base, user = folder / "base.rules", folder / "user.rules"
        base.write_text(BASE)
        user.write_text(RULES)
        client = Client(self.tool)
        client.start()
        client.open(user, RULES)
        self.equal(client.diagnostics(user), [], "a rule file without mistakes")
        at = lambda *where, **how: find(RULES, *where, **how)
        hover = lambda where: client.ask("hover", user, where)["contents"]["value"]
        for text, where in [('op mat.mul(Mat, Mat) -> Mat pure total infix "*"', at("* mat.t", inside=0)),
                            ("The product of two matrices.", at("* mat.t", inside=0)), ("rules laws", at("laws")), ("1 rule", at("laws")),
                            ("mat.t(mat.t(?m)) => ?m", at("t-t <+")), ("?x: int", at("?x", 1)), ("strategy twice(s) = s ; s", at("twice")),
                            ("a built-in strategy", at("innermost"))]:
            self.expect(text in hover(where), f"hover: no {text} in {hover(where)}")
        self.equal(client.ask("definition", user, at("twice"))[0]["range"],
                   {"start": find(BASE, "twice", inside=0), "end": find(BASE, "twice", inside=5)}, "a strategy of an imported file")
        self.equal(client.ask("definition", user, at('"base', inside=3))["uri"], uri(base), "an imported file")
        self.equal(len(client.ask("references", user, at("mat.t("), context={"includeDeclaration": True})), 6, "references")
        spots = client.ask("references", user, at("laws"), context={"includeDeclaration": True})
        self.equal({s["uri"] for s in spots}, {uri(base), uri(user)}, "references across files")
        self.renames(client, base, user)
        self.expect({"a", "b"} <= {i["label"] for i in client.ask("completion", user, at("(?b * ?a)", inside=2))["items"]}, "metavariables")
        words = {i["label"] for i in client.ask("completion", user, at("twice", inside=0))["items"]}
        self.expect({"twice", "try", "innermost", "laws", "mat.t", "topdown"} <= words, "strategies, sets and operations")
        outline = client.ask("documentSymbol", user)
        self.equal([(s["name"], [c["name"] for c in s.get("children", [])]) for s in outline],
                   [("mat.t", []), ("transposed", ["t-t", "t-mul", "half"]), ("done", [])], "the outline")
        self.check(client, user)
        wrong = RULES.replace("=>  ?m", "=>  ?k").replace("laws <+", "lawz <+")
        client.change(user, wrong)
        user.write_text(wrong)
        run = subprocess.run([self.tool, "-color", "never", "-rules", "user.rules", "-lint"], cwd=folder, capture_output=True, text=True,
                             check=False, timeout=TIMEOUT)
        texts = re.findall(r"(?m)^user\.rules:\d+:\d+: (?:error|warning): (.*)$", run.stderr)
        self.expect(len(texts) > 1, f"a run says what is wrong: {run.stderr}")
        self.equal(sorted(d["message"].split("\n")[0] for d in client.diagnostics(user)), sorted(texts), "diagnostics of a rule file")
        client.change(user, RULES)
        client.open(base, BASE.replace("twice", "thrice"))
        self.equal(client.ask("definition", user, at("twice")), [], "an open file counts as it is shown")
        self.equal(client.stop(), 0, "the exit code")
        base.write_text(BASE)
        self.programs_with_rules(base, folder / "m.ir")

    def renames(self, client, base, user):
        rename = lambda part, name, nth=0: client.ask("rename", user, find(RULES, part, nth), newName=name)["changes"]
        edit = rename("laws", "algebra")
        self.equal(edited(BASE, edit[uri(base)]), BASE.replace("rules laws", "rules algebra"), "rename, in the imported file")
        self.equal(edited(RULES, edit[uri(user)]), RULES.replace("(laws", "(algebra"), "rename, in this file")
        self.equal(edited(RULES, rename("t-t", "t-twice")[uri(user)]), RULES.replace("  t-t:", "  t-twice:").replace(".t-t", ".t-twice"),
                   "rename of a rule")
        self.equal(edited(RULES, rename("?a", "?left")[uri(user)]), RULES.replace("?a", "?left"), "rename of a metavariable")

    def check(self, client, user):
        lenses = client.ask("codeLens", user)
        self.equal([lens["command"]["arguments"][1] for lens in lenses], ["transposed.t-t", "transposed.t-mul", "transposed.half"], "lenses")
        run = lambda rule: client.request("workspace/executeCommand", {"command": "irrewrite.check", "arguments": [uri(user), rule]})
        checked = run("transposed.half")
        self.expect(checked.get("passed") is False and "-run '@before(" in checked["text"], f"a counterexample: {checked}")
        given = client.diagnostics(user)
        self.expect(len(given) == 1 and given[0]["source"] == "irrewrite -check" and "wrong:" in given[0]["message"] and
                    cut(RULES, given[0]["range"]) == "half", f"as a diagnostic: {given}")
        self.expect(run("transposed.t-t").get("passed") is True, "a rule that passes")
        self.equal(len(client.diagnostics(user)), 1, "the other one is still wrong")
        self.expect("there is no rule" in run("transposed.none").get("message", ""), "no rule")
        client.change(user, RULES + "\n")
        self.equal(client.diagnostics(user), [], "a text that changes is not checked")
        client.change(user, PARAMETERS)
        self.expect(run("by.any").get("passed") is True, f"a rule that holds for all arguments: {run('by.any')}")
        self.expect("judged where 'user.use.use' applies it" in run("by.three").get("text", "") and run("by.three").get("passed") is True,
                    f"a rule that is right where it is applied: {run('by.three')}")
        self.expect("wrong for some arguments of its set" in run("not-three.wrong").get("text", ""), f"for some arguments: {run('not-three.wrong')}")
        client.change(user, RULES + "\n")

    def programs_with_rules(self, base, path):
        """With the rule files of the command line, or of the client's options."""
        program = "func @f(%a: Mat) -> Mat { return mat.mul(%a, %a) }\n"
        for arguments, options in [(["-rules", str(base)], {}), ([], {"rules": [str(base)]})]:
            client = Client(self.tool, *arguments)
            client.start(**options)
            client.open(path, program)
            self.equal(client.diagnostics(path), [], "a program with rules")
            self.equal(client.ask("definition", path, find(program, "mat.mul"))[0]["uri"], uri(base), "an operation of a rule file")
            client.stop()
        self.explained(path)

    def explained(self, path):
        """Hover shows what -explain does: what a value became, and by which rules. Other functions, and a text with mistakes, do not matter."""
        program = (ROOT / "rules/examples/matrices.ir").read_text() + "func @g(%m: Mat) -> Mat {\n  %y = mat.t(%m)\n  return %y\n}\n"
        client = Client(self.tool, "-rules", str(ROOT / "rules/examples/matrices.rules"))
        client.start()
        client.open(path, program)
        client.diagnostics(path)
        hover = lambda text, *where: client.ask("hover", path, find(text, *where))["contents"]["value"]
        shown = hover(program, "%y")
        explained = subprocess.run([self.tool, "-rules", "rules/examples/matrices.rules", "rules/examples/matrices.ir", "-explain", "%y"], cwd=ROOT,
                                   capture_output=True, text=True, check=False, timeout=TIMEOUT).stdout
        self.expect("mat.scale(8.0, %b)" in explained and "after rewriting:\n```irrewrite\nmat.scale(8.0, %b)\n```" in shown, f"what %y became: {shown}")
        self.expect("algebra: matrices.algebra.scale-scale: mat.scale(2.0, mat.scale(4.0, %b))  =>  mat.scale(8.0, %b)\n" in shown, f"by which rule: {shown}")
        self.expect("not in the result any more" in hover(program, "%x") and "matrices.algebra.t-t: " in hover(program, "%x"), hover(program, "%x"))
        self.expect("rewritten by" not in hover(program, "%y", 2), "%y of another function, which nothing rewrote")
        client.change(path, program.replace("4.0", "5.0"))
        self.expect("mat.scale(10.0, %b)" in hover(program, "%y"), "after a change")
        client.change(path, program.replace("mat.t(%m)", "mat.t(%nowhere)"))
        self.expect("matrices.algebra.scale-scale" in hover(program, "%y"), "a mistake in another function")
        client.change(path, program.replace("* %a", "* %nowhere"))
        self.expect("%y" in hover(program, "%y") and "rewritten" not in hover(program, "%y"), "a mistake in the function")
        client.stop()

    # -- edits, speed, bad input

    def edits(self, folder):
        choose = random.Random(7)
        client = Client(self.tool)
        client.start()
        text, path = PROGRAM, folder / "edited.ir"
        client.open(path, text)
        pieces = ["%x", "\n", " ", "ß", "𝛼", "{", "}", "map(%xs) { |%x| %x }", "0.5", "", "", "// c\n"]
        for step in range(60):
            changes = []
            for _ in range(choose.randint(1, 3)):
                begin = choose.randint(0, len(text))
                end = min(len(text), begin + choose.choice([0, 0, 1, 3, 9]))
                piece = choose.choice(pieces)
                changes.append({"range": {"start": position(text, begin), "end": position(text, end)}, "text": piece})
                text = text[:begin] + piece + text[end:]
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri(path), "version": step + 2}, "contentChanges": changes})
            if step % 10 == 9:
                client.open(folder / "whole.ir", text)
                self.equal(client.ask("semanticTokens/full", path), client.ask("semanticTokens/full", folder / "whole.ir"),
                           "a text changed piece by piece")
        self.equal(client.stop(), 0, "the exit code")

    def speed(self, folder):
        lines = ["func @f(%a: [n]f64) -> f64 {", "  %v0 = map(%a) { |%x| add(%x, 1.0) }"]
        lines += [f"  %v{i} = map(%v{i - 1}) {{ |%x| mul(%x, {i}.5) }}" for i in range(1, 4996)]
        program = "\n".join(lines + ["  return reduce(%v4995, 0.0) {add}", "}", ""])
        rules = "type T\nop f(T, T) -> T  pure total\nrules r {\n" + "".join(
            f"  r{i}:  f(f(?x{i}, ?y), f(?y, ?z))  =>  f(?x{i}, f(?y, ?z))\n" for i in range(4990)) + "}\n"
        everything = {"start": {"line": 2000, "character": 0}, "end": {"line": 2060, "character": 0}}
        many = "".join(f"func @f{i}(%a: [n]f64) -> f64 {{\n  %v{i} = map(%a) {{ |%x| %x * {i}.5 }}\n  %w = map(%v{i}) {{ |%x| %x + {i}.0 }}\n"
                       f"  return reduce(%w, 0.0) {{add}}\n}}\n" for i in range(2100, 1100, -1))
        for name, text, part in [("large.ir", program, "%v2000"), ("large.rules", rules, "?x2000"), ("many.ir", many, "%v2000")]:
            path, at = folder / name, find(text, part, 0, 2)
            client = Client(self.tool, "-rules", "fusion.rules")
            client.start()
            client.open(path, text)
            client.diagnostics(path)
            for what, more in [("hover", {"at": at}), ("definition", {"at": at}), ("completion", {"at": at}), ("documentHighlight", {"at": at}),
                               ("references", {"at": at, "context": {"includeDeclaration": True}}), ("rename", {"at": at, "newName": "w"}),
                               ("inlayHint", {"range": everything}), ("documentSymbol", {}), ("semanticTokens/full", {}), ("codeLens", {})]:
                median = self.median(client, lambda what=what, more=more: client.ask(what, path, **more))
                self.expect(median < 0.05, f"{what} of {name} takes {1000 * median:.0f} ms")
            if name == "many.ir": # each function for the first time
                places = iter(find(text, f"%v{i}", 0, 2) for i in range(1500, 1520))
                median = self.median(client, lambda: self.expect("not in the result any more" in str(client.ask("hover", path, next(places))), "hover"))
                self.expect(median < 0.05, f"the first hover in a function takes {1000 * median:.0f} ms")
            one = {"range": {"start": at, "end": at}, "text": " "}
            type_ = lambda: (client.notify("textDocument/didChange", {"textDocument": {"uri": uri(path), "version": 2}, "contentChanges": [one]}),
                             client.ask("definition", path, at))
            median = self.median(client, type_)
            self.expect(median < 0.05 * 3, f"a key in {name} takes {1000 * median:.0f} ms, with the analysis before it")
            client.stop()

    def median(self, client, work):
        """Seconds of the server, or on the clock if that is less: the machine may be busy."""
        def used():
            fields = pathlib.Path(f"/proc/{client.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        times = []
        for _ in range(10):
            before, began = used(), time.monotonic()
            work()
            times.append(min(time.monotonic() - began, used() - before + 0.01))
        return sorted(times)[len(times) // 2]

    def bad_input(self, folder):
        path = folder / "p.ir"
        client = Client(self.tool)
        self.equal(client.request("textDocument/hover", {}, raw=True)["error"]["code"], -32002, "a request before 'initialize'")
        client.start()
        client.open(path, PROGRAM)

        def answers(what):
            self.expect(client.request("textDocument/documentSymbol", {"textDocument": {"uri": uri(path)}}), what)

        frame = lambda body: b"Content-Length: %d\r\n\r\n" % len(body) + body
        for bad in [frame(b"{"), frame(b""), frame(b"\xff\xfe"), frame(b"[" * 100000), frame(b"[1, 2, {}]"), frame(b"[]"), frame(b"null"),
                    frame(b'{"id": 1}'), frame(b'{"method": 3, "id": 2}'), frame(b'{"method": "x", "id": {}}'), b"Content-Length: -1\r\n\r\n",
                    b"Content-Length: 99999999999999999999\r\n\r\n", b"Content-Length: 999999999999\r\n\r\n", b"nonsense\r\n\r\n", b"\r\n\r\n\r\n",
                    b"content-length:2\n\n{}", frame(b'{"jsonrpc": "2.0", "method": "exitt"}')]:
            client.write(bad)
            answers(f"after {bad[:60]}")
        place = {"line": 1, "character": 1}
        document = {"uri": uri(path)}
        wrong = [None, 3, "x", [], {"textDocument": 3}, {"textDocument": {"uri": 3}}, {"textDocument": {"uri": "file:///nowhere"}},
                 {"textDocument": document}, {"textDocument": document, "position": 1},
                 {"textDocument": document, "position": {"line": -1, "character": -5}, "range": place},
                 {"textDocument": document, "position": {"line": 1e99, "character": "a"}},
                 {"textDocument": document, "position": place, "newName": 5, "range": {"start": place}},
                 {"textDocument": document, "position": place, "context": 3}]
        methods = ["hover", "definition", "references", "rename", "completion", "signatureHelp", "semanticTokens/full", "inlayHint", "codeLens",
                   "formatting", "prepareRename", "documentHighlight", "foldingRange", "nothing"]
        for params in wrong:
            for method in ["textDocument/" + m for m in methods] + ["workspace/executeCommand", "initialize"]:
                client.request(method, params, raw=True)
            for method in ["didOpen", "didChange", "didClose", "didSave"]:
                client.notify("textDocument/" + method, params)
            client.open(path, PROGRAM)
            answers(f"wrong parameters: {params}")
        for change in [{"text": 3}, {}, {"range": {"start": {"line": 9999, "character": 9}, "end": {"line": 0, "character": 0}}, "text": "x"},
                       {"range": 3, "text": ""}]:
            client.notify("textDocument/didChange", {"textDocument": {"uri": uri(path), "version": 9}, "contentChanges": [change]})
            answers(f"a change {change}")
        self.equal(client.request("textDocument/nothing", {}, raw=True)["error"]["code"], -32601, "an unknown method")
        # Texts that the tool refuses: the server shows why, and goes on.
        for bad in ["(" * 20000, "\0", "func @f(", "func @f() -> i64 { return " + "(" * 9999 + "1", "{" * 5000, "rules r { a: ?x => ?x }", '"', "@",
                    "//", "", "import \"bad.rules\"", "import \"", "rules r { a:", "func @f() { %a, %b: f64 = ", "op f(", "strategy s(a, b) = rec x(x"]:
            for name in ["bad.ir", "bad.rules"]:
                client.open(folder / name, bad)
                for method in ["semanticTokens/full", "documentSymbol", "foldingRange", "codeLens", "formatting"]:
                    client.ask(method, folder / name)
                for method in ["hover", "completion", "definition", "signatureHelp", "references"]:
                    client.ask(method, folder / name, at={"line": 0, "character": 5})
                answers(f"the text {bad[:20]}")
        client.process.stdin.close()
        self.equal(client.process.wait(TIMEOUT), 1, "the end without 'shutdown'")

    # -- an editor

    def neovim(self, folder):
        if not shutil.which("nvim"):
            print("lsp: no Neovim here: its part is left out")
            return
        (folder / "p.ir").write_text(PROGRAM.replace("@norm(%q)", "@nrom(%q)"))
        script = folder / "test.lua"
        script.write_text(f"""
local client = vim.lsp.start_client({{cmd = {{'{self.tool}', '-lsp'}}, root_dir = '{folder}'}})
vim.cmd('edit {folder}/p.ir')
vim.lsp.buf_attach_client(0, client)
vim.wait(5000, function() return #vim.diagnostic.get(0) > 0 end, 20)
local out = {{}}
for _, d in ipairs(vim.diagnostic.get(0)) do table.insert(out, d.lnum .. ':' .. d.message) end
local params = {{textDocument = vim.lsp.util.make_text_document_params(), position = {{line = 6, character = 3}}}}
local hover = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, 5000)
for _, r in pairs(hover or {{}}) do table.insert(out, r.result.contents.value) end
vim.fn.writefile(vim.split(table.concat(out, '\\n'), '\\n'), '{folder}/out.txt')
vim.cmd('qa!')
""")
        subprocess.run(["nvim", "--headless", "-u", "NONE", "-c", f"luafile {script}"], capture_output=True, check=False, timeout=TIMEOUT)
        out = (folder / "out.txt").read_text() if (folder / "out.txt").exists() else ""
        self.expect("9:unknown function '@nrom'" in out and "%sq" in out, f"Neovim shows diagnostics and hovers: {out}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default=str(ROOT / "build/irrewrite"))
    parser.add_argument("--part", default="", help="only this part")
    options = parser.parse_args()
    test = Lsp(str(pathlib.Path(options.tool).resolve()))
    for part in (test.same_as_a_run, test.program, test.rules, test.edits, test.speed, test.bad_input, test.neovim):
        is_asked = options.part in part.__name__ if options.part else part != test.speed  # that one is timed: `make bench`
        if not is_asked:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                part(pathlib.Path(folder).resolve())
            except (EOFError, BrokenPipeError, KeyError, TypeError, IndexError, ValueError) as error:
                test.expect(False, "".join(traceback.format_exception(error)))
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
