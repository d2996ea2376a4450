// The facts at the present program point: look-up, learning, and effects that end them.
#include "engine/dataflow/dataflow.hpp"

#include <array>

namespace irrewrite {

std::optional<NodeId> Flow::take(FactId id, NodeId node) {
    const KnownFact& fact = facts_[id];
    if (fact.value == node) return std::nullopt;
    if (!fact.rule) return fact.value;
    if (!state_.spend(fact.rule)) return std::nullopt;
    state_.record(state_.base[fact.rule], fact.rule, std::array{node}, fact.value);
    return fact.value;
}

// As often as something is known; a fact that comes back to where it began ends it.
NodeId Flow::known_value(NodeId node) {
    constexpr unsigned longest = 16;
    for (unsigned i = 0; i < longest && !graph_.is_literal(node); ++i) {
        auto found = facts_.find(node);
        auto value = found ? take(*found, node) : std::nullopt;
        if (!value) break;
        node = *value;
    }
    return node;
}

NodeId Flow::without_token(NodeId node) {
    const Node old = graph_[node];
    if (!graph_.token(node)) return node;
    Nodes operands(graph_.operands(node).begin(), graph_.operands(node).end());
    std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
    return graph_.intern({.op = old.op, .attrs = old.attrs, .operands = operands, .blocks = blocks, .type = old.type});
}

// Looks up the replacement of a node. None for a read from before the last effect: it is only a value by now.
std::optional<NodeId> Flow::known_here(NodeId node) {
    if (state_.stopped() || graph_.is_param(node)) return std::nullopt;
    if (graph_.token(node) && graph_.token(node) != rebuild_.token) return std::nullopt;
    if (auto found = facts_.find(without_token(node)))
        if (auto value = take(*found, node)) return known_value(*value);
    Nodes operands(graph_.operands(node).begin(), graph_.operands(node).end());
    operands.push_back({});
    for (NodeId operand : operands)
        if (auto value = known_open(node, operand)) return known_value(*value);
    return std::nullopt;
}

std::optional<NodeId> Flow::known_open(NodeId node, NodeId memory) {
    auto facts = facts_.about(memory);
    for (std::size_t i = facts.size(); i-- > 0;) {
        if (auto value = apply_open(facts_[facts[i]], node)) return value;
        facts = facts_.about(memory);
    }
    return std::nullopt;
}

std::optional<NodeId> Flow::apply_open(const KnownFact& fact, NodeId node) {
    const Rule& rule = state_.base[fact.rule];
    Matcher matcher(graph_, rule);
    matcher.bindings = fact.bindings;
    Builder builder(graph_);
    Conditions conditions(builder, rule, matcher, state_.surroundings);
    std::optional<NodeId> result;
    auto finish = [&] {
        Instantiation terms(builder, rule, matcher.bindings, state_.surroundings);
        auto built = terms.build(rule.right[0], graph_.type(node));
        if (!built || built->size() != 1 || (*built)[0] == node) return false;
        if (graph_.kind(node) != TypeKind::Unit &&
            !graph_.context().types.agree(graph_.type((*built)[0]), graph_.type(node)))
            return false;
        result = (*built)[0];
        return true;
    };
    auto conditions_hold = [&] { return conditions.hold(0, finish); };
    if (!matcher.match(rule.left[1], node, conditions_hold) || !state_.spend(fact.rule)) return std::nullopt;
    state_.record(rule, fact.rule, std::array{node}, *result);
    return result;
}

void Flow::learn(const TaughtFact& lesson) {
    if (lesson.impossible) reachable_ = false;
    if (lesson.fact) facts_.learn(*lesson.fact, graph_);
}

void Flow::teach_after(NodeId node) {
    for (const TaughtFact& lesson : lessons_.after(facts_, node)) learn(lesson);
}

void Flow::enter(NodeId stand_in, std::uint32_t block, std::span<const Nodes> results) {
    for (const TaughtFact& lesson : lessons_.inside(facts_, stand_in, block, results)) learn(lesson);
}

} // namespace irrewrite
