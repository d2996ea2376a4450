#!/usr/bin/env python3
"""The material for editors in grammar/editors: files of VS Code are JSON with patterns that are read, and know the words that the
parser knows; Vim, if it is installed, colors a program and a rule file."""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tally import Tally

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EDITORS = ROOT / "grammar/editors"
SAMPLE = 'func @f(%x: f64) -> f64 { // one\n  %y = sqrt(%x * 2.5)\n  return %y\n}\n'
RULES = 'rules r {\n  add-zero:  ?x: int + #k  =>  "a"\n}\n'
TYPES = """type Tensor[n...] of ?T as [n...]?T at lowering
op t.sum[k: i64](Tensor[?n..., _] of ?T: num) -> Tensor[?n...] of ?T  pure total reads(0) invariant
func @f(%x: Tensor[n, 3] of i64) -> Mat { return t.sum[3](%x) }
"""
WANTED = [(SAMPLE, "a.ir", [(1, 1, "irKeyword"), (1, 6, "irFunction"), (1, 9, "irValue"), (1, 13, "irType"), (1, 27, "irComment"),
                            (2, 8, "irOperation"), (2, 18, "irNumber"), (3, 3, "irControl")]),
          (RULES, "a.rules", [(1, 1, "irKeyword"), (2, 3, "irRule"), (2, 14, "irMeta"), (2, 24, "irMeta"), (2, 28, "irArrow"), (2, 32, "irString")]),
          (TYPES, "t.rules", [(1, 6, "irType"), (1, 14, "irArrow"), (1, 32, "irArrow"), (2, 4, "irOperation"), (2, 18, "irType"), (2, 27, "irArrow"),
                              (2, 50, "irType"), (2, 71, "irKeyword"), (2, 82, "irTrait"), (2, 91, "irTrait"), (3, 13, "irType"), (3, 50, "irOperation")])]


class Editors(Tally):
    def vscode(self):
        files = {p.name: json.loads(p.read_text()) for p in sorted((EDITORS / "vscode").rglob("*.json"))}
        package = files["package.json"]
        for path in [package["main"], package["contributes"]["grammars"][0]["path"], package["contributes"]["languages"][0]["configuration"]]:
            self.expect((EDITORS / "vscode" / path).is_file(), f"there is no {path}")
        patterns = files["irrewrite.tmLanguage.json"]["patterns"]
        for pattern in patterns:
            for key in ("match", "begin", "end"):
                if key in pattern:
                    re.compile(pattern[key])
                    self.expect(True, "")
        # The first pattern that matches at a place colors it.
        def scope(text, at):
            for pattern in patterns:
                match = re.compile(pattern.get("match") or pattern["begin"], re.M).search(text)
                found = [m for m in re.compile(pattern.get("match") or pattern["begin"], re.M).finditer(text) if m.start() <= at < m.end()]
                if match and found:
                    return pattern["name"]
            return None
        for part, name in [("Tensor[n...]", "storage.type"), ("...", "keyword.operator"), ("t.sum[k", "support.function"),
                           ("Tensor[?n...,", "storage.type"), ("Tensor[?n...]", "storage.type"), ("Tensor[n, 3]", "storage.type"),
                           ("t.sum[3]", "support.function"), ("reads(0)", "storage.modifier"), ("invariant", "storage.modifier")]:
            self.expect((scope(TYPES, TYPES.index(part)) or "").startswith(name), f"VS Code: {part} is {scope(TYPES, TYPES.index(part))}")
        for part, name in [("func", "keyword.other"), ("@f", "entity.name.function"), ("%y", "variable.other"), ("sqrt", "support.function"),
                           ("2.5", "constant.numeric"), ("// one", "comment.line"), ("return", "keyword.control"), ("f64", "storage.type")]:
            self.expect((scope(SAMPLE, SAMPLE.index(part)) or "").startswith(name), f"VS Code: {part} is {scope(SAMPLE, SAMPLE.index(part))}")
        self.expect(shutil.which("node") is None or subprocess.run(["node", "--check", EDITORS / "vscode/extension.js"], check=False).returncode == 0,
                    "extension.js")

    def words(self):
        """Declarations of rule files are words in both editors."""
        grammar = (ROOT / "grammar/syntax/rule_grammar.hpp").read_text()
        production = re.search(r"^struct declaring_word .*$", grammar, re.M)
        words = ["import", "fact", "cost", *re.findall(r'keyword<"(\w+)">', production[0] if production else "")]
        self.expect(len(words) > 12, "no declarations found")
        vim = (EDITORS / "vim/syntax/irrewrite.vim").read_text()
        code = (EDITORS / "vscode/syntaxes/irrewrite.tmLanguage.json").read_text()
        for word in words:
            self.expect(re.search(rf"\b{word}\b", vim) and re.search(rf"\b{word}\b", code), f"{word} is no word")
        # Traits, too.
        declared = (ROOT / "grammar/rules/declare.cpp").read_text()
        traits = re.findall(r'{"(\w+)", (?:Trait::|&Operation::\w+}?)', declared)
        traits = [t for t in traits if t != "c"]
        self.expect(len(traits) > 20, "no traits found")
        for trait in traits:
            for name, text in [("Vim", vim), ("VS Code", code)]:
                self.expect(re.search(rf"\b{trait}\b", text), f"{name}: {trait} is no word")

    def vim(self):
        editors = [e for e in ("vim", "nvim") if shutil.which(e)]
        if not editors:
            print("editors: no Vim here: its part is left out")
        for editor in editors:
            for text, name, wanted in WANTED:
                with tempfile.TemporaryDirectory() as folder:
                    path, out = pathlib.Path(folder) / name, pathlib.Path(folder) / "out"
                    path.write_text(text)
                    ask = "|".join(f"call add(l, synIDattr(synID({l}, {c}, 1), 'name'))" for l, c, _ in wanted)
                    commands = [f"set rtp^={EDITORS}/vim", "filetype plugin on", "syntax on", f"edit {path}", "let l = [&filetype]", ask,
                                f"call writefile(l, '{out}')", "qa!"]
                    script = pathlib.Path(folder) / "s.vim"
                    script.write_text("\n".join(commands))
                    silent = ["--headless"] if editor == "nvim" else ["-es"]
                    subprocess.run([editor, *silent, "-u", "NONE", "-i", "NONE", "-N", "-S", script], check=False, timeout=60, capture_output=True,
                                   stdin=subprocess.DEVNULL)
                    given = out.read_text().split("\n") if out.exists() else []
                    if given[:1] == [""] and editor == "vim": # a vim without scripts (vim.tiny)
                        print("editors: this vim knows no syntax: its part is left out")
                        continue
                    if not given:
                        print(f"editors: this {editor} runs no scripts: its part is left out")
                        continue
                    self.expect(given[:-1] == ["irrewrite"] + [w[2] for w in wanted], f"{editor}, {name}: {given}")


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    test = Editors("editors")
    for part in (test.vscode, test.words, test.vim):
        part()
    return test.end()


if __name__ == "__main__":
    sys.exit(main())
