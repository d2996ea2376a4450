// The effects of the right side of a rule with several roots, which replace the roots' effects.
#include "engine/ir/reachability.hpp"
#include "engine/multi_root/multi_root.hpp"

#include <algorithm>

namespace irrewrite {

const Effects& MultiRootPass::effects() {
    if (!effects_) effects_.emplace(state_.function);
    return *effects_;
}

bool MultiRootPass::may_meet(const Nodes& chosen) {
    if (std::ranges::none_of(chosen, [&](NodeId node) { return graph_.has(node, TakesToken); })) return true;
    const BlockId block = schedule_->blocks[home_].id;
    if (block && graph_[block].number > number::max_height) return false; // it does not tell what is inside
    return gathering_->may_meet({chosen, chosen}, effects());
}

namespace {
// The reads that a term of a left side may have matched inside a node, below it: as the operations say, where several operands may
// be the one that was matched.
void reads_inside(const Graph& graph, const Rule& rule, TermId id, NodeId node, std::vector<NodeId>& out) {
    const Term& term = rule[id];
    if (term.kind == TermKind::Named) return reads_inside(graph, rule, term.operands[0], node, out);
    const bool through = graph.core(node) == Core::Project || graph.core(node) == Core::Element;
    if (term.kind == TermKind::Project && through)
        return reads_inside(graph, rule, term.operands[0], graph.operand(node, 0), out);
    if (term.kind == TermKind::Node && std::ranges::find(term.ops, graph.op(node)) == term.ops.end()) return;
    if (term.kind == TermKind::Variable || term.operands.empty()) return;
    const auto operands = graph.operands(node);
    const bool by_position =
        term.operands.size() == operands.size() && !graph.operation(node).has(Trait::Commutative) &&
        std::ranges::none_of(term.operands, [&](TermId operand) { return rule[operand].sequence; });
    for (std::size_t i = 0; i < term.operands.size(); ++i)
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (by_position && i != k) continue;
            const Term& below = rule[term.operands[i]];
            const bool is_node =
                below.kind == TermKind::Node && std::ranges::find(below.ops, graph.op(operands[k])) != below.ops.end();
            reads_inside(graph, rule, term.operands[i], operands[k], out);
            if (is_node && graph.has(operands[k], TakesToken) && !graph.has(operands[k], Advances))
                out.push_back(operands[k]);
        }
}
} // namespace

// A read that others use too stays where it is.
EffectGathering::Group MultiRootPass::group_of(const Rule& rule, const Nodes& chosen) {
    EffectGathering::Group group{{}, chosen};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        Nodes reads;
        reads_inside(graph_, rule, rule.left[i], chosen[i], reads);
        for (NodeId read : reads) {
            if (std::ranges::find(chosen, read) != chosen.end()) continue;
            group.nodes.push_back(read);
            if (state_.uses().uses(read) <= 1) group.gone.push_back(read);
        }
        group.nodes.push_back(chosen[i]);
    }
    return group;
}

// Two effects: neither touches what the other one touches, or is computed from what is known only behind the other one.
// Two pieces of memory: they are never one.
bool MultiRootPass::independent(NodeId a, NodeId b) {
    const auto is_memory = [&](NodeId n) { return graph_.kind(n) == TypeKind::Ref || graph_.kind(n) == TypeKind::Mut; };
    if (is_memory(a) && is_memory(b)) return !effects().may_be_one(a, b);
    const auto needs = [&](NodeId later, NodeId earlier) {
        Nodes parts(graph_.operands(later).begin(), graph_.operands(later).end());
        for (BlockId block : graph_.blocks(later)) {
            parts.insert(parts.end(), graph_.results(block).begin(), graph_.results(block).end());
            if (graph_[block].exit) parts.push_back(graph_[block].exit);
        }
        return reaches(graph_, parts, earlier);
    };
    return effects().independent(a, b) && !needs(a, b) && !needs(b, a);
}

// One of several merges in a block moves down: then what they move past must not be what the others move.
bool MultiRootPass::collides(const Merge& merge) const {
    if (!merge.range || !(merge.range->down || moved_down_)) return false;
    return std::ranges::any_of(merges_, [&](const Merge& other) {
        return other.range && (merge.range->down || other.range->down) && merge.range->overlaps(*other.range);
    });
}

// -- the right side ---------------------------------------------------------------------------------

// The terms one after the other. Nothing, `()`, stands for a root without a result.
bool MultiRootPass::build_right(const Rule& rule, Builder& builder, Bindings bindings, Merge& merge) {
    const TypeId nothing = graph_.context().types.tuple({});
    merge.start =
        graph_.param(start_number_, static_cast<std::uint32_t>(merges_.size()), graph_.context().types.token());
    builder.set_token(merge.start);
    merge.results.clear();
    for (TermId id : rule.right) {
        const Term& term = rule[id];
        if (term.kind == TermKind::Variable && merge.anchor &&
            !put_in_place(merge, builder, bindings[term.variable.index]))
            return false;
        Instantiation terms(builder, rule, bindings, state_.surroundings);
        const bool is_number =
            term.kind == TermKind::Number || term.kind == TermKind::Compute || term.kind == TermKind::Count;
        auto nodes = terms.build(id, is_number ? due(merge.roots, merge.results.size()) : TypeId{});
        if (!nodes) return false;
        for (NodeId node : *nodes) {
            if (graph_.type(node) == nothing && due(merge.roots, merge.results.size()) != nothing) continue;
            for (std::size_t k = 0; k < graph_.result_count(node); ++k) merge.results.push_back(graph_.result(node, k));
        }
    }
    merge.exit = builder.token();
    if (merge.anchor && merge.exit == merge.start) return true;
    if (merge.anchor && graph_.has(merge.anchor, Advances)) return true;
    const bool has_effects = merge.exit != merge.start || reaches(graph_, merge.results, merge.start);
    if (has_effects) reach(RootsTest::Effects); // there is no program point for them
    if (!merge.anchor) merge.start = merge.exit = {};
    return !has_effects;
}

// A root with an effect that has a name, and stands on the right by its name, is that effect there.
bool MultiRootPass::put_in_place(const Merge& merge, Builder& builder, Binding& binding) const {
    if (binding.items.size() != 1 || !binding.holes.empty()) return true;
    const NodeId root = binding.items[0];
    if (!graph_.has(root, Advances) || std::ranges::find(merge.roots, root) == merge.roots.end()) return true;
    const Node node = graph_[root];
    const Nodes operands(graph_.operands(root).begin(), graph_.operands(root).end());
    const std::vector<BlockId> blocks(graph_.blocks(root).begin(), graph_.blocks(root).end());
    auto made = builder.apply(node.op, node.attrs, operands, blocks, node.type);
    if (made) binding.items[0] = *made;
    return made.has_value();
}

// The type of that result, of all roots one after the other; none: they have no more.
TypeId MultiRootPass::due(const Nodes& roots, std::size_t result) {
    for (NodeId root : roots) {
        const std::size_t count = graph_.result_count(root);
        if (result < count) return graph_.type(graph_.result(root, result));
        result -= count;
    }
    return {};
}

// -- whether it is anything else ----------------------------------------------------------------------

// The token before the effects of the roots.
NodeId MultiRootPass::before(const Merge& merge) const {
    NodeId token = graph_.token(merge.anchor);
    while (std::ranges::find(merge.roots, token) != merge.roots.end()) token = graph_.token(token);
    return token;
}

// Not where the right side is the roots again, in their order: that they come together is no reason to apply a rule.
bool MultiRootPass::changes_something(const Merge& merge) {
    Nodes made, old;
    for (NodeId effect = merge.exit; effect != merge.start; effect = graph_.token(effect)) made.push_back(effect);
    std::ranges::reverse(made);
    std::ranges::copy_if(merge.roots, std::back_inserter(old), [&](NodeId root) { return graph_.has(root, Advances); });
    if (made.size() != old.size()) return true;
    for (std::size_t i = 0; i < made.size(); ++i)
        if (!is_alike(merge, std::span(made).first(i), std::span(old).first(i), made[i], old[i])) return true;
    std::size_t next = 0;
    for (NodeId root : merge.roots)
        for (std::size_t k = 0; k < graph_.result_count(root); ++k, ++next)
            if (!is_alike(merge, made, old, merge.results[next], graph_.result(root, k))) return true;
    return false;
}

// True if two nodes are equal except for tokens, which are those of new effects in one and of the corresponding old
// ones in the other.
bool MultiRootPass::is_alike(const Merge& merge, std::span<const NodeId> made, std::span<const NodeId> old, NodeId a,
                             NodeId b) const {
    if (a == b) return true;
    if (auto it = std::ranges::find(made, a); it != made.end())
        return old[static_cast<std::size_t>(it - made.begin())] == b;
    const Node &one = graph_[a], &other = graph_[b];
    if (one.op != other.op || one.attrs != other.attrs || one.type != other.type || graph_.is_param(a)) return false;
    if (!std::ranges::equal(graph_.blocks(a), graph_.blocks(b))) return false;
    const auto alike = [&](NodeId x, NodeId y) { return is_alike(merge, made, old, x, y); };
    return std::ranges::equal(graph_.operands(a), graph_.operands(b), alike) &&
           (graph_.has(a, Advances) || is_same_place(merge, made, old, a, b));
}

bool MultiRootPass::is_same_place(const Merge& merge, std::span<const NodeId> made, std::span<const NodeId> old,
                                  NodeId a, NodeId b) const {
    const NodeId one = graph_.token(a), other = graph_.token(b);
    if (one == other) return true;
    if (!one || !other) return false;
    if (one == merge.start) return other == before(merge);
    auto it = std::ranges::find(made, one);
    return it != made.end() && old[static_cast<std::size_t>(it - made.begin())] == other;
}

} // namespace irrewrite
