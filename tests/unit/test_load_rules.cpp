// Loading rule files: the data that engine/rules/rule.hpp promises, row by row of the language's tables,
// what names mean, and every error with its place.
#include "grammar/rules/declare.hpp"
#include "grammar/rules/load_rules.hpp"
#include "tests/unit/rule_dump.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace irrewrite::load_rules_tests {
using namespace irrewrite::grammar;

namespace {

constexpr const char* operations = R"(
op add(?T: num, ?T) -> ?T   pure commutative infix "+"
op sub(?T: num, ?T) -> ?T   pure infix "-"
op mul(?T: num, ?T) -> ?T   pure commutative infix "*"
op div(?T: num, ?T) -> ?T   pure infix "/"
op neg(?T: num) -> ?T       pure prefix "-"
op not(?T: bits) -> ?T      pure prefix "!"
op gt(?T: num, ?T) -> bool  pure infix ">"
op eq(?T: scalar, ?T) -> bool  pure infix "=="
op select(bool, ?T, ?T) -> ?T  pure
op cast[to: type](?T: scalar) -> to  pure
op axis[axis: i64](?T) -> ?T  pure
op len([]?T) -> i64         pure
op at([]?T, i64) -> ?T      pure
op at([][]?T, i64, i64) -> ?T  pure
op iota(i64) -> []i64       pure
op split(i64, []?T) -> []?T, []?T  pure
op generate(i64) {i64 -> ?R...} -> []?R...  pure
op map([?n]?A...) {?A... -> ?R...} -> [?n]?R...  pure
op reduce([?n]?A..., ?A...) {?A..., ?A... -> ?A...} -> ?A...  pure
op loop(i64) {i64 -> gen(?R...)...} -> ?R...  pure
op gen.collect(emission(?V...)) -> gen([]?V...)  pure
op gen.reduce(?A..., emission(?A...)) {?A..., ?A... -> ?A...} -> gen(?A...)  pure
op emit(?V...) -> once(?V...)  pure
op when(bool, emission(?V...)) -> emission(?V...)  pure
op if(bool) {-> ?R...} else {-> ?R...} -> ?R...
op while {-> bool} tests do {}
op for(i64, ?A...) {i64, ?A... -> ?A...} carries -> ?A...
op get(ref ?T) -> ?T        reads(0)
op set(ref ?T, ?T)          writes(0) overwrites(0)
type Mat
op mat.mul(Mat, Mat) -> Mat pure infix "*"
op mat.id(i64) -> Mat       pure
struct Complex { re: f64, im: f64 }
)";

struct Loaded {
    Context context;
    RuleProgram program;
    Diagnostics diagnostics;
    std::unique_ptr<Loading> loading;

    Loaded() {
        loading = std::make_unique<Loading>(context, program.base, program.functions, diagnostics);
        read("core", operations);
        read("strategies", "strategy try(s) = s <+ id  strategy twice(s) = s ; s");
    }

    void read(const std::string& name, std::string text) {
        const SourceId source = context.sources.add(name + ".rules", std::move(text));
        load_rule_file(*loading, source, name);
    }

    // `line:column: text` of each error, with its help behind it.
    std::vector<std::string> errors() const {
        std::vector<std::string> out;
        for (const Diagnostic& d : diagnostics.all()) {
            std::string line;
            if (d.where.source) {
                const auto place = line_column(context.sources[d.where.source], d.where.begin);
                line = std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
            }
            out.push_back(line + d.text + (d.help.empty() ? "" : " (" + d.help + ")"));
        }
        return out;
    }

    const Rule* find(const std::string& name) const {
        for (const Rule& rule : program.base.rules)
            if (context.symbols[rule.name] == name) return &rule;
        return nullptr;
    }

    std::string rule(const std::string& name) {
        const Rule* rule = find(name);
        return rule ? RuleDump(context, program.base).rule(*rule) : "no rule " + name;
    }
};

// One rule, as loaded, or its errors.
std::string rule(const std::string& text) {
    Loaded loaded;
    loaded.read("file", "rules s {\n  r: " + text + "\n}");
    resolve_phases(*loaded.loading);
    std::string out;
    for (const std::string& error : loaded.errors()) out += (out.empty() ? "" : "\n") + error;
    return out.empty() ? loaded.rule("r") : out;
}

std::string errors(const std::string& text) {
    Loaded loaded;
    loaded.read("file", text);
    resolve_phases(*loaded.loading);
    std::string out;
    for (const std::string& error : loaded.errors()) out += (out.empty() ? "" : "\n") + error;
    return out;
}

// The strategy of the phase p.
std::string phase(const std::string& strategy, const std::string& before = "") {
    Loaded loaded;
    loaded.read("file", before + "\nphase p = " + strategy);
    for (const std::string& error : loaded.errors()) return error;
    return RuleDump(loaded.context, loaded.program.base).strategy(loaded.program.base.phases[0].strategy);
}

} // namespace

TEST_CASE("metavariables, annotations and literals", "[load]") {
    CHECK(rule("?x + 0 => ?x") == "(add ?x 0) => ?x");
    CHECK(rule("?x: f64 + 0 => ?x") == "(add ?x:f64 0) => ?x");
    CHECK(rule("?x: int + ?y: int => ?y") == "(add ?x:int ?y:int) => ?y");
    CHECK(rule("len(?x: array) => 3") == "(len ?x:array) => 3");
    CHECK(rule("#k: int + ?x => ?x + #k") == "(add #k:int ?x) => (add ?x #k)");
    CHECK(rule("?x - ?x => 0") == "(sub ?x ?x) => 0");
    CHECK(rule("?x > 0 => true") == "(gt ?x 0) => true");
    CHECK(rule("-?x => ?x * -1") == "(neg ?x) => (mat.mul|mul ?x -1)");
    CHECK(rule("len(?xs: [?n]?T) => ?n") == "(len ?xs:[?n/dim]?T/type) => ?n/dim");
    CHECK(rule("at(?xs: [3]f64, _) => at(?xs, 1i64)") == "(at ?xs:[3]f64 _) => (at ?xs 1i64)");
    CHECK(rule("cast[f64](cast[?T](?x)) => cast[?T](?x)") == "(cast[f64] (cast[?T/type] ?x)) => (cast[?T/type] ?x)");
    CHECK(rule("cast(?x) => cast[to = i64](?x)") == "(cast ?x) => (cast[i64] ?x)");
    CHECK(rule("axis[#k](?x) => axis[axis = 3](?x)") == "(axis[#k] ?x) => (axis[3] ?x)");
    CHECK(rule("Complex{im = ?b, re = ?a}.re => ?a") == "(.re (struct ?a ?b)) => ?a");
    CHECK(rule("(?a, ?b).0 => ?a") == "(. (tuple ?a ?b) 0) => ?a");
    CHECK(rule("len([?a, ?b]) => 2") == "(len (list ?a ?b)) => 2");
    CHECK(rule("?a * ?b => mat.mul(?a, ?b)") == "(mat.mul ?a ?b) => (mat.mul ?a ?b)");
}

TEST_CASE("blocks and functions of their parameters", "[load]") {
    CHECK(rule("generate(?n) { |%i| ?e } => replicate(?n, ?e)") == "2:34: unknown operation 'replicate'");
    CHECK(rule("generate(?n) { |%i| ?e } => generate(?n) { |%j| ?e }") ==
          "(generate ?n {|%i| ?e}) => (generate ?n {|%j| ?e})");
    CHECK(rule("map(map(?xs) { |%x| ?f(%x) }) { |%y| ?g(%y) } => map(?xs) { |%x| ?g(?f(%x)) }") ==
          "(map (map ?xs {|%x| (?f %x)}) {|%y| (?g %y)}) => (map ?xs {|%x| (?g (?f %x))})");
    CHECK(rule("generate(?n) { |%i| ?f(at(?xs, %i)) } => map(?xs) { |%x| ?f(%x) }") ==
          "(generate ?n {|%i| (?f (at ?xs %i))}) => (map ?xs {|%x| (?f %x)})");
    CHECK(rule("reduce(?xs, ?z) {?op} => ?op(?z, at(?xs, 0))") ==
          "(reduce ?xs ?z {?op/block}) => (?op/block ?z (at ?xs 0))");
    CHECK(rule("reduce(?xs, 0) {add} => reduce(?xs, 0) {?op}") == "2:45: metavariable '?op' is bound nowhere");
    CHECK(rule("reduce(?xs, 0) {add} => 0") == "(reduce ?xs 0 {|%a %b| (add %a %b)}) => 0");
    CHECK(rule("map(?xs) {neg} => ?xs") == "(map ?xs {|%a| (neg %a)}) => ?xs");
    CHECK(rule("reduce(?xs, ?z) { |%a, %b| ?op(%a, %b) } => reduce(?xs, ?z) {?op}") ==
          "(reduce ?xs ?z {|%a %b| (?op %a %b)}) => (reduce ?xs ?z {|%a %b| (?op %a %b)})");
    CHECK(rule("if(?c) { ?a } else { ?b } => select(?c, ?a, ?b)") ==
          "(if ?c {?a/block} else{?b/block}) => (select ?c (?a/block) (?b/block))");
    CHECK(rule("generate(?n) { |%i| %y = ?f(%i) %y + 1 } => generate(?n) { |%i| ?f(%i) }") ==
          "(generate ?n {|%i| (add (?f %i) 1)}) => (generate ?n {|%i| (?f %i)})");
}

TEST_CASE("sequences", "[load]") {
    CHECK(rule("map(?x, ?xs...) { |%a, %as...| ?f(%a, %as...)... } => "
               "loop(len(?x)) { |%i| gen.collect(emit(?f(at(?x, %i), at(?xs, %i)...)...)) }") ==
          "(map ?x ?xs*... {|%a %as*| (?f* %a %as*...)...}) => "
          "(loop (len ?x) {|%i| (gen.collect (emit (?f* (at ?x %i) (at ?xs* %i)...)...))})");
    CHECK(rule("loop(?n) { |%i| gen.collect(emit(?v))... } => loop(?n) { |%i| "
               "gen.collect(emit(?v))... }") == "(loop ?n {|%i| (gen.collect (emit ?v*))...}) => "
                                                "(loop ?n {|%i| (gen.collect (emit ?v*))...})");
    CHECK(rule("gen.collect(emit(?v...)) => gen.collect(emit(?v...)) where count(?v) == 2") ==
          "(gen.collect (emit ?v*...)) => (gen.collect (emit ?v*...)) where (count ?v*) == 2");
    CHECK(rule("gen.reduce(?z..., ?e) {?op} => gen.reduce(?z..., ?e) {?op}") ==
          "(gen.reduce ?z*... ?e {?op/block}) => (gen.reduce ?z*... ?e {?op/block})");
    CHECK(rule("emit(?v...) => emit(?v.0)") == "(emit ?v*...) => (emit (. ?v* 0))");
    CHECK(rule("reduce(?x, ?xs..., ?zs...) { |%a..., %b...| ?op(%a..., %b...)... } => "
               "reduce(?x, ?xs..., ?zs...) {?op}") ==
          "(reduce ?x ?xs*... ?zs*... {|%a* %b*| (?op* %a*... %b*...)...}) => "
          "(reduce ?x ?xs*... ?zs*... {|%a* %b*| (?op* %a*... %b*...)...})");
    CHECK(rule("if(true) {?then} else {?other} => ?then()...") ==
          "(if true {?then/block} else{?other/block}) => (?then/block)...");
    CHECK(rule("gen.collect(emit(?v...)) => gen.collect(emit(?v.#(count(?v) - 1)))") ==
          "(gen.collect (emit ?v*...)) => (gen.collect (emit (. ?v* (# (sub (count ?v*) 1)))))");
    CHECK(rule("loop(?n) { |%i| ?g(%i)..., ?h(%i) } => loop(?n) { |%i| ?h(%i) } where results(?g) "
               "< results(?h)") == "(loop ?n {|%i| (?g* %i)..., (?h %i)}) => (loop ?n {|%i| (?h "
                                   "%i)}) where (results ?g*) < (results ?h)");
    CHECK(rule("emit(?v...) => emit(?v)") == "2:26: '?v' is a sequence, and needs '...' here "
                                             "(write '?v...' for all of them)");
    CHECK(rule("emit(?v) => emit(?v...)") ==
          "2:23: '...' has no sequence to repeat: no name in this term was bound under '...'");
    CHECK(rule("reduce(?v, ?v...) {?o} => emit(?v)") == "2:17: '?v' is used both with and without '...'");
}

TEST_CASE("names inside patterns, projections and several roots", "[load]") {
    CHECK(rule("(?m = ?a * ?b) - ?m => 0") == "(sub (named ?m (mat.mul|mul ?a ?b)) ?m) => 0");
    CHECK(rule("at(?l.#k, ?i) => at(?l.#k, ?i)") == "(at (. ?l #k) ?i) => (at (. ?l #k) ?i)");
    CHECK(rule("(?p = loop(?n) { |%i| ?b(%i)... }) & loop(len(?p.#k)) { |%j| ?use(at(?p.#k, "
               "%j))... } => "
               "loop(?n) { |%i| ?b(%i)... } where not depends(?use, ?p)") ==
          "(named ?p (loop ?n {|%i| (?b* %i)...})) & (loop (len (. ?p #k)) {|%j| (?use* (at (. ?p "
          "#k) %j))...}) => "
          "(loop ?n {|%i| (?b* %i)...}) where not((depends ?use* ?p))");
    CHECK(rule("split(?k, ?xs) => ?xs, ?xs") == "(split ?k ?xs) => ?xs, ?xs");
    CHECK(rule("at(?l.#k, ?i) => at(?l.#(#k + 1), ?i)") == "(at (. ?l #k) ?i) => (at (. ?l (# (add #k 1))) ?i)");
}

TEST_CASE("conditions", "[load]") {
    CHECK(rule("?x + #k => ?x where #k > 0, ?x == ?x") == "(add ?x #k) => ?x where #k > 0, ?x == ?x");
    CHECK(rule("?x + #k => ?x where #k * 2 == 4") == "(add ?x #k) => ?x where (# (mul #k 2)) == 4");
    CHECK(rule("?x + #a => ?x + #b where ?x ~ #b * ?y") == "(add ?x #a) => (add ?x #b) where ?x ~ (mat.mul|mul #b ?y)");
    CHECK(rule("?x + 1 => ?y where ?y = ?x * 2") == "(add ?x 1) => ?y where ?y = (mat.mul|mul ?x 2)");
    CHECK(rule("?x + ?y => ?x where pure(?x), not total(?y)") == "(add ?x ?y) => ?x where (pure ?x), not((total ?y))");
    CHECK(rule("?x + ?y => ?x where pure(?x) or once(?y)") == "(add ?x ?y) => ?x where or((pure ?x); (once ?y))");
    CHECK(rule("?x + ?y => ?x where not (pure(?x) and once(?y))") ==
          "(add ?x ?y) => ?x where not(all((pure ?x); (once ?y)))");
    CHECK(rule("?x + ?y => ?x where uses(?x) == 1, cost(?y) < 10") ==
          "(add ?x ?y) => ?x where (uses ?x) == 1, (cost ?y) < 10");
    CHECK(rule("?x + ?y => ?x where type(?x) == f64, type(?x) == type(?y)") ==
          "(add ?x ?y) => ?x where (type ?x) == f64, (type ?x) == (type ?y)");
    CHECK(rule("?x + ?y => ?z where <try(r)> ?x => ?z") ==
          "(add ?x ?y) => ?z where <(call try (rules file.s.r))> ?x => ?z");
    CHECK(rule("?x + ?y => <all(id)> ?x") == "(add ?x ?y) => (<(all id)> ?x)");
    CHECK(rule("?x + ?y => ?x where totl(?x)") == "2:26: unknown condition 'totl' (did you mean 'total'?)");
    CHECK(rule("?x + ?y => ?x where once(?x, ?y)") == "2:26: 'once' takes 1 argument, not 2");
    CHECK(rule("?x + ?y => ?z where not ?x ~ ?z + 1") == "2:17: metavariable '?z' is bound nowhere");
    CHECK(rule("?x + #a => #(#a + ?x)") == "2:24: '?x' is not a literal, and '#(…)' computes only with literals "
                                           "('#k' in the pattern matches a literal)");
}

TEST_CASE("what strategies are", "[load]") {
    CHECK(phase("id ; fail <+ all(one(some(id)))") == "(choice (seq id fail) (all (one (some id))))");
    CHECK(phase("id < fail + id") == "(if id fail id)");
    CHECK(phase("rec x(id <+ one(x))") == "(rec (choice id (one again)))");
    CHECK(phase("add(id, fail)") == "(congruence add id fail)");
    CHECK(phase("not(test(where(id)))") == "(not (test (where id)))");
    CHECK(phase("child(1, limit(3, innermost(id)))") == "(child 1 (limit 3 (innermost id)))");
    CHECK(phase("try(twice(id))") == "(call try (call twice id))");
    CHECK(phase("innermost(inline)") == "(innermost inline)");
    CHECK(phase("log(\"here\", delayed)") == "(log \"here\" delayed)");
    CHECK(phase("two", "strategy two = id ; id") == "(call two)");
    const std::string sets = "rules a { x: ?x + 0 => ?x  y: ?x * 1 => ?x at p2 } rules b { z: ?x - 0 => ?x }"
                             " rules c(?p) { v: ?x + ?p => ?x } phase p2";
    const auto last = [&](const std::string& strategy) {
        Loaded loaded;
        loaded.read("file", sets + "\nphase p = " + strategy);
        resolve_phases(*loaded.loading);
        for (const std::string& error : loaded.errors()) return error;
        return RuleDump(loaded.context, loaded.program.base).strategy(loaded.program.base.phases[1].strategy);
    };
    CHECK(last("a") == "(rules file.a.x)");
    CHECK(last("file") == "(rules file.a.x file.b.z)");
    CHECK(last("a.x <+ file.b.z") == "(choice (rules file.a.x) (rules file.b.z))");
    CHECK(last("file.b") == "(rules file.b.z)");
    CHECK(last("y") == "(rules file.a.y)");
    CHECK(last("c") == "2:11: 'c' takes 1 argument, not 0");
    CHECK(last("bb") == "2:11: unknown strategy 'bb' (did you mean 'b'?)");
    CHECK(last("try(id, id)") == "2:11: 'try' takes 1 argument, not 2");
    CHECK(last("all") == "2:11: 'all' takes 1 argument, not 0 (arguments stand in parentheses: 'all(…)')");
    CHECK(last("add(id)") == "2:11: the operation 'add' does not take 1 operand");
}

TEST_CASE("sets of one name in two files", "[load]") {
    Loaded loaded;
    loaded.read("one", "rules s { a: ?x + 0 => ?x }");
    loaded.read("two", "rules s { b: ?x * 1 => ?x }\nphase here = s");
    CHECK(loaded.errors().empty());
    CHECK(RuleDump(loaded.context, loaded.program.base).strategy(loaded.program.base.phases[0].strategy) ==
          "(rules two.s.b)");
    loaded.read("three", "phase there = s\nphase ours = one.s\nnormalize s");
    CHECK(loaded.errors() ==
          std::vector<std::string>{"1:15: 's' may mean 'one.s' or 'two.s'", "3:11: 's' may mean 'one.s' or 'two.s'"});
    CHECK(loaded.diagnostics.all()[0].notes.size() == 2);
}

TEST_CASE("phases, normalize, tests", "[load]") {
    Loaded loaded;
    loaded.read("file", "rules a at later { x: ?x + 0 => ?x  y: ?x * 1 => ?x at now }\n"
                        "rules b inexact { z: ?x - 0 => ?x }\nnormalize b\n"
                        "phase now = innermost(b <+ delayed)\nphase later\nphase now\n"
                        "test t: ?a + 0 => ?a\ntest n: ?a + ?b");
    CHECK(resolve_phases(*loaded.loading));
    CHECK(loaded.errors().empty());
    const RuleBase& base = loaded.program.base;
    CHECK(base.phases.size() == 2);
    CHECK(loaded.find("x")->at == PhaseId{1});
    CHECK(loaded.find("y")->at == PhaseId{0});
    CHECK(loaded.find("z")->inexact);
    CHECK(base.normalize == std::vector<RuleSetId>{RuleSetId{1}});
    REQUIRE(base.tests.size() == 2);
    CHECK(!base.tests[0].normal_form);
    CHECK(base.tests[1].normal_form);
    CHECK(!base[base.tests[0].rule].set);
}

TEST_CASE("parameters of sets", "[load]") {
    Loaded loaded;
    loaded.read("file", "rules s(?p, #k) { r: ?x + ?p => ?x - #k }\n"
                        "rules t { q: ?a * ?b => ?c where <s(?a, 3)> ?b => ?c }");
    CHECK(loaded.errors().empty());
    const Rule& rule = *loaded.find("r");
    CHECK(rule.parameters == 2);
    CHECK(rule.variables[0].kind == VariableKind::Node);
    CHECK(rule.variables[1].kind == VariableKind::Literal);
    CHECK(loaded.rule("q") == "(mat.mul|mul ?a ?b) => ?c where <(rules file.s.r ?a 3)> ?b => ?c");
}

TEST_CASE("facts and functions", "[load]") {
    CHECK(errors("fact after set(?r, ?x): get(?r) => ?x\nfact in else of if(?c): ?c => false") == "");
    CHECK(errors("fact in do of while { ?c }: ?c => true\nfact after (?v = get(?r)): get(?r) => ?v\n"
                 "fact after set(?r, ?x): set(?r, ?x) => ()") == "");
    CHECK(errors("fact in esle of if(?c): ?c => false") ==
          "1:9: the operation has no block 'esle' (did you mean 'else'?)");
    CHECK(errors("fact after set(?r, ?x): get(?r) + 1 => ?x + 1") ==
          "1:25: the left side of a fact has an effect below its root (bind the value to a metavariable instead)");
    CHECK(errors("fact after set(?r, ?q): get(?r) => get(?q)") ==
          "1:36: the right side of a fact has an effect (the right side must be a value that is known where the fact "
          "holds)");
    CHECK(errors("fact in body of for(?n, ?x) { |%i, %a| ?f(%i, %a) }: ?n => 1") ==
          "1:17: the pattern of a fact can name the results of a block, but not its parameters or the whole block");
    CHECK(errors("fact after set(?r, ?x): get(?r) => ?y") == "1:36: metavariable '?y' is bound nowhere");
    CHECK(rule("?a * ?b => @f(?a, ?b)") == "2:17: unknown function '@f'");
    CHECK(errors("local func @f(%a: f64) -> f64 { return %a }\nrules s { r: ?a * ?b => @f(?a, ?b) }") ==
          "2:25: '@f' takes 1 operand, not 2");
    CHECK(errors("local func @f(%a: f64) -> f64 { return %a }\nrules s { r: ?a * ?b => @f(?a) }") == "");
}

TEST_CASE("types of the two sides", "[load]") {
    CHECK(rule("?x > ?y => ?x: i64") == "2:17: the right side is a value of the type 'i64', the "
                                        "left side a value of the type 'bool'");
    CHECK(rule("?x == ?y => 0") == "2:18: the right side is a number, the left side a value of the type 'bool'");
    CHECK(rule("?x: int + ?y => 0.5") == "2:22: the right side is a float, the left side an integer");
    CHECK(rule("?x: int + 0.5 => ?x") == "2:16: this is a float, where 'add' takes an integer");
    CHECK(rule("len(?xs) => ?xs") == "2:18: the right side is an array, the left side a value of the type 'i64'");
    CHECK(rule("cast[f64](?x) => cast[i64](?x)").find("the right side") != std::string::npos);
    CHECK(rule("mat.id(?n) * ?m => ?m") == "(mat.mul (mat.id ?n) ?m) => ?m");
    CHECK(rule("when(true, ?e) => ?e") == "(when true ?e) => ?e");
}

TEST_CASE("errors have places", "[load]") {
    CHECK(rule("?x + 0 => ?y") == "2:16: metavariable '?y' is bound nowhere");
    CHECK(rule("?x => 0") == "2:6: the left side is a bare metavariable: it would match everywhere "
                             "(begin with an operation)");
    CHECK(rule("ad(?x, 0) => ?x") == "2:6: unknown operation 'ad' (did you mean 'add'?)");
    CHECK(rule("sub(?x) => ?x") == "2:6: 'sub' takes 2 operands, not 1");
    CHECK(rule("at(?x) => ?x") == "2:6: 'at' does not take 1 operand");
    CHECK(rule("len(?x) { ?y } => 0") == "2:6: 'len' takes no block");
    CHECK(rule("if(?x) { ?y } => ?y").find("'if' does not have these blocks") != std::string::npos);
    CHECK(rule("axis[ax = 3](?x) => ?x") == "2:11: 'axis' has no attribute 'ax' (its attribute is 'axis')");
    CHECK(rule("axis(?x) => ?x") == "2:6: 'axis' is missing the attribute 'axis'");
    CHECK(rule("axis[1.5](?x) => ?x") == "2:11: the attribute 'axis' is an integer");
    CHECK(rule("len[3](?x) => 0") == "2:10: 'len' has no attributes");
    CHECK(rule("?x + 2.5i32 => ?x") == "2:11: '2.5' is not a value of the type 'i32'");
    CHECK(rule("?x + 300u8 => ?x") == "2:11: '300' is not a value of the type 'u8'");
    CHECK(rule("?x: f46 + 0 => ?x").find("unknown type 'f46'") != std::string::npos);
    CHECK(rule("?x: [n]f64 + 0 => ?x") == "2:11: unknown length in a rule: 'n' (write '?n' for any length)");
    CHECK(rule("?x + %y => ?x") == "2:11: no enclosing block has a parameter '%y' (a metavariable is written '?y')");
    CHECK(rule("generate(?n) { |%i, %i| ?e } => iota(?n)") == "2:26: this block has two parameters '%i'");
    CHECK(rule("generate(?n) { |%i| ?f(%i) } => iota(?f)") ==
          "2:43: '?f' is a function of 1 operand (apply it, '?f(…)')");
    CHECK(rule("map(?x...) { |%a...| ?f(%a...)... } => generate(2) { |%i| len(?f)... }") ==
          "2:68: '?f' is a function (apply it, '?f(…)')");
    CHECK(rule("generate(?n) { |%i| ?f(%i) } => iota(?f.1)") ==
          "2:43: '?f' is a function of 1 operand (apply it, '?f(…)')");
    CHECK(rule("generate(?n) { |%i| ?f(%i) } => ?f(1, 2)") == "2:38: '?f' takes 1 operand on the left side, not 2");
    CHECK(rule("?x + 0 => _") == "2:16: '_' is allowed only in patterns");
    CHECK(rule("?x + ?y => ?x, ?y") == "2:3: the left side has 1 result, the right side 2");
    CHECK(rule("Complex{re = ?a} .re => ?a") ==
          "2:6: the field 'im' is missing ('?rest...' stands for the other fields)");
    CHECK(errors("rules s { a: ?x + 0 => ?x\n a: ?x * 1 => ?x }") == "2:2: a second rule 'a' in this set");
    CHECK(errors("rules s { a: ?x + 0 => ?x }\nrules s { b: ?x * 1 => ?x }") == "2:7: a second set 's' in this file");
    CHECK(errors("rules s at nowhere { a: ?x + 0 => ?x }\nphase somewhere").find("1:12: unknown phase 'nowhere'") == 0);
    CHECK(errors("rules s { a: ?x + 0 => ?x at q }\nphase p") == "1:30: unknown phase 'q' (the phases are p)");
    CHECK(errors("phase p = id\nphase p = fail") == "2:7: the phase 'p' is declared already");
    CHECK(errors("strategy try(s) = s") == "1:10: the strategy 'try' is declared already");
    CHECK(errors("strategy all(s) = s") == "1:10: 'all' is a built-in strategy");
    CHECK(errors("normalize nothing") == "1:11: unknown set of rules 'nothing'");
    CHECK(errors("rules s(?p) { a: ?x + ?p => ?x }\nnormalize s").find("2:11: 's' has parameters") == 0);
    CHECK(errors("test t: ?x + 0 => ?y") == "1:19: metavariable '?y' is bound nowhere");
    std::string deep;
    for (int i = 0; i < 600; ++i) deep += "neg(";
    CHECK(rule(deep + "?x" + std::string(600, ')') + " => 0").find("nested deeper than 500") != std::string::npos);
}

TEST_CASE("twenty mistakes are twenty diagnostics", "[load]") {
    Loaded loaded;
    loaded.read("file", R"(normalize nothing
phase p = idd
phase p = id
strategy all(s) = s
strategy twice(s) = s
rules s at q {
  r1: ?x + 0 => ?y
  r2: ?x => 0
  r3: ad(?x, 0) => ?x
  r4: sub(?x) => ?x
  r5: len(?x) { ?y } => 0
  r6: axis[ax = 3](?x) => ?x
  r7: ?x + 300u8 => ?x
  r8: ?x + %y => ?x
  r9: emit(?v...) => emit(?v)
  r10: ?x + 0 => ?x where fast(?x)
  r11: ?x > ?y => 0
  r12: ?x + 0 => @f(?x)
  r12: ?x * 1 => ?x
}
test t: ?x + 0 => ?z
)");
    CHECK(!resolve_phases(*loaded.loading));
    std::vector<std::string> places;
    for (const std::string& error : loaded.errors()) places.push_back(error.substr(0, error.find(": ")));
    std::ranges::sort(places);
    CHECK(places == std::vector<std::string>{"10:7",  "11:7",  "12:12", "13:12", "14:12", "15:27", "16:27",
                                             "17:19", "18:18", "19:3",  "1:11",  "21:19", "2:11",  "3:7",
                                             "4:10",  "5:10",  "6:12",  "7:17",  "8:7",   "9:7"});
}

namespace {

struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "rulesXXXXXX").string();
        path = mkdtemp(name.data());
    }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path / name) << text;
        return (path / name).string();
    }
};

} // namespace

TEST_CASE("imports", "[load]") {
    Folder folder, other;
    folder.write("core2.rules", operations);
    folder.write("a.rules", "import \"core2\"\nrules a { x: ?x + 0 => ?x }");
    other.write("b.rules", "rules b { y: ?x * 1 => ?x }");
    const std::string top =
        folder.write("top.rules", "import \"core2\"\nimport \"a\"\nimport \"b.rules\"\nnormalize a, b");
    Context context;
    RuleProgram program;
    Diagnostics diagnostics;
    CHECK(load_rules(context, {top, top}, {other.path}, program, diagnostics));
    CHECK(program.base.normalize.size() == 2);

    const std::string missing = folder.write("missing.rules", "import \"zzz\"");
    Diagnostics more;
    Context fresh;
    RuleProgram none;
    CHECK(!load_rules(fresh, {missing}, {other.path}, none, more));
    REQUIRE(more.all().size() == 1);
    CHECK(more.all()[0].text == "cannot find the rule file 'zzz'");
    CHECK(more.all()[0].notes.size() >= 2);

    folder.write("p.rules", "import \"q\"");
    folder.write("q.rules", "import \"p\"");
    Diagnostics cycle;
    CHECK(!load_rules(fresh, {(folder.path / "p.rules").string()}, {}, none, cycle));
    REQUIRE(cycle.all().size() == 1);
    CHECK(cycle.all()[0].text == "these files import each other: p.rules imports q.rules imports p.rules");
}

TEST_CASE("a stage runs the phases of one more file, and reads nothing twice", "[load]") {
    Folder folder;
    folder.write("core2.rules", operations);
    folder.write("sets.rules",
                 "rules s { x: ?x + 0 => ?x }  rules t { y: ?x * 1 => ?x }\nnormalize t\nphase shared = innermost(s)");
    const std::string lowering = folder.write(
        "low.rules",
        "import \"core2\"\nimport \"sets\"\nrules u { z: ?x - 0 => ?x }\nnormalize u\nphase low = innermost(s)");
    const std::string top =
        folder.write("top.rules", "import \"core2\"\nimport \"sets\" for sets\nphase top = innermost(s)");
    Context context;
    RuleProgram program;
    Diagnostics diagnostics;
    REQUIRE(load_rules(context, {top}, {}, program, diagnostics));
    REQUIRE(program.base.phases.size() == 1);
    const std::size_t sets = program.base.sets.size();

    const Stage* stage = load_stage(program, lowering);
    REQUIRE(stage);
    CHECK(load_stage(program, lowering) == stage);
    CHECK(program.base.sets.size() == sets + 1);
    std::vector<std::string> phases, normalize;
    for (const PhaseId id : stage->phases) phases.emplace_back(context.symbols[program.base.phases[id.index].name]);
    for (const RuleSetId id : stage->normalize) normalize.emplace_back(context.symbols[program.base[id].full_name]);
    CHECK(phases == std::vector<std::string>{"shared", "low"});
    CHECK(normalize == std::vector<std::string>{"sets.t", "low.u"});

    CHECK(!load_stage(program, (folder.path / "none.rules").string()));
    CHECK(diagnostics.errors() == 1);
}

TEST_CASE("a thousand rules load", "[load]") {
    std::string text = "rules s {\n";
    for (int i = 0; i < 1000; ++i)
        text += "  r" + std::to_string(i) + ": map(map(?xs) { |%x| ?f(%x) + " + std::to_string(i) +
                " }) { |%y| ?g(%y) } => map(?xs) { |%x| ?g(?f(%x) + #(1 + 2)) } where pure(?f)\n";
    Loaded loaded;
    loaded.read("file", text + "}\n");
    CHECK(loaded.errors().empty());
    CHECK(loaded.program.base.sets.back().rules.size() == 1000);
}

} // namespace irrewrite::load_rules_tests
