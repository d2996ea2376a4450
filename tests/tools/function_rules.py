"""Random rules on functions, and functions that they find, for random_rules.py."""

PROGRAM = """local func @count(%n: i64, %s: i64) -> i64 {{
  return if(%n <= 0) {{ %s }} else {{ @count(%n - 1, {step}) }}
}}
local func @pair(%p: (i64, f64), %q: i64, %r: f64) -> i64, f64 {{
  return {whole}, {part}
}}
local func @told(%r: ref i64, %x: i64) -> i64 {{
  set(%r, {told})
  return get(%r)
}}
func @calls(%a: i64, %x: f64, %xs: [n]f64) -> i64, f64, i64, []f64 {{
  %c = ref(%a)
  %u, %v = @pair((@count(3, %a), %x), {first}, 1.0)
  %w = @told(%c, {second})
  %m = map(%xs) {{ |%e| add(%e, cast[f64](@count(2, %a))) }}
  return @count(%u, %w), %v, @told(%c, 1), %m
}}"""


def rules_on_functions(draw, term):
    """Rules, each a text; `term(type, variables)` gives a random term."""
    body = term("i64", {"%p": "i64", "%q": "i64"})
    every = [
        "literal:  @#f(?a..., #k: i64, ?b...)  =>  @#(#f ++ \"_k\")(?a..., ?b...) { |%a..., %b...| @#f(%a..., #k, %b...) }  where #k >= 0",
        "first:    @#f(?a, ?b: i64)  =>  @#(#f ++ \"_s\")(?b, ?a) { |%p, %q| @#f(%q, %p) }",
        f"count:    @count(?a, #k)  =>  {term('i64', {'?a': 'i64'})}",
        f"made:     add(?a: i64, ?b)  =>  @made(?a, ?b) {{ |%p, %q| {body} }}",
        f"around:   mul(?a: i64, ?b)  =>  @around(?a) {{ |%p| {term('i64', {'%p': 'i64', '?b': 'i64'})} }}",
        "enter:    func @#f {?body}  =>  func @#f { |%x...| print(#f) ?body(%x...)... }",
        "renamed:  func @#f {?body}  =>  func @#(#f ++ \"_2\") {?body}",
        "unread:   func @#f(?a..., ?x, ?b...) {?body}  =>  func @#f(?a..., ?b...) { |%a..., %b...| ?body(%a..., ?x, %b...)... }",
        "unboxed:  func @#f(?a..., ?x: (?S, ?T), ?b...) {?body}  =>  "
        "func @#f(?a..., ?x.0, ?x.1, ?b...) { |%a..., %p, %q, %b...| ?body(%a..., (%p, %q), %b...)... }",
        "swapped:  func @#f(?a, ?b: i64) {?body}  =>  func @#f(?b, ?a) { |%q, %p| ?body(%p, %q)... }",
        f"other:    func @count {{ |%p, %q| ?f(%p, %q) }}  =>  func @count {{ |%p, %q| if({term('bool', {'%p': 'i64'})}) "
        f"{{ ?f(%p, %q) }} else {{ {body} }} }}",
        f"table:    func @told {{ |%r, %x| ?f(%r, %x) }}  =>  func @told {{ |%r, %x| print(%x) ?f(%r, {term('i64', {'%x': 'i64'})}) }}",
    ]
    return draw.sample(every, draw.randint(1, 3))


def file_of_functions(draw, term):
    """A set of such rules with its phase, and the functions."""
    rules = rules_on_functions(draw, term)
    strategy = draw.choice(["innermost(shapes)", "bottomup(try(shapes))", "try(shapes)", "topdown(try(shapes))"])
    text = "rules shapes {\n" + "".join(f"  {rule}\n" for rule in rules) + f"}}\nphase shaped = limit(12, {strategy})\n"
    i, f = {"%s": "i64", "%n": "i64"}, {"%q": "i64", "%r": "f64"}
    program = PROGRAM.format(step=term("i64", i), whole=draw.choice(["%q", "%p.0", term("i64", f)]),
                             part=draw.choice(["%r", "%p.1", term("f64", f)]), told=term("i64", {"%x": "i64"}),
                             first=draw.choice(["%a", "2"]), second=draw.choice(["%a", "5"]))
    return text, program.replace("{ ||", "{")
