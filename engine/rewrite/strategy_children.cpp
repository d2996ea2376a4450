// Strategies that visit the children of a node, and the node rebuilt with its children replaced.
#include "engine/rewrite/strategy_machine.hpp"

#include "engine/ir/builder.hpp"
#include "engine/ir/reachability.hpp"

#include <algorithm>

namespace irrewrite {

using Kind = StrategyNode::Kind;

// The children: operands, results of blocks, and the effect before, each once. The entry of a block is none.
void StrategyMachine::collect_parts(Frame& frame) const {
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    for_each_part(graph_, frame.node, [&](NodeId part) {
        bool entry = graph_.is_param(part) && graph_.param_index(part) == number::entry_index;
        if (!entry && seen.insert(part).second) frame.parts.push_back(part);
    });
}

// A block of the frame's node with its children replaced, and one node for each effect in it.
BlockId StrategyMachine::settled(BlockId block, const Frame& frame) {
    const Block old = graph_[block];
    auto made = [&](NodeId part) {
        auto at = std::ranges::find(frame.parts, part);
        const auto i = static_cast<std::size_t>(at - frame.parts.begin());
        return i < frame.made.size() ? std::optional(frame.made[i]) : std::nullopt;
    };
    std::vector<NodeId> results(graph_.results(block).begin(), graph_.results(block).end());
    for (NodeId& result : results)
        if (auto by = made(result)) result = by->value;
    NodeId exit = old.exit;
    if (auto by = made(exit); by && graph_.has(exit, Advances)) {
        if (by->token || graph_.has(by->value, Advances)) exit = by->token ? by->token : by->value;
    }
    return closed(block, std::move(results), exit);
}

BlockId StrategyMachine::closed(BlockId block, std::vector<NodeId> results, NodeId exit) {
    const Block old = graph_[block];
    const std::vector<SymbolId> names(graph_.param_names(block).begin(), graph_.param_names(block).end());
    EffectLineage::Content content{
        old.number, {graph_.params(block).begin(), graph_.params(block).end()}, std::move(results), old.entry, exit};
    if (old.entry) rewriter_.lineage().settle(content);
    return graph_.close(content.number, content.params, names, content.results, content.entry, content.exit);
}

Replacement StrategyMachine::rebuild(const Frame& frame) {
    Substitution substitution(graph_);
    for (std::size_t i = 0; i < frame.made.size(); ++i) {
        NodeId part = frame.parts[i];
        substitution.put(part, frame.made[i].value);
        if (graph_.has(part, Advances) && frame.made[i].token) substitution.put_token(part, frame.made[i].token);
    }
    if (!rewriter_.lineage().empty())
        for (BlockId block : std::vector(graph_.blocks(frame.node).begin(), graph_.blocks(frame.node).end()))
            if (graph_[block].exit) substitution.put(block, settled(block, frame));
    NodeId made = substitution.only(frame.node);
    return {made, graph_.has(made, Advances) ? made : graph_.token(frame.node)};
}

StrategyMachine::Action StrategyMachine::children(Frame& frame, const StrategyNode& s, const Result& returned) {
    if (frame.step++ == 0) {
        collect_parts(frame);
    } else {
        NodeId part = frame.parts[frame.made.size()];
        if (!returned && s.kind != Kind::One && s.kind != Kind::Some) return Finish{std::nullopt};
        frame.made.push_back(returned.value_or(Replacement{part, part}));
        frame.any = frame.any || returned.has_value();
        if (s.kind == Kind::One && returned) return Finish{rebuild(frame)};
    }
    if (frame.made.size() < frame.parts.size()) return Call{within(frame, s.first), frame.parts[frame.made.size()]};
    if ((s.kind == Kind::One || s.kind == Kind::Some) && !frame.any) return Finish{std::nullopt};
    return Finish{rebuild(frame)};
}

StrategyMachine::Action StrategyMachine::child(Frame& frame, const StrategyNode& s, const Result& returned) {
    auto operands = graph_.operands(frame.node);
    if (s.number >= operands.size()) return Finish{std::nullopt};
    if (frame.step++ == 0) {
        frame.parts = {operands[s.number]};
        return Call{within(frame, s.first), operands[s.number]};
    }
    if (!returned) return Finish{std::nullopt};
    frame.made.push_back(*returned);
    return Finish{rebuild_places(frame, s.number)};
}

// The node with its operands from `first` on, and then the results of its blocks, replaced where they stand: the same
// node may become different ones. Not so an effect, which happens once.
StrategyMachine::Result StrategyMachine::rebuild_places(const Frame& frame, std::size_t first) {
    std::vector<NodeId> operands(graph_.operands(frame.node).begin(), graph_.operands(frame.node).end());
    std::vector<BlockId> blocks(graph_.blocks(frame.node).begin(), graph_.blocks(frame.node).end());
    bool effects = std::ranges::any_of(frame.parts, [&](NodeId part) { return graph_.has(part, Advances); });
    if (effects) return rebuild(frame);
    std::size_t next = 0;
    bool same_types = true;
    for (std::size_t i = first; i < operands.size() && next < frame.made.size(); ++i, ++next) {
        same_types = same_types && graph_.type(operands[i]) == graph_.type(frame.made[next].value);
        operands[i] = frame.made[next].value;
    }
    for (BlockId& id : blocks) {
        if (next == frame.made.size()) break;
        const Block old = graph_[id];
        std::vector<NodeId> results;
        for (std::size_t k = 0; k < old.results; ++k) results.push_back(frame.made[next++].value);
        same_types = false;
        id = closed(id, std::move(results), old.exit);
    }
    const Node old = graph_[frame.node];
    NodeParts parts{.op = old.op,
                    .attrs = old.attrs,
                    .operands = operands,
                    .blocks = blocks,
                    .token = graph_.token(frame.node),
                    .type = old.type};
    if (!same_types)
        if (auto inferred = infer(graph_, old.op, old.attrs, operands, blocks); inferred.type)
            parts.type = *inferred.type;
    NodeId made = graph_.make(parts);
    if (SymbolId name = graph_.name(frame.node); name && !graph_.is_literal(made) && !graph_.is_param(made))
        graph_.set_name(made, name);
    if (graph_.rebuilt) graph_.rebuilt(frame.node, made);
    return Replacement{made, graph_.has(made, Advances) ? made : graph_.token(frame.node)};
}

// Operands, then the results of blocks.
StrategyMachine::Action StrategyMachine::congruence(Frame& frame, const StrategyNode& s, const Result& returned) {
    const Context& context = graph_.context();
    bool same_name = context.operations[s.op].name == graph_.operation(frame.node).name;
    std::size_t operands = graph_.operands(frame.node).size(), blocks = s.args.size() - s.number;
    if (!same_name || operands != s.number || (blocks && blocks != graph_.blocks(frame.node).size()))
        return Finish{std::nullopt};
    if (frame.step == 0) {
        frame.parts.assign(graph_.operands(frame.node).begin(), graph_.operands(frame.node).end());
        for (std::size_t k = 0; k < blocks; ++k)
            for (NodeId result : graph_.results(graph_.blocks(frame.node)[k])) frame.parts.push_back(result);
    } else {
        if (!returned) return Finish{std::nullopt};
        frame.made.push_back(*returned);
    }
    std::size_t i = frame.step++;
    if (i == frame.parts.size()) return Finish{rebuild_places(frame, 0)};
    std::size_t arg = i < operands ? i : operands;
    for (std::size_t k = 0, end = operands; i >= operands && k < blocks; ++k) {
        end += graph_.results(graph_.blocks(frame.node)[k]).size();
        if (i < end) break;
        ++arg;
    }
    return Call{within(frame, s.args[arg]), frame.parts[i]};
}

} // namespace irrewrite
