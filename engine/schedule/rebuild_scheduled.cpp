#include "engine/schedule/rebuild_scheduled.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/ir/substitute.hpp"

#include <algorithm>

namespace irrewrite {

void Rebuild::put(NodeId old, NodeId made) {
    auto [it, fresh] = nodes_.insert({old, made});
    trail_.push_back({old.index, fresh ? UINT32_MAX : it->second.index, false});
    it.value() = made;
}

void Rebuild::put(BlockId old, BlockId made) {
    auto [it, fresh] = blocks_.insert({old, made});
    trail_.push_back({old.index, fresh ? UINT32_MAX : it->second.index, true});
    it.value() = made;
}

void Rebuild::undo(Mark mark) {
    auto restore = [](auto& table, auto old, auto before) {
        if (before)
            table[old] = before;
        else
            table.erase(old);
    };
    while (trail_.size() > mark) {
        Entry entry = trail_.back();
        trail_.pop_back();
        if (entry.block)
            restore(blocks_, BlockId{entry.old}, BlockId{entry.before});
        else
            restore(nodes_, NodeId{entry.old}, NodeId{entry.before});
    }
}

std::optional<NodeId> Rebuild::find(NodeId old) const {
    auto it = nodes_.find(old);
    return it == nodes_.end() ? std::nullopt : std::optional(it->second);
}

NodeId Rebuild::operator()(NodeId old) {
    if (graph_.is_literal(old)) return old;
    if (auto made = find(old)) return known ? known(*made) : *made;
    if (graph_.is_param(old)) return known ? known(old) : old;
    if (graph_.is_project(old)) {
        NodeId whole = view_.source(old);
        NodeId made = find(whole).value_or(whole), part = old;
        if (made != whole) {
            // Of the type that it has there: a result has one projection, which whoever replaces it finds.
            const bool several = graph_.kind(made) == TypeKind::Results;
            const AttrId attrs = graph_[old].attrs;
            part = several
                       ? graph_.result(made, graph_.position(old))
                       : graph_.make(
                             {.op = graph_.op(old), .attrs = attrs, .operands = {&made, 1}, .type = graph_.type(old)});
            if (SymbolId name = graph_.name(old); name && !graph_.is_literal(part)) graph_.set_name(part, name);
        }
        return known ? known(part) : part;
    }
    return view_.is_structure(old) ? structure(old) : old;
}

std::vector<NodeId> Rebuild::operands(NodeId old) {
    std::vector<NodeId> out(graph_.operands(old).begin(), graph_.operands(old).end());
    // Whoever waits for a loop waits for it even if it is known what comes out.
    const auto facts = graph_.core(old) == Core::Await ? std::exchange(known, nullptr) : nullptr;
    for (NodeId& operand : out) operand = (*this)(operand);
    if (facts) known = facts;
    return out;
}

// Operands first, without recursion; the blocks were put before.
NodeId Rebuild::structure(NodeId root) {
    std::vector<NodeId> stack{root};
    while (!stack.empty()) {
        NodeId old = stack.back();
        if (find(old)) {
            stack.pop_back();
            continue;
        }
        const std::size_t size = stack.size();
        for (NodeId operand : graph_.operands(old))
            if (view_.is_structure(operand) && !find(operand)) stack.push_back(operand);
        if (stack.size() > size) continue;
        stack.pop_back();
        std::vector<NodeId> parts = operands(old);
        std::vector<BlockId> blocks(graph_.blocks(old).begin(), graph_.blocks(old).end());
        for (BlockId& block : blocks)
            if (auto it = blocks_.find(block); it != blocks_.end()) block = it->second;
        put(old, node(old, parts, blocks));
    }
    return *find(root);
}

NodeId Rebuild::node(NodeId old_id, std::span<const NodeId> operands, std::span<const BlockId> blocks) {
    const Node old = graph_[old_id];
    bool same_types = std::ranges::equal(graph_.blocks(old_id), blocks);
    bool same = same_types && std::ranges::equal(graph_.operands(old_id), operands);
    for (std::size_t i = 0; i < operands.size(); ++i)
        same_types = same_types && infers_alike(graph_, old.type, operands[i], graph_.operand(old_id, i));
    NodeId after = old.token ? token : NodeId{};
    if (same && after == old.token) return old_id;
    NodeParts parts{
        .op = old.op, .attrs = old.attrs, .operands = operands, .blocks = blocks, .token = after, .type = old.type};
    Core core = graph_.core(old_id);
    bool keeps_type = same_types || core == Core::Call || core == Core::Struct || core == Core::List;
    if (!keeps_type)
        if (auto inferred = infer(graph_, old.op, old.attrs, operands, blocks); inferred.type)
            parts.type = *inferred.type;
    Origin saved = graph_.current_origin;
    if (Origin origin = graph_.origin(old_id); origin.place != UINT32_MAX || origin.rule)
        graph_.current_origin = origin;
    NodeId made = graph_.make(parts);
    graph_.current_origin = saved;
    if (SymbolId name = graph_.name(old_id); name && !graph_.is_literal(made)) graph_.set_name(made, name);
    return made;
}

BlockId Rebuild::close(BlockId old_id, std::span<const NodeId> results, NodeId exit) {
    const Block old = graph_[old_id];
    if (exit == old.exit && std::ranges::equal(graph_.results(old_id), results)) return old_id;
    std::vector<NodeId> params(graph_.params(old_id).begin(), graph_.params(old_id).end());
    std::vector<SymbolId> names(graph_.param_names(old_id).begin(), graph_.param_names(old_id).end());
    return graph_.close(old.number, params, names, results, old.entry, exit);
}

BlockId Rebuild::opaque(BlockId old) {
    Substitution substitution(graph_);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    std::vector<NodeId> stack(graph_.results(old).begin(), graph_.results(old).end());
    if (NodeId exit = graph_[old].exit) stack.push_back(exit);
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second) continue;
        if (auto made = find(node))
            substitution.put(node, *made);
        else
            for_each_part(graph_, node, [&](NodeId part) { stack.push_back(part); });
    }
    return substitution.empty() ? old : substitution.block(old);
}

} // namespace irrewrite
