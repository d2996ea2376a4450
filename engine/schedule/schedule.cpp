#include "engine/schedule/node_order.hpp"
#include "engine/schedule/scheduler.hpp"

#include <algorithm>
#include <tsl/robin_set.h>
#include <unordered_set>

namespace irrewrite {

std::optional<Schedule> Scheduler::run() {
    reads_ = view_.reads(function_);
    if (sharing_ == Sharing::ByNeed) find_costly();
    if (on_demand() && !seen_.empty()) find_awaited();
    out_.blocks.emplace_back();
    const std::uint64_t outermost = Graph::free_bit(number::function) | Graph::free_bit(number::dims);
    stack_.push_back(
        {.bound = outermost, .entry = function_.entry, .exit = function_.exit, .roots = function_.results});
    while (!stack_.empty()) {
        now_ = std::move(stack_.back());
        stack_.pop_back();
        if (now_.leave)
            leave(now_.region);
        else
            fill();
        if (size() > budget_) return std::nullopt;
    }
    return std::move(out_);
}

void Scheduler::fill() {
    level_.clear(), chain_.clear(), children_.clear();
    settled_ = 0;
    fresh_inside_ = false;
    structure_ = view_.structure(now_.roots);
    for (NodeId value : structure_.values) need(value);
    for (NodeId n = now_.exit; n && !g_.is_param(n); n = g_.token(n)) chain_.push_back(n), need(n);
    settle();
    take_reads();
    if (!seen_.empty() && sharing_ != Sharing::InPlace) take_elementwise(), take_floating();
    if (on_demand() && !seen_.empty()) {
        lazily_ = true;
        take_floating();
        if (sharing_ == Sharing::Lazy) take_elementwise();
        lazily_ = false;
    }
    put_in_order(view_, effects_, level_);
    finish();
}

void Scheduler::leave(std::uint32_t region) {
    for (const ScheduledNode& scheduled : out_.blocks[region].nodes) {
        placed_[scheduled.node.index] = 0;
        if (!lazy_.empty()) lazy_[scheduled.node.index] = 0;
    }
}

void Scheduler::place_pending() {
    while (!pending_.empty()) {
        NodeId n = view_.source(pending_.back());
        pending_.pop_back();
        if (!is_open(n)) continue;
        if (lazily_ && (waits(n) || !may_leave(n))) lazy_[n.index] = undecided;
        placed_[n.index] = now_.region + 1;
        level_.push_back(n);
        for (NodeId operand : g_.operands(n)) need(operand);
        if (g_[n].blocks > 0) need_of_generators(n);
    }
}

void Scheduler::settle() {
    place_pending();
    for (; settled_ < level_.size(); ++settled_) {
        if (g_.blocks(level_[settled_]).empty()) continue;
        for (NodeId n : needed_in_blocks(view_, placed_, level_[settled_])) need(n);
        place_pending();
    }
}

void Scheduler::need_of_generators(NodeId loop) {
    for (BlockId block : g_.blocks(loop))
        for (NodeId start : view_.generators(block).starts)
            if (!view_.depends_on_block(start, block)) need(start);
}

// A read belongs to the region of its token, before the next effect there, even where only an
// inner region uses its value.
void Scheduler::take_reads() {
    tsl::robin_set<NodeId, std::hash<NodeId>> wanted;
    auto want = [&](NodeId token) {
        auto first = std::ranges::lower_bound(reads_, token, {}, [](const auto& pair) { return pair.first; });
        for (; first != reads_.end() && first->first == token; ++first)
            if (!is_placed(first->second)) wanted.insert(first->second);
    };
    if (!now_.entry || reads_.empty()) return;
    want(now_.entry);
    for (NodeId n : chain_) want(n);
    if (wanted.empty()) return;

    std::vector<NodeId> list(structure_.inner), next;
    for (NodeId n : level_)
        for (BlockId block : g_.blocks(n)) view_.contents(block, list);
    ++stamp_;
    for (; !wanted.empty() && !list.empty(); list.swap(next), next.clear()) { // one level of blocks at a time
        while (!wanted.empty() && !list.empty()) {
            NodeId n = view_.source(list.back());
            list.pop_back();
            if (is_placed(n) || std::exchange(seen_[n.index], stamp_) == stamp_) continue;
            if (wanted.erase(n) > 0) need(n);
            view_.dependences(n, list);
            for (BlockId block : g_.blocks(n)) view_.contents(block, next);
        }
    }
    settle();
}

void Scheduler::finish() {
    count_ += level_.size();
    out_.blocks[now_.region].nodes.reserve(level_.size());
    if (on_demand()) number_on_demand();
    finish_structure();
    for (NodeId n : level_) finish_node(n);
    stack_.push_back({.region = now_.region, .leave = true});
    for (std::size_t i = children_.size(); i-- > 0;) stack_.push_back(std::move(children_[i]));
}

// Who needs whom of what is computed on demand.
void Scheduler::number_on_demand() {
    std::vector<std::uint32_t>& demands = out_.blocks[now_.region].demands;
    for (NodeId value : structure_.values) demand(value, demands);
    for (std::uint32_t i = 0; i < level_.size(); ++i) {
        if (!is_lazy(level_[i])) {
            demand_of(level_[i], demands);
            continue;
        }
        OnDemand lazy{now_.region, i, {}, sharing_ != Sharing::Lazy || view_.is_costly(level_[i])};
        demand_of(level_[i], lazy.demands);
        out_.on_demand.push_back(std::move(lazy));
        lazy_[level_[i].index] = static_cast<std::uint32_t>(out_.on_demand.size());
    }
    std::ranges::sort(demands);
    demands.erase(std::unique(demands.begin(), demands.end()), demands.end());
}

void Scheduler::demand(NodeId value, std::vector<std::uint32_t>& list) const {
    value = view_.source(value);
    if (is_lazy(value)) list.push_back(lazy_[value.index] - 1);
}

void Scheduler::demand_of(NodeId n, std::vector<std::uint32_t>& list) const {
    for (NodeId operand : g_.operands(n)) demand(operand, list);
    for (BlockId block : g_.blocks(n))
        for (NodeId start : view_.generators(block).starts) demand(start, list);
}

void Scheduler::finish_structure() {
    for (auto& [condition, emissions] : structure_.guarded) {
        const std::uint32_t index = add_region({}, condition, now_.home);
        children_.back().roots = std::move(emissions);
        out_.blocks[now_.region].guarded.emplace_back(condition, index);
    }
    for (const Structure::Nested& nested : structure_.nested) {
        std::uint32_t index = UINT32_MAX;
        if (nested.combines && now_.home != UINT32_MAX)
            for (auto [block, region] : homes_[now_.home].operators)
                if (block == nested.block) index = region;
        if (index == UINT32_MAX) index = add_region(nested.block, nested.owner, now_.home);
        out_.blocks[now_.region].nested.emplace_back(nested.block, index);
    }
}

void Scheduler::finish_node(NodeId n) {
    ScheduledNode scheduled{.node = n};
    if (is_lazy(n)) scheduled.on_demand = lazy_[n.index] - 1;
    for (BlockId block : g_.blocks(n)) {
        std::uint32_t home = UINT32_MAX;
        if (view_.has_generators(block)) {
            home = static_cast<std::uint32_t>(homes_.size());
            homes_.emplace_back();
            for (BlockId operation : view_.generators(block).operators) {
                const std::uint32_t region = add_region(operation, n, UINT32_MAX);
                homes_[home].operators.emplace_back(operation, region);
            }
        }
        scheduled.blocks.push_back(add_region(block, n, home));
    }
    out_.blocks[now_.region].nodes.push_back(std::move(scheduled));
}

// A child of the current region; its work is the last of `children_`.
std::uint32_t Scheduler::add_region(BlockId block, NodeId owner, std::uint32_t home) {
    const auto index = static_cast<std::uint32_t>(out_.blocks.size());
    out_.blocks.push_back(
        {.id = block, .parent = now_.region, .owner = owner, .nodes = {}, .guarded = {}, .nested = {}, .demands = {}});
    Work& work = children_.emplace_back();
    work.region = index;
    work.home = home;
    work.bound = now_.bound;
    if (!block) return index;
    if (view_.binds(block)) work.bound |= Graph::free_bit(g_[block].number);
    work.entry = g_[block].entry;
    work.exit = g_[block].exit;
    work.roots.assign(g_.results(block).begin(), g_.results(block).end());
    return index;
}

namespace {

std::size_t extent(const Schedule& schedule) {
    std::size_t n = schedule.blocks.size();
    for (const ScheduledBlock& block : schedule.blocks) n += block.nodes.size();
    return n;
}

std::size_t generous(std::size_t n) { return 4 * n + 1000; }

} // namespace

Schedule schedule(const Function& function) {
    const std::optional<Effects> effects = effects_on_reads(function);
    return schedule(function, effects ? &*effects : nullptr);
}

namespace {
Schedule schedule_on_demand(const Function& function, Sharing sharing) {
    const std::optional<Effects> effects = effects_on_reads(function);
    Schedule plain = schedule(function, effects ? &*effects : nullptr);
    if (plain.blocks.size() == 1 || !plain.on_demand.empty()) return plain;
    auto needed = Scheduler(function, effects ? &*effects : nullptr, sharing, generous(extent(plain))).run();
    return needed ? *std::move(needed) : std::move(plain);
}
} // namespace

Schedule schedule_by_need(const Function& function) { return schedule_on_demand(function, Sharing::ByNeed); }
Schedule schedule_lazily(const Function& function) { return schedule_on_demand(function, Sharing::Lazy); }

Schedule schedule_in_place(const Function& function) {
    const std::optional<Effects> effects = effects_on_reads(function);
    return *Scheduler(function, effects ? &*effects : nullptr, Sharing::InPlace, SIZE_MAX).run();
}

// Equal blocks are one block in the graph and several here, so a schedule may be much larger than
// the graph without any code motion: what an attempt costs is compared with the next one's size.
Schedule schedule(const Function& function, const Effects* effects) {
    auto attempt = [&](Sharing sharing, std::size_t budget) {
        return Scheduler(function, effects, sharing, budget).run();
    };
    const std::size_t reachable = GraphView(function.graph).reachable(function);
    if (auto first = attempt(Sharing::Duplicate, generous(reachable))) return *std::move(first);
    if (auto early = attempt(Sharing::Early, 64 * reachable + 1'000'000)) {
        auto again = attempt(Sharing::Duplicate, generous(extent(*early)));
        return again ? *std::move(again) : *std::move(early);
    }
    Schedule all = *attempt(Sharing::OnDemand, SIZE_MAX);
    auto again = attempt(Sharing::Early, generous(extent(all)));
    return again ? *std::move(again) : all;
}

std::vector<std::uint32_t> regions_within(const Schedule& schedule, std::vector<std::uint32_t> stack) {
    std::vector<std::uint32_t> regions;
    std::unordered_set<std::uint32_t> seen;
    while (!stack.empty()) {
        const std::uint32_t region = stack.back();
        stack.pop_back();
        if (!seen.insert(region).second) continue;
        regions.push_back(region);
        const ScheduledBlock& block = schedule.blocks[region];
        for (auto& [condition, index] : block.guarded) stack.push_back(index);
        for (auto& [nested, index] : block.nested) stack.push_back(index);
        for (const ScheduledNode& node : block.nodes) stack.insert(stack.end(), node.blocks.begin(), node.blocks.end());
    }
    return regions;
}

} // namespace irrewrite
