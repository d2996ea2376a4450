// Simplifies, inside a branch, values that are computed above it because several blocks need them.
//
// The walk visits such a value once, before the branch from which facts about its inputs are learned. If the value is
// used inside, it is simplified again, but only to a literal or to one of its inputs, so that nothing is computed
// twice. The result holds in the whole branch: it relies on rules and on facts learned from entering branches, but on
// none that an enclosing loop may have to take back.
#include "engine/dataflow/dataflow.hpp"

#include <algorithm>

namespace irrewrite {

// Opens a context with the facts about values that were learned from entering a block, since `mark`.
bool Flow::open_context(DataflowFacts::Mark mark) {
    Branch branch;
    for (const DataflowFacts::Change& change : facts_.since(mark)) {
        const KnownFact& fact = facts_[change.fact];
        if (!change.learned || !fact.closed() || !fact.memory.empty() || graph_.token(fact.key)) continue;
        if (fact.asks) {
            branch.asked.push_back(graph_.operand(fact.key, 0));
            continue;
        }
        auto [it, fresh] = taught_.insert({fact.key, fact.value});
        branch.before.emplace_back(fact.key, fresh ? NodeId{} : it->second);
        it.value() = fact.value;
    }
    if (branch.before.empty() && branch.asked.empty()) return false;
    contexts_.push_back(std::move(branch));
    return true;
}

void Flow::close_context() {
    for (auto [key, value] : contexts_.back().before)
        if (value)
            taught_[key] = value;
        else
            taught_.erase(key);
    contexts_.pop_back();
}

NodeId Flow::in_context(NodeId node) {
    if (contexts_.empty() || graph_.is_literal(node) || graph_.is_param(node) || state_.stopped()) return node;
    auto& seen = contexts_.back().seen;
    if (auto found = seen.find(node); found != seen.end()) return found->second;
    seen[node] = node; // whatever comes back to it
    const NodeId made = simpler(node);
    contexts_.back().seen[node] = made;
    return made;
}

bool Flow::is_asked(NodeId node) const {
    return std::ranges::any_of(
        contexts_, [&](const Branch& branch) { return std::ranges::find(branch.asked, node) != branch.asked.end(); });
}

// Computed from its operands alone.
bool Flow::is_plain(NodeId node) const {
    return graph_.operation(node).has(Trait::Pure) && !graph_.token(node) && graph_.blocks(node).empty() &&
           !graph_.is_param(node) && !graph_.is_literal(node);
}

// The inputs of a value that are computed without effects or blocks, itself included. Empty if no fact about any of
// them was learned, or there are too many.
Flow::Nodes Flow::made_from(NodeId node) const {
    constexpr std::size_t most = 24;
    Nodes parts, stack{node};
    bool any = false;
    while (!stack.empty()) {
        const NodeId part = stack.back();
        stack.pop_back();
        if (std::ranges::find(parts, part) != parts.end()) continue;
        if (parts.size() == most) return {};
        parts.push_back(part);
        if (taught_.contains(part)) {
            any = true;
            continue;
        }
        any |= is_asked(part);
        if (is_plain(part)) stack.insert(stack.end(), graph_.operands(part).begin(), graph_.operands(part).end());
    }
    return any ? parts : Nodes{};
}

NodeId Flow::simpler(NodeId node) {
    constexpr unsigned longest = 16; // steps at one node
    Nodes parts = made_from(node);
    if (parts.empty()) return node;
    std::ranges::sort(parts); // operands are older
    tsl::robin_map<NodeId, NodeId, std::hash<NodeId>> became;
    const auto now = [&](NodeId part) {
        auto found = became.find(part);
        return found == became.end() ? part : found->second;
    };
    for (NodeId part : parts) {
        if (auto known = taught_.find(part); known != taught_.end()) {
            became[part] = known->second;
            continue;
        }
        if (!is_plain(part)) continue;
        Nodes operands(graph_.operands(part).begin(), graph_.operands(part).end());
        for (NodeId& operand : operands) operand = now(operand);
        const bool is_same = std::ranges::equal(operands, graph_.operands(part));
        if (is_same && std::ranges::none_of(operands, [&](NodeId operand) { return is_asked(operand); })) continue;
        NodeId made = is_same ? part : rebuild_.node(part, operands, {});
        for (unsigned i = 0; i < longest && !graph_.is_literal(made) && !graph_.is_param(made); ++i) {
            auto next = apply_(made);
            if (!next || next->value == made || graph_.has(made, Advances)) break;
            made = next->value;
        }
        became[part] = made;
    }
    const NodeId made = now(node);
    return graph_.is_literal(made) || std::ranges::binary_search(parts, made) ? made : node;
}

} // namespace irrewrite
