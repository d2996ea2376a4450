// The rules of a set compiled together against the plain matcher, one rule after the other: the same
// rules, the same bindings, in the same order, on random rule sets and random terms.
#include "engine/ir/builder.hpp"
#include "engine/ir/scalars.hpp"
#include "engine/match/matcher.hpp"
#include "engine/match/rule_index.hpp"
#include "grammar/rules/load_rules.hpp"
#include "tests/unit/support.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

namespace irrewrite::match_tests {

namespace {

// What a list of numbers decides; behind its end everything is the first possibility.
class Choices {
  public:
    explicit Choices(std::vector<std::uint8_t> list) : list_(std::move(list)) {}
    std::size_t below(std::size_t n) { return next_ < list_.size() ? list_[next_++] % n : 0; }
    bool once_in(std::size_t n) { return below(n) == n - 1; }
    template <class T> const T& of(const std::vector<T>& from) { return from[below(from.size())]; }

  private:
    std::vector<std::uint8_t> list_;
    std::size_t next_ = 0;
};

constexpr const char* operations = R"(
type Mat
op mat.mul(Mat, Mat) -> Mat     pure infix "*"
op pair(?T, ?T) -> ?T           pure
op mate(?T, ?T) -> ?T           pure commutative
op one(?T) -> ?T                pure
op many(?T, ?T...) -> ?T        pure
op tag[k: i64](?T) -> ?T        pure
op body(?T) {?T -> ?T} -> ?T    pure
op of(?T) -> bool               pure
)";

// -- rules ------------------------------------------------------------------------------------------

// A rule whose left side is random. Its right side is of the root's type whatever that is.
class RuleText {
  public:
    RuleText(Choices& choices, std::size_t number) : choices_(choices), number_(number) {}

    std::string text() {
        std::string left = application(choices_.below(3));
        return "  r" + std::to_string(number_) + ": of(" + left + ") => true\n";
    }
    // The same at the root: `?root` keeps the type.
    std::string rooted() {
        std::string left = application(1 + choices_.below(3));
        return "  r" + std::to_string(number_) + ": (?root = " + left + ") => one(one(one(one(?root))))\n";
    }

  private:
    std::string term(std::size_t depth) {
        if (depth == 0 || choices_.once_in(3)) return leaf();
        return application(depth);
    }
    std::string leaf() {
        switch (choices_.below(12)) {
        case 0: return "?x";
        case 1: return "?y";
        case 9: return "?z";
        case 10:
        case 11: return "?w" + std::to_string(names_++);
        case 2: return "_";
        case 3: return "#k";
        case 4: return "0";
        case 5: return "1";
        case 6: return "?x: int";
        case 7: return "?y: f64";
        default: return "#l: int";
        }
    }
    std::string application(std::size_t depth) {
        std::size_t below = depth ? depth - 1 : 0;
        auto part = [&] { return term(below); };
        switch (choices_.below(12)) {
        case 0: return "pair(" + part() + ", " + part() + ")";
        case 1: return "mate(" + part() + ", " + part() + ")";
        case 2: return part() + " * " + part();
        case 3: return "add(" + part() + ", " + part() + ")";
        case 4: return "one(" + part() + ")";
        case 5: return "many(" + part() + ", " + part() + ")";
        case 6: return "many(" + part() + ", ?rest" + std::to_string(names_++) + "...)";
        case 7: return choices_.once_in(2) ? "tag[k = 1](" + part() + ")" : "tag[k = #a](" + part() + ")";
        case 8: return "body(" + part() + ") { |%i| ?f" + std::to_string(names_++) + "(%i) }";
        case 9: return "(?m = " + application(below) + ")";
        case 10: return "mate(mate(" + leaf() + ", " + leaf() + "), mate(" + leaf() + ", " + leaf() + "))";
        default: return "neg(" + part() + ")";
        }
    }

    Choices& choices_;
    std::size_t number_, names_ = 0;
};

struct Rules {
    Context context;
    Diagnostics diagnostics;
    grammar::RuleProgram program;

    bool load(const std::string& text) {
        if (!grammar::load_core(context, rules_folder() / "core.rules", diagnostics)) return false;
        grammar::Loading loading(context, program.base, program.functions, diagnostics);
        SourceId source = context.sources.add("random.rules", text);
        return grammar::load_rule_file(loading, source, "random") && grammar::resolve_phases(loading);
    }
};

// Rules that are refused (a variable of two types) are left out.
std::string rule_set(Choices& choices, std::size_t count) {
    std::string out = operations;
    out += "rules random {\n";
    for (std::size_t i = 0; i < count; ++i) {
        RuleText rule(choices, i);
        std::string line = choices.once_in(4) ? rule.text() : rule.rooted();
        if (Rules alone; alone.load(std::string(operations) + "rules random {\n" + line + "}\n")) out += line;
    }
    return out + "}\n";
}

// -- terms ------------------------------------------------------------------------------------------

class Terms {
  public:
    Terms(Context& context, Graph& graph, Choices& choices) : context_(context), graph_(graph), choices_(choices) {
        Types& types = context.types;
        for (TypeId type : {types.i64(), types.f64(), types.scalar(TypeKind::I32)}) {
            TypeKind kind = types.kind(type);
            for (const char* digits : {"0", "1", "2"}) all.push_back(graph.literal(type, *parse_scalar(kind, digits)));
            all.push_back(graph.param(number::function, static_cast<std::uint32_t>(all.size()), type));
        }
        all.push_back(graph.literal(types.f64(), from_double(TypeKind::F64, -0.0)));
        all.push_back(graph.text("text"));
    }

    // Not folded and not ordered: what stands in the graph need not be what its constructor makes.
    void grow(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) add();
    }

    std::vector<NodeId> all;

  private:
    void add() {
        static const std::vector<std::string> names = {"pair", "mate", "mul", "add",     "one",  "many", "many", "tag",
                                                       "body", "neg",  "of",  "mat.mul", "mate", "mul",  "mate"};
        const std::string& name = choices_.of(names);
        OpId op = context_.operations.find(context_.symbols.add(name))[0];
        const Signature& signature = context_.operations[op].signature;
        std::size_t count = name == "many" ? 1 + choices_.below(3) : signature.operands.size();
        std::vector<NodeId> operands;
        for (std::size_t k = 0; k < count; ++k) // near ones, so that terms grow deep
            operands.push_back(choices_.once_in(3)
                                   ? choices_.of(all)
                                   : all[all.size() - 1 - choices_.below(std::min<std::size_t>(6, all.size()))]);
        TypeId type = name == "of" ? context_.types.boolean() : graph_.type(operands[0]);
        std::vector<BlockId> blocks;
        if (name == "body") blocks.push_back(block(type));
        AttrId attrs = Attributes::none();
        if (name == "tag") {
            AttrValue k{.kind = AttrValue::Kind::Number, .type = context_.types.i64(), .bits = choices_.below(3)};
            attrs = context_.attributes.add({&k, 1});
        }
        all.push_back(graph_.intern({.op = op, .attrs = attrs, .operands = operands, .blocks = blocks, .type = type}));
    }
    BlockId block(TypeId type) {
        Builder builder(graph_);
        Builder::Open open = builder.open({&type, 1});
        NodeId result = choices_.once_in(2) ? open.params[0] : choices_.of(all);
        return builder.close(open, {}, {&result, 1});
    }

    Context& context_;
    Graph& graph_;
    Choices& choices_;
};

// -- comparing --------------------------------------------------------------------------------------

struct Found {
    RuleId rule;
    std::vector<std::vector<NodeId>> items; // by variable
    bool operator==(const Found&) const = default;
};

Found found(RuleId rule, const Bindings& bindings) {
    Found out{rule, {}};
    for (const Binding& binding : bindings) out.items.push_back(binding.items);
    return out;
}

// All matches of one rule, in the order in which they would be tried.
void match_plainly(Graph& graph, const RuleBase& base, RuleId rule, NodeId node, std::vector<Found>& out) {
    Matcher matcher(graph, base[rule]);
    auto note = [&] {
        out.push_back(found(rule, matcher.bindings));
        return false;
    };
    matcher.root(0, node, note);
}

std::vector<Found> plainly(Graph& graph, const RuleBase& base, const std::vector<RuleId>& rules, NodeId node) {
    std::vector<Found> out;
    for (RuleId rule : rules) match_plainly(graph, base, rule, node, out);
    return out;
}

std::vector<Found> compiled(Graph& graph, const RuleBase& base, const RuleIndex& index, NodeId node,
                            std::size_t& whole) {
    std::vector<Found> out;
    index.any(graph, node, [&](const Row& row, std::span<const NodeId> registers) {
        if (!row.whole) {
            match_plainly(graph, base, row.rule, node, out);
            return false;
        }
        ++whole;
        Bindings bindings(base[row.rule].variables.size());
        for (std::size_t v = 0; v < bindings.size(); ++v)
            if (row.variables[v] != no_register) bindings[v] = bound_to(registers[row.variables[v]]);
        out.push_back(found(row.rule, bindings));
        return false;
    });
    return out;
}

struct Counts {
    std::size_t rules = 0, nodes = 0, matches = 0, whole = 0;
};

void compare(Choices& choices, std::size_t rule_count, std::size_t node_count, Counts& counts) {
    Rules rules;
    std::string text = rule_set(choices, rule_count);
    RC_LOG() << text;
    bool loaded = rules.load(text);
    RC_ASSERT(loaded);
    const RuleBase& base = rules.program.base;
    std::vector<RuleId> all;
    for (std::uint32_t i = 0; i < base.rules.size(); ++i) all.push_back(RuleId{i});
    RuleIndex index(rules.context, base, all);
    Graph graph(rules.context);
    Terms terms(rules.context, graph, choices);
    terms.grow(node_count);
    counts.rules += all.size();
    for (NodeId node : terms.all) {
        auto expected = plainly(graph, base, all, node), got = compiled(graph, base, index, node, counts.whole);
        RC_ASSERT(expected == got);
        ++counts.nodes, counts.matches += got.size();
    }
}

bool same_everywhere(std::size_t rules, std::size_t nodes, int times, Counts& counts) {
    auto property = [&] {
        auto list =
            *rc::gen::scale(8.0, rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>()));
        Choices choices(std::move(list));
        compare(choices, rules, nodes, counts);
    };
    rc::detail::TestMetadata metadata{"matching", "matching"};
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    if (!std::getenv("RC_PARAMS")) params.seed = 1, params.maxSuccess = times; // the same every time
    auto result = rc::detail::checkTestable(property, metadata, params);
    if (result.is<rc::detail::SuccessResult>()) return true;
    rc::detail::printResultMessage(result, std::cerr);
    std::cerr << std::endl;
    return false;
}

} // namespace

TEST_CASE("rules compiled together match as they do one by one", "[match]") {
    Counts counts;
    CHECK(same_everywhere(6, 60, 60, counts));
    CHECK(same_everywhere(30, 60, 20, counts));
    INFO(counts.rules << " rules, " << counts.nodes << " nodes, " << counts.matches << " matches, " << counts.whole
                      << " whole");
    // The comparison means something.
    CHECK(counts.rules > 300);
    CHECK(counts.matches > 1000);
    CHECK(counts.whole > 500);
}

TEST_CASE("more rules than a set of rows holds match in their order", "[match]") {
    // 600 rules of two orders each: several groups of rows. The last of them matches.
    Rules rules;
    std::string text = "rules many {\n";
    for (int i = 0; i < 600; ++i)
        text += "  r" + std::to_string(i) + ": add(mul(?x, " + std::to_string(i + 2) + "), ?y) => ?y\n";
    REQUIRE(rules.load(text + "  last: add(?a, mul(?b, ?c)) => ?a\n}\n"));
    const RuleBase& base = rules.program.base;
    std::vector<RuleId> all;
    for (std::uint32_t i = 0; i < base.rules.size(); ++i) all.push_back(RuleId{i});
    RuleIndex index(rules.context, base, all);
    Graph graph(rules.context);
    Types& types = rules.context.types;
    auto op = [&](const char* name) { return rules.context.operations.find(rules.context.symbols.add(name))[0]; };
    NodeId x = graph.param(number::function, 0, types.i64());
    for (std::uint64_t k : {0, 2, 300, 601, 602}) {
        std::vector<NodeId> product{x, graph.literal(types.i64(), k)};
        std::vector<NodeId> sum{x, graph.intern({.op = op("mul"), .operands = product, .type = types.i64()})};
        NodeId node = graph.intern({.op = op("add"), .operands = sum, .type = types.i64()});
        std::size_t whole = 0;
        auto got = compiled(graph, base, index, node, whole);
        CHECK(got == plainly(graph, base, all, node));
        CHECK(got.size() == (k >= 2 && k <= 601 ? 3u : 2u)); // `last` in two orders
    }
}

TEST_CASE("of several orders of operands, that of the last changes first", "[match]") {
    Rules rules;
    REQUIRE(rules.load("rules orders {\n  r: mul(add(?a, ?b), add(?c, ?d)) => ?a\n}\n"));
    const RuleBase& base = rules.program.base;
    RuleIndex index(rules.context, base, std::vector<RuleId>{RuleId{0}});
    Graph graph(rules.context);
    TypeId i64 = rules.context.types.i64();
    auto make = [&](const char* name, NodeId a, NodeId b) {
        std::vector<NodeId> operands{a, b};
        OpId op = rules.context.operations.find(rules.context.symbols.add(name))[0];
        return graph.intern({.op = op, .operands = operands, .type = i64});
    };
    std::vector<NodeId> p;
    for (std::uint32_t i = 0; i < 4; ++i) p.push_back(graph.param(number::function, i, i64));
    NodeId node = make("mul", make("add", p[0], p[1]), make("add", p[2], p[3]));
    std::size_t whole = 0;
    auto got = compiled(graph, base, index, node, whole);
    CHECK(whole == 8);
    CHECK(got == plainly(graph, base, {RuleId{0}}, node));
    std::vector<std::string> orders;
    for (const Found& match : got) {
        std::string order;
        for (const auto& items : match.items) order += static_cast<char>('a' + (items.at(0).index - p[0].index));
        orders.push_back(order);
    }
    CHECK(orders == std::vector<std::string>{"abcd", "abdc", "bacd", "badc", "cdab", "cdba", "dcab", "dcba"});
}

} // namespace irrewrite::match_tests
