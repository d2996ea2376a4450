#include "tests/random/strategy_trees.hpp"

#include <algorithm>
#include <stdexcept>

namespace irrewrite {

Decisions random_choices(std::mt19937& random) {
    Decisions out(120);
    for (auto& choice : out) choice = static_cast<std::uint8_t>(random());
    return out;
}

// -- trees

std::string text(const Tree& tree) {
    std::string out = tree.op + "(";
    for (std::size_t i = 0; i < tree.parts.size(); ++i) out += (i ? ", " : "") + text(tree.parts[i]);
    return out + ")";
}

namespace {
Tree random_tree(Chooser& choose, unsigned depth, unsigned& leaves, bool sharing) {
    unsigned kind = depth == 0 ? 0 : choose.below(7);
    if (kind == 0) return {"leaf[" + std::to_string(sharing ? choose.below(3) : leaves++) + "]", {}};
    if (kind < 5) return {"f", {random_tree(choose, depth - 1, leaves, sharing)}};
    Tree first = random_tree(choose, depth - 1, leaves, sharing);
    return {"g", {std::move(first), random_tree(choose, depth - 1, leaves, sharing)}};
}

} // namespace

Tree random_tree(Chooser& choose, bool sharing) {
    unsigned leaves = 0;
    return random_tree(choose, 5, leaves, sharing);
}

Tree tree_of(const Graph& graph, NodeId node) {
    Tree out{std::string(graph.context().symbols[graph.operation(node).name]), {}};
    for (const AttrValue& value : graph.attrs(node)) out.op += "[" + std::to_string(value.bits) + "]";
    for (NodeId operand : graph.operands(node)) out.parts.push_back(tree_of(graph, operand));
    return out;
}

// -- strategies

std::string text(const Spec& s) {
    if (s.name == ";" || s.name == "<+") return "(" + text(s.parts[0]) + " " + s.name + " " + text(s.parts[1]) + ")";
    if (s.name == "<") return "(" + text(s.parts[0]) + " < " + text(s.parts[1]) + " + " + text(s.parts[2]) + ")";
    std::string out = s.name;
    const char* open = out.starts_with("child") ? ", " : "(";
    for (std::size_t i = 0; i < s.parts.size(); ++i) out += (i ? ", " : open) + text(s.parts[i]);
    return s.parts.empty() ? out : out + ")";
}

const char* const tree_rules = "type T\n"
                               "op leaf[n: i64]() -> T  pure total\n"
                               "op done[n: i64]() -> T  pure total\n"
                               "op f(T) -> T            pure total\n"
                               "op k(T) -> T            pure total\n"
                               "op m(T) -> T            pure total\n"
                               "op g(T, T) -> T         pure total\n"
                               "op h(T, T) -> T         pure total\n"
                               "op w(T) -> T            pure total\n"
                               "op yes(T) -> T          pure total\n"
                               "phase late\n"
                               "rules fk { fk: f(?x) => k(?x) }\n"
                               "rules km { km: k(?x) => m(?x) }\n"
                               "rules ff { ff: f(f(?x)) => k(?x) }\n"
                               "rules gh { gh: g(?x, ?y) => h(?y, ?x) }\n"
                               "rules yes { yes: w(?x) => yes(?x) }\n"
                               "rules ld { ld: leaf[#n]() => done[#n]() }\n";

namespace {

using Result = std::optional<Tree>;

constexpr std::string_view rule_names[] = {"fk", "gh", "ld", "km", "ff"};

Result apply_rule(const std::string& rule, Tree t) {
    if (rule == "fk" && t.op == "f") return Tree{"k", t.parts};
    if (rule == "km" && t.op == "k") return Tree{"m", t.parts};
    if (rule == "ff" && t.op == "f" && t.parts[0].op == "f") return Tree{"k", t.parts[0].parts};
    if (rule == "gh" && t.op == "g") return Tree{"h", {t.parts[1], t.parts[0]}};
    if (rule == "ld" && t.op.starts_with("leaf")) return Tree{"done" + t.op.substr(4), {}};
    return std::nullopt;
}

Result run(const Spec& s, const Tree& t);

Result parts_of(const Spec& s, const Tree& t) {
    Tree out = t;
    bool any = false;
    for (Tree& part : out.parts) {
        Result made = s.name == "one" && any ? std::nullopt : run(s.parts[0], part);
        if (!made && s.name == "all") return std::nullopt;
        any = any || made;
        if (made) part = *made;
    }
    return any || s.name == "all" ? Result(out) : std::nullopt;
}

// g(s, t), f(s), child(0, s).
Result congruent(const Spec& s, const Tree& t) {
    Tree out = t;
    if (s.name != "child(0" && (s.name != t.op || s.parts.size() != t.parts.size())) return std::nullopt;
    if (t.parts.empty()) return std::nullopt;
    for (std::size_t i = 0; i < s.parts.size(); ++i) {
        Result made = run(s.parts[i], t.parts[i]);
        if (!made) return std::nullopt;
        out.parts[i] = *made;
    }
    return out;
}

Result primitive(const Spec& s, const Tree& t) {
    const std::string& n = s.name;
    auto on = [&](std::size_t i, const Tree& tree) { return run(s.parts[i], tree); };
    if (n == "id") return t;
    if (n == "fail") return std::nullopt;
    if (n == "not") return on(0, t) ? std::nullopt : Result(t);
    if (n == "test" || n == "where") return on(0, t) ? Result(t) : std::nullopt;
    if (n == "all" || n == "one" || n == "some") return parts_of(s, t);
    if (n == "child(0" || n == "f" || n == "g" || n == "h" || n == "k") return congruent(s, t);
    if (n != ";" && n != "<+" && n != "<") return apply_rule(n, t);
    Result first = on(0, t);
    if (n == "<") return first ? on(1, *first) : on(2, t);
    if (n == "<+") return first ? first : on(1, t);
    return first ? on(1, *first) : std::nullopt;
}

Spec call(std::string name, std::vector<Spec> parts) { return {std::move(name), std::move(parts)}; }
Spec seq(Spec a, Spec b) { return call(";", {std::move(a), std::move(b)}); }
Spec alt(Spec a, Spec b) { return call("<+", {std::move(a), std::move(b)}); }
Spec attempt(Spec a) { return alt(std::move(a), {"id", {}}); }
Spec all(Spec a) { return call("all", {std::move(a)}); }
Spec one(Spec a) { return call("one", {std::move(a)}); }
Spec some(Spec a) { return call("some", {std::move(a)}); }

// What each of the others is, `x` being itself: as Stratego and Kiama have it.
std::optional<Spec> equation(const Spec& x) {
    const Spec fail{"fail", {}}, id{"id", {}}, s = x.parts.empty() ? id : x.parts[0];
    const Spec t = x.parts.size() > 1 ? x.parts[1] : s;
    const std::string& n = x.name;
    if (n == "try" || n == "attempt") return attempt(s);
    if (n == "repeat") return alt(seq(s, x), x.parts.size() == 2 ? t : id);
    if (n == "repeat1") return seq(s, call("repeat", {s}));
    if (n == "while") return call("<", {call("where", {s}), seq(t, x), id});
    if (n == "for") return seq(s, call("until", {t, x.parts[2]}));
    if (n == "until") return call("<", {call("where", {s}), id, seq(t, x)});
    if (n == "restore") return alt(s, seq(t, fail));
    if (n == "lastly") return call("<", {s, call("where", {t}), seq(call("where", {t}), fail)});
    if (n == "topdown") return seq(s, all(x));
    if (n == "bottomup") return seq(all(x), s);
    if (n == "downup") return seq(s, seq(all(x), t));
    if (n == "everywhere" || n == "everywheretd") return seq(attempt(s), all(x));
    if (n == "everywherebu") return seq(all(x), attempt(s));
    if (n == "breadthfirst") return seq(all(s), all(x));
    if (n == "leaves") return alt(seq(x.parts.size() == 2 ? t : all(fail), s), all(x));
    if (n == "oncetd") return alt(s, one(x));
    if (n == "oncebu") return alt(one(x), s);
    if (n == "sometd") return alt(s, some(x));
    if (n == "somebu") return alt(some(x), s);
    if (n == "alltd") return alt(s, all(x));
    if (n == "manytd") return alt(seq(s, all(attempt(x))), some(x));
    if (n == "manybu") return alt(seq(some(x), attempt(s)), s);
    if (n == "memo") return s;
    if (n == "outermost") return call("repeat", {call("oncetd", {s})});
    if (n == "innermost") return seq(all(x), attempt(seq(s, x)));
    return std::nullopt;
}

Result run(const Spec& s, const Tree& t) {
    const std::optional<Spec> meaning = equation(s);
    return meaning ? run(*meaning, t) : primitive(s, t);
}

// Every success changes something, so that repeating ends: every rule uses up a leaf, an f, a g or
// a k.
Spec progress(Chooser& choose) {
    Spec rule{std::string(rule_names[choose.below(std::size(rule_names))]), {}};
    return choose.below(2) == 1 ? call("<+", {rule, progress(choose)}) : rule;
}

constexpr Combinator all_combinators[] = {{";", "ss"},           {"<+", "ss"},          {"<", "sss"},
                                          {"not", "s"},          {"test", "s"},         {"where", "s"},
                                          {"memo", "s"},         {"all", "s"},          {"one", "s"},
                                          {"some", "s"},         {"child(0", "s"},      {"f", "s"},
                                          {"g", "ss"},           {"h", "ss"},           {"k", "s"},
                                          {"try", "s"},          {"attempt", "s"},      {"restore", "ss"},
                                          {"lastly", "ss"},      {"repeat", "p"},       {"repeat", "ps"},
                                          {"repeat1", "p"},      {"while", "sp"},       {"for", "ssp"},
                                          {"topdown", "s"},      {"bottomup", "s"},     {"downup", "s"},
                                          {"downup", "ss"},      {"everywhere", "s"},   {"everywheretd", "s"},
                                          {"everywherebu", "s"}, {"breadthfirst", "s"}, {"leaves", "s"},
                                          {"leaves", "ss"},      {"oncetd", "s"},       {"oncebu", "s"},
                                          {"sometd", "s"},       {"somebu", "s"},       {"alltd", "s"},
                                          {"manytd", "s"},       {"manybu", "s"},       {"innermost", "p"},
                                          {"outermost", "p"}};

} // namespace

std::span<const Combinator> combinators() { return all_combinators; }

Tree on_tree(const Spec& s, const Tree& t) {
    Result made = run(s, t);
    return made ? Tree{"yes", {*made}} : Tree{"w", {t}};
}

Spec random_call(const Combinator& combinator, Chooser& choose, unsigned depth) {
    Spec out{combinator.name, {}};
    for (const char* kind = combinator.takes; *kind; ++kind)
        out.parts.push_back(*kind == 'p' ? progress(choose) : random_strategy(choose, depth - 1));
    return out;
}

Spec random_strategy(Chooser& choose, unsigned depth) {
    static const char* const simple[] = {"fk", "ff", "gh", "ld", "km", "ff", "id", "fail"};
    if (depth == 0 || choose.below(5) == 0) {
        Spec rule{simple[choose.below(std::size(simple))], {}};
        return choose.below(2) ? call("try", {rule}) : rule;
    }
    return random_call(all_combinators[choose.below(std::size(all_combinators))], choose, depth);
}

} // namespace irrewrite
