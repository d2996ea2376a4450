// Straight lines are read by a way of their own (grammar/program/straight.hpp). It must not show: the graph,
// node by node, and the messages are those of elaboration.
#include "grammar/program/elaborate.hpp"
#include "grammar/program/straight_bodies.hpp"
#include "printers/ir/print_ir.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

namespace irrewrite::straight_tests {

namespace {

std::string messages(const Context& context, const Diagnostics& diagnostics) {
    std::ostringstream out;
    diagnostics.print(out, context.sources, false);
    return out.str();
}

// Nodes, names and places of a function.
std::string dump(const Context& context, const Function& f) {
    std::ostringstream out;
    const Graph& g = f.graph;
    out << context.symbols[f.name] << ' ' << f.local << f.external << f.pure << ' ' << f.where.begin;
    for (const Parameter& p : f.params) out << " p" << p.node.index << ':' << p.type.index << p.consumed;
    for (const Dimension& d : f.dims) out << " d" << d.node.index << ':' << d.param << ':' << d.depth;
    for (TypeId type : f.result_types) out << " t" << type.index;
    for (NodeId node : f.results) out << " r" << node.index;
    out << ' ' << f.entry.index << ' ' << f.exit.index;
    for (std::uint32_t i = 0; i < g.size(); ++i) {
        const Node& node = g[NodeId{i}];
        out << "\n"
            << i << ": " << node.op.index << ' ' << node.type.index << ' ' << node.attrs.index << ' '
            << node.token.index << ' ' << unsigned{node.flags} << ' ' << g.name({i}).index << ' '
            << g.origin({i}).place;
        for (NodeId operand : g.operands({i})) out << " %" << operand.index;
        out << " {" << g.blocks({i}).size() << '}';
    }
    return out.str() + '\n';
}

std::string dump(const Context& context, const Module& module) {
    std::string out;
    for (const Function& function : module.functions) out += dump(context, function);
    return out;
}

struct Compared {
    std::size_t straight = 0; // bodies read that way
    bool ok = false;
};

// Reads the text both ways and checks that it makes no difference.
Compared compare(Context& context, const std::string& text) {
    Compared compared;
    Module modules[2];
    Diagnostics diagnostics[2];
    bool ok[2];
    const SourceId source = context.sources.add("text.ir", text);
    const auto is_label = [&](std::string_view word) {
        const auto symbol = context.symbols.find(word);
        return symbol && context.operations.is_label(*symbol);
    };
    for (int way : {0, 1}) {
        context.impure_functions.clear();
        grammar::StraightFunctions straight;
        grammar::StraightBodies bodies(context, source, straight);
        const grammar::ReadBody none, read = std::ref(bodies);
        const auto tree = grammar::parse_ir(context.sources, source, is_label, diagnostics[way], way ? read : none);
        ok[way] = grammar::elaborate(context, tree, straight, modules[way], diagnostics[way]) &&
                  !diagnostics[way].has_errors();
        compared.straight = straight.functions.size();
    }
    INFO(text);
    CHECK(ok[0] == ok[1]);
    CHECK(messages(context, diagnostics[0]) == messages(context, diagnostics[1]));
    if (ok[0] && ok[1]) CHECK(dump(context, modules[0]) == dump(context, modules[1]));
    compared.ok = ok[1];
    return compared;
}

struct WithCore {
    Context context;
    WithCore() {
        Diagnostics diagnostics;
        REQUIRE(grammar::load_core(context, rules_folder() / "core.rules", diagnostics));
    }
};

std::string function(const std::string& body) {
    return "func @f(%a: i64, %b: i64, %x: f64, %y: f32, %c: bool, %xs: [n]f64, %k: u8) -> i64, f64 {\n" + body +
           "\n}\n";
}

// Random lines; one in a hundred is wrong in some way, or not a straight line.
class Lines {
  public:
    explicit Lines(unsigned seed) : random_(seed) {}

    std::string body() {
        std::string text;
        for (std::size_t n = pick(12); n-- > 0;) {
            const std::string type = pick_of({"i64", "f64", "bool", "f32", "u8"});
            std::string name = "%v" + std::to_string(pick(100) == 0 ? pick(5) : next_++);
            text += "  " + name + " = " + expression(type, 2) + pick_of({"\n", "\n", " // note\n", " ; ", "\n\n\t"});
            (type == "i64"   ? i64_
             : type == "f64" ? f64_
             : type == "f32" ? f32_
             : type == "u8"  ? u8_
                             : bool_)
                .push_back(name);
        }
        return text + "  return " + expression("i64", 1) + ", " + expression("f64", 1);
    }

  private:
    std::size_t pick(std::size_t n) { return random_() % n; }
    std::string pick_of(const std::vector<std::string>& list) { return list[pick(list.size())]; }

    std::string expression(const std::string& type, int depth) {
        if (pick(150) == 0)
            return pick_of({"%unknown", "nonsense(1)", "add(1)", "%xs.0", "9999999999999999999", "2.5.5",
                            "if(%c) { 1 } else { 2 }", "(1, 2)", "%a + %b", "-%a", "inf", "[1.0]", "cast(%a)",
                            "add(%a, %x)", "@f(1)", "\"text\"", "len(%xs, )"});
        const auto sub = [&](const std::string& t) { return expression(t, depth - 1); };
        const std::size_t what = depth ? pick(8) : pick(3);
        if (what < 2)
            return pick_of(type == "i64"   ? i64_
                           : type == "f64" ? f64_
                           : type == "f32" ? f32_
                           : type == "u8"  ? u8_
                                           : bool_);
        if (what == 2) {
            if (type == "bool") return pick_of({"true", "false"});
            if (type == "i64")
                return pick_of(
                    {"1", "0", "-7", "0xff", "1_000", "3i64", "12345678901", "12", "007", "255", "256", "300"});
            if (type == "u8") return pick_of({"1u8", "255u8"});
            return pick_of({"0", "2.5", "-1.0", "1e-9", "4"}) + (type == "f32" ? "f32" : pick(2) ? "f64" : "");
        }
        if (type == "bool") {
            const std::string of = pick_of({"i64", "f64", "u8", "bool"});
            if (of == "bool") return pick_of({"and", "or", "xor"}) + "(" + sub("bool") + ", " + sub("bool") + ")";
            return pick_of({"lt", "eq", "ge"}) + "(" + sub(of) + "," + sub(of) + ")";
        }
        if (type == "f64" && pick(3) == 0) return "at(%xs, " + sub("i64") + ")";
        if (type == "i64" && pick(5) == 0) return "len( %xs )";
        if (pick(4) == 0) return "select(" + sub("bool") + ", " + sub(type) + ", " + sub(type) + ")";
        if (pick(4) == 0) return "cast[" + type + "](" + sub(pick_of({"i64", "f64", "bool", "u8"})) + ")";
        return pick_of({"add", "sub", "mul", "min", "div", "max"}) + "(" + sub(type) + ", " + sub(type) + ")";
    }

    std::mt19937 random_;
    std::size_t next_ = 0;
    std::vector<std::string> i64_{"%a", "%b", "%n"}, f64_{"%x"}, f32_{"%y"}, bool_{"%c"}, u8_{"%k"};
};

} // namespace

TEST_CASE("straight lines, both ways", "[straight]") {
    WithCore core;
    const auto straight = [&](const std::string& body) { return compare(core.context, function(body)); };
    for (const char* body :
         {"return %a, %x", "%v = add(%a, 1) return %v, 2.5", "%v = add(1, 2)\n%w = mul(%v, %v) return %w, 1",
          "%v = add(2, 2.5) return 1, %v", "%v = add(2.5, 2) return 1, %v", "%v = fma(1, 2.0, 3) return 1, %v",
          "%v = %a\n%w = add(%v, %a) return %w, %x", "%v = add(add(%a, 1), mul(2, %b)) return %v, at(%xs, %v)",
          "// c\n%v = cast[f64](%a);; %w = mul(%v, 0x10) return len(%xs), %w // end",
          "%v = iota(3)\nreturn len(%v), %x", "%v = iota(%n)\n%w = cast[f32](2)\nreturn at(%v, 0), %x",
          "%0 = add(%a, %b)\n%1 = add(%0, 1) return %1, %x", "%v = slice(%xs, 0, 2) return len(%v), at(%v, 1)",
          "%v = eq(1, 2)\n%w = select(%v, 1, 2) return %w, 0", "%v = add(%k, 255) return cast[i64](%v), -1.0",
          "%v = sub(%b, %a)\n%w = sub(%b, %a) return add(%v, %w), %x", "%v = replicate(%a, true) return len(%v), %x",
          "%v = concat(%xs, %xs) return len(%v), %x", "%s = and(%a, 7i64) return shl(%a, %s), nan"}) {
        CAPTURE(body);
        const Compared compared = straight(body);
        CHECK(compared.ok);
        CHECK(compared.straight == (std::string_view(body).ends_with("nan") ? 0 : 1));
    }
    for (const char* body : {// read as any other, whether right or wrong
                             "%v = add(%a, %w)\n%w = add(%a, 1) return %v, %x",
                             "%v = if(%c) { 1 } else { 2 } return %v, %x",
                             "%v: i64 = 1 return %v, %x",
                             "%v = %a + 1 return %v, %x",
                             "%v = (1, 2)\nreturn %v.0, %x",
                             "%v = add(%a, 2.5) return %v, %x",
                             "%v = add(%a) return %v, %x",
                             "%v = %a\n%v = %b return %v, %x",
                             "%a = add(1, 2) return %a, %x",
                             "%n = 1 return %n, %x",
                             "return %a",
                             "return %a, %x, %x",
                             "return %x, %a",
                             "%v = add(%a, 1)",
                             "%v = ad(%a, 1) return %v, %x",
                             "%v = add(%a, 1,) return %v, %x",
                             "%v == %a return %a, %x",
                             "%v = add(%a 1) return %a, %x",
                             "%v = cast(%a) return %a, %v",
                             "%v = cast[i64, i64](%a) return %v, %x",
                             "%v = 99999999999999999999 return %v, %x",
                             "%v = 1a return %v, %x",
                             "print(%a) return %a, %x",
                             "%v = add(%a, 1) return %v, %x; %w = 1",
                             "%v = @f(%a) return %v, %x",
                             "%v = ref(%a) return get(%v), %x",
                             "%v, %w = split(1, %xs) return 1, at(%v, 0)",
                             "return add(1, 2), add(1, 2)",
                             "%v = add(%a, add(1, 2)) return %v, %x"}) {
        CAPTURE(body);
        CHECK(straight(body).straight == 0);
    }
}

// Names are told apart however they end, and found where a number is larger than those before.
TEST_CASE("names with numbers, both ways", "[straight]") {
    WithCore core;
    const auto read = [&](const std::string& params, const std::string& body) {
        CAPTURE(params, body);
        return compare(core.context, "func @f(" + params + ") -> i64 {\n" + body +
                                         "\n}\nfunc @g(%v1: i64) -> i64 { %v2 = add(%v1, 3) return %v2 }\n");
    };
    for (const char* body :
         {"%v1 = add(%a, 1)\n%v01 = add(%a, 2)\n%v001 = add(%a, 3)\n%v = mul(%v1, %v01)\n%w = mul(%v, %v001) return %w",
          "%0 = add(%a, 1)\n%1 = add(%0, 2)\n%00 = add(%1, 3)\n%10 = add(%00, %0) return mul(%10, %1)",
          "%v99999999 = add(%a, 1)\n%v3 = add(%v99999999, 2)\n%v4 = add(%v3, %v99999999) return %v4",
          "%v4294967297 = add(%a, 1)\n%v1 = add(%a, 2) return sub(%v4294967297, %v1)",
          "%value12345678 = add(%a, 1)\n%value12345679 = add(%a, 2) return sub(%value12345678, %value12345679)",
          "%a1b2 = add(%a, 1)\n%a1b3 = add(%a, 2)\n%a1b23 = sub(%a1b2, %a1b3) return %a1b23",
          "%a0 = add(%a, 1)\n%b0 = add(%a, 2)\n%c0 = add(%a, 3)\n%d0 = add(%a, 4)\n%e0 = add(%a0, %b0)\n%f0 = add(%c0, "
          "%d0)\n"
          "%g0 = add(%e0, 5)\n%h0 = add(%f0, 6)\n%i0 = add(%g0, %h0)\n%j0 = add(%i0, %a0) return %j0"}) {
        const Compared compared = read("%a: i64", body);
        CHECK(compared.ok);
        CHECK(compared.straight == 2);
    }
    CHECK(read("%v1: i64, %v2: i64", "%v3 = add(%v1, %v2)\n%v4 = sub(%v3, %v1) return %v4").straight == 2);
    for (const char* body : {"%v1 = add(1, 2) return %v1", "%v2 = add(%v1, 2)\n%v2 = add(%v1, 3) return %v2",
                             "%v3 = add(%v2, 1) return %v3", "%w = add(%v1, 1)\n%w7 = add(%v1, %w7) return %w",
                             "%v99999999 = add(%v1, 1)\n%v99999999 = add(%v1, 2) return %v1",
                             "%v9 = add(%v1, 1)\n%v8 = add(%v9, 1)\n%v9 = add(%v8, 1) return %v9"}) {
        const Compared compared = read("%v1: i64", body);
        CHECK(!compared.ok);
        CHECK(compared.straight == 1);
    }
    std::string far; // numbers that the array reaches only later
    for (int n = 0; n < 3000; ++n)
        far += "%v" + std::to_string(n % 2 ? n : 6000 - n) + " = add(%a, " + std::to_string(n) + ")\n";
    CHECK(read("%a: i64", far + "return add(%v1, %v6000)").straight == 2);
    CHECK(!read("%a: i64", far + "%v5998 = add(%a, 1) return %v1").ok);
}

TEST_CASE("random lines, both ways", "[straight]") {
    WithCore core;
    std::size_t straight = 0, right = 0;
    for (unsigned seed = 0; seed < 3000; ++seed) {
        CAPTURE(seed);
        const Compared compared = compare(core.context, function(Lines(seed).body()));
        straight += compared.straight;
        right += compared.ok;
    }
    CHECK(right > 1000);
    CHECK(3000 - right > 100);
    CHECK(straight * 2 > right);
}

TEST_CASE("the golden files, both ways", "[straight]") {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/golden"))
        if (entry.path().extension() == ".ir") files.push_back(entry.path());
    std::ranges::sort(files);
    REQUIRE(files.size() > 50);
    for (const auto& file : files) {
        CAPTURE(file.string());
        WithCore core;
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        compare(core.context, text.str());
    }
}

TEST_CASE("a struct of the text may have the name of an opaque type", "[straight]") {
    WithCore core;
    core.context.opaque_types[core.context.symbols.add("Vec")] = true;
    const std::string used = "func @f(%v: Vec) -> Vec { return %v }\n";
    CHECK(compare(core.context, used).straight == 1);
    CHECK(compare(core.context, used + "struct Vec { x: f64 }\n").straight == 0);
}

// Large enough for parts of it to go back to the system.
std::string large(const std::string& end) {
    std::string lines;
    for (int i = 0; lines.size() < (std::size_t{9} << 20); ++i)
        lines += "  %v" + std::to_string(i) + " = add(" + (i ? "%v" + std::to_string(i - 1) : "%a") + ", %b)\n";
    return function(lines + end);
}

TEST_CASE("a large text is forgotten while it is read, and recalled where it is looked at", "[straight]") {
    struct Case {
        std::string end;
        bool good, recalled;
    };
    for (const auto& [end, good, recalled] :
         {Case{"  return %v9, %x", true, false}, Case{"  return if(%c) { 1 } else { 2 }, %x", true, true},
          Case{"  return %v9, %v9", false, true}}) {
        const std::string text = large(end);
        WithCore plain, forgetful;
        Module modules[2];
        Diagnostics diagnostics[2];
        CHECK(grammar::read_module(plain.context, "text.ir", text, modules[0], diagnostics[0]) == good);

        Sources& sources = forgetful.context.sources;
        const SourceId source = sources.add("text.ir", text);
        int reads = 0;
        sources.may_forget(source, [&] {
            ++reads;
            return SourceText(text);
        });
        CHECK(grammar::read_module(forgetful.context, source, modules[1], diagnostics[1]) == good);
        CHECK(reads == recalled);
#ifdef __linux__
        CHECK((sources[source].text[text.size() / 2] == 0) == !recalled);
#endif
        sources.recall(source);
        CHECK(std::string_view(sources[source].text) == text);
        CHECK_FALSE(sources.is_lost(source));
        CHECK(messages(plain.context, diagnostics[0]) == messages(forgetful.context, diagnostics[1]));
        if (good) CHECK(dump(plain.context, modules[0]) == dump(forgetful.context, modules[1]));
    }
}

TEST_CASE("a text that is another one by the time it is recalled is lost", "[straight]") {
    WithCore core;
    const SourceId source = core.context.sources.add("text.ir", large("  return if(%c) { 1 } else { 2 }, %x"));
    core.context.sources.may_forget(source, [] { return std::nullopt; });
    Module module;
    Diagnostics diagnostics;
    CHECK_FALSE(grammar::read_module(core.context, source, module, diagnostics));
    CHECK(core.context.sources.is_lost(source));
}

} // namespace irrewrite::straight_tests
