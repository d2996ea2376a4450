#!/usr/bin/env python3
"""The productions of grammar/README.md are those of its two pages, grammar/syntax/ir_grammar.hpp and
rule_grammar.hpp: written from them here, in the notation of input languages. `--bless` writes them again.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
README = ROOT / "grammar" / "README.md"
SYNTAX = ROOT / "grammar" / "syntax"
WIDTH, NAMES = 126, 24
CLASSES = {"digit": "[0-9]", "xdigit": "[0-9a-fA-F]", "identifier": "[a-zA-Z_] [a-zA-Z0-9_]*", "any": ".",
           "identifier_first": "[a-zA-Z_]", "identifier_other": "[a-zA-Z0-9_]", "eof": "!."}
PLACES = {"in_pattern": "PATTERN", "in_condition": "CONDITION", "in_rule_file": "RULES", "same_operation": "SAME",
          "declared_label": "LABEL"}
signs = {}  # productions that are one sign or word, which is shown instead
others = {}  # productions that are another one, likewise
# How tightly a text binds: alternatives, sequences, lists, operands.
CHOICE, SEQUENCE, LIST, PREFIX, OPERAND = range(5)


def tokens(text):
    """Of a type in C++: names, brackets, commas, strings and characters."""
    return re.findall(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|[\w:&]+|[<>,{}]', text)


def parse(words):
    """A type as (name, arguments); what is no type as its text."""
    name = words.pop(0)
    if not words or words[0] != "<":
        return name, []
    words.pop(0)
    arguments = []
    while words[0] != ">":
        arguments.append(parse(words))
        if words[0] == ",":
            words.pop(0)
    words.pop(0)
    return name, arguments


def character(text):
    text = text[1:-1]
    return {"\\'": "'", '\\"': '"'}.get(text, text)


def within_class(arguments):
    return "".join("\\" + c if c in "[]^-" else c for c in (character(name) for name, _ in arguments))


def at_least(level, shown):
    text, own = shown
    return text if own >= level else f"({text})"


def sequence(arguments):
    parts = [show(argument) for argument in arguments]
    parts = [part for part in parts if part[0]]
    if len(parts) == 1:
        return parts[0]
    return " ".join(at_least(SEQUENCE, part) for part in parts), SEQUENCE


def separated(item, sign, separator):
    return f"{at_least(PREFIX, item)} {sign} {at_least(PREFIX, separator)}", LIST


def repeated(arguments, sign):
    return at_least(OPERAND, sequence(arguments)) + sign, PREFIX


def show(rule):
    """(text, how tightly it binds) of a type that is a rule of PEGTL or of combinators.hpp."""
    name, arguments = rule
    name = name.removeprefix("peg::")
    comma = ('","', OPERAND)
    if name in signs:
        return signs[name], OPERAND
    if name in others:
        return show((others[name], []))
    if name in CLASSES:
        return CLASSES[name], SEQUENCE if " " in CLASSES[name] else OPERAND
    if name in PLACES:
        return PLACES[name], OPERAND
    if name in ("seq", "if_must", "must", "token", "deeper"):
        return sequence(arguments)
    if name in ("by_hand", "beginning", "read_as", "operation_named"):  # what is read by hand, where, for what
        return sequence(arguments[0 if name == "operation_named" else 1:])
    if name in ("sor", "by_first"):
        shown_here = [show(argument) for argument in arguments if ("misplaced", []) not in argument[1]]
        some = [one for one in shown_here if one[0]]
        if len(some) < len(shown_here):
            return at_least(OPERAND, some[0]) + "?", PREFIX
        return " | ".join(at_least(SEQUENCE, one) for one in some), CHOICE
    if name in ("statements_of", "rules_up_to", "declarations_of"):
        item, closing = show(arguments[0]), show(arguments[1]) if len(arguments) > 1 else ("end_of_text", OPERAND)
        return f'(";" | {item[0]})* {closing[0]}', SEQUENCE
    if name == "joined":
        return separated(show(arguments[0]), "++", show(arguments[1]))
    if name == "compared":
        operand, sign = show(arguments[0])[0], show(arguments[1])[0]
        return f"{operand} ({sign} {operand} !{sign})?", SEQUENCE
    if name in ("star", "plus", "opt"):
        return repeated(arguments, {"star": "*", "plus": "+", "opt": "?"}[name])
    if name in ("at", "not_at"):
        return ("&" if name == "at" else "!") + at_least(OPERAND, sequence(arguments)), PREFIX
    if name in ("list", "list_must"):
        return separated(show(arguments[0]), "++", show(arguments[1]) if len(arguments) > 1 else comma)
    if name in ("listed", "listed_tail"):
        opening, item, closing = (show(argument) for argument in arguments)
        tail = ' ","?' if name == "listed_tail" else ""
        return f"{opening[0]} {separated(item, '**', comma)[0]}{tail} {closing[0]}", SEQUENCE
    if name in ("within", "nested"):
        return sequence(arguments[2:])
    if name == "rep_max":
        return repeated(arguments[1:], "*")
    if name in ("literal", "sign", "keyword"):
        return arguments[0][0], OPERAND
    if name == "next_to":
        return "~" + arguments[0][0], PREFIX
    if name == "two":
        return f'"{2 * character(arguments[0][0])}"', OPERAND
    if name in ("one", "not_one"):
        if name == "one" and len(arguments) == 1 and character(arguments[0][0]) not in ('"', "\\\\"):
            return f'"{character(arguments[0][0])}"', OPERAND
        return f"[{'^' if name == 'not_one' else ''}{within_class(arguments)}]", OPERAND
    if name == "range":
        return f"[{character(arguments[0][0])}-{character(arguments[1][0])}]", OPERAND
    if arguments or not re.fullmatch(r"\w+", name):
        raise ValueError(f"grammar.py cannot show {name}")
    return name, OPERAND


def read(page):
    """[(title of the section, [(name, production)])] of a page."""
    sections = []
    for line in page.read_text().split("\n"):
        title = re.match(r"// -- (.*?)(?:,? from .*| *)-*$", line)
        production = re.match(r"struct (\w+) +: (.*) \{\};", line)
        if title:
            sections.append((title[1].strip(" -"), []))
        elif production and sections:
            words = tokens(production[2])
            sections[-1][1].append((production[1], parse(words)))
            if words:
                raise ValueError(f"{page.name}: {production[1]} is not read to its end: {words}")
    return sections


def named_in(rule):
    yield rule[0]
    for argument in rule[1][1 if rule[0] == "read_as" else 0:]:
        yield from named_in(argument)


def reached(start, productions):
    """The names of the productions that those of `start` are made of."""
    found, waiting = set(), [start]
    while waiting:
        name = waiting.pop()
        if name in found or name not in productions:
            continue
        found.add(name)
        waiting += named_in(productions[name])
    return found


def wrapped(name, text):
    """One production on lines of at most WIDTH characters, broken at blanks outside of literals."""
    lines, line = [], f"{name:<{NAMES}} ="
    for word in re.findall(r'(?:"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|\S)+', text):
        if len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = " " * (NAMES + 2)
        line += " " + word
    return [*lines, line]


def shown():
    """The text between the marks of README.md."""
    pages = {"IR text": read(SYNTAX / "ir_grammar.hpp"), "Rule files": read(SYNTAX / "rule_grammar.hpp"),
             "Blanks": read(SYNTAX / "combinators.hpp")}
    productions = {name: rule for sections in pages.values() for _, found in sections for name, rule in found}
    for name, (kind, arguments) in productions.items():
        if kind in ("sign", "keyword"):
            signs[name] = arguments[0][0]
        elif kind == "peg::success":
            signs[name] = ""
        elif kind in ("token", "peg::seq") and len(arguments) == 1 and not arguments[0][1]:
            others[name] = arguments[0][0]
        elif not arguments and kind in productions:
            others[name] = kind
    used = reached("ir_file", productions) | reached("rule_file", productions)
    lines = []
    for title, sections in pages.items():
        lines += [f"### {title}", "", "```peg"]
        tokens_last = sections[1:] + sections[:1]
        for section, found in tokens_last:
            found = [(name, rule) for name, rule in found if name in used and name not in signs and name not in others]
            if not found:
                continue
            lines += [f"// {section}"] if len(sections) > 3 else []
            for name, rule in found:
                lines += wrapped(name, show(rule)[0])
            lines += [""]
        lines[-1] = "```"
        lines += [""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bless", action="store_true", help="write the productions into grammar/README.md")
    options = parser.parse_args()
    begin, end = "<!-- productions -->\n", "<!-- end of productions -->\n"
    before, _, rest = README.read_text().partition(begin)
    old, found, after = rest.partition(end)
    if not found:
        print(f"grammar: grammar/README.md has no '{begin.strip()}' and '{end.strip()}'")
        return 1
    new = "\n" + shown()
    if options.bless:
        README.write_text(before + begin + new + end + after)
        return 0
    right = old == new
    if not right:
        print("FAILED grammar/README.md does not show the productions of grammar/syntax; `tests/tools/grammar.py --bless` "
              "writes them")
    print(f"{int(right)} passed, {int(not right)} failed")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
