#include "engine/passes/dead_effects.hpp"

#include "engine/analysis/endings.hpp"
#include "engine/analysis/overwritten_later.hpp"
#include "engine/schedule/rebuild_scheduled.hpp"
#include "engine/schedule/schedule.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace irrewrite {

namespace {

constexpr unsigned deepest = 300; // nested blocks; in deeper ones everything is live

using Nodes = std::vector<NodeId>;
using Occurrence = std::pair<std::uint32_t, NodeId>; // region, node: equal blocks share nodes

class Liveness {
  public:
    explicit Liveness(const Function& function)
        : function_(function), graph_(function.graph), view_(graph_), memory_(function), overwritten_(graph_, memory_),
          schedule_(schedule(function)) {}

    const Schedule& schedule_of() const { return schedule_; }
    std::set<Occurrence> dead() {
        for (NodeId result : function_.results) need(result);
        region(0);
        return std::move(dead_);
    }

  private:
    void need(NodeId node);
    void region(std::uint32_t index);
    void structure(std::uint32_t index);
    void visit(std::uint32_t index, const ScheduledNode& scheduled);
    bool is_live(NodeId node) const;
    bool touches_alone(NodeId node) const;
    bool has_live_effect(const ScheduledNode& scheduled) const;
    void reads(NodeId node);
    bool is_kept(Occurrence at, const ScheduledNode& scheduled);
    void blocks(const ScheduledNode& scheduled, bool results);
    void loop(const ScheduledNode& scheduled, bool results);
    void block(std::uint32_t region, bool results = true);
    void everything(BlockId block);

    const Function& function_;
    const Graph& graph_;
    GraphView view_;
    AliasAnalysis memory_;
    OverwrittenLater overwritten_;
    Schedule schedule_;
    std::set<NodeId> live_; // own allocations whose content is read later
    tsl::robin_set<NodeId, std::hash<NodeId>> needed_;
    std::map<std::uint32_t, std::set<NodeId>> at_end_;                  // of loops, by their first block's region
    std::map<std::uint32_t, OverwrittenLater::Set> overwritten_at_end_; // likewise
    std::set<Occurrence> dead_, kept_;
    unsigned depth_ = 0;
};

// A value is used, so the nodes that compute it are needed; structure is reached through operands.
void Liveness::need(NodeId node) {
    Nodes stack{node};
    while (!stack.empty()) {
        NodeId n = view_.source(stack.back());
        stack.pop_back();
        if (!needed_.insert(n).second || !view_.is_structure(n)) continue;
        stack.insert(stack.end(), graph_.operands(n).begin(), graph_.operands(n).end());
    }
}

// Backwards: users first.
void Liveness::region(std::uint32_t index) {
    structure(index);
    const auto& nodes = schedule_.blocks[index].nodes;
    for (std::size_t i = nodes.size(); i-- > 0;) visit(index, nodes[i]);
}

void Liveness::structure(std::uint32_t index) {
    for (auto [id, inner] : schedule_.blocks[index].nested) block(inner);
    for (auto [condition, inner] : schedule_.blocks[index].guarded) {
        need(condition);
        region(inner);
    }
}

// The node itself changes nothing but what nobody reads later: own memory, or what is overwritten before. It ends.
bool Liveness::touches_alone(NodeId node) const {
    const Operation& operation = graph_.operation(node);
    if (operation.has(Trait::Io) || operation.core == Core::Call) return false;
    if (is_open_loop(graph_, node) && !surely_ends(graph_, node, &memory_)) return false;
    auto operands = graph_.operands(node);
    for (std::size_t i = 0; i < operands.size() && i < 64; ++i)
        if (operation.writes >> i & 1 && (!memory_.is_own(operands[i]) || live_.contains(operands[i])) &&
            !overwritten_.covers(node, operands[i]))
            return false;
    return true;
}

bool Liveness::is_live(NodeId node) const {
    if (needed_.contains(node)) return true;
    if (!graph_.has(node, Advances)) return false;
    return !touches_alone(node);
}

// Of the blocks: what was not found dead in them.
bool Liveness::has_live_effect(const ScheduledNode& scheduled) const {
    std::vector<std::uint32_t> stack(scheduled.blocks.begin(), scheduled.blocks.end());
    while (!stack.empty()) {
        const std::uint32_t index = stack.back();
        stack.pop_back();
        for (const ScheduledNode& inner : schedule_.blocks[index].nodes)
            if (graph_.has(inner.node, Advances) && !dead_.contains({index, inner.node})) return true;
    }
    return false;
}

void Liveness::reads(NodeId node) {
    const Operation& operation = graph_.operation(node);
    auto operands = graph_.operands(node);
    for (std::size_t i = 0; i < operands.size() && i < 64; ++i) {
        if (operation.overwrites >> i & 1) live_.erase(operands[i]);
        if (operation.reads >> i & 1 && memory_.is_own(operands[i])) live_.insert(operands[i]);
    }
    overwritten_.pass(node);
}

void Liveness::visit(std::uint32_t index, const ScheduledNode& scheduled) {
    const NodeId node = scheduled.node;
    const bool effects = graph_.has(node, Advances);
    dead_.erase({index, node});
    if (!scheduled.blocks.empty() && effects) {
        if (!is_kept({index, node}, scheduled)) {
            dead_.insert({index, node});
            return;
        }
        blocks(scheduled, true);
    } else {
        if (!is_live(node)) {
            if (effects) dead_.insert({index, node});
            return;
        }
        for (std::uint32_t inner : scheduled.blocks) block(inner);
    }
    reads(node);
    for (NodeId operand : graph_.operands(node)) need(operand);
}

void Liveness::block(std::uint32_t index, bool results) {
    const BlockId id = schedule_.blocks[index].id;
    if (depth_ == deepest) return everything(id);
    ++depth_;
    if (results)
        for (NodeId result : graph_.results(id)) need(result);
    region(index);
    overwritten_.leave(id);
    --depth_;
}

void Liveness::everything(BlockId id) {
    overwritten_.set({});
    Nodes stack(graph_.results(id).begin(), graph_.results(id).end());
    if (graph_[id].exit) stack.push_back(graph_[id].exit);
    tsl::robin_set<NodeId, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        NodeId node = stack.back();
        stack.pop_back();
        if (!seen.insert(node).second) continue;
        needed_.insert(node);
        if (memory_.is_own(node)) live_.insert(node);
        view_.dependences(node, stack);
        if (!graph_.is_param(node))
            for (BlockId block : graph_.blocks(node)) view_.contents(block, stack);
    }
}

// Tried once without anybody asking for what the blocks result in: a loop whose test alone reads what its body
// alone writes does nothing.
bool Liveness::is_kept(Occurrence at, const ScheduledNode& scheduled) {
    if (needed_.contains(at.second) || !touches_alone(at.second)) return true;
    if (kept_.contains(at)) return true;
    const std::set<NodeId> after = live_;
    const OverwrittenLater::Set later = overwritten_.get();
    blocks(scheduled, false);
    live_ = after;
    overwritten_.set(later);
    if (!has_live_effect(scheduled)) return false;
    kept_.insert(at);
    return true;
}

// Each block begins with what is live behind the node; what any of them needs is live before it. Overwritten is what
// all of them overwrite.
void Liveness::blocks(const ScheduledNode& scheduled, bool results) {
    for (std::size_t k = 0; k < scheduled.blocks.size(); ++k)
        if (view_.frequency(scheduled.node, k) == Frequency::Hot) return loop(scheduled, results);
    const std::set<NodeId> after = live_;
    const OverwrittenLater::Set later = overwritten_.get();
    std::set<NodeId> before;
    std::optional<OverwrittenLater::Set> sooner;
    if (!view_.is_conditional(scheduled.node)) before = after, sooner = later;
    for (std::uint32_t inner : scheduled.blocks) {
        live_ = after;
        overwritten_.set(later);
        block(inner, results);
        before.insert(live_.begin(), live_.end());
        sooner = sooner ? both(*sooner, overwritten_.get()) : overwritten_.get();
    }
    live_ = std::move(before);
    if (sooner) overwritten_.set(*sooner);
}

void Liveness::loop(const ScheduledNode& scheduled, bool results) {
    std::set<NodeId>& end = at_end_[scheduled.blocks[0]]; // grows from pass to pass, whoever asks
    const std::set<NodeId> after = live_;
    end.insert(after.begin(), after.end());
    // Shrinks likewise. The blocks may run no iteration, so the set at their end is within the set behind the loop.
    OverwrittenLater::Set later = overwritten_.get();
    if (auto known = overwritten_at_end_.find(scheduled.blocks[0]); known != overwritten_at_end_.end())
        later = both(later, known->second);
    for (;;) {
        const std::size_t size = end.size(), needed = needed_.size(), overwritten = later.size();
        std::set<NodeId> before = after;
        OverwrittenLater::Set sooner = later;
        for (std::size_t k = scheduled.blocks.size(); k-- > 0;) {
            live_ = end;
            overwritten_.set(later);
            block(scheduled.blocks[k], results);
            before.insert(live_.begin(), live_.end());
            sooner = both(sooner, overwritten_.get());
        }
        end.insert(before.begin(), before.end());
        later = std::move(sooner);
        if (end.size() == size && needed_.size() == needed && later.size() == overwritten) break;
    }
    live_ = end;
    overwritten_at_end_[scheduled.blocks[0]] = later;
    overwritten_.set(std::move(later));
}

// -- taking them out ------------------------------------------------------------------------------------

class Removal {
  public:
    Removal(Function& function, const Schedule& schedule, std::set<Occurrence> dead)
        : function_(function), graph_(function.graph), schedule_(schedule), dead_(std::move(dead)), rebuild_(graph_) {}

    void run() {
        rebuild_.whole(function_, [&] { region(0); });
    }

  private:
    void region(std::uint32_t index) {
        for (const ScheduledNode& scheduled : schedule_.blocks[index].nodes)
            if (!dead_.contains({index, scheduled.node})) visit(scheduled);
        for (auto [condition, inner] : schedule_.blocks[index].guarded) region(inner);
        for (auto [id, inner] : schedule_.blocks[index].nested) rebuild_.put(id, block(inner));
    }
    BlockId block(std::uint32_t index) {
        const BlockId old = schedule_.blocks[index].id;
        if (depth_ == deepest) return rebuild_.opaque(old);
        ++depth_;
        const Rebuild::Mark mark = rebuild_.mark();
        const NodeId outside = std::exchange(rebuild_.token, graph_[old].entry);
        region(index);
        Nodes results(graph_.results(old).begin(), graph_.results(old).end());
        for (NodeId& result : results) result = rebuild_(result);
        const BlockId made = rebuild_.close(old, results, rebuild_.token);
        rebuild_.token = outside;
        rebuild_.undo(mark);
        --depth_;
        return made;
    }
    void visit(const ScheduledNode& scheduled) {
        std::vector<BlockId> blocks;
        for (std::uint32_t inner : scheduled.blocks) blocks.push_back(block(inner));
        const NodeId made = rebuild_.node(scheduled.node, rebuild_.operands(scheduled.node), blocks);
        if (graph_.has(scheduled.node, Advances) && graph_.has(made, Advances)) {
            rebuild_.token = made;
            if (made != scheduled.node) take_name(scheduled.node, made);
        }
        rebuild_.put(scheduled.node, made);
    }
    // Without what stood before it an allocation may be what another one was, which has gone.
    void take_name(NodeId from, NodeId to) {
        const SymbolId name = graph_.name(from);
        if (!name || name == graph_.name(to)) return;
        if (graph_.name(to)) graph_.forget_name(to);
        graph_.set_name(to, name);
    }

    Function& function_;
    Graph& graph_;
    const Schedule& schedule_;
    std::set<Occurrence> dead_;
    Rebuild rebuild_;
    unsigned depth_ = 0;
};

} // namespace

bool drop_dead_effects(Function& function) {
    Liveness liveness(function);
    std::set<Occurrence> dead = liveness.dead();
    if (dead.empty()) return false;
    Removal(function, liveness.schedule_of(), std::move(dead)).run();
    return true;
}

} // namespace irrewrite
