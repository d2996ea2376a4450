// Matching `?f(…)`: what a block's body is as a function of its parameters, or of terms over them.
#include "engine/match/matcher.hpp"

#include "engine/ir/reachability.hpp"
#include "engine/match/bound_inside.hpp"
#include "engine/match/instantiate.hpp"

#include <algorithm>

namespace irrewrite {

namespace {
bool is_param_variable(const Rule& rule, TermId id) {
    const Term& term = rule[id];
    return term.kind == TermKind::Variable && rule[term.variable].kind == VariableKind::Param;
}
} // namespace

namespace {
const std::uint64_t deep_blocks = Graph::free_bit(number::max_height + 1); // shared by the parameters of all of them

// The number of different nodes, of few, for which the test holds.
template <class Test> std::size_t distinct(std::span<const NodeId> nodes, Test&& test) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        count += test(nodes[i]) &&
                 std::ranges::find(nodes.first(i), nodes[i]) == nodes.begin() + static_cast<std::ptrdiff_t>(i);
    return count;
}
} // namespace

// Arguments that are terms are abstracted before bare parameters, so that `?f(%i, at(?xs, %i))` finds
// the elements of ?xs first, and then the other uses of %i.
bool Matcher::apply(const Term& term, const Nodes& bodies, Rest rest) {
    std::vector<Nodes> holes(term.operands.size());
    return argument(term, 0, bodies, holes, rest);
}

bool Matcher::argument(const Term& term, std::size_t i, const Nodes& bodies, std::vector<Nodes>& holes, Rest rest) {
    if (i == term.operands.size()) return finish(term, bodies, holes, rest);
    TermId id = term.operands[i];
    const Term& arg = rule_[id];
    if (is_param_variable(rule_, id)) {
        const auto& params = bindings[arg.variable.index].items;
        holes[i].assign(params.begin(), params.end());
        return argument(term, i + 1, bodies, holes, rest);
    }
    auto outer_scope = scope_;
    if (arg.sequence) {
        std::vector<VariableId> variables;
        variables_of(id, variables);
        std::vector<std::pair<VariableId, Binding>> saved;
        for (VariableId v : variables)
            if (rule_[v].sequence && rule_[v].kind != VariableKind::Param) {
                saved.emplace_back(v, bindings[v.index]);
                bindings[v.index].bound = true;
            }
        auto outer = element_;
        std::size_t count = 0;
        for (NodeId candidate : candidates(bodies)) {
            element_ = count;
            auto done = [] { return true; };
            if (match(id, candidate, done)) holes[i].push_back(candidate), ++count;
        }
        element_ = outer;
        if (argument(term, i + 1, bodies, holes, rest)) return true;
        holes[i].clear();
        for (auto& [v, binding] : saved) bindings[v.index] = std::move(binding);
        return false;
    }
    for (NodeId candidate : mentions_param(id) ? candidates(bodies) : candidates_behind(newest_bound(id), bodies)) {
        holes[i] = {candidate};
        auto others = [&] { return argument(term, i + 1, bodies, holes, rest); };
        if (match(id, candidate, others)) return true;
    }
    holes[i].clear();
    return false;
}

bool Matcher::mentions_param(TermId id) const {
    std::vector<VariableId> variables;
    variables_of(id, variables);
    return std::ranges::any_of(variables, [&](VariableId v) { return rule_[v].kind == VariableKind::Param; });
}

// The newest of the nodes that variables of the term are bound to; none if none is bound.
NodeId Matcher::newest_bound(TermId id) const {
    std::vector<VariableId> variables;
    variables_of(id, variables);
    NodeId newest{};
    for (VariableId v : variables)
        if (bindings[v.index].bound && rule_[v].kind == VariableKind::Node)
            for (NodeId item : bindings[v.index].items) newest = newest ? std::max(newest, item) : item;
    return newest;
}

// The nodes in the bodies that depend on a parameter of the enclosing pattern blocks, in the order of the graph.
Matcher::Nodes Matcher::candidates(const Nodes& bodies) const {
    std::uint64_t free = 0;
    for (const ScopedBlock& block : scope_) free |= Graph::free_bit(block.number);
    Nodes found =
        within(bodies, [&](NodeId node) { return (graph_.free(node) & free) != 0 && !graph_.is_param(node); });
    if (free & deep_blocks) keep_in_scope(found);
    return found;
}

// For a term without such parameters: the nodes in the bodies that may contain this one, which are newer.
Matcher::Nodes Matcher::candidates_behind(NodeId part, const Nodes& bodies) const {
    if (!part) return {};
    return within(bodies, [&](NodeId node) { return node.index >= part.index; });
}

// The nodes in the bodies down to those that are not wanted, in the order of the graph. Leaves out terms that depend on a
// parameter of a block inside the bodies: they have no meaning outside of that block.
Matcher::Nodes Matcher::within(const Nodes& bodies, FunctionRef<bool(NodeId)> wanted) const {
    std::uint64_t bound = 0;
    Nodes found, stack(bodies.rbegin(), bodies.rend());
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (!wanted(node) || !seen.insert({node, true}).second) continue;
        found.push_back(node);
        for (BlockId block : graph_.blocks(node)) {
            if (graph_.params(block).empty()) continue;
            bound |= Graph::free_bit(graph_.param_number(graph_.params(block)[0]));
        }
        std::size_t size = stack.size();
        for_each_part(graph_, node, [&](NodeId part) { stack.push_back(part); });
        std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(size), stack.end());
    }
    std::ranges::sort(found);
    const NodeSet dependent = bound & deep_blocks ? bound_inside(graph_, bodies) : NodeSet{};
    std::erase_if(found, [&](NodeId node) {
        return (graph_.free(node) & bound & ~deep_blocks) != 0 || dependent.contains(node);
    });
    return found;
}

// Of nodes in the order of the graph, with all that is between them and the parameters: those that surely depend on one.
void Matcher::keep_in_scope(Nodes& nodes) const {
    tsl::robin_set<NodeId, std::hash<NodeId>> dependent;
    const auto is_bound = [&](NodeId param) {
        return std::ranges::find(scope_, graph_.param_number(param), &ScopedBlock::number) != scope_.end();
    };
    std::erase_if(nodes, [&](NodeId node) {
        bool depends = false;
        for_each_part(graph_, node, [&](NodeId part) {
            depends = depends || (graph_.is_param(part) ? is_bound(part) : dependent.contains(part));
        });
        if (depends) dependent.insert(node);
        return !depends;
    });
}

bool Matcher::finish(const Term& term, const Nodes& bodies, const std::vector<Nodes>& holes, Rest rest) {
    Nodes flat;
    for (const Nodes& part : holes) flat.insert(flat.end(), part.begin(), part.end());
    for (const ScopedBlock& block : scope_) {
        // All of its parameters are arguments: the bodies need not be searched for others.
        const auto is_own = [&](NodeId hole) {
            return graph_.is_param(hole) && graph_.param_number(hole) == block.number;
        };
        if (distinct(flat, is_own) == block.params) continue;
        if (reaches_number(graph_, bodies, block.number, flat)) return false;
    }
    Binding& binding = bindings[term.variable.index];
    bool element = element_ && rule_[term.variable].sequence;
    if (binding.bound && !(element && binding.items.size() == *element_)) {
        // Bound before: the same function if it yields the same bodies here.
        if (element) return binding.items[*element_] == bodies[0] && binding.holes == flat && rest();
        if (binding.block) return false;
        return same_function(graph_, binding, flat, bodies) && rest();
    }
    Binding saved = binding;
    binding.bound = true;
    binding.items.insert(binding.items.end(), bodies.begin(), bodies.end());
    binding.holes = flat;
    if (rest()) return true;
    bindings[term.variable.index] = std::move(saved);
    return false;
}

} // namespace irrewrite
