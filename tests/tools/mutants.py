"""How the rules of a file are changed in small ways, for tests/tools/mutate.py.

A rule is read as a list of tokens with matching brackets; a change is another such list. What comes of it need not be
a rule: the tool refuses what is ill-typed or mentions what nothing binds.
"""

import dataclasses
import re

import rule_trees
import rules as rule_files

TOKEN = re.compile(r"""\s+|//[^\n]*|"(?:\\.|[^"\\])*"|[?%][A-Za-z_]\w*|\#[A-Za-z_]\w*|\#\(|@\#\(|@\#?[\w.]+
                       |<[a-z]+>
                       |-?(?:\d+\.\d+|\d+)(?:[iuf]\d+)?(?![\w.]*\()|[A-Za-z_][\w.-]*[\w]|[A-Za-z_]|\.\.\.|=>|==|!=|<=|>=|&&|\|\||\+\+|.""", re.X | re.S)
OPEN, CLOSE = {"(": ")", "[": "]", "{": "}", "#(": ")", "@#(": ")"}, {")", "]", "}"}

# One operation for another: infix and by name.
OPERATORS = {
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"], ">=": [">", "<="],
    "==": ["!=", "<="], "!=": ["=="], "&&": ["||"], "||": ["&&"], "!": [""],
    "min": ["max"], "max": ["min"], "and": ["or"], "or": ["and", "xor"], "xor": ["or"], "shl": ["shr"], "shr": ["shl"], "rem": ["div"],
    "floor": ["ceil"], "ceil": ["floor"], "sin": ["cos"], "cos": ["sin"], "neg": ["not", "abs"], "not": ["neg"], "abs": ["neg"],
    "true": ["false"], "false": ["true"], "add": ["mul"], "exp": ["log"], "log": ["exp"],
    "gen.reduce": ["gen.fold"], "gen.scan": ["gen.reduce"], "map": ["flatmap"], "iota": ["len"],
}
CLASSES = {"int": ["num", "float", "bits", "scalar"], "unsigned": ["int", "signed"], "signed": ["int", "unsigned"],
           "float": ["num", "int"], "bits": ["int", "scalar"], "bool": ["bits"], "i64": ["int"]}


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    header: str
    group: str
    rule: str
    kind: str
    text: str

    def name(self):
        return f"{self.file}.{self.group}.{self.rule}"

    def key(self):
        return f"{self.name()}  {self.kind}  {self.text}"


def tokens_of(text):
    return [t for t in TOKEN.findall(text) if t.strip() and not t.startswith("//")]


def text_of(tokens):
    """One line that reads back as the same tokens: `cast[u8]` and `.0` are written without a blank."""
    text = re.sub(r"(?<![^ ])([a-z][\w.]*) \[ ", r"\1[ ", " ".join(tokens))
    return re.sub(r" \. (\d)", r".\1", text)


def closing(tokens, at):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for k in range(at, len(tokens)):
        depth += tokens[k] in OPEN
        depth -= tokens[k] in CLOSE
        if depth == 0:
            return k
    raise ValueError(text_of(tokens))


def split(tokens, first, last, comma=","):
    """(begin, end) of the parts between commas, brackets and the bars of blocks' parameters respected."""
    parts, begin, k = [], first, first
    while k < last:
        if tokens[k] in OPEN:
            k = closing(tokens, k)
        elif tokens[k] == comma:
            parts.append((begin, k))
            begin = k + 1
        k += 1
    return parts + [(begin, last)] if begin < last else parts


def replaced(tokens, first, last, by):
    return tokens[:first] + list(by) + tokens[last:]


class Rule:
    def __init__(self, text):
        self.tokens = tokens_of(text)
        self.arrow = self.tokens.index("=>")
        self.where = self.tokens.index("where") if "where" in self.tokens else len(self.tokens)
        self.params = set()  # places of blocks' parameters
        for k, token in enumerate(self.tokens):
            if token == "{" and self.tokens[k + 1] == "|":
                end = self.tokens.index("|", k + 2)
                self.params.update(range(k + 1, end + 1))

    def right(self):
        return [k for k in range(self.arrow + 1, self.where) if k not in self.params]

    def calls(self, first, last):
        """(place of the name, parts) of every call in a range."""
        for k in range(first, last - 1):
            if re.match(r"[A-Za-z]", self.tokens[k]) and self.tokens[k + 1] == "(":
                yield k, split(self.tokens, k + 2, closing(self.tokens, k + 1))

    # -- the changes ---------------------------------------------------------------------------------------

    def swapped_variables(self):
        """Two metavariables, or two parameters, exchanged all over the right side."""
        t, right = self.tokens, self.right()
        for sigil in "?#%":
            names = sorted({t[k] for k in right if re.fullmatch(rf"\{sigil}\w+", t[k])})
            for i, a in enumerate(names):
                for b in names[i + 1:]:
                    other = {a: b, b: a}
                    yield [other.get(x, x) if k in set(right) else x for k, x in enumerate(t)]

    def other_variables(self):
        """One occurrence of a metavariable on the right is another one."""
        t = self.tokens
        for sigil in "?#":
            names = sorted({x for x in t[:self.arrow] if re.fullmatch(rf"\{sigil}\w+", x)})
            for k in self.right():
                if t[k] in names and len(names) > 1:
                    yield replaced(t, k, k + 1, [names[(names.index(t[k]) + 1) % len(names)]])

    def operators(self):
        t = self.tokens
        for k, token in enumerate(t):
            if k in self.params or (token == "-" and t[k - 1] in (*OPEN, ",", "=>")):
                continue
            for other in OPERATORS.get(token, []):
                yield replaced(t, k, k + 1, [other] if other else [])

    def constants(self):
        for k, token in enumerate(self.tokens):
            if re.fullmatch(r"-?\d+(\.\d+)?", token) and self.tokens[k - 1] != ".":
                for by in (1, -1):
                    number = float(token) + by if "." in token else int(token) + by
                    yield replaced(self.tokens, k, k + 1, [str(number)])

    def conditions(self):
        """Without a condition."""
        parts = split(self.tokens, self.where + 1, len(self.tokens))
        for i, _ in enumerate(parts):
            left = [self.tokens[a:b] for k, (a, b) in enumerate(parts) if k != i]
            joined = [x for part in left for x in [",", *part]][1:]
            yield self.tokens[:self.where] + (["where", *joined] if joined else [])

    def classes(self):
        """Another class of types, or none."""
        t = self.tokens
        for k in range(len(t) - 1):
            if t[k] != ":":
                continue
            for other in CLASSES.get(t[k + 1], []):
                yield replaced(t, k + 1, k + 2, [other])
            if t[k + 1] in CLASSES:
                yield replaced(t, k, k + 2, [])
            elif t[k + 1] == "[":
                end = closing(t, k + 1) + 1
                while t[end] == "[":
                    end = closing(t, end) + 1
                yield replaced(t, k, end + (closing(t, end) + 1 - end if t[end] == "(" else 1), [])

    def exchanged(self):
        """Neighbours in a list of operands the other way round, on either side, in a list of results as well."""
        t = self.tokens
        lists = [parts for _, parts in self.calls(0, self.where)]
        for k in range(self.where):
            if t[k] == "{":
                begin = t.index("|", k + 2) + 1 if t[k + 1] == "|" else k + 1
                lists.append(split(t, begin, closing(t, k)))
        for parts in lists:
            for (a, b), (c, d) in zip(parts, parts[1:]):
                if t[a:b] != t[c:d]:
                    yield t[:a] + t[c:d] + t[b:c] + t[a:b] + t[d:]

    def dropped(self):
        """Without one operand of a call on the right; a call that is only one of its operands."""
        t = self.tokens
        for k, parts in self.calls(self.arrow + 1, self.where):
            end = closing(t, k + 1)
            for i, (a, b) in enumerate(parts):
                if len(parts) > 1:
                    yield t[:a] + t[b + 1:] if i + 1 < len(parts) else t[:a - 1] + t[b:]
                if t[end + 1:end + 2] != ["{"] and t[b - 1] != "...":
                    yield replaced(t, k, end + 1, ["(", *t[a:b], ")"])

    def halved(self):
        """An infix operation on the right without one of its operands."""
        t = self.tokens
        for k in self.right():
            if t[k] not in {"+", "-", "*", "/", "&&", "||"} or t[k - 1] in (*OPEN, ",", "=>", "|"):
                continue
            begin = self.operand(k - 1, -1)
            end = self.operand(k + 1, 1)
            if begin is not None and end is not None:
                yield replaced(t, k, end, [])
                yield replaced(t, begin, k + 1, [])

    def operand(self, k, step):
        """Where the operand that begins or ends at `k` is over."""
        t = self.tokens
        if step > 0:
            while k < len(t) and t[k] in {"-", "!"}:
                k += 1
            if k + 1 < len(t) and re.match(r"[A-Za-z?]", t[k]) and t[k + 1] == "(":
                k += 1
            return closing(t, k) + 1 if t[k] in OPEN else k + 1
        if t[k] in CLOSE:
            depth = 0
            while True:
                depth += t[k] in CLOSE
                depth -= t[k] in OPEN
                if depth == 0:
                    break
                k -= 1
            if re.match(r"[A-Za-z?]", t[k - 1]) and t[k] == "(":
                k -= 1
        return k

    def unlike(self):
        """A metavariable that stands twice on the left is two; a literal there is any."""
        t = self.tokens
        seen = set()
        for k in range(self.arrow):
            if k in self.params:
                continue
            if re.fullmatch(r"[?#]\w+", t[k]):
                if t[k] in seen and t[k + 1] != "(":
                    yield replaced(t, k, k + 1, [t[k][0] + "other"])
                seen.add(t[k])
            elif re.fullmatch(r"-?\d+(\.\d+)?|true|false", t[k]) and t[k - 1] != ".":
                yield replaced(t, k, k + 1, ["#any"])

    KINDS = {"swap": swapped_variables, "variable": other_variables, "operator": operators, "constant": constants,
             "condition": conditions, "type": classes, "order": exchanged, "drop": dropped, "half": halved, "unlike": unlike}

    def cost_alone(self, tree):
        """Whether nothing but a condition about cost became another one."""
        own = rule_trees.tree(self.tokens)
        if len(tree) != 3 or tree[:2] != own[:2]:
            return False
        changed = [c for c in own[2] if c not in tree[2]]
        return bool(changed) and all(re.search(r"'(once|shared|uses|cost)'", repr(c)) for c in changed)

    def changes(self):
        """(kind, text), each rule once, and not the rule itself."""
        seen = {rule_trees.tree(self.tokens)}
        for kind, make in self.KINDS.items():
            for tokens in make(self):
                tree = rule_trees.tree(tokens)
                if tree not in seen:
                    seen.add(tree)
                    yield "cost" if self.cost_alone(tree) else kind, text_of(tokens)


def rules_in(path):
    """(header of the set, its name, the rule's name, its text) of each rule that can be tested by itself."""
    text = path.read_text()
    lines = text.split("\n")
    headers = {m[1]: m[0] for m in re.finditer(r"^rules ([\w.-]+)[^{\n]*\{", text, re.M)}
    for group, name, first, last in rule_files.rules_of(text):
        if "(" not in headers[group]:
            yield headers[group], group, name, "\n".join(lines[first:last]).split(":", 1)[1]


def of_file(path):
    for header, group, name, body in rules_in(path):
        for kind, changed in Rule(body).changes():
            yield Mutant(path.stem, header, group, name, kind, changed)


def unchanged(path):
    """The rules themselves as they are written for mutants: each of them is to be read."""
    for header, group, name, body in rules_in(path):
        yield Mutant(path.stem, header, group, name, "itself", text_of(tokens_of(body)))
