#include "engine/dataflow/dataflow.hpp"

#include "engine/ir/builder.hpp"

#include <algorithm>

namespace irrewrite {

Flow::Flow(RewriteState& state, Apply apply, bool speculates)
    : state_(state), graph_(state.graph), apply_(std::move(apply)), speculates_(speculates),
      lessons_(state.graph, state.base, state.surroundings), view_(graph_), rebuild_(graph_), memory_(state.function),
      schedule_(schedule(state.function)) {
    rebuild_.known = [this](NodeId node) { return in_context(known_value(node)); };
    if (!state_.base.analyses.empty()) state_.analyses.known = this;
}

NodeId Flow::run() {
    const Function& function = state_.function;
    rebuild_.token = function.entry;
    region(0);
    Nodes results = function.results;
    for (NodeId& result : results) result = rebuild_(result);
    std::vector<TypeId> types;
    for (NodeId node : results) types.push_back(graph_.type(node));
    return graph_.intern({.op = Operations::core(Core::Pack),
                          .operands = results,
                          .token = function.exit ? rebuild_.token : NodeId{},
                          .type = graph_.context().types.tuple(types)});
}

// A region of a schedule: the nodes, then what is guarded in it, then the blocks of its structure.
void Flow::region(std::uint32_t index) {
    for (const ScheduledNode& scheduled : schedule_.blocks[index].nodes) visit(scheduled);
    for (auto [condition, inner] : schedule_.blocks[index].guarded) {
        const DataflowFacts::Mark mark = facts_.mark();
        region(inner);
        facts_.undo(mark);
    }
    for (auto [id, inner] : schedule_.blocks[index].nested) {
        const DataflowFacts::Mark mark = facts_.mark();
        rebuild_.put(id, block(inner).block);
        facts_.undo(mark);
    }
}

Flow::Made Flow::block(std::uint32_t index) {
    const BlockId old = schedule_.blocks[index].id;
    if (depth_ == deepest) {
        forget_written({&old, 1});
        return {rebuild_.opaque(old), {}, {}};
    }
    ++depth_;
    const Rebuild::Mark mark = rebuild_.mark();
    const NodeId outside = std::exchange(rebuild_.token, graph_[old].entry);
    region(index);
    Made made;
    Nodes results(graph_.results(old).begin(), graph_.results(old).end());
    for (NodeId result : results) made.results.push_back(rebuild_(result));
    made.exit = rebuild_.token;
    made.block = rebuild_.close(old, made.results, made.exit);
    rebuild_.token = outside;
    rebuild_.undo(mark);
    --depth_;
    return made;
}

// The node with its new operands and old blocks: facts are matched at it while its blocks are not rewritten yet.
NodeId Flow::stand_in(NodeId old) {
    const Node node = graph_[old];
    Nodes operands = rebuild_.operands(old);
    std::vector<BlockId> blocks(graph_.blocks(old).begin(), graph_.blocks(old).end());
    return graph_.intern({.op = node.op,
                          .attrs = node.attrs,
                          .operands = operands,
                          .blocks = blocks,
                          .token = node.token ? rebuild_.token : NodeId{},
                          .type = node.type});
}

void Flow::visit(const ScheduledNode& scheduled) {
    const NodeId old = scheduled.node;
    bool gone = false;
    std::vector<BlockId> blocks;
    NodeId made;
    if (scheduled.blocks.empty()) {
        made = rebuild_.node(old, rebuild_.operands(old), blocks);
    } else {
        const NodeId stands = stand_in(old);
        if (is_loop(old))
            gone = loop(scheduled, stands, blocks);
        else
            blocks = branches(scheduled, stands);
        Nodes operands(graph_.operands(stands).begin(), graph_.operands(stands).end());
        made = rebuild_.node(old, operands, blocks);
    }
    settle(old, made, gone);
}

NodeId Flow::nothing() {
    return graph_.make({.op = Operations::core(Core::Pack), .type = graph_.context().types.unit()});
}

// Completes a node: maps it to its result, appends its effects to the chain, and learns the facts that it establishes.
void Flow::settle(NodeId old, NodeId made, bool gone) {
    const NodeId start = rebuild_.token;
    const std::vector<FactId> leaving = std::exchange(leaving_, {});
    const auto unchanged = std::exchange(unchanged_, {});
    const auto ended = std::exchange(ended_, {});
    const BlockId leaving_block = leaving_block_;
    const Replacement result = gone ? Replacement{nothing(), start} : normal(made);
    Nodes effects;
    effects_between(start, result.token, effects);
    for (NodeId effect : effects) {
        memory_.stands_for(effect, old);
        pass(effect, effect == made);
    }
    rebuild_.token = result.token;
    memory_.stands_for(result.value, old);
    if (effects.empty() && !graph_.is_param(result.value) && !graph_.is_literal(result.value)) {
        memory_.uses(result.value);
        if (is_computed_here(result.value)) teach_after(result.value);
    }
    if (!leaving.empty()) {
        Nodes last; // what the loop has carried to its end
        const std::size_t carried = graph_.params(leaving_block).size();
        for (std::size_t k = 0; carried == graph_.result_count(result.value) && k < carried; ++k)
            last.push_back(graph_.result(result.value, k));
        for (FactId fact : moved(leaving, leaving_block, last, rebuild_.token)) facts_.learn(fact, graph_);
    }
    for (auto [k, value] : unchanged)
        if (k < graph_.result_count(result.value))
            if (NodeId part = graph_.result(result.value, k); part != value && !graph_.is_literal(part))
                facts_.learn(facts_.closed({}, part, value, {}), graph_);
    for (const Ended& each : ended)
        if (each.result < graph_.result_count(result.value))
            learn_known(static_cast<std::uint32_t>(each.analysis), graph_.result(result.value, each.result),
                        each.value);
    rebuild_.put(old, result.value);
}

// False for a node before the last effect: facts of its reads and writes held at that point only.
bool Flow::is_computed_here(NodeId node) const {
    return !graph_.has(node, Advances) && (!graph_.token(node) || graph_.token(node) == rebuild_.token);
}

// Facts first, then the strategy, until neither changes anything.
Replacement Flow::normal(NodeId node) {
    const NodeId start = rebuild_.token;
    Nodes seen;
    // A value that is what an earlier effect gave: that one has been passed.
    if (graph_.has(node, Advances) && !effects_between(start, node, seen)) return {known_value(node), start};
    Replacement result{node, graph_.has(node, Advances) ? node : start};
    seen.clear();
    while (!graph_.is_literal(result.value) && !graph_.is_param(result.value)) {
        const bool advances = graph_.has(result.value, Advances);
        if (NodeId value = known_value(result.value); value != result.value && !advances) {
            result.value = value;
            continue;
        }
        if (auto value = known_here(result.value)) {
            if (!advances) return {*value, result.token};
            if (graph_.kind(result.value) == TypeKind::Unit) return {nothing(), start};
        }
        if (std::ranges::find(seen, result.value) != seen.end()) break; // came back
        seen.push_back(result.value);
        const std::size_t born = graph_.size();
        auto next = apply_(result.value);
        if (!next || next->value == result.value) break;
        if (!advances) {
            result.value = with_normal_parts(next->value, born);
            continue;
        }
        Nodes effects;
        if (!effects_between(start, next->token, effects)) break;
        result = *next;
        const bool one = effects.size() == 1 && effects[0] == result.value && graph_.blocks(result.value).empty();
        if (!one) break; // what it results in was computed between effects that are to be passed first
    }
    return result;
}

// A right side may have built more than its root: that comes first.
NodeId Flow::with_normal_parts(NodeId root, std::size_t born) {
    constexpr unsigned most = 100; // nested
    if (nested_ == most || root.index < born) return root;
    Nodes fresh, stack{root};
    tsl::robin_set<NodeId, std::hash<NodeId>> found;
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (node.index < born || graph_.is_param(node) || graph_.token(node) || !found.insert(node).second) continue;
        fresh.push_back(node);
        stack.insert(stack.end(), graph_.operands(node).begin(), graph_.operands(node).end());
    }
    std::ranges::sort(fresh);
    ++nested_;
    const Rebuild::Mark mark = rebuild_.mark();
    for (NodeId node : fresh) {
        std::vector<BlockId> blocks(graph_.blocks(node).begin(), graph_.blocks(node).end());
        NodeId made = rebuild_.node(node, rebuild_.operands(node), blocks);
        rebuild_.put(node, node == root ? made : normal(made).value);
    }
    const NodeId made = rebuild_.find(root).value_or(root);
    rebuild_.undo(mark);
    --nested_;
    return made;
}

// The effects behind `start` up to `end`, in order. False: `end` does not come after `start`.
bool Flow::effects_between(NodeId start, NodeId end, Nodes& out) const {
    while (end != start) {
        if (!end || graph_.is_param(end) || end < start) return false; // what comes before is older
        out.push_back(end);
        end = graph_.token(end);
    }
    std::ranges::reverse(out);
    return true;
}

// Goes past an effect. One that was walked through has left its changes already.
void Flow::pass(NodeId effect, bool walked) {
    memory_.uses(effect);
    std::vector<BlockId> blocks(graph_.blocks(effect).begin(), graph_.blocks(effect).end());
    if (!walked) forget_written(blocks);
    for_each_write(
        graph_, effect, [&](NodeId location) { facts_.write(graph_, effect, location, memory_); },
        [&] { facts_.write_foreign(memory_); });
    teach_after(effect);
}

} // namespace irrewrite
