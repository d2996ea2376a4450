"""Rules as trees, as far as telling rules apart takes it: two rules whose trees are equal are one rule.

Operands of commutative operations stand in one order, as the graph keeps them, and grouping is gone.
"""

import re

COMMUTATIVE = {"+": "add", "*": "mul", "&&": "and", "||": "or", "==": "eq", "!=": "ne"}
NAMED = {"add", "mul", "and", "or", "xor", "eq", "ne", "min", "max"}
OTHERS = {"-": "sub", "/": "div", "%": "rem", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
LEVELS = [{"where"}, {"=>"}, {"&"}, {"~", "="}, {"||"}, {"&&"}, {"==", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "%"}]


class Reader:
    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if not token or (expected and token != expected):
            raise ValueError(f"{token} where {expected} is due")
        self.at += 1
        return token

    def list(self, close, level=2):
        items = []
        while self.peek() != close:
            items.append(self.infix(level))
            if self.peek() == ",":
                self.take()
        if close:
            self.take(close)
        return tuple(items)

    def rule(self):
        left = self.list("=>")
        right = []
        while self.peek() not in ("", "where"):
            right.append(self.infix(2))
            if self.peek() == ",":
                self.take()
        conditions = ()
        if self.peek() == "where":
            self.take()
            conditions = self.list("")
        return left, tuple(right), tuple(sorted(conditions, key=repr))

    def infix(self, level):
        if level == len(LEVELS):
            return self.prefix()
        left = self.infix(level + 1)
        while self.peek() in LEVELS[level]:
            op = self.take()
            left = self.node(op, (left, self.infix(level + 1)))
        return left

    def node(self, op, operands):
        name = COMMUTATIVE.get(op) or OTHERS.get(op, op)
        if name in NAMED and len(operands) == 2:
            operands = tuple(sorted(operands, key=repr))
        if name in ("gt", "ge"):  # another operation, and the same law
            name, operands = {"gt": "lt", "ge": "le"}[name], operands[::-1]
        if name == "fma" and len(operands) == 3:
            operands = (*sorted(operands[:2], key=repr), operands[2])
        return (name, *operands)

    def prefix(self):
        if self.peek() in ("-", "!", "not"):
            op = self.take()
            if not (op == "not" and self.peek() == "("):
                return ({"-": "neg", "!": "not"}.get(op, op), self.prefix())
            self.at -= 1
        if re.fullmatch(r"<[a-z]+>", self.peek()):
            return (self.take(), self.prefix())
        return self.postfix(self.primary())

    def primary(self):
        token = self.take()
        if token in ("(", "["):
            items = self.list(")" if token == "(" else "]")
            return items[0] if token == "(" and len(items) == 1 and items[0][0] != "..." else ("tuple" + token, *items)
        if token == "#(":
            return ("#", *self.list(")"))
        return (token,)

    def postfix(self, term):
        while True:
            token = self.peek()
            if token == "(" and len(term) == 1:
                self.take()
                term = self.node(term[0], self.list(")"))
            elif token == "...":
                self.take()
                term = ("...", term)
            elif token == ".":
                self.take()
                term = (".", term, self.primary())
            elif token == ":":
                self.take()
                term = (":", term, self.type())
            elif token == "[" and len(term) == 1 and re.match("[a-z]", term[0]):
                self.take()
                term = ("attributes", term, *self.list("]"))
            elif token == "{":
                self.take()
                term = ("block", term, *self.block())
            elif token in ("else", "fold", "then", "do"):
                term = (self.take(), term)
            else:
                return term

    def block(self):
        params = ()
        if self.peek() == "|":
            self.take()
            params = self.list("|")
        return (params, *self.list("}"))

    def type(self):
        text = ""
        while self.peek() == "[":
            while not text.endswith("]"):
                text += self.take()
            text += " "
        return text + (repr(self.primary()) if self.peek() == "(" else self.take())


def tree(tokens):
    """Something that equal rules have in common."""
    try:
        return Reader(list(tokens)).rule()
    except ValueError:
        return tuple(tokens)
