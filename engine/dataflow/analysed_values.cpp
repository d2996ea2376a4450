// What analyses know of the values that a loop carries: what they know of the initial ones is assumed to hold in each
// iteration; where the rewritten body results in more, that is assumed, too, and the body rewritten again.
#include "engine/dataflow/dataflow.hpp"

#include <algorithm>

namespace irrewrite {

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

// Whether another pass is due.
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
