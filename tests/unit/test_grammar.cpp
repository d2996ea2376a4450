// The grammar: shapes of trees, precedence, several errors in a run, depth, and texts cut short.
#include "grammar/syntax/syntax.hpp"
#include "tests/unit/syntax_dump.hpp"

#include <catch2/catch.hpp>

#include <random>
#include <sstream>

namespace irrewrite::grammar {
namespace {

const IsLabel test_labels = [](std::string_view word) {
    return word == "else" || word == "do" || word == "fold" || word == "then";
};

enum class Text { Ir, Rules, Expression };

// A text, its tree and what was said about it.
struct Parsed {
    Sources sources;
    Diagnostics diagnostics;
    SyntaxTree tree;

    Parsed(Text kind, std::string text) {
        const SourceId source = sources.add("t", std::move(text));
        if (kind == Text::Ir)
            tree = parse_ir(sources, source, test_labels, diagnostics);
        else if (kind == Text::Rules)
            tree = parse_rules(sources, source, test_labels, diagnostics);
        else
            tree = parse_expression(sources, source, diagnostics);
    }
    std::string messages() const {
        std::string lines;
        for (const Diagnostic& diagnostic : diagnostics.all()) {
            const LineColumn at = line_column(sources[diagnostic.where.source], diagnostic.where.begin);
            lines += std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + diagnostic.text + "\n";
        }
        return lines;
    }
    std::string printed() const {
        std::ostringstream out;
        diagnostics.print(out, sources, false);
        return out.str();
    }
};

std::string expression(const std::string& text) {
    const Parsed parsed(Text::Expression, text);
    return parsed.messages() + dump(parsed.tree);
}

// The tree of one declaration, after its errors.
std::string declaration(Text kind, const std::string& text) {
    const Parsed parsed(kind, text);
    const auto children = parsed.tree.children_of(parsed.tree.root);
    return parsed.messages() + (children.empty() ? "" : dump(parsed.tree, children.back()));
}

std::string body(const std::string& statements) {
    const std::string tree = declaration(Text::Ir, "func @f() {" + statements + "}");
    const std::string head = "(Func f (Block", tail = "))";
    if (tree.substr(0, head.size()) != head) return tree;
    const std::string inside = tree.substr(head.size(), tree.size() - head.size() - tail.size());
    return inside.empty() ? inside : inside.substr(1);
}

std::string rule(const std::string& text) {
    const std::string tree = declaration(Text::Rules, "rules s { r: " + text + "}");
    const std::string head = "(RuleSet s (Rule r ", tail = "))";
    if (tree.substr(0, head.size()) != head) return tree;
    return tree.substr(head.size(), tree.size() - head.size() - tail.size());
}

std::string term(const std::string& text) {
    const std::string tree = declaration(Text::Rules, "test t: " + text);
    const std::string head = "(Test t ";
    return tree.substr(0, head.size()) == head ? tree.substr(head.size(), tree.size() - head.size() - 1) : tree;
}

std::string strategy(const std::string& text) {
    const std::string tree = declaration(Text::Rules, "phase p = " + text);
    const std::string head = "(Phase p ";
    return tree.substr(0, head.size()) == head ? tree.substr(head.size(), tree.size() - head.size() - 1) : tree;
}

std::string errors(Text kind, const std::string& text) { return Parsed(kind, text).messages(); }

} // namespace

TEST_CASE("literals") {
    for (const char* number : {"1", "-7", "0xff", "0xffi32", "1_000", "2.5", "1e-9", "1.5e+3", "2.5f32", "0f64", "1u8",
                               "inf", "-inf", "nan", "inff32"})
        CHECK(expression(number) == "(Number " + std::string(number) + ")");
    CHECK(expression("true") == "(Bool true)");
    CHECK(expression("info") == "(Op info)");
    CHECK(expression(R"("a\n\t\"\\\x4f")") == R"((String "a\n\t\"\\\x4f"))");
    CHECK(expression("[1, 2.0]") == "(Array (Number 1) (Number 2.0))");
    CHECK(expression("[]") == "(Array)");
    CHECK(expression("(1, (2))") == "(Tuple (Number 1) (Number 2))");
    CHECK(expression("()") == "(Tuple)");
    CHECK(expression("Complex{re = 1.0, im = %a}") ==
          "(Struct Complex (FieldInit re (Number 1.0)) (FieldInit im (Value a)))");
    CHECK(expression("- 7") == "(Prefix - (Number 7))");
    CHECK(expression("@f([1.0], 3)") == "(Call f (Array (Number 1.0)) (Number 3))");
}

TEST_CASE("malformed literals have messages of their own and stay tokens") {
    CHECK(errors(Text::Expression, "1__0") == "1:1: malformed number '1__0'\n");
    CHECK(errors(Text::Expression, "add(0x, 1.5.2)") == "1:5: malformed number '0x'\n1:9: malformed number '1.5.2'\n");
    CHECK(errors(Text::Expression, "1i7") == "1:1: malformed number '1i7'\n");
    CHECK(errors(Text::Expression, R"(f("a\q", 1))") == "1:5: unknown escape '\\q'\n");
    CHECK(errors(Text::Expression, R"("\x4")") == "1:2: unknown escape '\\x'\n");
    CHECK(errors(Text::Expression, "\"abc") == "1:1: unterminated string\n");
    CHECK(errors(Text::Expression, "\"abc\\") ==
          "1:1: unterminated string\n1:5: expected the end after the expression, found '\\'\n");
}

TEST_CASE("operators bind as in C") {
    CHECK(expression("%a + %b * %c") == "(Infix + (Value a) (Infix * (Value b) (Value c)))");
    CHECK(expression("%a - %b - %c") == "(Infix - (Infix - (Value a) (Value b)) (Value c))");
    CHECK(expression("%a % %b / 2") == "(Infix / (Infix % (Value a) (Value b)) (Number 2))");
    CHECK(expression("%a || %b && %c == %d < 1") ==
          "(Infix || (Value a) (Infix && (Value b) (Infix == (Value c) (Infix < (Value d) (Number "
          "1)))))");
    CHECK(expression("-%a.0 * !%b") == "(Infix * (Prefix - (Project 0 (Value a))) (Prefix ! (Value b)))");
    CHECK(expression("%a -7") == "(Infix - (Value a) (Number 7))");
    CHECK(expression("%a - -7") == "(Infix - (Value a) (Number -7))");
    CHECK(expression("(%a - %b) * %c") == "(Infix * (Infix - (Value a) (Value b)) (Value c))");
    CHECK(expression("%c.0.re") == "(Project re (Project 0 (Value c)))");
}

TEST_CASE("comparisons are not chained") {
    CHECK(errors(Text::Expression, "%a < %b < %c") == "1:9: comparisons cannot be chained\n");
    CHECK(errors(Text::Expression, "%a == %b != %c") == "1:10: comparisons cannot be chained\n");
    CHECK(errors(Text::Expression, "(%a < %b) == (%b < %c)").empty());
}

TEST_CASE("operations have attributes, operands and labelled blocks") {
    CHECK(expression("gen.reduce(0.0) {add}") == "(Op gen.reduce (Number 0.0) (OperatorBlock add))");
    CHECK(expression("op[3]") == "(Op op (Attr (Number 3)))");
    CHECK(expression("cast[f64](%x)") == "(Op cast (Attr (TypeName f64)) (Value x))");
    CHECK(expression("op[axis = 3, to = [n]f64, at = (f64, i64), v = [1, 2], w = inf]") ==
          "(Op op (Attr axis (Number 3)) (Attr to (TypeArray (DimName n) (TypeName f64)))"
          " (Attr at (TypeTuple (TypeName f64) (TypeName i64))) (Attr v (Array (Number 1) (Number "
          "2)))"
          " (Attr w (Number inf)))");
    CHECK(body("if(%c) {1} else {2}") ==
          "(Op if (Value c) (Block (Results (Number 1))) (Block label:else (Results (Number 2))))");
    CHECK(body("while {true} do {print(1) {}}") ==
          "(Op while (Block (Results (Bool true))) (Block label:do (Results (Op print (Number 1) "
          "(Block)))))");
    CHECK(body("a {} b {}") == "(Op a (Block)) (Op b (Block))");
    CHECK(body("a {@f} else {add.x}") == "(Op a (OperatorBlock @f) (OperatorBlock add.x label:else))");
    CHECK(body("f {true} g {nan}") == "(Op f (Block (Results (Bool true)))) (Op g (Block (Results (Number nan))))");
}

TEST_CASE("blocks end with their results") {
    CHECK(body("%x = f { |%a, %b: i64| g(%a); h(%b) %a, %b }") ==
          "(Bind (Target x) (Op f (Block (Param a) (Param b (TypeName i64)) (Op g (Value a)) (Op h "
          "(Value b))"
          " (Results (Value a) (Value b)))))");
    CHECK(body("f { %a = 1 }") == "(Op f (Block (Bind (Target a) (Number 1))))");
    CHECK(body("f { || print(1); }") == "(Op f (Block (Results (Op print (Number 1)))))");
    CHECK(body("%a, %b: *f64 = g()").find("expected a type") != std::string::npos);
    CHECK(body("%a, %b: [n]f64 = g() return %a, %b") ==
          "(Bind (Target a) (Target b (TypeArray (DimName n) (TypeName f64))) (Op g))"
          " (Results !return (Value a) (Value b))");
    CHECK(body("print(1)") == "(Op print (Number 1))");
    CHECK(body("%a %b") == "(Value a) (Value b)");
    CHECK(body("return") == "(Results !return)");
    CHECK(errors(Text::Ir, "func @f() { f { %a, %b g() } }") ==
          "1:17: a list of results must come last in its block\n");
    CHECK(errors(Text::Ir, "func @f() { return 1 g() }") == "1:22: nothing may follow 'return'\n");
    CHECK(errors(Text::Ir, "func @f() { f { return 1 } }") ==
          "1:17: 'return' is allowed only at the end of a function\n");
    CHECK(errors(Text::Ir, "func @f() { %a, %b }") == "1:13: a function cannot contain a list of expressions\n");
    CHECK(errors(Text::Ir, "func @f() { f(%a) = 1 }") == "1:19: only values can be named, as in '%x = ...'\n");
}

TEST_CASE("functions, structs and types") {
    CHECK(declaration(Text::Ir, "local func @f(%x: *[n][m]f64, %r: ref (f64, i64)) -> mut [3]f64, Complex { }") ==
          "(Func f !local (Param x !consumed (TypeArray (DimName n) (TypeArray (DimName m) "
          "(TypeName f64))))"
          " (Param r (TypeRef (TypeTuple (TypeName f64) (TypeName i64))))"
          " (TypeMut (TypeArray (DimNumber 3) (TypeName f64))) (TypeName Complex) (Block))");
    CHECK(declaration(Text::Ir, "extern func @hypot(%a: f64) -> f64 pure") ==
          "(Func hypot !extern !pure (Param a (TypeName f64)) (TypeName f64))");
    CHECK(declaration(Text::Ir, "struct C { re: f64, im: []f64, }") ==
          "(StructDecl C (Field re (TypeName f64)) (Field im (TypeArray (DimNone) (TypeName f64))))");
}

TEST_CASE("spans are exact") {
    const Parsed parsed(Text::Ir, "func @f() { %x: i64 = add(1, %y) // c\n }");
    const auto text = [&](Kind kind) {
        for (const SyntaxNode& node : parsed.tree.nodes) {
            if (node.kind == kind) return std::string(parsed.tree.text.substr(node.begin, node.end - node.begin));
        }
        return std::string("none");
    };
    CHECK(text(Kind::Op) == "add(1, %y)");
    CHECK(text(Kind::Bind) == "%x: i64 = add(1, %y)");
    CHECK(text(Kind::Target) == "%x: i64");
    CHECK(text(Kind::Value) == "%y");
    CHECK(text(Kind::Func) == "func @f() { %x: i64 = add(1, %y) // c\n }");

    const Parsed open(Text::Ir, "func @f() {\n  %x = 1 // c\n\n");
    for (const SyntaxNode& node : open.tree.nodes)
        if (node.kind == Kind::Block) CHECK(open.tree.text.substr(node.begin, node.end - node.begin) == "{\n  %x = 1");
}

TEST_CASE("patterns and terms") {
    CHECK(term("?x: int + #k: [?n]?T") ==
          "(Infix + (Meta x (TypeName int)) (MetaLiteral k (TypeArray (DimVar n) (TypeVar T))))");
    CHECK(term("f(?xs..., emit(?v)..., _)") == "(Op f (Seq (Meta xs)) (Seq (Op emit (Meta v))) (Wildcard _))");
    CHECK(term("g((?m = ?a * ?b) - 1)") == "(Op g (Infix - (Named m (Infix * (Meta a) (Meta b))) (Number 1)))");
    CHECK(term("map(?xs) { |%x..., %i| ?f(at(?xs, %i)) }") == "(Op map (Meta xs) (Block (Param x !sequence) (Param i)"
                                                              " (Results (Apply f (Op at (Meta xs) (Value i))))))");
    CHECK(term("#(#a * #b + 1)") == "(Compute (Infix + (Infix * (MetaLiteral a) (MetaLiteral b)) (Number 1)))");
    CHECK(term("?l.#k + ?v.#(#k - 1).0") ==
          "(Infix + (Project (Meta l) (MetaLiteral k))"
          " (Project 0 (Project (Meta v) (Compute (Infix - (MetaLiteral k) (Number 1))))))");
    CHECK(term("<try(s) <+ t> f(?x) + 1") == "(Infix + (StrategyTerm (StrategyChoice (StrategyCall "
                                             "try (StrategyName s)) (StrategyName t))"
                                             " (Op f (Meta x))) (Number 1))");
    CHECK(term("f {?op}") == "(Op f (OperatorBlock ?op))");
    CHECK(term("C{re = ?a, ?rest...}") == "(Struct C (FieldInit re (Meta a)) (Seq (Meta rest)))");
    CHECK(errors(Text::Ir, "func @f() { %a = < 3 }") == "1:18: expected an expression, found '<'\n");
    CHECK(errors(Text::Ir, "func @f() { ?x }") == "1:13: metavariables and patterns are allowed only in rules\n");
}

TEST_CASE("rules and conditions") {
    CHECK(rule("?x + 0 => ?x") == "(Pattern (Infix + (Meta x) (Number 0))) (Terms (Meta x))");
    CHECK(rule("f & g(?x) => at(?x, 0), 1 at late where #k > 0") ==
          "(Pattern (Op f) (Op g (Meta x))) (Terms (Op at (Meta x) (Number 0)) (Number 1)) "
          "(AtPhase late)"
          " (Infix > (MetaLiteral k) (Number 0))");
    CHECK(rule("f => g at late") == "(Pattern (Op f)) (Terms (Op g)) (AtPhase late)");
    CHECK(rule("f => g where not ?a == ?b or pure(?f), not (p or q)") ==
          "(Pattern (Op f)) (Terms (Op g)) (Infix or (Prefix not (Infix == (Meta a) (Meta b))) (Op "
          "pure (Meta f)))"
          " (Prefix not (Infix or (Op p) (Op q)))");
    CHECK(rule("f => not(?x) where ?y = ?x + 1, ?x ~ neg(?z), <s> ?x => ?w") ==
          "(Pattern (Op f)) (Terms (Op not (Meta x))) (CondBuild y (Infix + (Meta x) (Number 1)))"
          " (Infix ~ (Meta x) (Op neg (Meta z))) (CondStrategy (StrategyName s) (Meta x) (Meta w))");
}

TEST_CASE("a rule ends where the next name begins") {
    CHECK(declaration(Text::Rules, "rules s(?p, t) at low inexact { add-zero: ?a => foo  at-x: ?b => bar where c"
                                   "  or-y : f => if(?c) {1} else: g => 2  fact after h: i => j }") ==
          "(RuleSet s !inexact (Meta p) (Ident t) (AtPhase low)"
          " (Rule add-zero (Pattern (Meta a)) (Terms (Op foo)))"
          " (Rule at-x (Pattern (Meta b)) (Terms (Op bar)) (Op c))"
          " (Rule or-y (Pattern (Op f)) (Terms (Op if (Meta c) (Block (Results (Number 1))))))"
          " (Rule else (Pattern (Op g)) (Terms (Number 2)))"
          " (FactAfter (Op h) (Op i) (Op j)))");
}

TEST_CASE("declarations of rule files") {
    const auto one = [](const std::string& text) { return declaration(Text::Rules, text); };
    CHECK(one("import \"core.rules\"") == "(Import \"core.rules\")");
    CHECK(one("type Vec as []f64 at lowering") ==
          "(TypeDecl Vec (TypeArray (DimNone) (TypeName f64)) (Ident lowering))");
    CHECK(one("op mat.mul(Mat, Mat) -> Mat pure infix \"*\" writes(0, 1)") ==
          "(OpDecl mat.mul (Operands (TypeName Mat) (TypeName Mat)) (Signature (TypeName Mat))"
          " (Trait pure) (Trait infix (String \"*\")) (Trait writes (Number 0) (Number 1)))");
    CHECK(one("op map([?n]?A...) {?A... -> ?R...} hot -> [?n]?R...") ==
          "(OpDecl map (Operands (TypeSeq (TypeArray (DimVar n) (TypeVar A))))"
          " (BlockType (Operands (TypeSeq (TypeVar A))) (Signature (TypeSeq (TypeVar R))) (Trait "
          "hot))"
          " (Signature (TypeSeq (TypeArray (DimVar n) (TypeVar R)))))");
    CHECK(one("op if(bool) {-> ?R...} cold else {-> ?R...} -> ?R...") ==
          "(OpDecl if (Operands (TypeName bool))"
          " (BlockType (Operands) (Signature (TypeSeq (TypeVar R))) (Trait cold))"
          " (BlockType label:else (Operands) (Signature (TypeSeq (TypeVar R))))"
          " (Signature (TypeSeq (TypeVar R))))");
    CHECK(one("op while {-> bool} hot do {} cold optional io") ==
          "(OpDecl while (Operands) (BlockType (Operands) (Signature (TypeName bool)) (Trait hot))"
          " (BlockType label:do (Operands) (Signature) (Trait cold) (Trait optional))"
          " (Signature) (Trait io))");
    CHECK(one("op a(T) -> T pure op b") == "(OpDecl b (Operands) (Signature))");
    CHECK(one("op print(?T) io") == "(OpDecl print (Operands (TypeVar T)) (Signature) (Trait io))");
    CHECK(one("op h[to: type](?T: num, gen(?T)) -> ?T = { |%a| f(%a) } at low") ==
          "(OpDecl h (AttrDecl to (TypeName type)) (Operands (TypeVar T (Ident num)) (TypeApply "
          "gen (TypeVar T)))"
          " (Signature (TypeVar T)) (Block (Param a) (Results (Op f (Value a)))) (Ident low))");
    CHECK(one("fact after set(?r, ?x): get(?r) => ?x where c") ==
          "(FactAfter (Op set (Meta r) (Meta x)) (Op get (Meta r)) (Meta x) (Op c))");
    CHECK(one("fact in else of if(?c): ?c => false") == "(FactIn else (Op if (Meta c)) (Meta c) (Bool false))");
    CHECK(one("normalize a-b, file.set") == "(Normalize (Ident a-b) (Ident file.set))");
    CHECK(one("phase lowering") == "(Phase lowering)");
    CHECK(one("strategy simplify(s) = innermost(s)") ==
          "(Strategy simplify (Ident s) (StrategyCall innermost (StrategyName s)))");
    CHECK(one("test id-cancels: f(?x) => ?x") == "(Test id-cancels (Op f (Meta x)) (Meta x))");
    CHECK(one("local func @f(%x: f64) -> f64 { return %x }") ==
          "(Func f !local (Param x (TypeName f64)) (TypeName f64) (Block (Results !return (Value "
          "x))))");
}

TEST_CASE("strategies") {
    CHECK(strategy("a ; b <+ c ; d") == "(StrategyChoice (StrategySeq (StrategyName a) (StrategyName b))"
                                        " (StrategySeq (StrategyName c) (StrategyName d)))");
    CHECK(strategy("a < b <+ c + d <+ e") == "(StrategyChoice (StrategyIf (StrategyName a) "
                                             "(StrategyChoice (StrategyName b) (StrategyName c))"
                                             " (StrategyName d)) (StrategyName e))");
    CHECK(strategy("rec x(try(mul-2 ; x)) ; (a <+ child(1, ?y))") ==
          "(StrategySeq (StrategyRec x (StrategyCall try (StrategySeq (StrategyName mul-2) "
          "(StrategyName x))))"
          " (StrategyChoice (StrategyName a) (StrategyCall child (Number 1) (Meta y))))");
    CHECK(strategy("file.set-name") == "(StrategyName file.set-name)");
    CHECK(errors(Text::Rules, "phase p = a < b") ==
          "1:16: expected '+' and what to do otherwise, as in 's < t + u', found the end of the "
          "text\n");
    CHECK(errors(Text::Rules, "phase p = a + b") ==
          "1:13: expected '<' before this '+', as in 's < t + u', found '+'\n");
}

TEST_CASE("parsing goes on after a fault, at the next statement or declaration") {
    CHECK(errors(Text::Ir, "func @f(%x: f64) -> f64 {\n"
                           "  %a = add(%x, }\n"
                           "func @g() {\n"
                           "  %b = map(%x { |%i| $ }\n"
                           "  %c = = 1\n"
                           "  %d = 1__\n"
                           "  return %x\n"
                           "}\n"
                           "fun @h() {}\n"
                           "struct S { a f64 }\n") == "2:16: expected an expression, found '}'\n"
                                                      "4:15: expected ',' or ')' after the operands, found '{'\n"
                                                      "5:8: expected an expression, found '='\n"
                                                      "6:8: malformed number '1__'\n"
                                                      "9:1: expected 'func' or 'struct', found 'fun'\n"
                                                      "10:14: expected ':' and the type of the field, found 'f64'\n");
    CHECK(errors(Text::Rules, "rules s {\n"
                              "  a: f => \n"
                              "  b-c: f g => h\n"
                              "  d: f { |%x| => 1\n"
                              "  e: f => g\n"
                              "}\n"
                              "op 5\n"
                              "test x ?y\n"
                              "phase p = try(\n"
                              "type T\n") == "3:3: expected an expression, found 'b-c'\n"
                                             "3:10: expected '=>' after the pattern, found 'g'\n"
                                             "4:15: expected an expression, found '=>'\n"
                                             "7:4: expected the name of the operation, found '5'\n"
                                             "8:8: expected ':' after the name of the test, found '?y'\n"
                                             "10:1: expected a strategy, found 'type'\n");
}

TEST_CASE("a missing brace is reported once, and what follows is read") {
    const Parsed ir(Text::Ir, "func @f() {\n  if(true) {\n  print(1)\nfunc @g() {}\n");
    CHECK(ir.messages() == "4:1: expected '}' before the next declaration, found 'func'\n");
    CHECK(dump(ir.tree) == "(File (Error) (Func g (Block)))");
    const Parsed rules(Text::Rules, "rules s {\n  a: f => g\nphase p\n");
    CHECK(rules.messages() == "3:1: expected '}' at the end of the block, found 'phase'\n");
    CHECK(dump(rules.tree) == "(File (RuleSet s (Rule a (Pattern (Op f)) (Terms (Op g)))) (Phase p))");
}

TEST_CASE("one token is the place of one error") {
    CHECK(errors(Text::Ir, "func @f() { f { g {").find('\n') == errors(Text::Ir, "func @f() { f { g {").rfind('\n'));
    CHECK(errors(Text::Rules, "rules s { r: f { g(") == "1:20: expected an expression, found the end of the text\n");
}

TEST_CASE("imports are found without parsing the rest") {
    Sources sources;
    const SourceId source = sources.add("t", "// c\nimport \"a.rules\" import \"b.rules\"\ntype T import \"c\"");
    const auto imports = scan_imports(sources, source);
    REQUIRE(imports.size() == 2);
    CHECK(imports[0].path == "a.rules");
    CHECK(imports[1].path == "b.rules");
    CHECK(sources.text(imports[1].span) == "\"b.rules\"");
    CHECK(errors(Text::Rules, "type T import \"c\"") == "1:8: imports must come before the other declarations\n");
}

TEST_CASE("a diagnostic shows its line, tabs and long lines included") {
    CHECK(Parsed(Text::Ir, "func @f() {\n\t%ä = f(\n}").printed() == "t:2:2: error: expected an expression, found '%'\n"
                                                                     "      %ä = f(\n"
                                                                     "      ^\n");
    CHECK(Parsed(Text::Ir, "func @f() {\r\n %a =\r\n").printed().find("\r") == std::string::npos);
    const std::string padding(500, ' ');
    const std::string shown = Parsed(Text::Ir, "func @f() {" + padding + "%a = )" + padding + "}").printed();
    CHECK(shown.find("t:1:517: error: ") == 0);
    CHECK(shown.size() < 400);
    CHECK(Parsed(Text::Ir, "func @f() { f(1\n g }").printed() ==
          "t:2:2: error: expected ',' or ')' after the operands, found 'g'\n"
          "   g }\n"
          "   ^\n"
          "t:1:14: note: opened here\n"
          "  func @f() { f(1\n"
          "               ^\n");
}

TEST_CASE("diagnostics are sorted, and said once") {
    Sources sources;
    const SourceId source = sources.add("t", "abc\ndef\n");
    Diagnostics diagnostics;
    diagnostics.error({source, 5, 6}, "second");
    diagnostics.error({source, 0, 3}, "first", "do so");
    diagnostics.error({source, 5, 6}, "second");
    diagnostics.warning({source, 8, 8}, "at the end");
    std::ostringstream out;
    diagnostics.print(out, sources, false);
    CHECK(out.str() == "t:1:1: error: first\n  abc\n  ^^^\nhelp: do so\n"
                       "t:2:2: error: second\n  def\n   ^\n"
                       "t:3:1: warning: at the end\n  \n  ^\n");
}

namespace {

std::string repeat(const std::string& text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
}

// `depth` times `open`, then `inside`, then `depth` times `close`.
struct Nest {
    Text kind;
    const char *before, *open, *inside, *close, *after;

    std::string text(std::size_t depth) const {
        return before + repeat(open, depth) + inside + repeat(close, depth) + after;
    }
};

const std::vector<Nest> nests = {
    {Text::Expression, "", "(", "%x", ")", ""},
    {Text::Expression, "", "f(", "%x", ")", ""},
    {Text::Expression, "", "@f(", "%x", ")", ""},
    {Text::Expression, "", "[", "%x", "]", ""},
    {Text::Expression, "", "- ", "%x", "", ""},
    {Text::Expression, "", "!", "%x", "", ""},
    {Text::Expression, "", "%x + (", "%x", ")", ""},
    {Text::Expression, "", "f[a = ", "1", "]", ""},
    {Text::Expression, "", "S{a = ", "1", "}", ""},
    {Text::Ir, "func @f() {", "f {", "", "}", "}"},
    {Text::Ir, "func @f() {", "%a = f {", "%x", "}", "}"},
    {Text::Rules, "test t: ", "?f(", "%x", ")", ""},
    {Text::Rules, "test t: ", "(?m = ", "1", ")", ""},
    {Text::Rules, "test t: ", "#(", "1", ")", ""},
    {Text::Rules, "test t: ", "<s> ", "1", "", ""},
    {Text::Rules, "test t: ", "f {", "1", "}", ""},
    {Text::Rules, "phase p = ", "(", "id", ")", ""},
    {Text::Rules, "phase p = ", "try(", "id", ")", ""},
    {Text::Rules, "phase p = ", "a < ", "id", " + b", ""},
    {Text::Rules, "phase p = ", "rec x(", "id", ")", ""},
    {Text::Rules, "rules s { r: f => g where ", "not ", "p", "", "}"},
    {Text::Ir, "func @f() {", "f(%x) {} else ", "f(1) {}", "", "}"},
};

const std::vector<Nest> chains = {
    {Text::Expression, "", "%x * ", "%x", "", ""},     {Text::Expression, "", "", "%x", ".0", ""},
    {Text::Ir, "func @f() {", "f() ", "", "", "}"},    {Text::Rules, "phase p = ", "a ; ", "a", "", ""},
    {Text::Rules, "phase p = ", "a <+ ", "a", "", ""},
};

const std::vector<Nest> nested_types = {
    {Text::Ir, "func @f(%x: ", "[n]", "f64", "", ") {}"}, {Text::Ir, "func @f(%x: ", "(", "f64", ", i64)", ") {}"},
    {Text::Ir, "func @f(%x: ", "(", "f64", ")", ") {}"},  {Text::Ir, "func @f(%x: ", "ref ", "f64", "", ") {}"},
    {Text::Rules, "op f(", "List of ", "f64", "", ")"},   {Text::Rules, "op f(", "gen(", "?T...", ")", ")"},
};

const std::string sample_ir = R"(// sample
struct Complex { re: f64, im: f64 }
func @stats(%xs: [n]f64, %r: ref *f64) -> f64, (i64, bool) {
  %sq: [n]f64 = map(%xs) { |%x| mul(%x, -%x.0) }
  %a, %b = if(%c) { "x\n", 0x1f } else { Complex{re = 1.0, im = [1_000]}, nan };
  while { true } do { cast[f64](%x) }
  return (reduce(%sq, 0.0) {add} + 1) * 2, op[axis = 3, to = (f64, i64)]
}
extern func @h(%a: f64) -> f64 pure
)";

const std::string sample_rules = R"(import "core.rules"
type Vec as []f64 at low
op if[to: type](bool, [?n]?A...) {-> ?R...} cold else {?T: num -> ?R} -> ?R pure infix "+" = { |%a| %a } at low
rules set(?p) at low inexact {
  add-zero: ?x: int + 0 => ?x
  b-c: f & map(?xs...) { |%i...| ?f(%i) } => #(#a + 1), ?l.#k at low where not p or q, ?y = 1, <s; t> ?x => ?y
}
fact in then of if(?c): ?c => true
fact after set(?r, ?x): (?m = _) => <try(s) < t + u> ?x
normalize set, b-c
phase p = rec x(a <+ b-c ; x)
strategy s(t) = t(1, ?x)
test t: f => g
local func @f() { print("a") }
)";

} // namespace

TEST_CASE("texts nest 9,990 levels, and more are refused in linear time, wherever they stand") {
    std::vector<Nest> all = nests;
    all.insert(all.end(), nested_types.begin(), nested_types.end());
    for (const Nest& nest : all) {
        INFO(nest.text(1));
        const Parsed two(nest.kind, nest.text(2)), three(nest.kind, nest.text(3)), most(nest.kind, nest.text(9'990));
        CHECK(two.messages() + three.messages() + most.messages() == "");
        const std::size_t level = three.tree.nodes.size() - two.tree.nodes.size();
        CHECK(most.tree.nodes.size() == two.tree.nodes.size() + 9'988 * level);
        for (std::size_t levels : {10'001, 1'000'000}) {
            const Parsed deep(nest.kind, nest.text(levels));
            REQUIRE(deep.diagnostics.all().size() == 1);
            CHECK(deep.diagnostics.all()[0].text == "text nested deeper than 10,000 levels");
            CHECK(deep.diagnostics.reached_limit());
        }
    }
}

TEST_CASE("chains are as long as they like") {
    for (const Nest& chain : chains) {
        INFO(chain.text(1));
        const Parsed parsed(chain.kind, chain.text(300'000));
        CHECK(parsed.messages() == "");
    }
}

TEST_CASE("a fault at any depth is told, and parsing goes on behind it") {
    for (std::size_t depth : {1, 199, 200, 201, 1'199, 1'200, 5'000}) {
        const std::string text = "func @f() {\n" + repeat("f(", depth) + "=" + repeat(")", depth) + "\n%x = )\n}";
        CHECK(errors(Text::Ir, text) == "2:" + std::to_string(2 * depth + 1) + ": expected an expression, found '='\n" +
                                            "3:6: expected an expression, found ')'\n");
    }
}

TEST_CASE("errors without number take linear time") {
    constexpr std::size_t many = 300'000;
    const std::vector<std::pair<Text, std::string>> texts = {
        {Text::Ir, "func @f() {\n" + repeat("%x = )\n", many) + "}"},
        {Text::Ir, repeat("func @f()\n", many)},
        {Text::Ir, "func @f() {\n" + repeat("f { )\n", many)},
        {Text::Ir, "func @f() {" + repeat("f {", many)},
        {Text::Ir, repeat("}", many)},
        {Text::Rules, "rules s {\n" + repeat("a-b: => x\n", many)},
        {Text::Rules, "rules s { " + repeat("a-", many)},
        {Text::Rules, "rules s { a: f { " + repeat("a-b.c ", many)},
        {Text::Rules, "phase p = " + repeat("(", many)},
        {Text::Expression, repeat("f[{(", many)},
        {Text::Expression, repeat("%a < ", many)},
        {Text::Expression, repeat("1__ ", many)},
    };
    for (const auto& [kind, text] : texts) {
        INFO(text.substr(0, 40));
        const Parsed parsed(kind, text);
        CHECK(parsed.diagnostics.has_errors());
        CHECK(parsed.diagnostics.all().size() <= Diagnostics::most);
        CHECK(parsed.printed().size() < 1'000'000);
    }
}

TEST_CASE("every beginning of a text is read without a crash") {
    CHECK(errors(Text::Ir, sample_ir) == "3:34: expected a type, found '*'\n"); // on purpose
    CHECK(errors(Text::Rules, sample_rules) == "");
    for (const auto& [kind, text] :
         {std::pair(Text::Ir, sample_ir), std::pair(Text::Rules, sample_rules), std::pair(Text::Ir, sample_rules),
          std::pair(Text::Rules, sample_ir), std::pair(Text::Expression, sample_ir)}) {
        for (std::size_t length = 0; length <= text.size(); ++length)
            CHECK_FALSE(dump(Parsed(kind, text.substr(0, length)).tree).empty());
        for (std::size_t from = 0; from < text.size(); ++from)
            CHECK_FALSE(dump(Parsed(kind, text.substr(from)).tree).empty());
    }
}

TEST_CASE("any bytes are read without a crash") {
    std::mt19937 random(20240607);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (int round = 0; round < 3000; ++round) {
        const bool rules = below(2) == 0;
        std::string text = rules ? sample_rules : sample_ir;
        for (std::size_t changes = 1 + below(8); changes > 0; --changes) {
            const std::size_t at = below(text.size());
            switch (below(4)) {
            case 0: text[at] = static_cast<char>(random()); break;
            case 1: text.erase(at, 1 + below(20)); break;
            case 2: text.insert(at, text.substr(below(text.size()), below(30))); break;
            default: text[at] = "(){}[]<>=:;,.|&%@?#+-*/~!\"\\"[below(27)];
            }
        }
        const Parsed parsed(rules ? Text::Rules : Text::Ir, text);
        CHECK_FALSE(dump(parsed.tree).empty());
        CHECK(parsed.printed().empty() == !parsed.diagnostics.has_errors());
    }
}

} // namespace irrewrite::grammar
