// Values that are computed when they are first needed (engine/schedule, `OnDemand`).
#include "printers/c/c_function.hpp"

#include <algorithm>

namespace irrewrite::printers {
namespace {

constexpr unsigned most_printed = 256; // in one function: each user computes them in its own text

} // namespace

void CDemands::declare(const ScheduledNode& scheduled) {
    if (!schedule_.on_demand[scheduled.on_demand].kept) return; // where it is needed
    const NodeId node = scheduled.node;
    const std::vector<TypeId> types = code_.result_types(node);
    const std::vector<std::string> names = declare_results(node, types);
    const std::string known = out_.fresh("known");
    out_.line("bool " + known + " = false;");
    lazy_[scheduled.on_demand].known = known;
    variables_[scheduled.on_demand] = names;
    bind_results(node, names, types);
}

void CDemands::forget(std::span<const std::uint32_t> settled) {
    for (std::uint32_t lazy : settled) lazy_[lazy].settled = false;
}

void CDemands::print_demands(std::span<const std::uint32_t> demands) {
    for (std::uint32_t demanded : demands) {
        if (lazy_[demanded].settled) continue;
        if (schedule_.on_demand[demanded].kept) {
            if (lazy_[demanded].known.empty()) continue;
            print_kept(demanded);
        } else {
            print_demands(schedule_.on_demand[demanded].demands);
            f_.print_node(demands_.lazy_node(demanded), schedule_.on_demand[demanded].region, no_place);
        }
        if (lazy_[demanded].settled) continue;
        lazy_[demanded].settled = true;
        env_.on_leave([this, demanded] { lazy_[demanded].settled = false; });
    }
}

void CDemands::print_kept(std::uint32_t demanded) {
    const ScheduledNode& scheduled = demands_.lazy_node(demanded);
    if (++state_.printed_on_demand > most_printed)
        return refuse(scheduled.node, "this value is computed when it is first needed, at too many places for C");
    open("if (!" + lazy_[demanded].known + ") {");
    {
        const Scope scope(env_, ranges_);
        out_.line(lazy_[demanded].known + " = true;");
        print_demands(schedule_.on_demand[demanded].demands);
        f_.print_node(scheduled, schedule_.on_demand[demanded].region, no_place);
        store_results(scheduled.node, variables_.at(demanded));
    }
    close();
}

// Assigns the results that were just computed to variables from outside.
void CDemands::store_results(NodeId node, std::span<const std::string> names) {
    const std::vector<TypeId> types = code_.result_types(node);
    for (std::size_t k = 0; k < types.size(); ++k) {
        const std::vector<Binding>* several = env_.find_results(node);
        const Binding value = g_.kind(node) == TypeKind::Results && several != nullptr ? (*several)[k] : binding(node);
        const bool fresh = state_.blocks.back().end() !=
                           std::ranges::find(state_.blocks.back(), value.text.text, &CState::Owned::name);
        set(types[k], names[k], stored(value, types[k], fresh, node));
    }
}

// Those that are kept, of regions around this one.
void CDemands::collect(std::span<const std::uint32_t> demands, Region region, std::vector<std::uint32_t>& list) const {
    for (std::uint32_t demanded : demands) {
        const OnDemand& entry = schedule_.on_demand[demanded];
        Region around = region;
        while (around != entry.region && around != 0) around = schedule_.blocks[around].parent;
        if (around != entry.region || lazy_[demanded].settled) continue;
        if (!entry.kept)
            collect(entry.demands, region, list);
        else if (!lazy_[demanded].known.empty() && std::ranges::find(list, demanded) == list.end())
            list.push_back(demanded);
    }
}

std::vector<std::uint32_t> CDemands::print_before(Region body, Region region, const std::string& n) {
    std::vector<std::uint32_t> list;
    collect(schedule_.blocks[body].demands, region, list);
    if (list.empty()) return list;
    open("if (0 < " + n + ") {");
    {
        const Scope scope(env_, ranges_);
        print_demands(list);
    }
    close();
    for (std::uint32_t lazy : list) lazy_[lazy].settled = true;
    return list;
}

bool CDemands::waits_within(std::span<const std::uint32_t> regions) const {
    const auto is_inside = [&](std::uint32_t demanded) {
        return std::ranges::find(regions, schedule_.on_demand[demanded].region) != regions.end();
    };
    std::vector<std::uint32_t> stack;
    for (Region region : regions)
        stack.insert(stack.end(), schedule_.blocks[region].demands.begin(), schedule_.blocks[region].demands.end());
    std::unordered_set<std::uint32_t> seen;
    while (!stack.empty()) {
        const std::uint32_t demanded = stack.back();
        stack.pop_back();
        if (lazy_[demanded].settled || !seen.insert(demanded).second) continue;
        const OnDemand& entry = schedule_.on_demand[demanded];
        if (entry.kept && !is_inside(demanded)) return true;
        stack.insert(stack.end(), entry.demands.begin(), entry.demands.end());
    }
    return false;
}

} // namespace irrewrite::printers
