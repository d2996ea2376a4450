#include "engine/driver/why_not.hpp"

#include "engine/driver/printed_names.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/term_text.hpp"
#include "engine/match/explain_mismatch.hpp"
#include "engine/match/rule_index.hpp"
#include "engine/rewrite/why_not_together.hpp"
#include "grammar/syntax/suggest.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace irrewrite {

std::string suggested_rule(const Context& context, const RuleBase& base, std::string_view name) {
    std::vector<std::string_view> names;
    const bool full = name.find('.') != std::string_view::npos;
    for (const Rule& rule : base.rules)
        if (rule.set) names.push_back(context.symbols[full ? rule.full_name : rule.name]);
    return grammar::suggestion(name, names);
}

namespace {

constexpr std::size_t most = 100; // places, or choices of places for several roots, in one answer

bool is_line(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

struct Place {
    Function* function = nullptr;
    NodeId node;
};
using Places = std::vector<Place>;

class WhyNot {
  public:
    WhyNot(const Pipeline& pipeline, Module& module, RewriteLog& log)
        : pipeline_(pipeline), context_(pipeline.context), base_(pipeline.rules.base), module_(module), log_(log) {}

    std::optional<std::string> answer();

  private:
    std::optional<std::string> about_rule(RuleId rule, std::span<const std::string> names);
    std::optional<std::string> about_place(const std::string& name);
    std::optional<std::string> about_roots(RuleId rule, std::span<const std::string> names);
    std::string everywhere(RuleId rule);
    std::string together(RuleId rule);
    Rewriter& rewriter_of(Function& function);
    std::string ended(Function& function, std::string why);
    std::string reasons(RuleId rule, const Places& places);
    std::string reason(RuleId rule, const Place& place);
    std::string reason(RuleId rule, Function& function, std::span<const NodeId> nodes);

    std::optional<Places> places_named(const std::string& name, const Rule* rule);
    Places functions_named(const std::string& name);
    std::optional<Places> functions_of(const Rule& rule, std::span<const std::string> names);
    Places places_in(const std::string& line);
    std::optional<Place> root_named(const std::string& name, const Rule& rule, std::size_t root,
                                    std::span<const NodeId> taken);
    Places places_that(const std::function<bool(const Place&)>& holds);
    bool can_be(const Place& place, const Rule& rule, std::size_t root) const;
    std::optional<RuleId> rule_named(std::string_view name) const;
    bool is_operation(const std::string& name) const;
    bool has_function(std::string_view name) const {
        return std::ranges::any_of(module_.functions,
                                   [&](const Function& function) { return context_.symbols[function.name] == name; });
    }

    std::string text(SymbolId symbol) const { return std::string(context_.symbols[symbol]); }
    std::string pattern(const Rule& rule, std::size_t root) const {
        return pattern_text(context_, rule, rule.left[root]);
    }
    std::string described(const Place& place) const;
    std::nullopt_t wrong(std::string what, std::string help = {}) {
        pipeline_.diagnostics.error({}, std::move(what), std::move(help));
        return std::nullopt;
    }

    const Pipeline& pipeline_;
    Context& context_;
    const RuleBase& base_;
    Module& module_;
    RewriteLog& log_;
    std::map<const Function*, Rewriter> rewriters_;
};

// -- places -------------------------------------------------------------------------------------------

// `matrices.ir:3:8: @f: %y = mat.scale(2.0, %b)`
std::string WhyNot::described(const Place& place) const {
    const Graph& graph = place.function->graph;
    const bool whole = is_whole_function(graph, place.node);
    const Span where = whole ? place.function->where : context_.sources.at(graph.origin(place.node).place);
    std::string out;
    if (where.source) {
        const Source& source = context_.sources[where.source];
        const auto at = line_column(source, where.begin);
        out = printable(source.name) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
    }
    if (whole) return out + term_text(graph, place.node);
    out += "@" + text(place.function->name) + ": ";
    if (const SymbolId name = graph.name(place.node)) out += "%" + text(name) + " = ";
    return out + term_text(graph, place.node);
}

bool WhyNot::can_be(const Place& place, const Rule& rule, std::size_t root) const {
    const bool whole = is_whole_function(place.function->graph, place.node);
    if (whole || rule.is_of_functions())
        return whole && rule.is_of_functions() && (!rule.of_function() || rule.of_function() == place.function->name);
    return can_be_root(rule, root, place.function->graph, place.node);
}

// Nodes of the result that are operations, function by function in the order of the program.
Places WhyNot::places_that(const std::function<bool(const Place&)>& holds) {
    Places places;
    for (Function& function : module_.functions) {
        if (function.external) continue;
        const Graph& graph = function.graph;
        std::vector<NodeId> nodes = reachable(graph, roots(function));
        std::ranges::stable_sort(nodes, {}, [&](NodeId node) { return graph.origin(node).place; });
        for (NodeId node : nodes)
            if (!graph.is_param(node) && !graph.is_literal(node) && holds({&function, node}))
                places.push_back({&function, node});
    }
    return places;
}

// `12`, or `@f:12`.
Places WhyNot::places_in(const std::string& line) {
    const QualifiedName qualified = qualified_name(line);
    const Span span = line_of_program(context_, module_, pipeline_.options.input, qualified.value);
    return places_that([&](const Place& place) {
        if (qualified.function && *qualified.function != context_.symbols[place.function->name]) return false;
        return stands_in(context_.sources.at(place.function->graph.origin(place.node).place), span);
    });
}

// Whole functions: `@f`, a line in which functions are declared, or an empty name, all of them.
Places WhyNot::functions_named(const std::string& name) {
    Places places;
    const bool lined = is_line(qualified_name(name).value);
    const Span span = lined ? line_of_program(context_, module_, pipeline_.options.input, name) : Span{};
    for (Function& function : module_.functions) {
        const bool is_meant = name.empty() || (lined && stands_in(function.where, span)) ||
                              (name[0] == '@' && context_.symbols[function.name] == name.substr(1));
        if (is_meant && !function.external)
            places.push_back({&function, whole_function(function, function.params, function.results, function.exit)});
    }
    return places;
}

bool WhyNot::is_operation(const std::string& name) const {
    const auto symbol = context_.symbols.find(name);
    return symbol && !context_.operations.find(*symbol).empty();
}

// A value, a line, or an operation. `rule`: of a line, only where it could stand.
std::optional<Places> WhyNot::places_named(const std::string& name, const Rule* rule) {
    if (is_line(qualified_name(name).value)) {
        const Places in_line = places_in(name);
        Places places;
        for (const Place& place : in_line)
            if (rule == nullptr || can_be(place, *rule, 0)) places.push_back(place);
        if (!places.empty()) return places;
        const std::string line(qualified_name(name).value);
        if (const auto function = qualified_name(name).function; function && !has_function(*function))
            return wrong("there is no function '@" + std::string(*function) + "' in the rewritten program");
        const std::string help = "'-explain " + line + "' shows what was rewritten there";
        if (in_line.empty()) return wrong("line " + line + " has no operation left in the result", help);
        std::string there;
        for (const Place& place : in_line)
            there += (there.empty() ? "" : ", ") + std::string("'") +
                     text(place.function->graph.operation(place.node).name) + "'";
        return wrong("line " + line + " has no operation left in the result that the rule could stand at, '" +
                         pattern(*rule, 0) + "', but " + there,
                     help);
    }
    if (!name.starts_with('%') && !name.starts_with('@') && is_operation(name)) {
        Places places = places_that([&](const Place& place) {
            return context_.symbols[place.function->graph.operation(place.node).name] == name;
        });
        if (places.empty()) return wrong("the rewritten program has no operation '" + name + "'");
        return places;
    }
    const auto value = value_named(pipeline_, module_, name);
    if (!value) return std::nullopt;
    return Places{{value->function, value->node}};
}

// A value; or of a line a node that is an operation of the root and is not taken yet.
std::optional<Place> WhyNot::root_named(const std::string& name, const Rule& rule, std::size_t root,
                                        std::span<const NodeId> taken) {
    if (!is_line(qualified_name(name).value)) {
        const auto value = value_named(pipeline_, module_, name);
        return value ? std::optional(Place{value->function, value->node}) : std::nullopt;
    }
    for (const Place& place : places_in(name))
        if (can_be(place, rule, root) && std::ranges::find(taken, place.node) == taken.end()) return place;
    return wrong("line " + std::string(qualified_name(name).value) + " has no node left in the result that root " +
                 std::to_string(root + 1) + " of the rule could be: " + pattern(rule, root));
}

// -- reasons ------------------------------------------------------------------------------------------

Rewriter& WhyNot::rewriter_of(Function& function) {
    RewriteOptions options; // of strategies that conditions and right sides run
    options.graph_fuel = default_graph_fuel;
    return rewriters_.try_emplace(&function, context_, base_, function, options, log_).first->second;
}

// The answer, unless a strategy ran out of fuel before.
std::string WhyNot::ended(Function& function, std::string why) {
    if (log_.error.empty()) return why;
    rewriters_.erase(&function);
    return std::exchange(log_.error, {});
}

std::string WhyNot::reason(RuleId rule, const Place& place) {
    std::string why = why_not(base_, *place.function, rule, place.node, rewriter_of(*place.function).surroundings());
    return ended(*place.function, std::move(why));
}

// Of several roots, at a node for each.
std::string WhyNot::reason(RuleId id, Function& function, std::span<const NodeId> nodes) {
    const std::string why = ended(function, why_not_together(rewriter_of(function), id, nodes));
    return why.empty() ? "the rule applies" : why;
}

std::string WhyNot::reasons(RuleId rule, const Places& places) {
    std::string out = text(base_[rule].full_name) + ":\n";
    for (std::size_t i = 0; i < std::min(places.size(), most); ++i)
        out += "  " + described(places[i]) + "\n    " + reason(rule, places[i]) + "\n";
    if (places.size() > most) out += "  … " + std::to_string(places.size() - most) + " more places\n";
    return out;
}

// -- questions ----------------------------------------------------------------------------------------

std::string WhyNot::everywhere(RuleId id) {
    const Rule& rule = base_[id];
    const Places places = places_that([&](const Place& place) { return can_be(place, rule, 0); });
    if (!places.empty()) return reasons(id, places);
    return text(rule.full_name) + ":\n  the result has no operation that its root, '" + pattern(rule, 0) +
           "', could be\n";
}

// Of several roots: nodes that match one each, function by function; and why no others do.
std::string WhyNot::together(RuleId id) {
    const Rule& rule = base_[id];
    std::vector<Places> candidates(rule.left.size());
    std::string out = text(rule.full_name) + ":\n";
    for (std::size_t root = 0; root < rule.left.size(); ++root) {
        const Places could_be = places_that([&](const Place& place) { return can_be(place, rule, root); });
        std::size_t shown = 0;
        for (const Place& place : could_be) {
            const auto why = mismatch(*place.function, rule, root, place.node);
            if (!why) candidates[root].push_back(place);
            if (why && shown++ < most)
                out += "  " + described(place) + "\n    root " + std::to_string(root + 1) + ": " + *why + "\n";
        }
        if (shown > most) out += "  … " + std::to_string(shown - most) + " more places\n";
        if (candidates[root].empty())
            return out + "  no node of the result matches root " + std::to_string(root + 1) + ", '" +
                   pattern(rule, root) + "'\n";
    }
    std::size_t asked = 0;
    std::vector<NodeId> chosen;
    Function* function = nullptr;
    const std::function<void(std::string)> choose = [&](const std::string& roots) {
        if (chosen.size() == candidates.size()) {
            if (asked++ < most) out += roots + "    " + reason(id, *function, chosen) + "\n";
            return;
        }
        for (const Place& place : candidates[chosen.size()]) {
            if (asked > most || std::ranges::find(chosen, place.node) != chosen.end()) continue;
            if (chosen.empty()) function = place.function;
            if (place.function != function) continue;
            chosen.push_back(place.node);
            choose(roots + (chosen.size() > 1 ? "  & " : "  ") + described(place) + "\n");
            chosen.pop_back();
        }
    };
    choose("");
    if (asked == 0) out += "  no function of the result has a node for each root\n";
    if (asked > most) out += "  … more choices of nodes; name one for each root\n";
    return out;
}

std::optional<std::string> WhyNot::about_roots(RuleId id, std::span<const std::string> names) {
    const Rule& rule = base_[id];
    if (names.size() != rule.left.size())
        return wrong("rule '" + pipeline_.options.why_not[0] + "' has " + std::to_string(rule.left.size()) + " roots",
                     "name a value, '%sum', or a line for each: -why-not " + pipeline_.options.why_not[0] +
                         " 3 4; or none, for all that could be roots");
    Function* function = nullptr;
    std::vector<NodeId> nodes;
    std::string out = text(rule.full_name) + ":\n";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto found = root_named(names[i], rule, i, nodes);
        if (!found) return std::nullopt;
        if (function && found->function != function)
            return wrong("'" + names[i] + "' stands in another function than the roots before it");
        function = found->function;
        nodes.push_back(found->node);
        out += "  root " + std::to_string(i + 1) + ": " + term_text(function->graph, found->node) + "\n";
    }
    return out + "  " + reason(id, *function, nodes) + "\n";
}

std::optional<Places> WhyNot::functions_of(const Rule& rule, std::span<const std::string> names) {
    const std::string help = "name a function, '@f', a line that declares one, or none, for all";
    if (names.size() > 1) return wrong("rule '" + text(rule.full_name) + "' rewrites one function", help);
    Places places = functions_named(names.empty() ? "" : names[0]);
    if (!places.empty() || names.empty()) return places;
    if (names[0].starts_with('@'))
        return wrong("there is no function '" + names[0] + "' in the rewritten program", help);
    if (is_line(names[0])) return wrong("line " + names[0] + " declares no function that is left in the result", help);
    return wrong("rule '" + text(rule.full_name) + "' rewrites whole functions, and '" + names[0] + "' is none", help);
}

std::optional<std::string> WhyNot::about_rule(RuleId id, std::span<const std::string> names) {
    const Rule& rule = base_[id];
    if (rule.is_of_functions()) {
        const auto places = functions_of(rule, names);
        return places ? std::optional(reasons(id, *places)) : std::nullopt;
    }
    if (rule.left.size() > 1) return names.empty() ? together(id) : about_roots(id, names);
    if (names.empty()) return everywhere(id);
    if (names.size() > 1)
        return wrong("rule '" + pipeline_.options.why_not[0] + "' has one root",
                     "name one value, '%sum' or '@f', a line or an operation");
    const auto places = places_named(names[0], &rule);
    if (!places) return std::nullopt;
    if (places->size() > 1 || is_line(qualified_name(names[0]).value) || is_operation(names[0]))
        return reasons(id, *places);
    const Place& place = places->front();
    return text(rule.full_name) + " at " + names[0] + " = " + term_text(place.function->graph, place.node) + ":\n  " +
           reason(id, place) + "\n";
}

// Every rule that could stand there.
std::optional<std::string> WhyNot::about_place(const std::string& name) {
    Places places = functions_named(name);
    std::erase_if(places, [&](const Place& place) {
        return std::ranges::none_of(base_.rules, [&](const Rule& rule) { return can_be(place, rule, 0); });
    });
    const bool alone = name.starts_with('@') && !places.empty() && places[0].function->results.empty();
    const auto values = alone ? Places{} : places_named(name, nullptr);
    if (!values) return std::nullopt;
    places.insert(places.end(), values->begin(), values->end());
    std::string out;
    for (const Place& place : std::span(places).first(std::min(places.size(), most))) {
        out += described(place) + "\n";
        std::size_t asked = 0;
        for (std::uint32_t r = 0; r < base_.rules.size(); ++r) {
            const Rule& rule = base_.rules[r];
            if (!rule.set || rule.parameters > 0 || rule.left.size() != 1 || !can_be(place, rule, 0)) continue;
            if (asked++ < most) out += "  " + text(rule.full_name) + ": " + reason(RuleId{r}, place) + "\n";
        }
        if (asked == 0) out += "  no rule has such an operation at its root\n";
        if (asked > most) out += "  … " + std::to_string(asked - most) + " more rules\n";
    }
    if (places.size() > most) out += "… " + std::to_string(places.size() - most) + " more places\n";
    return out;
}

// By its name, or the last parts of it.
std::optional<RuleId> WhyNot::rule_named(std::string_view name) const {
    std::optional<RuleId> found;
    for (std::uint32_t i = 0; i < base_.rules.size(); ++i) {
        const std::string_view full = context_.symbols[base_.rules[i].full_name];
        if (base_.rules[i].set && (full == name || full.ends_with("." + std::string(name)))) found = RuleId{i};
    }
    return found;
}

std::optional<std::string> WhyNot::answer() {
    const std::vector<std::string>& words = pipeline_.options.why_not;
    const std::string& first = words[0];
    if (first.starts_with('%') || first.starts_with('@') || is_line(first)) {
        if (words.size() == 1) return about_place(first);
        return wrong("'-why-not' takes a rule before '" + first + "' and '" + words[1] + "'",
                     "one place alone asks about all rules: -why-not " + first);
    }
    if (const auto rule = rule_named(first)) return about_rule(*rule, std::span(words).subspan(1));
    if (words.size() == 1 && is_operation(first)) return about_place(first);
    return wrong("there is no rule '" + first + "' in the loaded rule files", suggested_rule(context_, base_, first));
}

} // namespace

std::optional<std::string> why_not_text(const Pipeline& pipeline, Module& module, RewriteLog& log) {
    return WhyNot(pipeline, module, log).answer();
}

} // namespace irrewrite
