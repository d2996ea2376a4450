// Decides if merging the roots of a rule would compute one of them speculatively: a root that is used only under a
// condition is not computed if the condition fails, and does not fault then.
#include "engine/ir/reachability.hpp"
#include "engine/multi_root/covered_faults.hpp"
#include "engine/multi_root/multi_root.hpp"
#include "engine/multi_root/nonempty_loops.hpp"

#include <algorithm>
#include <tsl/robin_set.h>

namespace irrewrite {

namespace {
bool computes(const ScheduledBlock& block, NodeId node) {
    return std::ranges::any_of(block.nodes,
                               [&](const ScheduledNode& s) { return s.node == node && !s.is_on_demand(); });
}
} // namespace

bool MultiRootPass::runs_often(const ScheduledBlock& block) const {
    const auto blocks = block.id ? graph_.blocks(block.owner) : std::span<const BlockId>{};
    const auto found = std::ranges::find(blocks, block.id);
    return found != blocks.end() &&
           GraphView(graph_).frequency(block.owner, static_cast<std::size_t>(found - blocks.begin())) == Frequency::Hot;
}

// True if a root is computed wherever the others are, or cannot fault: it is in the present block; or in every
// iteration of another root with the same extent, and cannot fault outside of its own iterations.
bool MultiRootPass::runs(NodeId root) const {
    if (!chosen_ || std::ranges::find(*chosen_, root) == chosen_->end()) return false;
    if (!inner_.contains(root)) return true;
    const NodeId turns = faults_.extent(root);
    const auto takes_turns = [&](const ScheduledBlock& block) {
        if (!block.id || block.parent != at_ || std::ranges::find(*chosen_, block.owner) == chosen_->end())
            return false;
        return runs_often(block) && faults_.extent(block.owner) == turns;
    };
    for (std::size_t b = at_ + 1; turns && b < schedule_->blocks.size(); ++b)
        if (takes_turns(schedule_->blocks[b]) && computes(schedule_->blocks[b], root) && begins_without_fault(root))
            return true;
    return never_faults(root);
}

// True if nothing outside of its iterations faults, apart from its extent.
bool MultiRootPass::begins_without_fault(NodeId loop) const {
    return std::ranges::all_of(graph_.blocks(loop), [&](BlockId block) {
        const auto faults = [&](NodeId generator) { return faults_when_empty(graph_, generator); };
        return std::ranges::none_of(graph_.results(block), faults) &&
               never_fault(GraphView(graph_).generators(block).starts);
    });
}

bool MultiRootPass::never_faults(NodeId root) const {
    const Faults::Summary own = faults_.of(root);
    return !own.faults && own.reads.empty() &&
           never_fault({graph_.operands(root).begin(), graph_.operands(root).end()});
}

// With all that would have to be computed for them.
bool MultiRootPass::never_fault(Nodes stack) const {
    const auto computed = [&](NodeId node) {
        for (std::size_t at = at_;; at = schedule_->blocks[at].parent) {
            if (computes(schedule_->blocks[at], node)) return true;
            if (at == 0) return false;
        }
    };
    tsl::robin_map<NodeId, bool, std::hash<NodeId>> seen;
    while (!stack.empty()) {
        const NodeId node = stack.back();
        stack.pop_back();
        if (!graph_.has(node, DeepFault) || !seen.insert({node, true}).second || computed(node)) continue;
        const Faults::Summary& own = faults_.of(node);
        if ((own.faults && !own.outside) || !own.reads.empty()) return false;
        stack.insert(stack.end(), own.around.begin(), own.around.end());
        stack.insert(stack.end(), graph_.operands(node).begin(), graph_.operands(node).end());
    }
    return true;
}

// True if a root stands in a branch, and something outside of the branch needs it as well, for which it stays.
bool MultiRootPass::is_made_outside(NodeId root) const {
    const ScheduledBlock& block = schedule_->blocks[at_];
    if (!block.id || binds(block, root) || runs_often(block)) return false;
    const Nodes results = roots(state_.function);
    return reaches(graph_, results, root, {&block.owner, 1});
}

// True if a root would be computed twice, in a branch and outside of it, or if one whose iterations, or what they need, do
// much of their own would be computed where only another one is needed. One that reads it asks for it; so does each, of roots
// that the same blocks ask for, and a loop that other loops need whenever they run.
bool MultiRootPass::computes_in_vain(const Nodes& roots) {
    const auto is_made_twice = [&](NodeId root) { return !graph_.has(root, TakesToken) && is_made_outside(root); };
    if (std::ranges::any_of(roots, is_made_twice)) return true;
    if (!costs_) {
        costs_.emplace(graph_, *schedule_);
        any_dear_ = costs_->any();
    }
    if (!any_dear_) return false;
    const BlockId block = schedule_->blocks[home_].id;
    const NodeId condition = guarded_->condition(at_);
    return std::ranges::any_of(roots, [&](NodeId root) {
        if (graph_.has(root, TakesToken) || nonempty_.contains(root)) return false;
        const auto covered = covered_.find(root);
        if (covered != covered_.end() && std::ranges::find(roots, covered->second) != roots.end()) return false;
        if (!need_) need_.emplace(state_.function);
        const std::vector<std::uint32_t> readers = need_->readers(block, condition, root);
        const auto asks = [&](NodeId other) {
            return other == root || need_->readers(block, condition, other) == readers ||
                   reaches(graph_, {&other, 1}, root);
        };
        if (readers.empty() || std::ranges::all_of(roots, asks)) return false;
        if (costs_->is_dear(root, roots)) return true;
        std::vector<tsl::robin_set<NodeId, std::hash<NodeId>>> reached; // by each other root
        for (NodeId other : roots) {
            if (other == root) continue;
            const Nodes nodes = reachable(graph_, {&other, 1});
            reached.emplace_back(nodes.begin(), nodes.end());
        }
        const auto is_needed_here = [&](NodeId node) { // and not by each other root
            return node != root &&
                   !std::ranges::all_of(reached, [&](const auto& nodes) { return nodes.contains(node); }) &&
                   costs_->is_dear(node, {}) && !need_->readers(block, condition, node).empty();
        };
        return std::ranges::any_of(reachable(graph_, {&root, 1}), is_needed_here);
    });
}

// The blocks that compute it whenever they run.
std::span<const std::size_t> MultiRootPass::computed_in(NodeId node) {
    if (computed_in_.empty())
        for (std::size_t b = 0; b < schedule_->blocks.size(); ++b)
            for (const ScheduledNode& scheduled : schedule_->blocks[b].nodes)
                if (!scheduled.is_on_demand()) computed_in_[scheduled.node].push_back(b);
    return computed_in_[node];
}

// False if an inner node is computed within other nodes of the block only, and the reader in the block.
bool MultiRootPass::may_read(NodeId reader, NodeId inner) {
    const auto stands_in = [&](std::size_t region) {
        while (region && schedule_->blocks[region].parent != at_) region = schedule_->blocks[region].parent;
        return region && schedule_->blocks[region].owner == reader;
    };
    if (std::ranges::find(computed_in(reader), at_) == computed_in(reader).end()) return true;
    const std::span<const std::size_t> regions = computed_in(inner);
    return regions.empty() || std::ranges::any_of(regions, stands_in);
}

bool MultiRootPass::read_elsewhere(NodeId inner, NodeId reader) const {
    if (!reaches(graph_, {&reader, 1}, inner) || reaches(graph_, block_roots_, inner, {&reader, 1})) return true;
    const ScheduledBlock& block = schedule_->blocks[home_];
    return block.id && !binds(block, inner) && reaches(graph_, roots(state_.function), inner, {&block.owner, 1});
}

// True if a root that needs nothing of the present loop, and so is computed once for all its iterations, is computed once for another
// loop as well, which does not need all other roots: the replacement would compute it again.
bool MultiRootPass::computes_again(const Merge& merge) {
    const auto stands_inside = [&](std::size_t at) {
        while (at > at_) at = schedule_->blocks[at].parent;
        return at == at_;
    };
    const auto is_in = [&](NodeId node, std::size_t at) {
        const std::span<const std::size_t> places = computed_in(node);
        return std::ranges::find(places, at) != places.end();
    };
    return std::ranges::any_of(merge.roots, [&](NodeId root) {
        if (graph_.has(root, TakesToken) || outside(root) == 0 || is_kept(merge, root)) return false;
        return std::ranges::any_of(computed_in(root), [&](std::size_t at) {
            return !stands_inside(at) &&
                   !std::ranges::all_of(merge.roots, [&](NodeId other) { return is_in(other, at); });
        });
    });
}

// The body of a loop, `while` included, of an `each` or of a `gen.each`.
bool MultiRootPass::is_loop_body(const ScheduledBlock& block) const {
    return block.id && runs_often(block) && (faults_.extent(block.owner) || GraphView(graph_).is_computed(block.owner));
}

// Tells if bodies of loops of the present block compute the node: under no condition there, under those of emissions, or never.
MultiRootPass::InLoops MultiRootPass::in_loops(NodeId node) {
    const auto is_body = [&](std::size_t at) { return is_loop_body(schedule_->blocks[at]); };
    InLoops found = InLoops::Never;
    for (std::size_t at : computed_in(node)) {
        bool is_in_body = false, is_guarded = false;
        for (; at > at_ && (is_body(at) || guarded_->is_guarded(at)); at = schedule_->blocks[at].parent)
            (is_body(at) ? is_in_body : is_guarded) = true;
        if (at != at_ || !is_in_body) continue;
        if (!is_guarded) return InLoops::Always;
        found = InLoops::UnderConditions;
    }
    return found;
}

// Returns what bodies of loops of the present block ask for, and under no condition there: indices into Schedule::on_demand.
tsl::robin_set<std::uint32_t> MultiRootPass::demanded_in_loops() const {
    tsl::robin_set<std::uint32_t> found;
    for (std::size_t b = at_ + 1; b < schedule_->blocks.size(); ++b) {
        const ScheduledBlock& block = schedule_->blocks[b];
        if (block.parent == at_ && is_loop_body(block)) found.insert(block.demands.begin(), block.demands.end());
    }
    return found;
}

// Loops that the bodies of loops need, and that fault only where another loop of the block does because a count is negative.
void MultiRootPass::add_counting(const ScheduledBlock& block) {
    const auto is_loop = [&](NodeId node) {
        return graph_.core(node) == Core::None && !graph_.is_param(node) && faults_.extent(node);
    };
    std::optional<SureCounts> counts;
    const auto add = [&](NodeId node) {
        if (!counts) counts.emplace(graph_, faults_, block);
        if (std::ranges::find(block_, node) == block_.end() && counts->covers(node)) block_.push_back(node);
    };
    std::optional<tsl::robin_set<std::uint32_t>> demanded;
    for (const ScheduledNode& scheduled : block.nodes) {
        if (!scheduled.is_on_demand() || !is_loop(scheduled.node)) continue;
        if (!demanded) demanded = demanded_in_loops();
        if (demanded->contains(scheduled.on_demand)) add(scheduled.node);
    }
    for (NodeId node : inside_[at_])
        if (is_loop(node) && in_loops(node) != InLoops::Never) add(node);
}

// Loops in branches that are taken if the loops have iterations.
void MultiRootPass::add_nonempty() {
    const NonemptyLoops nonempty(graph_, *schedule_, faults_, at_);
    for (NodeId node : inside_[at_]) {
        if (std::ranges::find(block_, node) != block_.end() || !nonempty.covers(node, computed_in(node))) continue;
        block_.push_back(node);
        nonempty_.insert(node);
    }
}

// Loops in the bodies of loops, of which they need nothing, may be computed in the present block if one that is computed
// there anyway faults whenever they do.
void MultiRootPass::add_covered(const ScheduledBlock& block) {
    constexpr std::size_t most_tried = 8; // of one range: linear
    std::map<NodeId, std::vector<const ScheduledNode*>> by_extent;
    for (const ScheduledNode& scheduled : block.nodes) {
        const NodeId extent = scheduled.is_on_demand() ? NodeId{} : faults_.extent(scheduled.node);
        if (extent) by_extent[extent].push_back(&scheduled);
    }
    add_counting(block);
    add_nonempty();
    if (by_extent.empty()) return;
    for (NodeId node : inside_[at_]) {
        const auto found = by_extent.find(graph_.core(node) == Core::None ? faults_.extent(node) : NodeId{});
        if (found == by_extent.end() || found->second.size() > most_tried ||
            std::ranges::find(block_, node) != block_.end())
            continue;
        const auto covers = [&](const ScheduledNode* sure) {
            return CoveredFaults(graph_, *schedule_, faults_, *sure, node).covers() &&
                   !reaches(graph_, {&sure->node, 1}, node) && !reaches(graph_, {&node, 1}, sure->node);
        };
        const InLoops place = in_loops(node);
        if (place == InLoops::Never) continue;
        const auto sure = std::ranges::find_if(found->second, covers);
        if (sure == found->second.end()) continue;
        block_.push_back(node);
        if (place == InLoops::Always) covered_[node] = (*sure)->node;
    }
}

} // namespace irrewrite
