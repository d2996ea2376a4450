#include "engine/multi_root/multi_root.hpp"

#include "engine/analysis/regions.hpp"
#include "engine/ir/reachability.hpp"
#include "engine/match/conditions.hpp"

#include <algorithm>
#include <bit>
#include <tsl/robin_set.h>

namespace irrewrite {

MultiRootPass::MultiRootPass(RewriteState& state, const MultiRootPlans& plans)
    : state_(state), graph_(state.graph), plans_(plans.plans) {
    state_.surroundings.runs = [this](NodeId root) { return runs(root); };
    state_.surroundings.independent = [this](NodeId a, NodeId b) { return independent(a, b); };
    start_number_ = graph_.fresh_number();
}

// -- merging ----------------------------------------------------------------------------------------

bool MultiRootPass::binds(const ScheduledBlock& block, NodeId node) const {
    return block.id && GraphView(graph_).depends_on_block(node, block.id);
}

// Blocks that run many times, from the present one outward, of which the node needs nothing: it is computed
// once for all their runs, though what may fault is scheduled inside them.
unsigned MultiRootPass::outside(NodeId node) const {
    unsigned count = 0;
    for (std::size_t at = at_; at != 0 && !graph_.has(node, TakesToken); at = schedule_->blocks[at].parent) {
        const ScheduledBlock& block = schedule_->blocks[at];
        if (binds(block, node)) break;
        count += runs_often(block) ? 1 : 0;
    }
    return count;
}

// Each node, for every block around its own up to the one that binds what it depends on.
void MultiRootPass::gather(const Schedule& schedule) {
    guarded_.emplace(graph_, schedule);
    inside_.assign(schedule.blocks.size(), {});
    if (plans_.empty()) return;
    auto wanted = [&](NodeId node) {
        return std::ranges::any_of(plans_, [&](const Plan& plan) {
            return std::ranges::find(plan.operations[0], graph_.op(node)) != plan.operations[0].end();
        });
    };
    constexpr unsigned levels = 16; // linear in deep nests
    for (std::size_t b = 1; b < schedule.blocks.size(); ++b)
        for (const ScheduledNode& scheduled : schedule.blocks[b].nodes) {
            if (!wanted(scheduled.node) || graph_.has(scheduled.node, TakesToken)) continue;
            std::size_t at = b;
            for (unsigned level = 0; level < levels && at && !binds(schedule.blocks[at], scheduled.node); ++level) {
                at = schedule.blocks[at].parent;
                Nodes& list = inside_[at];
                if (list.empty() || list.back() != scheduled.node) list.push_back(scheduled.node);
            }
        }
}

Independence MultiRootPass::apart(const ScheduledBlock& block) const {
    Nodes nodes, candidates;
    for (const ScheduledNode& node : block.nodes) nodes.push_back(node.node);
    for (NodeId node : block_) {
        auto one = [&](const std::vector<OpId>& ops) { return std::ranges::find(ops, graph_.op(node)) != ops.end(); };
        if (graph_.has(node, TakesToken)) continue; // each depends on those before it, and may still be brought to them
        if (std::ranges::any_of(plans_, [&](const Plan& plan) { return std::ranges::any_of(plan.operations, one); }))
            candidates.push_back(node);
    }
    return Independence(graph_, nodes, candidates);
}

void MultiRootPass::enter_block(const Schedule& schedule, std::size_t b) {
    const ScheduledBlock& block = schedule.blocks[b];
    const ScheduledBlock& home = schedule.blocks[guarded_->home(b)];
    schedule_ = &schedule, at_ = b, home_ = guarded_->home(b), moved_down_ = false;
    inner_.clear(), merges_.clear(), merged_.clear(), spans_.clear(), index_.clear(), by_reader_.clear();
    block_ = nodes_of(b);
    covered_.clear(), nonempty_.clear();
    apart_ = apart(block);
    add_covered(block);
    gathering_.emplace(graph_, schedule, *reads_, static_cast<std::uint32_t>(b),
                       home.id ? graph_[home.id].entry : state_.function.entry);
    left_.assign(apart_->words(), UINT64_MAX);
    if (home.id)
        block_roots_.assign(graph_.results(home.id).begin(), graph_.results(home.id).end());
    else
        block_roots_ = roots(state_.function);
}

// Loops that need nothing of the present block stand in it where they may fault. They are computed once for all its runs, and so
// is what they alone read of the blocks around: those nodes.
MultiRootPass::Nodes MultiRootPass::read_from_around() const {
    Nodes found;
    const ScheduledBlock& block = schedule_->blocks[at_];
    if (!block.id || !runs_often(block)) return found;
    tsl::robin_set<NodeId, std::hash<NodeId>> seen(block_.begin(), block_.end());
    for (NodeId loop : block_) {
        if (graph_.blocks(loop).empty() || graph_.has(loop, TakesToken) || binds(block, loop)) continue;
        Nodes stack;
        for_each_part(graph_, loop, [&](NodeId part) { stack.push_back(part); });
        while (!stack.empty()) {
            const NodeId node = stack.back();
            stack.pop_back();
            if (!seen.insert(node).second) continue;
            if (graph_.has(node, Open))
                for_each_part(graph_, node, [&](NodeId part) { stack.push_back(part); });
            else if (!graph_.blocks(node).empty())
                found.push_back(node);
        }
    }
    return found;
}

bool MultiRootPass::merge_block(const Schedule& schedule, std::size_t b) {
    enter_block(schedule, b);
    Nodes firsts = block_;
    for (NodeId node : inside_[b])
        if (std::ranges::find(block_, node) == block_.end() && inner_.insert({node, true}).second)
            firsts.push_back(node);
    for (NodeId node : read_from_around())
        if (inner_.insert({node, true}).second) firsts.push_back(node);
    for (const Plan& plan : plans_)
        for (NodeId node : firsts) {
            if (state_.stopped()) break;
            if (merged_.contains(node)) continue;
            if (std::ranges::find(plan.operations[0], graph_.op(node)) != plan.operations[0].end())
                try_rule(plan, node);
        }
    return !merges_.empty();
}

bool MultiRootPass::try_rule(const Plan& plan, NodeId first) {
    const Rule& rule = state_.base[plan.rule];
    if (rule.parameters) return false;
    if (state_.options.profile) ++state_.log.profile[plan.rule.index].tried;
    Watch watch(state_.log.watch, state_.options.timed ? &state_.log.profile[plan.rule.index] : nullptr);
    Matcher matcher(graph_, rule);
    Nodes chosen{first};
    auto others = [&] { return try_roots(plan, matcher, 1, chosen); };
    return matcher.root(0, first, others);
}

bool MultiRootPass::try_roots(const Plan& plan, Matcher& matcher, std::size_t root, Nodes& chosen) {
    const Rule& rule = state_.base[plan.rule];
    if (root == rule.left.size()) {
        if (inner_.contains(chosen[0]) && read_elsewhere(chosen[0], chosen[1])) return false;
        const auto apart = [&](NodeId node) { return outside(node) != outside(chosen[0]); }; // one would be repeated
        if (std::any_of(chosen.begin() + 1, chosen.end(), apart) || computes_in_vain(chosen)) return false;
        if (state_.options.profile) ++state_.log.profile[plan.rule.index].matched;
        return build(plan, matcher, chosen);
    }
    std::span<const std::uint64_t> apart;
    if (plan.keeps && root == 1 && apart_->number(chosen[0]) != Independence::none) apart = apart_->row(chosen[0]);
    return any_candidate(candidates(plan, root, matcher.bindings, chosen[0]), apart, [&](NodeId node) {
        if (std::ranges::find(chosen, node) != chosen.end()) return false;
        if (root == 1 && inner_.contains(chosen[0]) && !may_read(node, chosen[0])) return false;
        chosen.push_back(node);
        if (!may_meet(chosen)) {
            chosen.pop_back();
            return false;
        }
        auto others = [&] { return try_roots(plan, matcher, root + 1, chosen); };
        if (matcher.root(root, node, others)) return true;
        chosen.pop_back();
        return false;
    });
}

bool MultiRootPass::build(const Plan& plan, Matcher& matcher, const Nodes& chosen) {
    const EffectGathering::Group group = group_of(state_.base[plan.rule], chosen);
    reach(RootsTest::Meet);
    for (NodeId place : gathering_->places(group.nodes)) {
        if (place && gathering_->obstacle(group, place, effects())) continue;
        Merge merge{.roots = chosen, .results = {}, .anchor = place, .range = gathering_->range(group.nodes, place)};
        if (!collides(merge) && fits(plan, matcher, merge)) return accept(plan, std::move(merge));
    }
    return false;
}

// True if the conditions hold, and the right side may replace the roots.
bool MultiRootPass::fits(const Plan& plan, Matcher& matcher, Merge& merge) {
    const Rule& rule = state_.base[plan.rule];
    Builder builder(graph_);
    Conditions conditions(builder, rule, matcher, state_.surroundings);
    Origin saved = graph_.current_origin;
    graph_.current_origin = state_.origin(merge.roots[0], plan.rule);
    reach(RootsTest::Conditions);
    auto finish = [&] {
        return reach(RootsTest::RightSide) && build_right(rule, builder, matcher.bindings, merge) &&
               reach(RootsTest::Types) && types_fit(merge.results, merge.roots, rule) && reach(RootsTest::Change) &&
               changes_something(merge) && reach(RootsTest::Work) && !computes_again(merge) &&
               reach(RootsTest::Order) && acyclic(merge);
    };
    chosen_ = &merge.roots;
    bool held = conditions.hold(0, finish);
    chosen_ = nullptr;
    graph_.current_origin = saved;
    return held;
}

bool MultiRootPass::accept(const Plan& plan, Merge merge) {
    if (!state_.spend(plan.rule)) return false;
    for (NodeId node : merge.roots) {
        merged_[node] = merges_.size();
        if (const std::uint32_t number = apart_->number(node); number != Independence::none)
            left_[number / 64] &= ~(std::uint64_t{1} << number % 64);
    }
    const NodeId made = !merge.results.empty()                    ? merge.results[0]
                        : merge.exit && merge.exit != merge.start ? merge.exit
                                                                  : merge.roots[0];
    state_.record(state_.base[plan.rule], plan.rule, merge.roots, made);
    span(merge.roots);
    moved_down_ = moved_down_ || (merge.range && merge.range->down);
    merges_.push_back(std::move(merge));
    return true;
}

bool MultiRootPass::types_fit(const Nodes& results, const Nodes& roots, const Rule& rule) {
    std::size_t next = 0;
    for (NodeId root : roots)
        for (std::size_t k = 0; k < graph_.result_count(root); ++k, ++next) {
            if (next >= results.size()) {
                if (state_.log.broken.empty())
                    state_.log.broken = "rule '" + std::string(graph_.context().symbols[rule.full_name]) +
                                        "' has fewer results on its right side than its roots have";
                return false;
            }
            if (!state_.may_stand(rule, graph_.type(results[next]), graph_.type(graph_.result(root, k)))) return false;
        }
    return next == results.size();
}

// note: where a cycle may lead. Inputs are older than their users, and the replacement of merged nodes has inputs that
// are older than the youngest of these. So a path along inputs reaches a younger node only through a merge with roots
// on both sides of it. `spans_` are the ranges of ids that merges cover, overlapping ones as one, by their begin: below
// the range that a node is in, no path leads back to it.
void MultiRootPass::span(const Nodes& roots) {
    auto [oldest, youngest] = std::ranges::minmax(roots);
    std::uint32_t first = oldest.index, last = youngest.index;
    auto it = spans_.upper_bound(first);
    if (it != spans_.begin() && std::prev(it)->second >= first) --it;
    while (it != spans_.end() && it->first <= last) {
        first = std::min(first, it->first), last = std::max(last, it->second);
        it = spans_.erase(it);
    }
    spans_[first] = last;
}

std::uint32_t MultiRootPass::least_below(std::uint32_t index) const {
    auto it = spans_.upper_bound(index);
    return it != spans_.begin() && std::prev(it)->second >= index ? std::prev(it)->first : index;
}

// The merge that a node is a root of, or none.
const MultiRootPass::Merge* MultiRootPass::merge_of(const Merge& merge, NodeId node) const {
    if (std::ranges::find(merge.roots, node) != merge.roots.end()) return &merge;
    auto it = merged_.find(node);
    return it == merged_.end() ? nullptr : &merges_[it->second];
}

// True if the right side keeps a root as it is.
bool MultiRootPass::is_kept(const Merge& merge, NodeId root) const {
    if (graph_.has(root, Advances)) return false;
    std::size_t next = 0;
    for (NodeId other : merge.roots) {
        const std::size_t count = graph_.result_count(other);
        if (other != root) {
            next += count;
            continue;
        }
        for (std::size_t k = 0; k < count; ++k)
            if (merge.results[next + k] != graph_.result(root, k)) return false;
        return count > 0;
    }
    return false;
}

// The replacement of the roots may not depend on them, directly or through other merged nodes. Nodes ordered after a
// root's effect are ordered after the replacement.
bool MultiRootPass::acyclic(const Merge& merge) const {
    struct Use {
        NodeId node;
        bool is_token;
    };
    const std::uint32_t least = least_below(std::ranges::min(merge.roots).index);
    tsl::robin_set<std::uint64_t> seen;
    std::vector<Use> stack;
    const auto values = [&](std::span<const NodeId> nodes) {
        for (NodeId node : nodes) stack.push_back({node, false});
    };
    const auto parts = [&](NodeId node) {
        values(graph_.operands(node));
        if (NodeId token = graph_.token(node)) stack.push_back({token, true});
        for (BlockId block : graph_.blocks(node)) {
            values(graph_.results(block));
            if (NodeId exit = graph_[block].exit) stack.push_back({exit, true});
        }
    };
    values(merge.results);
    if (merge.exit) stack.push_back({merge.exit, true});
    while (!stack.empty()) {
        const auto [node, is_token] = stack.back();
        stack.pop_back();
        if (node.index < least || !seen.insert(std::uint64_t{node.index} * 2 + is_token).second) continue;
        if (graph_.is_param(node)) {
            if (graph_.param_number(node) != start_number_) continue;
            const std::size_t k = graph_.param_index(node);
            stack.push_back({graph_.token(k < merges_.size() ? merges_[k].anchor : merge.anchor), true});
            continue;
        }
        const Merge* of = merge_of(merge, node);
        if (!of || (!is_token && is_kept(*of, node)))
            parts(node);
        else if (is_token && (node != of->anchor || of->exit == of->start))
            stack.push_back({graph_.token(node), true});
        else if (of == &merge)
            return false;
        else if (is_token)
            stack.push_back({of->exit, true});
        else
            values(of->results);
    }
    return true;
}

void MultiRootPass::replace(Substitution& substitution) const {
    for (const Merge& merge : merges_) {
        std::size_t next = 0;
        if (merge.start) substitution.put_token_through(merge.start, graph_.token(merge.anchor));
        for (NodeId root : merge.roots)
            if (graph_.has(root, Advances))
                substitution.put_token_through(root, root == merge.anchor ? merge.exit : graph_.token(root));
        for (NodeId root : merge.roots)
            for (std::size_t k = 0; k < graph_.result_count(root); ++k, ++next) {
                NodeId old = graph_.result(root, k);
                if (old == merge.results[next]) continue;
                graph_.set_name(merge.results[next], graph_.name(old));
                substitution.put_through(old, merge.results[next]);
            }
    }
}

bool MultiRootPass::run() {
    if (plans_.empty() || state_.stopped()) return false;
    state_.refresh_uses();
    Schedule schedule = irrewrite::schedule(state_.function);
    costs_.reset(), need_.reset(), readers_.reset(), computed_in_.clear();
    reads_.emplace(graph_, schedule);
    gather(schedule);
    const NodeId before = state_.root();
    std::vector<bool> inside(schedule.blocks.size()); // something in the block was merged
    Substitution blocks(graph_);
    tsl::robin_map<BlockId, bool, std::hash<BlockId>> seen;
    bool any = false;
    for (std::size_t b = schedule.blocks.size(); b-- > 0;) {
        const ScheduledBlock& block = schedule.blocks[b];
        auto leave = [&](bool merged) {
            if (b && merged) inside[block.parent] = true;
        };
        if (inside[b]) {
            leave(true);
            continue;
        }
        const BlockId home = schedule.blocks[guarded_->home(b)].id;
        if (inside[guarded_->home(b)]) continue; // under a condition, as something else in the block
        if (home && seen.contains(home)) {
            leave(seen[home]);
            continue;
        }
        bool merged = merge_block(schedule, b);
        if (home && (block.id || merged)) seen[home] = merged;
        leave(merged);
        if (!merged) continue;
        any = true;
        Substitution substitution(graph_);
        substitution.within(home);
        replace(substitution);
        for (std::size_t at = b; guarded_->is_guarded(at); at = schedule.blocks[at].parent)
            inside[schedule.blocks[at].parent] = true;
        if (home)
            blocks.put_through(home, substitution.block(home));
        else
            state_.replace_roots(substitution(state_.root()));
    }
    if (any && !blocks.empty()) state_.replace_roots(blocks(state_.root()));
    return any && state_.root() != before;
}

} // namespace irrewrite
