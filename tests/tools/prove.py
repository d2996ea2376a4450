#!/usr/bin/env python3
"""`-prove`: right rules are proven at every width, wrong ones refuted with values, and without a solver it says so."""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

RULES = """type Pair as (i64, i64) at lowered
op sq(i64) -> i64                pure total  = { |%a| mul(%a, %a) }
op mean(u8, u8) -> u8            pure total  = { |%a, %b| add(and(%a, %b), shr(xor(%a, %b), 1)) }
op clamp(?T: int, ?T, ?T) -> ?T  pure total  = { |%x, %l, %h| if(%x < %l) { %l } else { if(%x > %h) { %h } else { %x } } }
op swap((?A, ?B)) -> (?B, ?A)    pure total  = { |%p| (%p.1, %p.0) }
op pair.of(i64, i64) -> Pair     pure total  = { |%a, %b| (%a, %b) } at lowered
op pair.first(Pair) -> i64       pure total  = { |%p| %p.0 } at lowered
phase lowered
rules right {
  squares:     sq(?a) - sq(?b)          =>  (?a + ?b) * (?a - ?b)
  means:       mean(?a, ?b)             =>  cast[u8]((cast[i32](?a) + cast[i32](?b)) / 2)
  clamps:      clamp(clamp(?x, #l, #h), #l, #h)  =>  clamp(?x, #l, #h)   where #l <= #h
  swaps:       swap(swap(?p: (i32, i8)))         =>  ?p
  firsts:      pair.first(pair.of(?a, ?b))       =>  ?a
  ones:        popcount(?x: i8)         =>  popcount(rotl(?x, 3))
  zeros:       clz(?x: u16)             =>  #(cast[u16](16)) - clz(#(cast[u16](0))) + clz(?x)
  saturated:   add_sat(?x: u8, ?y)      =>  cast[u8](min(cast[u16](?x) + cast[u16](?y), 255))
  checked:     add_checked(?x: i8, ?y)  =>  ?x + ?y
  high:        mul_high(?x: u8, ?y)     =>  cast[u8](shr(cast[u16](?x) * cast[u16](?y), 8))
  de-morgan:   !(?a && ?b)              =>  !?a || !?b
  quarter:     (?x: unsigned / 2) / 2   =>  ?x / 4
  shifts:      shl(shl(?x: u8, #a), #b) =>  shl(?x, #(#a + #b))   where #(shl(0, #a + #b)) == 0
  self:        ?x: i8 / ?x              =>  1
  named:       shl(0, ?n: u8)           =>  0
  power:       ?x: u32 / #k             =>  shr(?x, #(ctz(#k)))   where #k > 1, #(and(#k, #k - 1)) == 0
  float:       ?x: float * 1.0          =>  ?x
  length:      len(reverse(?x))         =>  len(?x)
  greater:     max(?x: int, ?y)         =>  if(?x > ?y) { || ?x } else { || ?y }
  sized:       abs(?x: int)             =>  if(?x < 0) { if(?x < -5) { -?x } else { 0 - ?x } } else { || ?x }
  branches:    if(?c) { 1 } else { 2 }  =>  select(?c, 1, 2)
  calls:       @#f(?x: i64)             =>  @#f(?x)
}
rules wrong {
  square:      sq(?a) + sq(?b)          =>  sq(?a + ?b)
  swapped:     swap(?p: (i32, i32))     =>  ?p
  clamped:     clamp(?x, #l, #h)        =>  max(min(?x, #h), #l)
  second:      pair.first(pair.of(?a, ?b))  =>  ?b
  trailing:    ctz(?x: u8)              =>  clz(?x)
  below:       sub_sat(?x: u8, ?y)      =>  ?x - ?y
  less:        ?x: int - 1 < ?x         =>  true
  div-div:     (?x: int / #a) / #b      =>  0                     where #(#a * #b / #b) != #a
  faults:      ?x: int * 0              =>  0 / ?x
  half:        ?x: signed / 2           =>  shr(?x, 1)
  lesser:      max(?x: int, ?y)         =>  if(?x > ?y) { || ?y } else { || ?x }
  untaken:     ?x: i32 + 0              =>  if(?x == 1) { || ?x } else { ?x / ?x * ?x }
}
"""

# Types of which several values are the same, and of which not all values are any.
PROMISED = """struct Pair { n: i8, d: i8 }
type Rat as Pair at low
op rat.same(Rat, Rat) -> bool  pure total agrees  = { |%a, %b| %a.n == %b.n && %a.d == %b.d || %a.n == -%b.n && %a.d == -%b.d } at low
op rat.of(i8, i8) -> Rat       pure total         = { |%n, %d| Pair{n = %n, d = %d} } at low
type Even as i64 at low
op even.holds(Even) -> bool    pure total invariant  = { |%a| %a % 2 == 0 } at low
op even.half(Even) -> i64      pure total            = { |%a| %a / 2 } at low
op even.next(Even) -> Even     pure total            = { |%a| %a + 2 } at low
op even.odd(Even) -> Even      pure total            = { |%a| %a + 1 } at low
op even.value(Even) -> i64     pure total            = { |%a| %a } at low
op low[n: i64](u8) -> u8       pure total            = { |%x| and(%x, cast[u8](#n)) }
rules right {
  low:       low[#n](low[#n](?x))        =>  low[#n](?x)
  turned:    rat.of(neg(?n), neg(?d))    =>  rat.of(?n, ?d)
  halved:    even.half(?a) * 2           =>  even.value(?a)
}
rules wrong {
  turned:    rat.of(?n, neg(?d))         =>  rat.of(?n, ?d)
  halved:    even.half(?a) * 3           =>  even.value(?a)
  odd:       even.half(?a)               =>  even.half(even.odd(?a))
}
phase low
"""

# Conditionals on the left: what stands in a branch alone may fault where the branch is not taken.
BRANCHES = """rules r {
  same:    if(?c) { || ?x: int } else { || ?x }  =>  ?x
  faulty:  if(?c) { || ?x: int } else { || ?y }  =>  select(?c, ?x, ?y)
  safe:    if(?c) { || ?x: int } else { || ?y }  =>  select(?c, ?x, ?y)   where total(?x), total(?y)
  turned:  if(!?c) { || ?x: int } else { || ?y }  =>  if(?c) { || ?y } else { || ?x }
  wrong:   if(!?c) { || ?x: int } else { || ?y }  =>  if(?c) { || ?x } else { || ?y }
  add:     if(?c) { || ?x: int + ?z } else { || ?y + ?z }  =>  if(?c) { || ?x} else { || ?y} + ?z
  add2:    if(?c) { || ?x: int + ?z } else { || ?y }  =>  if(?c) { || ?x} else { || ?y - ?z} + ?z
  nested:  if(?c) { || if(?c) { || ?x: int } else { || ?y } } else { || ?z }  =>  if(?c) { || ?x } else { || ?z }
  lit:     if(?c) { || #k } else { || ?y: int } + #m => if(?c) { || #(#k + #m) } else { || ?y + #m }
  abs:     if(?x: int < 0) { || 0 - ?x } else { || ?x } => abs(?x)
}
"""

# Literals that are attributes: for all of them.
ATTRIBUTES = """op plus[k: i64](i64) -> i64    pure total  = { |%x| %x + #k }
op twice[k: i64](i64) -> i64  pure total  = { |%x| plus[#(#k + 1)](%x) * plus[#k](%x) }
op above[k: i64, strict: bool](i64) -> bool  pure total  = { |%x| if(#strict) { %x > #k } else { %x >= #k } }
op named[name: text, k: i64](i64) -> i64  pure total  = { |%x| %x + #k }
rules r {
  sums:     plus[#a](plus[#b](?x))     =>  plus[#(#a + #b)](?x)
  nested:   twice[#k](?x)              =>  plus[#k](?x) * (?x + #k + 1)
  zero:     plus[0](?x)                =>  ?x
  bounds:   above[#k, true](?x)        =>  above[#(#k + 1), false](?x)  where #k < 1000
  bound:    above[#k, true](?x)        =>  above[#(#k + 1), false](?x)
  minus:    plus[#a](?x) - #b          =>  plus[#(#a + #b)](?x)
  turned:   !above[#k, #s](?x)         =>  ?x < #k
  texts:    named[#s, #k](?x)          =>  ?x + #k
}
"""

# Operations without a meaning, and what they are taken for.
BARE = """op twice(i64) -> i64  pure total
rules bare {
  odd:   twice(neg(?x))  =>  neg(twice(?x))
  even:  twice(neg(?x))  =>  twice(?x)
}
"""
MODELS = "model twice = { |%x| %x + %x }\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", default="build/irrewrite")
    tool = str(pathlib.Path(parser.parse_args().tool).resolve())
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mixed.rules"
        path.write_text(RULES)

        def prove(file=path, *options, **more):
            return subprocess.run([tool, "-prove", "-stats", *options, "-rules", str(file)], capture_output=True, text=True,
                                  timeout=300, check=False, **more)

        def expect(text, pattern, code=None, given=None):
            if not re.search(pattern, text, re.M) or code != given:
                failures.append(f"expected {pattern!r}, exit code {code}: {text}, exit code {given}")

        nothing = prove(env={**os.environ, "PATH": folder})
        expect(nothing.stdout, "^nothing proven: neither 'z3' nor 'cvc5' is installed", 0, nothing.returncode)
        if shutil.which("z3") or shutil.which("cvc5"):
            run = prove()
            expect(run.stdout, r": proven: mixed.right.de-morgan: \(bool, bool\), \(i8, i8\)", 3, run.returncode)
            expect(run.stdout, r": proven: mixed.right.quarter: \(u8\), \(u16\), \(u32\), \(u64\)$")
            expect(run.stdout, r": proven: mixed.right.shifts: \(u8, u8, u8\)$")
            expect(run.stdout, r": proven: mixed.right.self: \(i8\)$")
            for name in "squares means clamps swaps firsts ones zeros saturated checked high named power greater sized".split():
                expect(run.stdout, f": proven: mixed.right.{name}: ")
            for name in "square swapped clamped second trailing below lesser".split():
                expect(run.stdout, f": refuted: mixed.wrong.{name}: ")
            expect(run.stdout, ": not asked: mixed.right.float")
            expect(run.stdout, ": not asked: mixed.right.length")
            expect(run.stdout, ": proven: mixed.right.branches: ")
            expect(run.stdout, ": not asked: mixed.right.calls: it is about functions")
            expect(run.stdout, r": refuted: mixed.wrong.untaken: \(i32\) x = 0$")
            expect(run.stdout, r": refuted: mixed.wrong.less: \(i8\) x = -128$")
            expect(run.stdout, r": refuted: mixed.wrong.div-div: \(i8, i8, i8\) x = ")
            expect(run.stdout, r": refuted: mixed.wrong.faults: \(i8\) x = 0$")
            expect(run.stdout, r": refuted: mixed.wrong.half: \(i8\) x = -")
            expect(run.stdout, "^34 rules: 19 proven, 12 refuted, 0 not proven, 3 about more than integers and booleans$")
            promised = pathlib.Path(folder) / "promised.rules"
            promised.write_text(PROMISED)
            run = prove(promised)
            for verdict, name in (("proven", "right.turned"), ("proven", "right.halved"), ("refuted", "wrong.turned"),
                                  ("refuted", "wrong.halved"), ("refuted", "wrong.odd"),
                                  ("proven", "right.low")):
                expect(run.stdout, f": {verdict}: promised.{name}: ")
            branches = pathlib.Path(folder) / "branches.rules"
            branches.write_text(BRANCHES)
            run = prove(branches)
            for name in "same safe turned add nested lit abs".split():
                expect(run.stdout, f": proven: branches.r.{name}: ")
            expect(run.stdout, ": refuted: branches.r.faulty: .*(x|y) faults")
            expect(run.stdout, ": refuted: branches.r.wrong: ")
            expect(run.stdout, ": refuted: branches.r.add2: ")
            attributes = pathlib.Path(folder) / "attributes.rules"
            attributes.write_text(ATTRIBUTES)
            run = prove(attributes)
            for name in "sums nested zero bounds".split():
                expect(run.stdout, f": proven: attributes.r.{name}: ")
            for name in "bound minus turned".split():
                expect(run.stdout, f": refuted: attributes.r.{name}: ")
            expect(run.stdout, ": not asked: attributes.r.texts: an attribute of an operation is a literal '#k'")
            bare, models = pathlib.Path(folder) / "bare.rules", pathlib.Path(folder) / "twice.models"
            bare.write_text(BARE), models.write_text(MODELS)
            expect(prove(bare).stdout, "^2 rules: 0 proven, 0 refuted, 0 not proven, 2 about more than integers and booleans$")
            run = prove(bare, "-models", str(models))
            expect(run.stdout, ": proven: bare.bare.odd: ", 3, run.returncode)
            expect(run.stdout, ": refuted: bare.bare.even: ")
    print("\n".join(failures), end="\n" if failures else "")
    print(f"{1 - bool(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
