// The facts at the present program point: look-up, learning, and effects that end them.
#include "engine/dataflow/dataflow.hpp"

#include <algorithm>
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

// -- analyses: what they know of the initial values of a loop is assumed to hold in each iteration; where the rewritten body
// results in more, that is assumed, too, and the body rewritten again

// An application of an analysis stands in facts alone.
NodeId Flow::application(std::uint32_t analysis, NodeId node) {
    const TypeId type = state_.analyses.type_of_values(analysis, graph_.type(node));
    return type ? graph_.intern({.op = state_.base.analyses[analysis].op, .operands = {&node, 1}, .type = type})
                : NodeId{};
}

std::optional<NodeId> Flow::find(std::uint32_t analysis, NodeId node) {
    const NodeId key = application(analysis, node);
    const auto fact = key ? facts_.find(key) : std::nullopt;
    return fact ? std::optional(facts_[*fact].value) : std::nullopt;
}

void Flow::learn_known(std::uint32_t analysis, NodeId node, NodeId value) {
    if (graph_.is_literal(node)) return;
    if (const NodeId key = application(analysis, node)) facts_.learn(facts_.closed({}, key, value, {}, true), graph_);
}

void Flow::find_known(Loop& loop, std::uint32_t key) {
    const std::size_t count = loop.carried.size(), analyses = state_.base.analyses.size();
    if (!speculates_ || count == 0 || analyses == 0) return;
    loop.known.resize(analyses * count);
    const std::size_t first = graph_.operands(loop.stand_in).size() - count;
    const Nodes& before = known_before_[key];
    for (std::size_t i = 0; i < loop.known.size(); ++i) {
        const auto analysis = static_cast<std::uint32_t>(i / count);
        NodeId value = state_.analyses.value(analysis, graph_.operand(loop.stand_in, first + i % count));
        if (value && !before.empty()) value = before[i] ? state_.analyses.join(analysis, value, before[i]) : NodeId{};
        loop.known[i] = value;
    }
}

void Flow::assume_known(const Loop& loop, std::span<const NodeId> params) {
    const std::size_t count = loop.carried.size();
    for (std::size_t i = 0; i < loop.known.size(); ++i)
        if (loop.known[i])
            learn_known(static_cast<std::uint32_t>(i / count), params[params.size() - count + i % count],
                        loop.known[i]);
}

void Flow::check_known(Loop& loop, std::span<const NodeId> results) {
    const std::size_t count = loop.carried.size();
    loop.wider = loop.known;
    for (std::size_t i = 0; i < loop.known.size(); ++i) {
        if (!loop.known[i]) continue;
        const auto analysis = static_cast<std::uint32_t>(i / count);
        const NodeId value =
            i % count < results.size() ? state_.analyses.value(analysis, results[i % count]) : NodeId{};
        loop.wider[i] = value ? state_.analyses.join(analysis, loop.known[i], value) : NodeId{};
    }
}

// True if another pass is due.
bool Flow::widen_known(Loop& loop, std::uint32_t key, unsigned round) {
    if (loop.wider.empty() || loop.wider == loop.known) return false;
    for (std::size_t i = 0; i < loop.known.size(); ++i)
        if (loop.wider[i] != loop.known[i]) loop.known[i] = round < most_widenings ? loop.wider[i] : NodeId{};
    loop.wider.clear();
    known_before_[key] = loop.known;
    return true;
}

// At the end of a block whose results may be those of the node: what is known of each, joined with that of the blocks before.
void Flow::note_known(NodeId node, std::span<const NodeId> results, std::optional<std::vector<Ended>>& known) {
    if (state_.base.analyses.empty()) return;
    const Signature& signature = graph_.operation(node).signature;
    const auto is_result = [&](const BlockSignature& block) {
        return block.params.empty() && block.results.size() == 1 && block.results[0].kind == TypeTerm::Kind::Variable &&
               block.results[0].variable == signature.results[0].variable;
    };
    const auto is_variable = [&](const TypeTerm& term) { return term.kind == TypeTerm::Kind::Variable; };
    const bool gives_results = signature.results.size() == 1 && is_variable(signature.results[0]) &&
                               std::ranges::none_of(signature.operands, is_variable) &&
                               std::ranges::all_of(signature.blocks, is_result);
    if (!gives_results || results.size() != graph_.result_count(node)) return;
    std::vector<Ended> now;
    for (std::uint32_t analysis = 0; analysis < state_.base.analyses.size(); ++analysis)
        for (std::size_t k = 0; k < results.size(); ++k) {
            const auto is_it = [&](const Ended& each) { return each.analysis == analysis && each.result == k; };
            const auto before = known ? std::ranges::find_if(*known, is_it) : std::vector<Ended>::iterator{};
            if (known && before == known->end()) continue;
            NodeId value = state_.analyses.value(analysis, results[k]);
            if (value && known) value = state_.analyses.join(analysis, before->value, value);
            if (value) now.push_back({analysis, k, value});
        }
    known = std::move(now);
}

} // namespace irrewrite
