#include "engine/check/reached.hpp"

#include "engine/check/expand_for_evaluation.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>
#include <set>

namespace irrewrite {

namespace {
constexpr unsigned most_steps = 3; // from rule to rule
constexpr std::uint64_t fuel_of_runs = 3000;
constexpr std::uint32_t most_doublings = 8; // of the rewrites

std::vector<OpId> root_operations(const Rule& rule) {
    const bool one = rule.left.size() == 1 && !rule.is_of_functions() && rule[rule.left[0]].kind == TermKind::Node;
    return one ? rule[rule.left[0]].ops : std::vector<OpId>{};
}

void collect(const Rule& rule, TermId id, std::set<OpId>& out) {
    const Term& term = rule[id];
    if (term.kind == TermKind::Node) out.insert(term.ops.begin(), term.ops.end());
    for (const TermId operand : term.operands) collect(rule, operand, out);
    for (const BlockTerm& block : term.blocks)
        for (const TermId result : block.results) collect(rule, result, out);
}

// The rules that result in one of these operations, and are about another one.
std::vector<RuleId> leading_to(const RuleBase& base, const std::set<OpId>& wanted) {
    std::vector<RuleId> out;
    for (std::uint32_t i = 0; i < base.rules.size(); ++i) {
        const Rule& rule = base.rules[i];
        const std::vector<OpId> roots = root_operations(rule);
        const auto is_wanted = [&](OpId op) { return wanted.contains(op); };
        if (!rule.set || roots.empty() || std::ranges::any_of(roots, is_wanted)) continue;
        std::set<OpId> made;
        for (const TermId term : rule.right) collect(rule, term, made);
        if (std::ranges::any_of(made, is_wanted)) out.push_back(RuleId{i});
    }
    return out;
}
} // namespace

std::shared_ptr<const Reaching> reaching(const Context& context, const RuleBase& base, RuleId rule) {
    if (!has_models(context, base)) return nullptr;
    const std::vector<OpId> roots = root_operations(base[rule]);
    std::set<OpId> wanted(roots.begin(), roots.end());
    auto out = std::make_shared<Reaching>();
    out->roots = roots;
    for (unsigned step = 0; step < most_steps && !wanted.empty(); ++step) {
        const std::vector<RuleId> found = leading_to(base, wanted);
        out->sources.insert(out->sources.end(), found.begin(), found.end());
        for (const RuleId source : found)
            for (const OpId op : root_operations(base[source])) wanted.insert(op);
    }
    if (out->sources.empty()) return nullptr;
    out->others = base;
    for (StrategyNode& node : out->others.strategies) std::erase(node.rules, rule);
    for (RuleSet& set : out->others.sets) std::erase(set.rules, rule);
    return out;
}

bool reach(RuleWorld& world, const Reaching& by, Choices& choices, Function& function) {
    Module module;
    module.functions.push_back(function);
    module.index.emplace(function.name, 0);
    module.functions[0].local = false;
    RewriteOptions options;
    options.fuel = fuel_of_runs, options.graph_fuel = 8 * fuel_of_runs;
    // Without that rule a run to the end stops where it is wanted; with it, runs go on behind the first such place.
    const bool to_the_end = choices.likely(40);
    const RuleBase& rules = to_the_end || choices.below(2) ? by.others : world.base;
    if (!to_the_end) options.max_rewrites = 1 + choices.below(2u << choices.below(most_doublings));
    RewriteLog log;
    const Types::Lowering lowering = world.context.types.lowering();
    rewrite(world.context, rules, world.functions, module, options, log);
    world.context.types.set_lowering(lowering);
    if (!log.error.empty() || !log.broken.empty() || module.functions.size() != 1) return false;
    const bool local = function.local;
    function = std::move(module.functions[0]);
    function.local = local;
    // A term around it may see what its type does not promise.
    const Graph& graph = function.graph;
    std::vector<NodeId> found;
    for (const NodeId node : reachable(graph, roots(function)))
        if (graph.core(node) == Core::None && std::ranges::find(by.roots, graph.op(node)) != by.roots.end() &&
            graph.free(node) == 0 && !graph.has(node, TakesToken))
            found.push_back(node);
    if (found.empty()) return false;
    const NodeId node = found[choices.below(static_cast<std::uint32_t>(found.size()))];
    function.results = {node}, function.result_types = {graph.type(node)};
    return !function.exit;
}

} // namespace irrewrite
