"""Random programs of straight lines, as IR and the same as MLIR (arith dialect).

Of the operations one in six folds or is an identity, one in six repeats an earlier one, one in six is
dead; all the others reach the result. The same arguments give the same text.
"""

import random

OPERATIONS = [("add", "addi"), ("sub", "subi"), ("mul", "muli"), ("and", "andi"), ("or", "ori"), ("xor", "xori"),
              ("min", "minsi"), ("max", "maxsi")]
IDENTITIES = [(0, 0), (1, 0), (2, 1)]  # x + 0, x - 0, x * 1
CONSTANTS = 16


class Dag:
    """A function of `size` operations: triples of an operation, and two operands.

    An operand is the number of an operation, -1 or -2 for the parameters, or "c5" for a literal.
    """

    def __init__(self, size, rng):
        self.lines, self.waiting, self.live = [], [], [-1, -2]
        draw = rng.random
        while len(self.lines) + len(self.waiting) < size:
            kind = int(draw() * 6)
            if kind == 0:
                self.fold(draw)
            elif kind == 1 and self.lines:
                self.add(self.lines[int(draw() * len(self.lines))], draw, use=False)
            else:
                self.add((int(draw() * 8), self.operand(draw, kind != 2), self.old(draw)), draw, use=kind != 2)
        while len(self.waiting) > 1 or not self.waiting:
            a, b = (self.waiting.pop() if self.waiting else -1 for _ in range(2))
            self.waiting.append(len(self.lines))
            self.lines.append((5, a, b))

    def add(self, line, draw, use):
        if use:
            self.live.append(len(self.lines))
            self.waiting.append(len(self.lines))
        self.lines.append(line)

    def fold(self, draw):
        if draw() < 0.5:
            line = (int(draw() * 8), f"c{int(draw() * CONSTANTS)}", f"c{int(draw() * CONSTANTS)}")
        else:
            operation, literal = IDENTITIES[int(draw() * 3)]
            line = (operation, self.old(draw), f"c{literal}")
        self.add(line, draw, use=False)
        self.live.append(len(self.lines) - 1)

    # One that nobody has used yet, so that all are used in the end.
    def operand(self, draw, take):
        if take and len(self.waiting) > 8:
            return self.waiting.pop(int(draw() * 8))
        return self.old(draw)

    def old(self, draw):
        return self.live[-1 - int(draw() * min(64, len(self.live)))]


def functions(operations, each, seed=1):
    rng = random.Random(seed)
    for number in range(max(1, operations // each)):
        yield number, Dag(each, rng)


def ir_name(value):
    if isinstance(value, str):
        return value[1:]
    return f"%v{value}" if value >= 0 else ("%a", "%b")[-1 - value]


def write_ir(out, operations, each, seed=1):
    for number, dag in functions(operations, each, seed):
        lines = [f"func @f{number}(%a: i64, %b: i64) -> i64 {{"]
        lines += [f"  %v{i} = {OPERATIONS[o][0]}({ir_name(a)}, {ir_name(b)})" for i, (o, a, b) in enumerate(dag.lines)]
        out.write("\n".join(lines + [f"  return {ir_name(dag.waiting[0])}", "}", ""]))


def mlir_name(value):
    if isinstance(value, str):
        return "%" + value
    return f"%v{value}" if value >= 0 else ("%a", "%b")[-1 - value]


def write_mlir(out, operations, each, seed=1):
    for number, dag in functions(operations, each, seed):
        lines = [f"func.func @f{number}(%a: i64, %b: i64) -> i64 {{"]
        lines += [f"  %c{i} = arith.constant {i} : i64" for i in range(CONSTANTS)]
        lines += [f"  %v{i} = arith.{OPERATIONS[o][1]} {mlir_name(a)}, {mlir_name(b)} : i64"
                  for i, (o, a, b) in enumerate(dag.lines)]
        out.write("\n".join(lines + [f"  return {mlir_name(dag.waiting[0])} : i64", "}", ""]))
